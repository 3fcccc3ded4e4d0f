"""Feeds of a person that are one: found by likeness, made one without loss."""

from datetime import timedelta
from itertools import islice

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from feeds.models import Article
from reader import going_on, joining
from reader.access import visible_articles
from reader.delivery import deliver
from reader.joining import join, plan
from reader.leaving import leave as leave_feeds
from reader.likeness import Shared, Traits, evidence, likeness, plain_title
from reader.marking import mark_read, star
from reader.models import ArticleState, Delivery, Muted, Rule, Subscription, TaggedArticle, Twins
from reader.returning import come_back
from reader.twins import find_for, says
from tests import make

ONE = Traits("Blog", "site", frozenset({b"1"}))
TWO = Traits("Blog - Atom", "site", frozenset({b"2"}))


@pytest.mark.parametrize(
    ("other", "shared", "why"),
    [
        (Traits("Else", "", frozenset({b"1", b"3"})), Shared(), "address"),
        (Traits("Else", "", frozenset({b"2"})), Shared(8, 10, 10), "articles"),
        (Traits("Else", "", frozenset({b"2"})), Shared(7, 10, 8), ""),
        (Traits("Else", "", frozenset({b"2"})), Shared(4, 4, 4), ""),
        (TWO, Shared(), "site"),
        (TWO, Shared(1, 9, 9), ""),
        (Traits("Blog", "elsewhere", frozenset({b"2"})), Shared(), ""),
        (Traits("", "site", frozenset({b"2"})), Shared(), ""),
    ],
    ids=["address", "four of five", "a section", "too few", "site and title", "articles against", "sites", "no title"],
)
def test_likeness(other: Traits, shared: Shared, why: str) -> None:
    assert likeness(ONE, other, shared) == likeness(other, ONE, shared) == why


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Blog", "blog"),
        ("Blog (Atom)", "blog"),
        ("Blog – RSS 2.0", "blog"),
        ("Harbour  RSS Feed", "harbour"),
        ("Feedback", "feedback"),
        ("RSS", ""),
        ("港湾日报 RSS", "港湾日报"),
    ],
)
def test_a_title_without_its_kind(title: str, plain: str) -> None:
    assert plain_title(title) == plain


def test_evidence_names_what_was_found() -> None:
    assert evidence("articles", n_common=9, n_recent=10) == "9 of 10 articles of the last 90 days are in both."
    assert evidence("site", n_common=0, n_recent=0, title="B", domain="b.example") == (
        "Both are called “B” and belong to b.example."
    )


@pytest.fixture
def reader(db: None) -> User:
    return make.user()


def shared_by(reader: User, n: int, *, only_one: int = 0) -> tuple[Subscription, Subscription]:
    one, other = make.subscription(reader), make.subscription(reader)
    now = timezone.now()
    for number in range(n):
        article = make.article(published_at=now - timedelta(hours=number))
        make.delivery(one, article)
        make.delivery(other, article)
    for number in range(only_one):
        make.delivery(one, make.article(published_at=now - timedelta(minutes=number)))
    return one, other


def test_finds_those_that_bring_the_same(reader: User) -> None:
    one, other = shared_by(reader, 8, only_one=2)
    shared_by(make.user(), 9)
    assert find_for(reader, now=timezone.now()) == 1
    found = Twins.objects.get()
    assert (found.one, found.other, found.why, found.n_common, found.n_recent) == (one, other, "articles", 8, 10)
    assert says(found) == "8 of 10 articles of the last 90 days are in both."


def test_only_the_time_that_both_cover_counts(reader: User) -> None:
    one, _ = shared_by(reader, 6)
    for number in range(30):
        make.delivery(one, make.article(published_at=timezone.now() - timedelta(days=10, hours=number)))
    assert find_for(reader, now=timezone.now()) == 1


def test_one_entry_that_came_as_two_articles_is_shared_all_the_same(reader: User) -> None:
    one, other = (
        make.subscription(reader, make.feed(title=title, site_url="https://b.example/")) for title in ("B", "B (Atom)")
    )
    two_articles_each(one, other, 6)
    assert find_for(reader, now=timezone.now()) == 1
    assert Twins.objects.get().why == "articles"


def two_articles_each(one: Subscription, other: Subscription, n: int) -> list[tuple[Article, Article]]:
    pairs = []
    for number in range(n):
        at = timezone.now() - timedelta(hours=number)
        pair = make.article(published_at=at), make.article(published_at=at)
        for subscription, article in zip((one, other), pair, strict=True):
            make.delivery(subscription, article)
            subscription.feed.items.filter(article=article).update(guid=f"entry-{number}")
        pairs.append(pair)
    return pairs


