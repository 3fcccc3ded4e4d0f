"""Syncing by cursor: a client ends with the server's state, whatever happens in between and in whatever order."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeds.models import Article, Feed
from reader.articles import changes
from reader.articles.actions import set_read, star_article
from reader.articles.changes import KEPT_FOR, Cursor, changes_since
from reader.lists.mark_all_read import mark_list_read, undo_bulk_read
from reader.lists.queries import all_of
from reader.models import ArticleState, BulkRead, Change, Delivery, Muted, Subscription, Tag, TaggedArticle
from reader.rules.mute import mute, unmute
from reader.stories.collapse import fold_now, queue_fold_ids
from reader.subscriptions.delivery import deliver_to
from reader.subscriptions.merge import merge
from reader.subscriptions.private import set_private
from reader.subscriptions.purge import purge
from reader.subscriptions.save_page import remove_page, save_page
from reader.subscriptions.unfollow import purge_some, undo_unfollow, unfollow
from tests import make
from tests.at_once import apart, at_once
from tests.feeds.servers import PATIENCE
from tests.rssmanager.api.v1.conftest import Script, deliver
from tests.tables import table

pytestmark = pytest.mark.django_db


def committed(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test whose changes are committed: on PostgreSQL, nothing of a transaction under way is passed over."""
    return pytest.mark.vendor(pytest.mark.django_db(transaction=True)(test))


Asked = Callable[[str, int], dict[str, Any]]


def directly(user: User) -> Asked:
    """What the endpoint answers, without a request: ten times as fast."""

    def ask(cursor: str, limit: int) -> dict[str, Any]:
        found = changes_since(user, Cursor.decode(cursor) if cursor else None, size=limit)
        items = [asdict(state) for state in found.states]
        return {"items": items, "removed": found.removed, "cursor": found.cursor.encode(), "has_more": found.has_more}

    return ask


def by_request(script: Script) -> Asked:
    return lambda cursor, limit: script.get("articles/changes", limit=limit, **({"cursor": cursor} if cursor else {}))


@dataclass(slots=True)
class Copy:
    """A client that keeps a copy of the user's articles."""

    ask: Asked
    articles: dict[int, Any] = field(default_factory=dict)
    cursor: str = ""

    def sync_page(self, limit: int) -> bool:
        """One request; True if there is more."""
        found = self.ask(self.cursor, limit)
        self.articles |= {row["id"]: row for row in found["items"]}
        for pk in found["removed"]:
            self.articles.pop(pk, None)
        self.cursor = found["cursor"]
        return bool(found["has_more"])

    def sync(self, limit: int = 1000) -> dict[int, Any]:
        while self.sync_page(limit):
            continue
        return self.articles

    def settle(self) -> None:
        """Sync until nothing comes twice. On PostgreSQL, transactions of other databases hold the cursor back."""
        newest = Change.objects.aggregate(newest=Max("number", default=0))["newest"]
        ends = time.monotonic() + PATIENCE
        while self.sync() and Cursor.decode(self.cursor).since <= newest:  # type: ignore[union-attr]
            assert time.monotonic() < ends, "a transaction doesn't end"
            time.sleep(0.05)


def expected(user: User) -> dict[int, Any]:
    """The user's articles, in a way that knows of no changes."""
    deliveries = list(Delivery.objects.filter(user=user).order_by("pk"))
    tagged = list(TaggedArticle.objects.filter(user=user).order_by("tag"))
    states = {state.article_id: state for state in ArticleState.objects.filter(user=user)}
    kept = {row.article_id for row in (*deliveries, *tagged)} | {pk for pk, one in states.items() if one.is_starred}
    found = {}
    for pk in kept:
        delivered = [row for row in deliveries if row.article_id == pk]
        state = states.get(pk, ArticleState())
        found[pk] = {
            "id": pk,
            "is_read": any(row.is_read for row in delivered) if delivered else state.is_read,
            "is_starred": state.is_starred,
            "is_folded": bool(delivered) and all(row.is_folded for row in delivered),
            "feed_ids": [row.subscription_id for row in delivered],
            "tag_ids": [row.tag_id for row in tagged if row.article_id == pk],
        }
    return found


