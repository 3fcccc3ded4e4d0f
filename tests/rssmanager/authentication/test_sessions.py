"""Sessions: their user and browser, stored without the key."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from rssmanager.authentication.models import BrowserSession
from rssmanager.authentication.sessions import RECORD_USE_EVERY, digest, sessions_of
from rssmanager.authentication.tasks import delete_expired
from rssmanager.authentication.user_agents import describe_browser
from tests.rssmanager.authentication.conftest import is_signed_in

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1"
)
PASSWORD = {"username": "ada", "password": "correct horse"}


def key_of(client: Client) -> str:
    return str(client.cookies["sessionid"].value)


def test_session_shows_user_browser_and_address(client: Client, ada: User) -> None:
    client.post("/login/", PASSWORD, headers={"user-agent": FIREFOX}, REMOTE_ADDR="203.0.113.9")
    row = BrowserSession.objects.get()
    assert (row.user, row.agent, row.address) == (ada, FIREFOX, "203.0.113.9")
    assert is_signed_in(client)


def test_stored_hash_does_not_open_it(client: Client, ada: User) -> None:
    client.post("/login/", PASSWORD)
    row = BrowserSession.objects.get()
    assert row.session_key == digest(key_of(client))
    assert key_of(client) not in str(list(BrowserSession.objects.values()))
    thief = Client()
    thief.cookies["sessionid"] = row.session_key
    assert not is_signed_in(thief)
    assert "django_session" not in connection.introspection.table_names()


def test_signing_in_replaces_the_session(client: Client, ada: User) -> None:
    session = client.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    assert planted is not None
    client.cookies["sessionid"] = planted
    client.post("/login/", PASSWORD)
    assert [row.session_key for row in BrowserSession.objects.all()] == [digest(key_of(client))]
    assert key_of(client) != planted


def test_signing_out_ends_it(client: Client, ada: User) -> None:
    client.post("/login/", PASSWORD)
    key = key_of(client)
    client.post("/logout/")
    client.cookies["sessionid"] = key
    assert not is_signed_in(client)
    assert not BrowserSession.objects.exists()


def test_use_is_recorded_every_15_minutes(
    client: Client, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(ada)
    BrowserSession.objects.update(
        seen_at=timezone.now() - RECORD_USE_EVERY, began_at=timezone.now() - timedelta(days=9)
    )
    with django_assert_num_queries(4):  # session, user, preferences, seen
        client.get("/admin/login/", headers={"user-agent": SAFARI})
    with django_assert_num_queries(3):
        client.get("/admin/login/")
    row = BrowserSession.objects.get()
    assert row.agent == SAFARI
    assert timezone.now() - row.seen_at < timedelta(minutes=5)
    assert timezone.now() - row.began_at > timedelta(days=8)


def test_session_for_an_old_password_is_not_listed(ada: User) -> None:
    Client().force_login(ada)
    assert len(sessions_of(ada, now=timezone.now())) == 1
    ada.set_password("a long enough phrase")
    ada.save()
    assert sessions_of(ada, now=timezone.now()) == []


def test_expired_sessions_are_deleted(ada: User) -> None:
    for _ in range(2):
        Client().force_login(ada)
    ended = BrowserSession.objects.first()
    assert ended is not None
    BrowserSession.objects.filter(pk=ended.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    delete_expired()
    assert BrowserSession.objects.count() == 1
    assert not BrowserSession.objects.filter(pk=ended.pk).exists()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        pytest.param(FIREFOX, "Firefox on Linux", id="desktop"),
        pytest.param(SAFARI, "Mobile Safari on iOS", id="phone"),
        pytest.param("curl/8.5.0", "curl", id="a program"),
        pytest.param("", "An unknown browser", id="nothing"),
        pytest.param("<script>" * 40, "An unknown browser", id="nonsense"),
    ],
)
def test_describes_browsers(agent: str, words: str) -> None:
    assert describe_browser(agent) == words
