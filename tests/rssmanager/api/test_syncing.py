"""Syncs of apps that remember where they stopped: every article once, whatever its date and whenever it arrives."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib import import_module
from types import SimpleNamespace
from unittest import mock

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from feeds.models import Article, Feed
from reader.articles.arrivals import SECOND
from reader.articles.read_state import mark_read, star
from reader.lists.queries import all_of
from reader.models import Delivery, Subscription
from reader.stories.collapse import fold_now, queue_fold
from reader.subscriptions.delivery import deliver
from reader.subscriptions.noise_limits import set_digest_only
from reader.subscriptions.unfollow import undo_unfollow, unfollow
from rssmanager.api.streams import READ, READING_LIST, STARRED, UNFOLLOWED, short_id
from tests import make
from tests.rssmanager.api.conftest import App
from tests.rssmanager.api.replayed import FluentReader, Readrops, ReadYou

pytestmark = pytest.mark.django_db

AGES = [timedelta(minutes=1), timedelta(minutes=20), timedelta(days=3), timedelta(days=400)]


class Clock:
    """The time at which deliveries arrive."""

    def __init__(self) -> None:
        self.at = make.NOW

    def now(self) -> datetime:
        return self.at

    def wait(self, seconds: float) -> datetime:
        self.at += timedelta(seconds=seconds)
        return self.at


@pytest.fixture
def clock() -> Iterator[Clock]:
    with running() as clock:
        yield clock


def running() -> "mock._patch[Clock]":
    clock = Clock()
    patch = mock.patch("reader.articles.arrivals.timezone", clock)
    patch.new = clock
    return patch


def bring(
    *feeds: Feed, n: int = 1, age: timedelta = AGES[0], at: datetime = make.NOW, **values: object
) -> list[Article]:
    """Deliver new articles, each of which all these feeds have."""
    brought = [make.article(feed=feeds[0], published_at=at - age, **values) for _ in range(n)]
    for article in brought:
        for feed in feeds:
            make.item(feed, article)
    deliver()
    return brought


def refs(*articles: Article) -> list[str]:
    return sorted(str(short_id(article.pk)) for article in articles)


def test_fluent_reader_gets_late_articles_once(app: App, clock: Clock) -> None:
    feed = make.subscription(app.user).feed
    reader = FluentReader(app, limit=20)
    first = bring(feed, n=30)  # more than it reads
    assert reader.sync() == [article.title for article in first[:9:-1]]
    for age in AGES:
        clock.wait(0.3)
        [late] = bring(feed, age=age, at=clock.at)
        assert reader.sync() == [late.title]
        for _ in range(3):
            assert reader.sync() == []
    assert len(reader.ids) == len(set(reader.ids)) == 24


def test_readrops_gets_late_articles_once(app: App, clock: Clock) -> None:
    feed = make.subscription(app.user).feed
    reader = Readrops(app)
    first = bring(feed, n=30)
    assert reader.sync(now=clock.wait(2)) == 30
    for age in AGES:
        clock.wait(2)
        bring(feed, age=age, at=clock.at)
        assert [reader.sync(now=clock.wait(2)) for _ in range(3)] == [1, 0, 0]
    assert len(reader.items) == len(set(reader.items)) == 34
    mark_read(app.user, [first[0].pk])
    star(app.user, first[1].pk, is_starred=True, now=make.NOW)
    reader.sync(now=clock.wait(2))
    assert refs(first[0])[0] not in reader.unread
    assert len(reader.unread) == 33
    assert sum(is_starred for _, is_starred in reader.states.values()) == 1


def test_article_of_two_feeds_arrives_once(app: App, clock: Clock) -> None:
    one, other = make.subscription(app.user).feed, make.subscription(app.user).feed
    fluent, readrops = FluentReader(app), Readrops(app)
    [article] = bring(one)
    fluent.sync()
    readrops.sync(now=clock.wait(2))
    clock.wait(5)
    make.item(other, article)
    deliver()
    assert (fluent.sync(), readrops.sync(now=clock.wait(2))) == ([], 0)


def test_pages_are_full(app: App, clock: Clock) -> None:
    feeds = [make.subscription(app.user).feed for _ in range(2)]
    bring(*feeds, n=40)
    bring(feeds[0], n=30)
    for call, name in (("stream/items/ids", "itemRefs"), ("stream/contents", "items")):
        query: dict[str, object] = {"s": READING_LIST, "n": 50}
        first = app.get(call, **query).json()
        rest = app.get(call, **query, c=first["continuation"]).json()
        assert (len(first[name]), len(rest[name]), "continuation" in rest) == (50, 20, False)
        whole = app.get(call, s=READING_LIST, n=2500).json()
        assert len({ref["id"] for ref in whole[name]}) == 70


def test_times_are_unique_and_fall(app: App, clock: Clock) -> None:
    one, other = make.subscription(app.user).feed, make.subscription(app.user).feed
    bring(one, n=3)
    bring(other, n=3, age=AGES[3])  # in the same second
    clock.wait(-3600)  # set back
    bring(one, n=2)
    items = app.get("stream/contents", n=50).json()["items"]
    times = [int(item["timestampUsec"]) for item in items]
    assert times == sorted(set(times), reverse=True)
    assert [int(item["crawlTimeMsec"]) for item in items] == [at // 1000 for at in times]
    assert len({at // SECOND for at in times}) == 3  # a second for each delivery
    assert times[-1] // SECOND == make.NOW.timestamp()
    for number, at in enumerate(times):
        assert len(app.ids(READING_LIST, ot=at)) == number + 1
        assert len(app.ids(READING_LIST, nt=at)) == len(times) - number


def story(app: App, clock: Clock, n: int) -> list[Article]:
    """Articles of a story from feeds of their own, delivered one after the other; the first one leads."""
    articles: list[Article] = []
    for number in range(n):
        feed = make.feed()
        make.subscription(app.user, feed)
        articles += bring(feed, source=feed.source, word_count=99 - number, at=clock.wait(5))
    return articles


def test_folded_after_delivery_is_read(app: App, clock: Clock) -> None:
    first, second, third = story(app, clock, 3)
    apps = FluentReader(app), ReadYou(app)
    apps[0].sync()
    apps[1].sync(month_ago=int((make.NOW - timedelta(days=30)).timestamp()))
    made = make.story(first, second, third)
    fold_now(queue_fold(Article.objects.all()))
    apps[0].sync()
    apps[1].sync(month_ago=int((make.NOW - timedelta(days=30)).timestamp()))
    assert apps[0].unread == refs(first)
    assert apps[1].items == {pk: pk in refs(first) for pk in refs(first, second, third)}
    assert app.ids(READ) == app.ids(READING_LIST, it=READ) == [third.pk, second.pk]
    assert app.ids(READING_LIST, xt=READ) == [first.pk]
    assert app.ids(READING_LIST) == [third.pk, second.pk, first.pk]  # RSS Guard takes what isn't unread for read
    [item] = app.post("stream/items/contents", i=second.pk).json()["items"]
    assert READ in item["categories"]

    made.lead = second
    made.save()
    fold_now(queue_fold(Article.objects.all()))
    assert apps[0].sync() == []  # known
    assert apps[0].unread == refs(second)


def test_folded_from_the_beginning_arrives_when_shown(app: App, clock: Clock) -> None:
    [first] = story(app, clock, 1)
    reader = FluentReader(app)
    reader.sync()
    feed = make.feed()
    subscription = make.subscription(app.user, feed)
    second = make.article(feed=feed, source=feed.source, word_count=9)
    made = make.story(first, second, lead=first)
    make.item(feed, second)
    clock.wait(5)
    deliver()
    assert reader.sync() == []
    assert app.ids(READING_LIST) == [first.pk]  # not even as read
    assert app.ids(f"feed/{subscription.pk}", xt=READ) == [second.pk]
    clock.wait(60)
    [later] = bring(make.subscription(app.user).feed)
    assert reader.sync() == [later.title]
    clock.wait(60)
    made.lead = second
    made.save()
    fold_now(queue_fold(Article.objects.all()))
    assert reader.sync() == [second.title]
    assert reader.unread == refs(second, later)
    assert reader.sync() == []


def test_what_comes_back_arrives_again(app: App, clock: Clock) -> None:
    subscription, other = make.subscription(app.user), make.subscription(app.user)
    [article] = bring(subscription.feed)
    [last] = bring(other.feed)
    reader = FluentReader(app)
    reader.sync()
    now = timezone.now()
    for ago, is_noticed in ((timedelta(minutes=1), False), (timedelta(hours=2), True)):
        unfollow(app.user, [subscription.pk], now=now - ago)
        if is_noticed:
            reader.sync()
            assert reader.ids == refs(last)
        clock.wait(60)
        undo_unfollow(app.user, Subscription.everything.get(pk=subscription.pk), now=now)
        reader.sync()
        assert sorted(reader.ids) == refs(article, last)
    set_digest_only(app.user, [subscription.pk], is_wanted=True)
    [quiet] = bring(subscription.feed)
    reader.sync()
    assert reader.unread == refs(last)
    clock.wait(60)
    set_digest_only(app.user, [subscription.pk], is_wanted=False)
    reader.sync()
    assert reader.unread == sorted(reader.ids) == refs(article, last, quiet)


def test_kept_articles_of_unfollowed_feeds_have_a_feed(app: App, clock: Clock) -> None:
    subscription, other = make.subscription(app.user), make.subscription(app.user)
    starred, tagged = bring(subscription.feed, n=2)
    bring(other.feed)
    star(app.user, starred.pk, is_starred=True, now=make.NOW)
    make.tag(app.user, "Later", tagged)
    before = app.get("subscription/list").json()["subscriptions"]
    unfollow(app.user, [subscription.pk], now=make.NOW)
    readers = [Readrops(app), ReadYou(app)]
    readers[0].sync(now=clock.wait(2))
    readers[1].sync(month_ago=1)
    *rest, kept = app.get("subscription/list").json()["subscriptions"]
    assert rest == [row for row in before if row["id"] == f"feed/{other.pk}"]
    assert (kept["id"], kept["title"]) == ("feed/2147483647", "No longer followed") == (UNFOLLOWED, kept["title"])
    assert kept["url"].endswith("/starred/")
    assert app.ids(UNFOLLOWED) == app.ids(STARRED) == [starred.pk]
    items = app.post("stream/items/contents", i=[starred.pk, tagged.pk]).json()["items"]
    assert {item["origin"]["streamId"] for item in items} == {UNFOLLOWED}
    assert {item["origin"]["title"] for item in items} == {"No longer followed"}
    assert app.post("subscription/edit", ac="unsubscribe", s=UNFOLLOWED).status_code == 404
    assert app.post("mark-all-as-read", s=UNFOLLOWED).content == b"OK"
    assert app.ids(UNFOLLOWED, xt=READ) == []
    star(app.user, starred.pk, is_starred=False, now=make.NOW)
    assert len(app.get("subscription/list").json()["subscriptions"]) == 2  # the tag
    app.post("edit-tag", i=tagged.pk, r="user/-/label/Later")
    assert app.get("subscription/list").json()["subscriptions"] == rest


POLL = st.tuples(st.just("poll"), st.integers(0, 2), st.sampled_from(AGES), st.integers(1, 4))
ACT = st.tuples(st.sampled_from(("read", "tie", "lead")), st.integers(0, 30), st.integers(0, 30), st.just(0))
SYNC = st.tuples(st.sampled_from(("fluent", "readrops")), st.just(0), st.just(0), st.just(0))
STEPS = st.lists(st.tuples(st.sampled_from((0.0, 0.2, 0.5, 0.9, 1, 40)), POLL | ACT | SYNC), min_size=4, max_size=12)


def step(app: App, clock: Clock, feeds: list[Feed], kind: str, first: int, second: object, n: int) -> None:
    """A poll that brings articles of one feed, or of one and another; or a change that is made elsewhere."""
    if kind == "poll" and isinstance(second, timedelta):
        having = [feeds[first], *([feeds[0]] if first == 2 else [])]
        bring(*having, n=n, age=second, at=clock.at, source=having[0].source, word_count=n)
        return
    mine = list(Article.objects.filter(deliveries__user=app.user).order_by("pk").distinct())
    if len(mine) < 2 or not isinstance(second, int):
        return
    one, other = mine[first % len(mine)], mine[second % len(mine)]
    if kind == "read":
        mark_read(app.user, [one.pk])
    elif kind == "tie" and one != other and not (one.story or other.story) and one.source != other.source:
        make.story(one, other)
    elif kind == "lead" and one.story:
        one.story.lead = one
        one.story.save()
    fold_now(queue_fold(Article.objects.filter(pk=one.pk)))


def shown(app: App) -> list[str]:
    """What the interface shows as unread."""
    return refs(*Article.objects.filter(pk__in=all_of(app.user).filter(is_read=False).values("article")))


@given(STEPS)
def test_nothing_is_missed_or_doubled(steps: list[tuple[float, tuple[str, int, object, int]]]) -> None:
    """Readrops counts in seconds: what arrives in the second in which it syncs may come twice, which is not tried."""
    with running() as clock:
        app = App(make.user())
        feeds = [make.subscription(app.user, make.feed()).feed for _ in range(3)]
        fluent, readrops = FluentReader(app), Readrops(app)
        n_since = 0
        for seconds, (kind, *chosen) in [*steps, (0.1, ("fluent", 0, 0, 0)), (0.1, ("readrops", 0, 0, 0))]:
            clock.wait(seconds)
            if kind == "fluent":
                fluent.sync()
                assert fluent.unread == shown(app)
                assert len(fluent.ids) == len(set(fluent.ids))
            elif kind == "readrops":
                readrops.sync(now=clock.wait(n_since + 1))
                clock.wait(1)
                n_since = 0
                assert readrops.unread == shown(app)
                assert len(readrops.items) == len(set(readrops.items))
            else:
                step(app, clock, feeds, kind, *chosen)
                n_since += 1


def test_existing_deliveries_are_dated(app: App) -> None:
    subscription = make.subscription(app.user)
    now = datetime.now(make.NOW.tzinfo).replace(microsecond=0)
    seen = [now - timedelta(days=1), now - timedelta(days=400)]
    for at in seen:
        make.delivery(subscription, make.article(first_seen_at=at))
    Subscription.objects.update(added_at=now - timedelta(days=500))
    Delivery.objects.update(arrival=0)
    import_module("reader.migrations.0002_arrival").date_deliveries(None, SimpleNamespace(connection=connection))
    recent, old = Delivery.objects.order_by("pk").values_list("arrival", flat=True)
    assert recent == (int(seen[0].timestamp()) + 60) * SECOND + Delivery.objects.order_by("pk")[0].pk
    assert old == 0
    items = app.get("stream/contents").json()["items"]
    assert [int(item["timestampUsec"]) for item in items] == [recent, int(seen[1].timestamp()) * SECOND]
