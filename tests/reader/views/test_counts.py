"""Refreshed counts of an open page."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reader.articles.read_state import mark_read
from tests import make

pytestmark = pytest.mark.django_db

_COUNT = re.compile(r'<span(?: class="count")? data-count="([\w]+)">(.*?)</span>(?=\s*<span|\s*$)', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


def counts(client: Client, query: str = "") -> dict[str, str]:
    markup = client.get(f"/counts/{query}").content.decode()
    return {place: _TAG.sub("", said).strip() for place, said in _COUNT.findall(markup)}


def test_counts_every_sidebar_entry_and_the_list(client: Client, reader: User) -> None:
    folder = make.folder(reader, is_open=True)
    inside, loose = make.subscription(reader, folder=folder), make.subscription(reader)
    read = make.delivery(inside, make.article()).article_id
    for subscription in (inside, inside, loose):
        make.delivery(subscription, make.article())
    assert counts(client) == {
        "here": "4 unread", "all": "4 unread", f"folder{folder.pk}": "3 unread",
        f"feed{inside.pk}": "3 unread", f"feed{loose.pk}": "1 unread",
    }  # fmt: skip
    mark_read(reader, [read])
    assert counts(client, f"?folder={folder.pk}&feed=") == {
        "here": "2 unread",
        "all": "3 unread",
        f"folder{folder.pk}": "2 unread",
        f"feed{inside.pk}": "2 unread",
        f"feed{loose.pk}": "1 unread",
    }
    assert counts(client, f"?folder=&feed={loose.pk}")["here"] == "1 unread"


def test_names_match_the_page(client: Client, reader: User) -> None:
    folder = make.folder(reader)
    subscription = make.subscription(reader, folder=folder)
    make.delivery(subscription, make.article())
    page = client.get(f"/feeds/{subscription.pk}/").content.decode()
    query = f"?folder={folder.pk}&amp;feed={subscription.pk}"
    assert f'data-counts="/counts/{query}"' in page
    assert set(re.findall(r'data-count="(\w+)"', page)) == set(counts(client, query.replace("&amp;", "&")))


def test_omits_zero_counts(client: Client, reader: User) -> None:
    make.subscription(reader)
    assert set(counts(client).values()) == {"All caught up", ""}


def test_counts_only_the_users_own(client: Client, reader: User) -> None:
    other = make.user()
    theirs = make.subscription(other, folder=make.folder(other))
    make.delivery(theirs, make.article())
    assert counts(client, f"?folder={theirs.folder_id}") == {"here": "", "all": ""}
    assert client.get(f"/counts/?feed={theirs.pk}").status_code == 404


@pytest.mark.parametrize("query", ["?folder=x&feed=-1", "?folder=99999999999999999999", "?feed=1%00"])
def test_ignores_invalid_ids(client: Client, reader: User, query: str) -> None:
    assert counts(client, query) == {"here": "", "all": ""}


def test_are_not_cached(client: Client, reader: User) -> None:
    assert "no-store" in client.get("/counts/")["Cache-Control"]


@pytest.mark.parametrize("n", [2, 30])
def test_take_constant_queries(
    client: Client, reader: User, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    folder = make.folder(reader)
    for number in range(n):
        make.delivery(make.subscription(reader, folder=folder if number % 2 else None), make.article())
    with django_assert_num_queries(9):
        client.get(f"/counts/?folder={folder.pk}")


def test_without_feeds_nothing_is_caught_up(client: Client, reader: User) -> None:
    page = client.get("/all/").content.decode()
    assert "You aren't following any feeds yet." in page
    assert "caught up" not in page
    make.subscription(reader)
    assert "All caught up" in client.get("/all/").content.decode()
