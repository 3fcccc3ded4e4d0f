"""Sessions: whose they are, of which browser, and never under the key that opens them."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DjangoStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from rssmanager.signing_in.browsers import words_of
from rssmanager.signing_in.models import BrowserSession
from rssmanager.signing_in.sessions import SEEN_EVERY, digest, sessions_of
from rssmanager.signing_in.tasks import tidy
from tests.rssmanager.signing_in.conftest import is_signed_in

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1"
)
PASSWORD = {"username": "ada", "password": "correct horse"}


def key_of(client: Client) -> str:
    return str(client.cookies["sessionid"].value)


def test_a_session_says_whose_it_is_of_what_browser_and_from_where(client: Client, ada: User) -> None:
    client.post("/login/", PASSWORD, headers={"user-agent": FIREFOX}, REMOTE_ADDR="203.0.113.9")
    row = BrowserSession.objects.get()
    assert (row.user, row.agent, row.address) == (ada, FIREFOX, "203.0.113.9")
    assert is_signed_in(client)


def test_what_is_kept_does_not_open_it(client: Client, ada: User) -> None:
    client.post("/login/", PASSWORD)
    row = BrowserSession.objects.get()
    assert row.session_key == digest(key_of(client))
    assert key_of(client) not in str(list(BrowserSession.objects.values()))
    thief = Client()
    thief.cookies["sessionid"] = row.session_key
    assert not is_signed_in(thief)
    assert not Session.objects.exists()


def test_signing_in_makes_another_session_and_leaves_none_behind(client: Client, ada: User) -> None:
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
    kept = key_of(client)
    client.post("/logout/")
    client.cookies["sessionid"] = kept
    assert not is_signed_in(client)
    assert not BrowserSession.objects.exists()


def test_it_is_marked_as_seen_once_in_a_quarter_of_an_hour(
    client: Client, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(ada)
    BrowserSession.objects.update(seen_at=timezone.now() - SEEN_EVERY, began_at=timezone.now() - timedelta(days=9))
    with django_assert_num_queries(4):  # session, user, preferences, seen
        client.get("/admin/login/", headers={"user-agent": SAFARI})
    with django_assert_num_queries(3):
        client.get("/admin/login/")
    row = BrowserSession.objects.get()
    assert row.agent == SAFARI
    assert timezone.now() - row.seen_at < timedelta(minutes=5)
    assert timezone.now() - row.began_at > timedelta(days=8)


def test_one_for_a_password_before_is_not_listed(ada: User) -> None:
    Client().force_login(ada)
    assert len(sessions_of(ada, now=timezone.now())) == 1
    ada.set_password("a long enough phrase")
    ada.save()
    assert sessions_of(ada, now=timezone.now()) == []


def test_what_has_ended_is_cleared(ada: User) -> None:
    for _ in range(2):
        Client().force_login(ada)
    ended = BrowserSession.objects.first()
    assert ended is not None
    BrowserSession.objects.filter(pk=ended.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    tidy()
    assert BrowserSession.objects.count() == 1
    assert not BrowserSession.objects.filter(pk=ended.pk).exists()


def test_who_was_signed_in_before_stays_so(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    row = BrowserSession.objects.get()
    store = DjangoStore()
    store.update(row.get_decoded())
    store.save()
    BrowserSession.objects.all().delete()
    migration = import_module("rssmanager.signing_in.migrations.0004_who_is_signed_in")
    for _ in range(2):
        migration.move(apps, None)
    client.cookies["sessionid"] = str(store.session_key)
    assert is_signed_in(client)
    assert not Session.objects.exists()


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
def test_browsers_in_words(agent: str, words: str) -> None:
    assert words_of(agent) == words
