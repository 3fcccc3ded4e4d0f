"""An entry dated ahead of now counts as published when it was first polled, everywhere and from then on."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from digests.assembly.window import Window, load_window
from feeds.models import Article, Feed, Item, Revision
from feeds.storage.drafts import NormalizingRules, ReadOptions, assemble, steps
from reader.lists.queries import all_of, page_of
from reader.models import Delivery
from reader.scoring.importance import hours_between, recency
from reader.subscriptions.delivery import deliver
from tests import make
from tests.feeds.storing import store
from tests.make import NOW

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
STATED = NOW + 5 * HOUR


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def feed(reader: User) -> Feed:
    return make.subscription(reader, make.feed("https://paper.example/feed.xml")).feed


def poll(feed: Feed, now: datetime, *entries: tuple[str, datetime], text: str = "The harbour opens again.") -> None:
    """Read and store a document with these titles and dates, and deliver it."""
    items = "".join(
        f"<item><title>{title}</title><guid isPermaLink='false'>{title}</guid><link>https://paper.example/{title}</link>"
        f"<description>{text}</description><pubDate>{at:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        for title, at in entries
    )
    body = f"<rss version='2.0'><channel><title>Paper</title>{items}</channel></rss>".encode()
    options = ReadOptions(feed.url, "", {}, "en", now, 500, NormalizingRules())
    store(feed, assemble(steps(body, options), options).drafts, now=now)
    Feed.objects.filter(pk=feed.pk).update(newest_item_id=Item.objects.order_by("-pk").values("pk")[:1])
    deliver()


def titles(reader: User, now: datetime) -> list[str]:
    return [row.article.title for row in page_of(reader, all_of(reader), None, now=now).rows]


def test_sinks_in_lists_like_any_other(reader: User, feed: Feed) -> None:
    poll(feed, NOW, ("Ahead", STATED))
    poll(feed, NOW + HOUR, ("Ahead", STATED), ("Next", NOW + HOUR))
    assert titles(reader, NOW + HOUR) == ["Next", "Ahead"]
    poll(feed, NOW + 6 * HOUR, ("Ahead", STATED), ("Next", NOW + HOUR), ("Last", NOW + 2 * HOUR))
    assert titles(reader, NOW + 6 * HOUR) == ["Last", "Next", "Ahead"]


@pytest.mark.parametrize("later", [HOUR, 5 * HOUR, 6 * HOUR, 30 * HOUR])
@pytest.mark.parametrize("text", ["The harbour opens again.", "The harbour opens again tomorrow."])
def test_keeps_its_date_when_its_time_has_come(feed: Feed, later: timedelta, text: str) -> None:
    poll(feed, NOW, ("Ahead", STATED))
    poll(feed, NOW + later, ("Ahead", STATED), text=text)
    article = Article.objects.get()
    assert (article.published_at, article.date_uncertain) == (NOW, False)
    assert list(Item.objects.values_list("published_at", flat=True)) == [NOW]
    assert list(Delivery.objects.values_list("published_at", flat=True)) == [NOW]
    assert Revision.objects.count() == ("tomorrow" in text)


def test_recency_falls_from_the_first_poll(feed: Feed) -> None:
    poll(feed, NOW, ("Ahead", STATED))
    article = Article.objects.get()
    values = [recency(hours_between(article.published_at, NOW + n * HOUR), rate=0.03) for n in (0, 1, 5)]
    assert values == pytest.approx([100.0, 97.04, 86.07], abs=0.01)


def test_its_age_is_shown_as_of_the_first_poll(client: Client, reader: User, feed: Feed) -> None:
    poll(feed, NOW, ("Ahead", STATED))
    client.force_login(reader)
    page = client.get(f"/articles/{Article.objects.get().pk}/").content.decode()
    assert f'datetime="{NOW:%Y-%m-%dT%H:%M}' in page
    assert f"{STATED:%Y-%m-%dT%H}" not in page


def test_is_in_the_digest_of_its_first_poll_and_in_no_other(reader: User, feed: Feed) -> None:
    poll(feed, NOW - HOUR, ("Ahead", NOW + 22 * HOUR))
    first, second = Window(NOW - 24 * HOUR, NOW), Window(NOW, NOW + 24 * HOUR)
    assert [load_window(reader, window, least=0).n_articles for window in (first, second)] == [1, 0]


def test_more_than_a_day_ahead_is_uncertain(feed: Feed) -> None:
    poll(feed, NOW, ("Far", NOW + 25 * HOUR))
    assert Article.objects.values_list("published_at", "date_uncertain").get() == (NOW, True)