def test_one_document_at_two_addresses(reader: User) -> None:
    make.subscription(reader, make.feed("https://b.example/feed"))
    make.subscription(reader, make.feed("https://c.example/f", answered_url="https://b.example/feed/"))
    assert find_for(reader, now=timezone.now()) == 1
    assert Twins.objects.get().why == "address"


def test_what_was_denied_stays_denied_and_what_is_over_goes(reader: User) -> None:
    one, _ = shared_by(reader, 8)
    find_for(reader, now=timezone.now())
    Twins.objects.update(is_denied=True)
    assert find_for(reader, now=timezone.now()) == 1
    assert Twins.objects.get().is_denied
    Twins.objects.update(is_denied=False)
    Delivery.objects.filter(subscription=one).delete()
    assert find_for(reader, now=timezone.now()) == 0
    assert not Twins.objects.exists()


@pytest.mark.parametrize("n", [3, 30])
def test_looking_costs_the_same(reader: User, n: int, django_assert_max_num_queries: object) -> None:
    for _ in range(n):
        make.delivery(make.subscription(reader), make.article())
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        find_for(reader, now=timezone.now())


def test_joining_loses_and_doubles_nothing(reader: User) -> None:
    keep = make.subscription(reader)
    leave = make.subscription(reader, folder=make.folder(reader), title="My name", fetches_full_text=True)
    both, only = make.article(), make.article()
    make.delivery(keep, both)
    make.delivery(leave, both)
    make.delivery(leave, only)
    (ours, theirs), *_ = two_articles_each(keep, leave, 1)
    mark_read(reader, [only.pk, theirs.pk])
    star(reader, theirs.pk, is_starred=True, now=make.NOW)
    tag = make.tag(reader, "Chess", theirs)
    rule = make.rule(reader, words="go", subscription=leave)
    planned = plan(keep, leave)
    assert (planned.n_both, planned.n_moving, planned.n_stars, planned.n_tagged, planned.n_rules) == (2, 1, 1, 1, 1)
    assert planned.takes == ("title", "folder", "fetches_full_text")
    join(keep, leave, now=make.NOW)
    kept = Subscription.objects.get()
    assert (kept, kept.title, kept.folder, kept.fetches_full_text) == (keep, "My name", leave.folder, True)
    found = Delivery.objects.filter(subscription=keep, folder=leave.folder)
    assert dict(found.values_list("article", "is_read")) == {both.pk: False, only.pk: True, ours.pk: True}
    assert Delivery.objects.count() == 3
    assert kept.unread_count == 1
    starred = ArticleState.objects.get(is_starred=True)
    assert (starred.article, starred.starred_at) == (ours, make.NOW)
    assert TaggedArticle.objects.get(tag=tag).article == ours
    assert Rule.objects.get(pk=rule.pk).subscription == keep
    assert set(visible_articles(reader)) == {both, only, ours}


def test_what_the_one_that_stays_has_is_its_own(reader: User) -> None:
    keep = make.subscription(reader, title="Kept", folder=make.folder(reader, "A"))
    join(keep, make.subscription(reader, title="Left", folder=make.folder(reader, "B")), now=make.NOW)
    kept = Subscription.objects.get()
    assert (kept.title, kept.folder.name) == ("Kept", "A")


def state() -> dict[str, list[str]]:
    """Everything that joining changes, as far as a person could tell."""
    dropped = {
        Subscription: (),
        Delivery: ("id", "is_rated"),
        ArticleState: ("id",),
        TaggedArticle: ("id",),
        Rule: (),
        Muted: (),
        Twins: (),
    }
    found = {}
    for model, names in dropped.items():
        kept = [field.attname for field in model._meta.concrete_fields if field.attname not in names]
        rows = [dict(zip(kept, row, strict=True)) for row in model._base_manager.values_list(*kept)]
        if model is ArticleState:  # a row that says nothing is as good as none
            rows = [row for row in rows if row["is_read"] or row["is_starred"]]
        found[model.__name__] = sorted(str(row) for row in rows)
    return found


