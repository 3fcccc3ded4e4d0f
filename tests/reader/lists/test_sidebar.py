"""Folders, feeds and counts in the sidebar of every page."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from feeds.models import Condition, FeedStatus
from reader.lists.sidebar import MAX_FEEDS, Sidebar, sidebar_of
from reader.models import Preferences
from tests import make

pytestmark = pytest.mark.django_db


def feeds_in(sidebar: Sidebar) -> dict[str, list[str]]:
    return {folder.name: [feed.name for feed in folder.feeds] for folder in sidebar.folders}


@pytest.fixture
def reader() -> User:
    return make.user()


def test_shows_folders_by_name_with_unread_counts(reader: User) -> None:
    news, art = make.folder(reader, "News"), make.folder(reader, "Art")
    first, second = make.subscription(reader, folder=news), make.subscription(reader, folder=news)
    both = make.article()
    for subscription, article in ((first, both), (second, both), (first, make.article()), (second, make.article())):
        make.delivery(subscription, article)
    make.delivery(first, make.article(), is_read=True)
    make.delivery(make.subscription(make.user()), make.article())
    folders = sidebar_of(reader, here="home").folders
    assert [(folder.pk, folder.name, folder.n_unread) for folder in folders] == [
        (art.pk, "Art", 0),
        (news.pk, "News", 3),
    ]


def test_shows_feeds_only_of_open_folders(reader: User) -> None:
    news, art = make.folder(reader, "News", is_open=True), make.folder(reader, "Art")
    make.subscription(reader, folder=news, title="b")
    make.subscription(reader, folder=news, title="A")
    hidden = make.subscription(reader, folder=art, title="hidden")
    make.subscription(reader, title="loose")
    sidebar = sidebar_of(reader, here="folder", folder_id=art.pk)
    assert feeds_in(sidebar) == {"Art": [], "News": ["A", "b"]}
    assert [loose_feed.name for loose_feed in sidebar.loose_feeds] == ["loose"]
    assert [folder.n_more for folder in sidebar.folders] == [0, 0]
    assert (sidebar.n_feeds, sidebar.n_more_loose) == (4, 0)
    sidebar = sidebar_of(reader, here="feed", folder_id=art.pk, open_feed=hidden.pk)
    assert feeds_in(sidebar) == {"Art": ["hidden"], "News": ["A", "b"]}


@pytest.mark.parametrize(
    ("order", "folders", "feeds"),
    [
        pytest.param("name", ["Art", "News"], ["a", "B", "c", "d"], id="by name"),
        pytest.param("unread", ["Art", "News"], ["d", "a", "c", "B"], id="by unread"),
        pytest.param("hand", ["News", "Art"], ["c", "a", "B", "d"], id="by hand, new ones last"),
    ],
)
def test_sorts_feeds_and_folders(reader: User, order: str, folders: list[str], feeds: list[str]) -> None:
    make.folder(reader, "Art", position=2)
    make.folder(reader, "News", position=1)
    for title, position, n_unread in (("a", 2, 3), ("B", 0, 0), ("c", 1, 1), ("d", 0, 8)):
        make.subscription(reader, title=title, position=position, unread_count=n_unread)
    sidebar = sidebar_of(reader, here="home", preferences=Preferences(user=reader, sidebar_order=order))
    assert [folder.name for folder in sidebar.folders] == folders
    assert [feed.name for feed in sidebar.loose_feeds] == feeds


def test_shows_the_open_feed_even_if_there_are_many(reader: User) -> None:
    last = make.subscription(reader, title="last")
    for number in range(MAX_FEEDS):
        make.subscription(reader, title=f"feed {number}", unread_count=1)
    feeds = sidebar_of(reader, here="feed", open_feed=last.pk).loose_feeds
    assert (len(feeds), feeds[-1].name) == (MAX_FEEDS, "last")


def test_shows_feeds_with_most_unread_if_there_are_many(reader: User) -> None:
    for number in range(MAX_FEEDS + 3):
        make.subscription(reader, title=f"feed {number}", unread_count=number)
    sidebar = sidebar_of(reader, here="home")
    assert (len(sidebar.loose_feeds), sidebar.n_more_loose) == (MAX_FEEDS, 3)
    assert min(loose_feed.n_unread for loose_feed in sidebar.loose_feeds) == 3


def test_total_counts_each_article_once(reader: User) -> None:
    article = make.article()
    for _ in range(2):
        make.delivery(make.subscription(reader), article)
    assert sidebar_of(reader, here="home").n_unread == 1


@pytest.mark.parametrize(
    ("values", "needs"),
    [
        pytest.param({}, 0, id="well"),
        pytest.param({"condition": Condition.UNHEALTHY}, 1, id="unhealthy"),
        pytest.param({"condition": Condition.SILENT}, 0, id="publishes rarely"),
        pytest.param({"status": FeedStatus.PAUSED}, 1, id="paused"),
        pytest.param({"status": FeedStatus.SAMPLE}, 0, id="a sample"),
        pytest.param({"consecutive_failures": 1}, 1, id="failed once"),
    ],
)
def test_counts_feeds_that_need_attention(reader: User, values: dict[str, Any], needs: int) -> None:
    make.subscription(reader, make.feed(**values))
    assert sidebar_of(reader, here="home").n_attention == needs


def test_counts_unseen_notifications(reader: User) -> None:
    subscription = make.subscription(reader)
    make.notification(subscription)
    make.notification(subscription, kind="well", seen_at=make.NOW)
    make.notification(make.subscription(make.user(), subscription.feed))
    assert sidebar_of(reader, here="home").n_notifications == 1


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    folder = make.folder(reader)
    for number in range(n):
        make.subscription(reader, folder=folder if number % 2 else None)
        make.subscription(reader, folder=make.folder(reader, f"Folder {number}", is_open=True))
    with django_assert_num_queries(6):
        sidebar = sidebar_of(reader, here="folder", folder_id=folder.pk)
        assert sum(map(len, feeds_in(sidebar).values())) == n
