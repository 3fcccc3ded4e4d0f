"""Feeds that impersonate others, as seen by followers of the impostor or its victim."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from feeds.models import Article, Feed, FeedStatus, Item, Pending, Poll
from feeds.normalizing.draft import Draft
from reader.access import visible_articles
from reader.models import Delivery, Rule, Subscription
from reader.scoring.rate import rate_waiting
from reader.scoring.source_signals import load_signals, refresh_recent
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions
from tests import make
from tests.feeds.storing import store as store_drafts
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
def impostor() -> Feed:
    return make.feed("https://liar.example/feed.xml", title="Paper")


def store(feed: Feed, *drafts: Draft) -> None:
    store_drafts(feed, drafts, now=NOW)
    Feed.objects.filter(pk=feed.pk).update(newest_item_id=Item.objects.order_by("-pk").values("pk")[:1])


def test_impostor_gets_no_higher_tier(impostor: Feed) -> None:
    make.source("paper.example", tier=1)
    store(impostor, LIE)
    article = Article.objects.get()
    assert load_signals([article.pk])[article.pk].tier == 5
    impostor.delete()  # nor without followers
    assert load_signals([article.pk])[article.pk].tier == 5


def test_follower_of_the_impostor_reads_the_publishers_article(client: Client, reader: User, impostor: Feed) -> None:
    make.subscription(reader, impostor)
    store(impostor, LIE)
    deliver()
    store(make.feed("https://paper.example/feed.xml"), TRUTH)
    client.force_login(reader)
    page = client.get(f"/articles/{Article.objects.get().pk}/").content.decode()
    assert "Cranes come down" in page
    assert "Harbour for sale" not in page


def test_impostors_date_does_not_stay_in_lists(reader: User, impostor: Feed) -> None:
    make.subscription(reader, impostor)
    now = timezone.now()
    store(impostor, replace(LIE, published_at=now + timedelta(hours=20)))
    deliver()
    Pending.objects.all().delete()  # the state after deduplication
    rate_waiting()
    paper, later = make.feed("https://paper.example/feed.xml"), timezone.now()
    copied = replace(LIE, guid="truth", published_at=now - timedelta(hours=3))  # verbatim
    store_drafts(paper, [copied], now=later)
    Pending.objects.all().delete()
    refresh_recent(now=later)
    rate_waiting()
    assert Delivery.objects.get().published_at == now - timedelta(hours=3)


def merge(old: Feed, target: Feed) -> None:
    Feed.objects.filter(pk=old.pk).update(status=FeedStatus.MERGED, merged_into=target, next_poll_at=None)
    move_merged_subscriptions()
    deliver()


def test_feed_that_redirects_to_another_changes_nothing_there(reader: User, paper: Feed, impostor: Feed) -> None:
    victim = make.subscription(reader, paper, title="My paper", folder=make.folder(reader))
    Subscription.objects.filter(pk=victim.pk).update(most_a_day=5)
    make.rule(reader, words="chess", subscription=victim)
    follower = make.user()
    make.subscription(follower, impostor)
    store(paper, TRUTH)
    store(impostor, replace(LIE, url="https://paper.example/invented", url_key=b"i" * 16))
    make.poll(impostor, outcome="timeout")
    deliver()
    before = Feed.objects.values(*SETTINGS).get(pk=paper.pk)
    mine = list(Subscription.objects.filter(user=reader).values())
    merge(impostor, paper)
    assert Feed.objects.values(*SETTINGS).get(pk=paper.pk) == before
    assert list(Subscription.objects.filter(user=reader).values()) == mine
    assert list(Delivery.objects.filter(user=reader).values_list("article__title", flat=True)) == [TRUTH.title]
    assert not visible_articles(reader).filter(title=LIE.title).exists()
    assert Rule.objects.get().subscription == victim
    assert not Poll.objects.filter(feed=paper).exists()


def test_impostors_articles_stay_under_its_own_name(reader: User, paper: Feed, impostor: Feed) -> None:
    subscription = make.subscription(reader, impostor, title="My name for it", folder=make.folder(reader))
    muting = make.rule(reader, words="", subscription=subscription)
    store(impostor, LIE)
    store(paper, replace(TRUTH, url="https://paper.example/b", url_key=b"b" * 16))
    deliver()
    merge(impostor, paper)
    subscription.refresh_from_db()
    assert (subscription.feed, subscription.title, muting.subscription) == (impostor, "My name for it", subscription)
    added = Subscription.objects.get(user=reader, feed=paper)
    assert (added.title, added.folder) == ("", subscription.folder)
    rows = Delivery.objects.filter(user=reader).values_list("subscription", "article__title")
    assert set(rows) == {(subscription.pk, LIE.title), (added.pk, TRUTH.title)}
    added.delete()  # and it isn't followed again
    assert move_merged_subscriptions() == 0
    assert not Subscription.objects.filter(feed=paper).exists()


def test_earlier_url_is_not_shown(client: Client, reader: User, paper: Feed) -> None:
    merge(make.feed("https://paper.example/feed.xml?token=hush", source=paper.source), paper)
    mine = make.subscription(reader, paper)
    client.force_login(reader)
    page = client.get(f"/feeds/{mine.pk}/health/").content.decode()
    assert "hush" not in page
    assert "secret" not in page