class World:
    """Two users of the same feeds, and everything that can happen to their articles; `n` chooses what it happens to."""

    def __init__(self, user: User, other: User) -> None:
        self.user, self.other = user, other
        feeds = [make.feed() for _ in range(3)]
        for who in (user, other):
            for feed in feeds:
                make.subscription(who, feed)
        self.feeds = feeds
        self.now = make.NOW

    def article(self, n: int) -> Article | None:
        seen = Article.objects.filter(items__feed__in=self.feeds).order_by("pk").distinct()
        return seen[n % len(seen)] if seen else None

    def subscription(self, n: int) -> Subscription | None:
        mine = Subscription.objects.filter(user=self.user, feed__in=self.feeds).order_by("pk")
        return mine[n % len(mine)] if mine else None

    def arrive(self, n: int) -> None:
        feed = self.feeds[n % 3]
        make.item(feed, make.article(feed=feed, published_at=self.now))
        self._deliver(feed)

    def arrive_elsewhere(self, n: int) -> None:
        if article := self.article(n):
            feed = self.feeds[(n + 1) % 3]
            if not feed.items.filter(article=article).exists():
                make.item(feed, article)
                self._deliver(feed)

    def _deliver(self, feed: Feed) -> None:
        deliver_to(list(Subscription.objects.filter(feed=feed).values_list("pk", flat=True)))

    def read(self, n: int) -> None:
        if article := self.article(n):
            set_read(self.user, article, is_read=n % 2 > 0, now=self.now)

    def star(self, n: int) -> None:
        if article := self.article(n):
            star_article(self.user, article, is_starred=n % 2 > 0, now=self.now)

    def tag(self, n: int) -> None:
        if article := self.article(n):
            make.tag(self.user, "", article)

    def untag(self, n: int) -> None:
        tags = list(Tag.objects.filter(user=self.user))
        if tags:
            tags[n % len(tags)].delete()

    def retag(self, n: int) -> None:
        """By hand: no code does this yet."""
        if row := TaggedArticle.objects.filter(user=self.user).first():
            row.tag = make.tag(self.user)
            row.save()

    def forget(self, n: int) -> None:
        """By hand, as above."""
        if article := self.article(n):
            ArticleState.objects.filter(user=self.user, article=article).delete()

    def mark_all(self, n: int) -> None:
        mark_list_read(self.user, all_of(self.user, with_folded=True), up_to=10**12, now=self.now)

    def undo_mark_all(self, n: int) -> None:
        if done := BulkRead.objects.filter(user=self.user, undone_at=None).first():
            undo_bulk_read(self.user, done, now=self.now)

    def fold(self, n: int) -> None:
        one, other = self.article(n), self.article(n + 1)
        if one and other and one != other and one.story_id is None and other.story_id is None:
            make.story(one, other)
            fold_now(queue_fold_ids([one.pk]))

    def mute(self, n: int) -> None:
        article, subscription = self.article(n), self.subscription(n)
        if article and subscription:
            with transaction.atomic():
                mute(self.user, {subscription.pk: {article.pk: make.rule(self.user)}}, (), now=self.now)

    def unmute(self, n: int) -> None:
        unmute(self.user, Muted.objects.filter(user=self.user))

    def unfollow(self, n: int) -> None:
        if subscription := self.subscription(n):
            unfollow(self.user, [subscription.pk], now=self.now)

    def follow_again(self, n: int) -> None:
        if gone := Subscription.everything.filter(user=self.user, unfollowed_at__isnull=False).first():
            undo_unfollow(self.user, gone, now=self.now)

    def week_passes(self, n: int) -> None:
        self.now += timedelta(days=8)
        while purge_some(now=self.now):
            continue

    def expire(self, n: int) -> None:
        feed = self.feeds[n % 3]
        Feed.objects.filter(pk=feed.pk).update(keep_items=1)
        feed.refresh_from_db()
        purge(feed, now=self.now + timedelta(days=400))

    def merge(self, n: int) -> None:
        one, other = self.subscription(n), self.subscription(n + 1)
        if one and other and one != other:
            merge(one, other)

    def make_private(self, n: int) -> None:
        if subscription := self.subscription(n):
            self.user.is_staff = True
            subscription.user = self.user
            set_private(subscription, True, now=self.now)

    def save(self, n: int) -> None:
        save_page(self.user, f"https://pages.example/{n % 3}", now=self.now)

    def unsave(self, n: int) -> None:
        if article := Article.objects.filter(url=f"https://pages.example/{n % 3}").first():
            remove_page(self.user, article, now=self.now)


CHOICES = ("article", "subscription")
HAPPENINGS: dict[str, Callable[[World, int], None]] = {
    name: act for name, act in vars(World).items() if not name.startswith("_") and name not in CHOICES
}
STEPS = st.lists(
    st.tuples(st.sampled_from([*HAPPENINGS, "arrive", "arrive", "page", "sync", "sync"]), st.integers(0, 11)),
    max_size=30,
)
SYNC = ("sync", 0)
ARRIVE = [("arrive", n) for n in range(9)]
SCENARIOS = [
    [*ARRIVE, *(step for name in HAPPENINGS for n in range(3) for step in ((name, n), SYNC))],
    # Articles that the user keeps, from feeds that they no longer follow.
    [*ARRIVE, ("tag", 0), ("star", 1), ("tag", 2), ("star", 3), *[("unfollow", 0)] * 3, ("week_passes", 0), SYNC]
    + [step for act in (("read", 9), ("retag", 0), ("forget", 1), ("untag", 1), ("star", 12)) for step in (act, SYNC)],
    # A feed whose articles are shared with other feeds becomes private.
    [
        *ARRIVE,
        *[("arrive_elsewhere", n) for n in range(1, 9)],
        ("star", 1),
        ("unfollow", 2),
        ("week_passes", 0),
        SYNC,
        ("make_private", 0),
        SYNC,
    ],
]


