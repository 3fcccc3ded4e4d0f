"""The private feed."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from lxml import etree
from pytest_django import DjangoAssertNumQueries

from digests.delivery import private_feed
from digests.edition.kinds import Kind
from digests.models import Digest, PrivateFeed
from digests.views.feed import ENTRIES
from tests import make
from tests.digests import editions, kept
from tests.digests.conftest import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NOW = make.NOW
DAY = timedelta(days=1)
ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def ada() -> User:
    return make.user("ada")


@pytest.fixture
def address(ada: User) -> str:
    return f"/digests/feed/{private_feed.renew_token(ada, now=NOW)}/"


def digest(user: User, days_ago: int = 0, label: str = "Geneva: talks", kind: Kind = Kind.MORNING) -> Digest:
    topic = editions.topic(1, label=label, lead=editions.entry(article_id=None, title=label))
    return kept.digest(user, topic, kind=kind, made_at=NOW - days_ago * DAY)


def entries(client: Client, address: str) -> list[str]:
    """The page that each entry leads to."""
    feed = etree.fromstring(client.get(address).content)
    return [str(href) for href in feed.xpath("a:entry/a:link[@rel='alternate']/@href", namespaces=ATOM)]


def test_secret_address_shows_the_users_digests(client: Client, ada: User, address: str) -> None:
    older, newer = digest(ada, 1), digest(ada, 0, label="日銀: 政策金利")
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert answer["Cache-Control"] == "private, no-cache"
    assert (answer["X-Robots-Tag"], answer["Referrer-Policy"]) == ("noindex, nofollow", "no-referrer")
    assert "日銀: 政策金利" in answer.content.decode()
    assert [href.partition("/digests/")[2] for href in entries(client, address)] == [f"{newer.pk}/", f"{older.pk}/"]
    assert "sessionid" not in answer.cookies


def test_no_digest_of_anybody_else_and_no_front_page_is_in_it(client: Client, ada: User, address: str) -> None:
    digest(make.user(), label="Theirs")
    kept.front_page(ada, editions.topic(1, label="Live", lead=editions.entry(article_id=None)), made_at=NOW)
    client.force_login(make.user())
    answer = client.get(address)
    assert ("Theirs" in answer.content.decode(), "Live" in answer.content.decode()) == (False, False)
    assert entries(client, address) == []


@pytest.mark.parametrize("token", ["x", "é", "a" * 3000, "settings"])
def test_any_other_token_finds_nothing(client: Client, ada: User, address: str, token: str) -> None:
    digest(ada)
    assert client.get(f"/digests/feed/{token}/").status_code == 404
    client.force_login(ada)
    assert client.get(f"/digests/feed/{PrivateFeed.objects.get().token_hash}/").status_code == 404


def test_the_newest_are_in_it(client: Client, ada: User, address: str) -> None:
    made = [digest(ada, number) for number in range(ENTRIES + 2)]
    assert [href.split("/")[-2] for href in entries(client, address)] == [str(each.pk) for each in made[:ENTRIES]]


def test_known_version_answers_304_until_a_newer_one(client: Client, ada: User, address: str) -> None:
    digest(ada, 1)
    first = client.get(address)
    assert first["Last-Modified"] == "Tue, 03 Mar 2026 12:00:00 GMT"
    for headers in ({"If-None-Match": first["ETag"]}, {"If-Modified-Since": first["Last-Modified"]}):
        again = client.get(address, headers=headers)
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert again["Cache-Control"] == "private, no-cache"
    digest(ada)
    second = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (second.status_code, second["ETag"] == first["ETag"]) == (200, False)


def test_a_digest_that_was_deleted_changes_it(client: Client, ada: User, address: str) -> None:
    digest(ada)
    older = digest(ada, 1)
    etag = client.get(address)["ETag"]
    older.delete()
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 200


def test_a_feed_without_digests_is_a_feed(client: Client, address: str) -> None:
    feed = etree.fromstring(client.get(address).content)
    assert feed.xpath("string(a:updated)", namespaces=ATOM) == "2026-03-04T12:00:00+00:00"
    assert feed.xpath("string(a:title)", namespaces=ATOM) == "Digests of ada"


def test_it_is_only_read(client: Client, ada: User, address: str) -> None:
    digest(ada)
    assert client.post(address).status_code == 405
    head = client.head(address)
    assert (head.status_code, head.content) == (200, b"")


def test_that_it_was_read_is_noted(client: Client, ada: User, address: str, clock: SetClock) -> None:
    clock(NOW + DAY)
    client.get(address)
    assert PrivateFeed.objects.get().used_at == NOW + DAY


def test_disabled_address_stops_working_immediately(client: Client, ada: User, address: str) -> None:
    digest(ada)
    etag = client.get(address)["ETag"]
    private_feed.switch_off(ada)
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 404


@pytest.mark.parametrize("n", [1, 15])
def test_it_costs_the_same_however_many_there_are(
    client: Client, ada: User, address: str, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for number in range(n):
        digest(ada, number)
    etag = client.get(address)["ETag"]
    with django_assert_num_queries(7):  # token, newest, language, three for all they say, since when
        client.get(address)
    with django_assert_num_queries(2):
        client.get(address, headers={"If-None-Match": etag})
