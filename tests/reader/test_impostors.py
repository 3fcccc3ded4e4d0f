"""Feeds that lie about others, as the people who follow them or their victims see it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from feeds.models import Article, Feed, FeedStatus, Item, Pending, Poll
from feeds.normalizing.draft import Draft
from feeds.storage.ingest import plan, write
from reader.access import visible_articles
from reader.models import Delivery, Rule, Subscription
from reader.scoring.rate import rate_waiting
from reader.scoring.source_signals import load_signals, refresh_recent
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions
from tests import make
from tests.make import NOW
from tests.make_draft import HARBOUR, LIBRARY, draft

pytestmark = pytest.mark.django_db

URL = "https://paper.example/a"
LIE = draft("lie", url=URL, title="Harbour for sale", text=LIBRARY * 3, published_at=NOW + timedelta(hours=20))
TRUTH = draft("truth", url=URL, title="Cranes come down", text=HARBOUR)
SETTINGS = (
    "url", "url_key", "source_id", "title", "site_url", "tier", "kind", "status", "max_items", "keep_days",
    "keep_items", "interval_seconds", "next_poll_at", "health_score", "newest_item_id", "condition",
)  # fmt: skip


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def paper() -> Feed:
    return make.feed(
        "https://ada:secret@paper.example/feed.xml", title="Paper", tier=2, source=make.source("paper.example")
    )


@pytest.fixture
def liar() -> Feed:
    return make.feed("https://liar.example/feed.xml", title="Paper")


def store(feed: Feed, *drafts: Draft) -> None:
    write(feed, plan(feed, drafts, now=NOW), now=NOW)
    Feed.objects.filter(pk=feed.pk).update(newest_item_id=Item.objects.order_by("-pk").values("pk")[:1])


def test_a_lying_feed_lends_itself_no_tier(liar: Feed) -> None:
    make.source("paper.example", tier=1)
    store(liar, LIE)
    article = Article.objects.get()
    assert load_signals([article.pk])[article.pk].tier == 5
    liar.delete()  # and not when nobody follows it any longer
    assert load_signals([article.pk])[article.pk].tier == 5


def test_who_follows_the_liar_alone_reads_the_publishers_article(client: Client, reader: User, liar: Feed) -> None:
    make.subscription(reader, liar)
    store(liar, LIE)
    deliver()
    store(make.feed("https://paper.example/feed.xml"), TRUTH)
    client.force_login(reader)
    page = client.get(f"/articles/{Article.objects.get().pk}/").content.decode()
    assert "Cranes come down" in page
    assert "Harbour for sale" not in page


def test_the_date_of_the_liar_does_not_stay_in_lists(reader: User, liar: Feed) -> None:
    make.subscription(reader, liar)
    now = timezone.now()
    store(liar, replace(LIE, published_at=now + timedelta(hours=20)))
    deliver()
    Pending.objects.all().delete()  # as deduplication leaves it
    rate_waiting()
    paper, later = make.feed("https://paper.example/feed.xml"), timezone.now()
    copied = replace(LIE, guid="truth", published_at=now - timedelta(hours=3))  # word for word
    write(paper, plan(paper, [copied], now=later), now=later)
    Pending.objects.all().delete()
    refresh_recent(now=later)
    rate_waiting()
    assert Delivery.objects.get().published_at == now - timedelta(hours=3)


def merge(old: Feed, target: Feed) -> None:
    Feed.objects.filter(pk=old.pk).update(status=FeedStatus.MERGED, merged_into=target, next_poll_at=None)
    move_merged_subscriptions()
    deliver()


def test_a_feed_that_moves_to_anothers_changes_nothing_there(reader: User, paper: Feed, liar: Feed) -> None:
    victim = make.subscription(reader, paper, title="My paper", folder=make.folder(reader))
    Subscription.objects.filter(pk=victim.pk).update(most_a_day=5)
    make.rule(reader, words="chess", subscription=victim)
    follower = make.user()
    make.subscription(follower, liar)
    store(paper, TRUTH)
    store(liar, replace(LIE, url="https://paper.example/invented", url_key=b"i" * 16))
    make.poll(liar, outcome="timeout")
    deliver()
    before = Feed.objects.values(*SETTINGS).get(pk=paper.pk)
    mine = list(Subscription.objects.filter(user=reader).values())
    merge(liar, paper)
    assert Feed.objects.values(*SETTINGS).get(pk=paper.pk) == before
    assert list(Subscription.objects.filter(user=reader).values()) == mine
    assert list(Delivery.objects.filter(user=reader).values_list("article__title", flat=True)) == [TRUTH.title]
    assert not visible_articles(reader).filter(title=LIE.title).exists()
    assert Rule.objects.get().subscription == victim
    assert not Poll.objects.filter(feed=paper).exists()


def test_what_the_liar_brought_stays_under_its_own_name(reader: User, paper: Feed, liar: Feed) -> None:
    kept = make.subscription(reader, liar, title="My name for it", folder=make.folder(reader))
    muting = make.rule(reader, words="", subscription=kept)
    store(liar, LIE)
    store(paper, replace(TRUTH, url="https://paper.example/b", url_key=b"b" * 16))
    deliver()
    merge(liar, paper)
    kept.refresh_from_db()
    assert (kept.feed, kept.title, muting.subscription) == (liar, "My name for it", kept)
    added = Subscription.objects.get(user=reader, feed=paper)
    assert (added.title, added.folder) == ("", kept.folder)
    rows = Delivery.objects.filter(user=reader).values_list("subscription", "article__title")
    assert set(rows) == {(kept.pk, LIE.title), (added.pk, TRUTH.title)}
    added.delete()  # and it is not followed again
    assert move_merged_subscriptions() == 0
    assert not Subscription.objects.filter(feed=paper).exists()


def test_an_earlier_address_is_shown_to_nobody(client: Client, reader: User, paper: Feed) -> None:
    merge(make.feed("https://paper.example/feed.xml?token=hush", source=paper.source), paper)
    mine = make.subscription(reader, paper)
    client.force_login(reader)
    page = client.get(f"/feeds/{mine.pk}/health/").content.decode()
    assert "hush" not in page
    assert "secret" not in page
