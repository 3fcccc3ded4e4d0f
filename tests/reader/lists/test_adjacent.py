"""Links to the next and previous article of the list that the user came from."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.articles.read_state import mark_read, star
from reader.models import Delivery, Folder, Subscription
from reader.scoring.ranked_order import slot_of
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def folder(reader: User) -> Folder:
    return make.folder(reader)


@pytest.fixture
def subscription(reader: User, folder: Folder) -> Subscription:
    return make.subscription(reader, folder=folder)


def make_articles(subscription: Subscription, n: int) -> list[Article]:
    """Unread articles, newest first."""
    articles = [make.article(published_at=make.NOW - timedelta(hours=hours)) for hours in range(n)]
    for article in articles:
        make.delivery(subscription, article)
    return articles


def beside(client: Client, user: User, article: Article, back: str) -> list[int | None]:
    """The ids of the previous and next article in the page's context."""
    client.force_login(user)
    neighbours = client.get(reverse("article", args=[article.pk]), {"next": back}).context["neighbours"]
    return [neighbour and neighbour.pk for neighbour in (neighbours.previous, neighbours.next)]


@pytest.mark.parametrize("place", ["all", "folder", "selection", "feed"])
def test_links_to_adjacent_unread_articles(
    client: Client, reader: User, subscription: Subscription, folder: Folder, place: str
) -> None:
    first, second, read, last = make_articles(subscription, 4)
    mark_read(reader, [read.pk])
    lists = {
        "all": reverse("home"),
        "folder": reverse("folder", args=[folder.pk]) + "?after=u.1.2",
        "selection": reverse("selection", args=[folder.pk]),
        "feed": reverse("feed", args=[subscription.pk]),
    }
    assert beside(client, reader, second, lists[place]) == [first.pk, last.pk]
    assert beside(client, reader, first, lists[place]) == [None, last.pk]  # the second one was opened
    assert beside(client, reader, last, lists[place]) == [None, None]


def test_keeps_list_order_for_equal_dates(client: Client, reader: User, subscription: Subscription) -> None:
    one, two, three = (make.article(published_at=make.NOW) for _ in range(3))
    for article in (one, two, three):
        make.delivery(subscription, article)
    assert beside(client, reader, two, "/all/") == [three.pk, one.pk]


def test_stays_in_the_list(client: Client, reader: User, subscription: Subscription) -> None:
    [mine] = make_articles(subscription, 1)
    [other] = make_articles(make.subscription(reader), 1)
    assert beside(client, reader, mine, reverse("feed", args=[subscription.pk])) == [None, None]
    assert beside(client, reader, mine, "/all/") == [other.pk, None]


def test_starred_list_includes_read_articles(client: Client, reader: User, subscription: Subscription) -> None:
    articles = make_articles(subscription, 3)
    for hours, neighbour in enumerate(articles):
        star(reader, neighbour.pk, is_starred=True, now=make.NOW + timedelta(hours=hours))
    mark_read(reader, [article.pk for article in articles])
    assert beside(client, reader, articles[1], "/starred/") == [articles[2].pk, articles[0].pk]


@pytest.mark.parametrize("place", ["/for-you/", "/important/"])
def test_ranked_list_continues_with_first_unread(
    client: Client, reader: User, subscription: Subscription, place: str
) -> None:
    articles = make_articles(subscription, 3)
    for number, article in enumerate(articles):
        Delivery.objects.filter(article=article).update(
            static_importance=10.0 * number,
            slot=slot_of(article.published_at),
            sensitivity=1,
            decay_key=float(number),
            relevance=50.0,
        )
    assert beside(client, reader, articles[2], place) == [None, articles[1].pk]


@pytest.mark.parametrize("back", ["/health/", "/nowhere/", "/folders/999999/", "https://evil.example/all/"])
def test_has_no_links_outside_lists(client: Client, reader: User, subscription: Subscription, back: str) -> None:
    first, _ = make_articles(subscription, 2)
    client.force_login(reader)
    neighbours = client.get(reverse("article", args=[first.pk]), {"next": back}).context["neighbours"]
    assert neighbours is None or (neighbours.previous, neighbours.next) == (None, None)


@pytest.mark.parametrize("kind", ["folder", "feed"])
def test_does_not_reveal_lists_of_others(
    client: Client, reader: User, subscription: Subscription, folder: Folder, kind: str
) -> None:
    first, _ = make_articles(subscription, 2)
    other = make.user()
    make.delivery(make.subscription(other), first)
    about = folder if kind == "folder" else subscription
    assert beside(client, other, first, reverse(kind, args=[about.pk])) == [None, None]


def test_links_keep_the_list_parameter(client: Client, reader: User, subscription: Subscription) -> None:
    first, second = make_articles(subscription, 2)
    client.force_login(reader)
    page = client.get(reverse("article", args=[first.pk]), {"next": "/all/?after=u.1.2"}).content.decode()
    assert f'href="{reverse("article", args=[second.pk])}?next=%2Fall%2F%3Fafter%3Du.1.2"' in page


@pytest.mark.parametrize("n", [3, 40])
def test_takes_constant_queries(
    client: Client,
    reader: User,
    subscription: Subscription,
    django_assert_num_queries: DjangoAssertNumQueries,
    n: int,
) -> None:
    articles = make_articles(subscription, n)
    beside(client, reader, articles[1], "/all/")
    with django_assert_num_queries(29):
        client.get(reverse("article", args=[articles[1].pk]), {"next": "/all/"})