def follow(world: World, copy: Copy, steps: list[tuple[str, int]], limit: int) -> None:
    """Take the steps, and compare the copy after each sync."""
    for name, n in steps:
        if name == "page":
            copy.sync_page(limit)
        elif name == "sync":
            assert copy.sync(limit) == expected(world.user)
        else:
            HAPPENINGS[name](world, n)
    assert copy.sync(limit) == expected(world.user)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=STEPS, limit=st.integers(1, 4))
def test_a_copy_ends_as_the_server_is(db: None, steps: list[tuple[str, int]], limit: int) -> None:
    user, other = make.user(), make.user()
    world, copy, others = World(user, other), Copy(directly(user)), Copy(directly(other))
    others.sync_page(limit)
    follow(world, copy, steps, limit)
    assert Copy(directly(user)).sync() == expected(user)
    assert others.sync(limit) == expected(other)


@committed
@pytest.mark.parametrize("steps", SCENARIOS, ids=["everything", "kept", "private"])
def test_every_change_reaches_a_client(script: Script, steps: list[tuple[str, int]]) -> None:
    copy = Copy(by_request(script))
    follow(World(script.user, make.user()), copy, steps, limit=3)
    copy.settle()
    assert script.get("articles/changes", cursor=copy.cursor)["items"] == []


@committed
def test_cursors_end_with_what_is_known(script: Script) -> None:
    user, copy = script.user, Copy(by_request(script))
    articles = deliver(user, 3)
    copy.sync()
    expiring = copy.cursor
    set_read(user, articles[0], is_read=True, now=make.NOW)
    copy.settle()
    set_read(user, articles[1], is_read=True, now=make.NOW)
    Change.objects.filter(user=user).exclude(article_id=articles[1].pk).update(day=0)
    changes.delete_old(now=timezone.now())
    assert copy.sync() == expected(user)
    problem = script.get("articles/changes", status=410, cursor=expiring)
    assert problem["detail"] == "This cursor is too old. Ask without one, and replace what you have."


@committed
def test_keeps_changes_for_30_days(script: Script) -> None:
    deliver(script.user, 2)
    days = timezone.now() + KEPT_FOR
    changes.delete_old(now=days)
    assert Change.objects.filter(user=script.user).count() == 2
    changes.delete_old(now=days + timedelta(days=1))
    assert Change.objects.filter(user=script.user).count() == 0


def test_cursors_end_with_a_restore(script: Script) -> None:
    copy = Copy(by_request(script))
    copy.sync()
    changes.forget_all()
    script.get("articles/changes", status=410, cursor=copy.cursor)
    copy.cursor = ""
    copy.sync()
    script.get("articles/changes", cursor=copy.cursor)


@table("cursor", ["x", "1", "1.2.3", "1.2.3.4.x", "1.2.3.4.5.6", "-1.2", "1.²", f"1.{10**18}", "1.2.3.4.", "."])
def test_invalid_cursors_are_refused(script: Script, cursor: str) -> None:
    assert script.get("articles/changes", status=422, cursor=cursor)["detail"] == "This cursor isn't one of this list."


def test_asking_when_nothing_changed_is_cheap(script: Script, django_assert_num_queries: Any) -> None:
    deliver(script.user, 3)
    copy = Copy(directly(script.user))
    copy.sync()
    with django_assert_num_queries(3):
        copy.sync()


@at_once
def test_what_is_committed_late_is_not_missed() -> None:
    user = make.user()
    [early], [late] = deliver(user), deliver(user)  # of two feeds, whose counts are locked
    copy = Copy(directly(user))
    copy.sync()
    has_written, may_commit = Event(), Event()

    def write_slowly() -> None:
        with transaction.atomic():
            set_read(user, late, is_read=True, now=make.NOW)
            has_written.set()
            may_commit.wait(10)

    with ThreadPoolExecutor() as pool:
        work = pool.submit(apart(write_slowly))
        has_written.wait(10)
        set_read(user, early, is_read=True, now=make.NOW)
        assert {pk for pk, row in copy.sync(limit=1).items() if row["is_read"]} == {early.pk}
        may_commit.set()
        work.result()
    assert {pk for pk, row in copy.sync(limit=1).items() if row["is_read"]} == {early.pk, late.pk}
    assert copy.sync() == expected(user)
