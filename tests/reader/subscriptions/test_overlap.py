"""Share of articles per feed, and feeds that repeat others."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.models import Separation, Subscription
from reader.subscriptions import overlap
from reader.subscriptions.overlap import FolderShare, Half, Overlap, overlap_of
from tests import make

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def user() -> User:
    return make.user()


def bring(*subscriptions: Subscription, days_old: float = 1) -> Article:
    """One article that all of these feeds deliver."""
    article = make.article(published_at=NOW - timedelta(days=days_old))
    for subscription in subscriptions:
        make.delivery(subscription, article)
    return article


def same_story(*subscriptions: Subscription) -> list[Article]:
    """One story with an article by each of these feeds."""
    articles = [bring(subscription) for subscription in subscriptions]
    make.story(*articles)
    return articles


def repeaters(user: User) -> list[tuple[str, int, int, list[str], bool]]:
    return [
        (
            str(repeater.subscription),
            repeater.n_repeated,
            repeater.n_articles,
            [str(other) for other in repeater.others],
            repeater.is_mutual,
        )
        for repeater in overlap_of(user, now=NOW).repeaters
    ]


def test_is_empty_without_articles(user: User) -> None:
    make.subscription(user)
    assert overlap_of(user, now=NOW) == Overlap(articles=None, opened=None, folders=(), repeaters=())


def test_names_feeds_that_deliver_half(user: User) -> None:
    for title, n_month, n_opened in (("a", 10, 0), ("b", 40, 1), ("c", 15, 9), ("d", 35, 0), ("e", 0, 0)):
        make.subscription(user, title=title, n_month=n_month, n_opened=n_opened)
    overlap = overlap_of(user, now=NOW)
    assert overlap.articles == Half(2, 4, ("b", "d"))
    assert overlap.opened == Half(1, 2, ("c",))


def test_names_only_the_largest_of_many_feeds(user: User) -> None:
    for title in "abcdefgh":
        make.subscription(user, title=title, n_month=5)
    half = overlap_of(user, now=NOW).articles
    assert half == Half(4, 8, ("a", "b", "c"))
    assert half is not None
    assert half.n_more == 1


def test_shares_of_folders(user: User) -> None:
    news = make.folder(user, "News")
    make.subscription(user, folder=news, n_month=50, n_opened=1)
    make.subscription(user, folder=news, n_month=10)
    make.subscription(user, n_month=20, n_opened=3)
    assert overlap_of(user, now=NOW).folders == (FolderShare("News", 75, 25), FolderShare("", 25, 75))
    Subscription.objects.filter(folder=None).delete()
    assert overlap_of(user, now=NOW).folders == ()


def test_lists_feed_that_repeats_others(user: User) -> None:
    wire, copy, third = (make.subscription(user, title=title) for title in ("Wire", "Copy", "Third"))
    for _ in range(3):
        bring(wire, copy)
        same_story(wire, copy)
    bring(copy)
    same_story(copy, third)
    for _ in range(7):
        bring(wire)
    assert repeaters(user) == [("Copy", 7, 8, ["Wire", "Third"], False)]


def test_marks_mutual_repeaters(user: User) -> None:
    one, other = (make.subscription(user, title=title) for title in ("One", "Other"))
    for _ in range(5):
        same_story(one, other)
    assert repeaters(user) == [("One", 5, 5, ["Other"], True), ("Other", 5, 5, ["One"], True)]


def test_repeats_from_half_of_five_articles(user: User) -> None:
    few, less, half, large = (make.subscription(user, title=title) for title in ("Few", "Less", "Half", "Large"))
    for _ in range(4):
        bring(few, large)
    for feed, n_own in ((less, 4), (half, 3)):
        for _ in range(3):
            bring(feed, large)
        for _ in range(n_own):
            bring(feed)
    for _ in range(20):
        bring(large)
    assert [name for name, *_ in repeaters(user)] == ["Half"]


def test_split_article_is_not_a_repetition(user: User) -> None:
    one, other = make.subscription(user), make.subscription(user)
    for _ in range(5):
        article, _theirs = same_story(one, other)
        Separation.objects.create(user=user, article=article, made_at=NOW)
    assert repeaters(user) == []


def test_feeds_of_others_and_older_articles_do_not_count(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, also_mine, theirs = make.subscription(user), make.subscription(user), make.subscription(make.user())
    for _ in range(5):
        same_story(mine, theirs)
        bring(mine, also_mine, days_old=29)
    assert repeaters(user) == []
    for _ in range(5):
        bring(mine, also_mine, days_old=2)
    assert len(repeaters(user)) == 2
    monkeypatch.setattr(overlap, "MAX_DELIVERIES", 5)
    assert repeaters(user) == []


@pytest.mark.parametrize("n", [1, 12])
def test_takes_three_queries(user: User, django_assert_num_queries: DjangoAssertNumQueries, n: int) -> None:
    for _ in range(n):
        folder = make.folder(user, f"Folder {make.fresh_number()}")
        one, other = make.subscription(user, folder=folder, n_month=5), make.subscription(user, n_month=1)
        for _ in range(5):
            same_story(one, other)
    with django_assert_num_queries(3):
        overlap = overlap_of(user, now=NOW)
        assert [str(other) for repeater in overlap.repeaters for other in repeater.others]


def test_feeds_page_shows_it_below_the_list(client: Client, user: User) -> None:
    folder = make.folder(user, "<News>")
    one = make.subscription(user, title="One", folder=folder, n_month=9, n_opened=4)
    other = make.subscription(user, make.feed("https://ada:secret@paper.example/feed", title=""), n_month=3)
    for _ in range(6):
        same_story(one, other)
    client.force_login(user)
    page = client.get("/health/").content.decode()
    text = " ".join(page.split()).replace("</bdi >", "</bdi>")
    assert "half of the articles came from 1 of 2 active feeds: <bdi>One</bdi>." in text
    assert "came from 1 feed: <bdi>One</bdi>." in text
    assert '<th scope="row" dir="auto">&lt;News&gt;</th>' in text
    assert "6 of its last 6 articles also appear in other feeds, mostly <bdi>One</bdi>." in text
    assert "one is enough" in text
    assert "secret" not in page
    for query in ("q=One", "which=never", f"after={other.pk}"):
        assert 'id="overlap"' not in client.get(f"/health/?{query}").content.decode()