def two_in_full(reader: User) -> tuple[Subscription, Subscription, Article]:
    """Two feeds with articles in both, in each, and one entry that came as two articles; the other has all settings."""
    keep = make.subscription(reader, most_a_day=9)
    leave = make.subscription(
        reader, folder=make.folder(reader), title="My name", fetches_full_text=True, quiet_until="2026-12-24",
        is_digest_only=True, category="World", has_alerts=False,
    )  # fmt: skip
    both, only_here, only_there = (make.article() for _ in range(3))
    for subscription, article in ((keep, both), (leave, both), (keep, only_here), (leave, only_there)):
        make.delivery(subscription, article)
    pair, second = two_articles_each(keep, leave, 2)
    mark_read(reader, [only_there.pk, pair[1].pk])
    star(reader, pair[1].pk, is_starred=True, now=make.NOW)
    for article in second:
        star(reader, article.pk, is_starred=True, now=make.NOW)
    make.tag(reader, "Chess", pair[1])
    rule = make.rule(reader, words="go", subscription=leave)
    make.muted(rule, leave, make.article())
    Twins.objects.create(user=reader, one=keep, other=leave, why="site")
    Delivery.objects.filter(subscription=leave, article=both).update(is_seen=True)
    keep.refresh_from_db()
    leave.refresh_from_db()
    return keep, leave, pair[0]


def test_joining_is_taken_back_whole(reader: User) -> None:
    keep, leave, _ = two_in_full(reader)
    before = state()
    parting = join(keep, leave, now=make.NOW)
    assert Subscription.objects.get() == keep
    assert state() != before
    assert come_back(reader, parting, now=make.NOW + timedelta(days=6)) == ["My name"]
    assert state() == before
    assert come_back(reader, parting, now=make.NOW) is None


@pytest.mark.parametrize("n", range(6))
def test_taking_it_back_in_steps_ends_the_same(reader: User, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "BATCH", 1)
    monkeypatch.setattr(going_on, "AT_ONCE", 0)
    keep, leave, _ = two_in_full(reader)
    before = state()
    parting = join(keep, leave, now=make.NOW)
    come_back(reader, parting, now=make.NOW)
    assert Subscription.objects.count() == 2
    done = list(islice(going_on.steps(reader, now=make.NOW), n))
    assert len(done) == min(n, 5)
    going_on.go_on(reader, now=make.NOW)
    assert state() == before


def test_what_the_person_did_since_stays(reader: User) -> None:
    keep, leave, ours = two_in_full(reader)
    parting = join(keep, leave, now=make.NOW)
    make.engagement(reader, ours, "opened", happened_at=make.NOW + timedelta(hours=1))
    star(reader, ours.pk, is_starred=False, now=make.NOW)
    TaggedArticle.objects.all().delete()
    Subscription.objects.filter(pk=keep.pk).update(title="Named since")
    come_back(reader, parting, now=make.NOW)
    keep.refresh_from_db()
    assert (keep.title, keep.folder) == ("Named since", None)
    assert Delivery.objects.get(article=ours).is_read
    assert not TaggedArticle.objects.exists()
    assert ArticleState.objects.filter(is_starred=True).count() == 2


def test_what_came_since_stays_where_it_came(reader: User) -> None:
    keep, leave, _ = two_in_full(reader)
    parting = join(keep, leave, now=make.NOW)
    moved = Delivery.objects.exclude(article__items__feed=keep.feed).get()
    make.item(keep.feed, moved.article)  # its own feed brings it too
    late = make.article()
    make.item(leave.feed, late)
    mark_read(reader, [moved.article_id], is_read=False)
    come_back(reader, parting, now=make.NOW)
    deliver()
    brought = Delivery.objects.filter(article=moved.article)
    assert dict(brought.values_list("subscription", "is_read")) == {keep.pk: False, leave.pk: False}
    assert Delivery.objects.get(article=late).subscription_id == leave.pk


def test_the_one_that_was_kept_may_be_left_since(reader: User) -> None:
    keep, leave, _ = two_in_full(reader)
    n_theirs = leave.deliveries.count()
    parting = join(keep, leave, now=make.NOW)
    leave_feeds(reader, [keep.pk], now=make.NOW)
    come_back(reader, parting, now=make.NOW)
    assert Subscription.objects.get() == leave
    assert leave.deliveries.count() == n_theirs
    assert Rule.objects.get().subscription == leave


def test_nobody_else_takes_it_back(reader: User) -> None:
    keep, leave, _ = two_in_full(reader)
    parting = join(keep, leave, now=make.NOW)
    before = state()
    assert come_back(make.user(), parting, now=make.NOW) is None
    assert state() == before
