"""Duplicate feeds: found by their common articles, merged without loss."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from feeds.models import Article
from reader.access import visible_articles
from reader.articles.read_state import mark_read, star
from reader.models import ArticleState, Delivery, Duplicate, Muted, Rule, Subscription, TaggedArticle
from reader.subscriptions import merge as merging
from reader.subscriptions.duplicate_rules import Shared, Traits, evidence, likeness, plain_title
from reader.subscriptions.duplicates import evidence_sentence, find_for
from reader.subscriptions.merge import merge, plan
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
def test_classifies_pairs(other: Traits, shared: Shared, why: str) -> None:
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
def test_strips_feed_type_from_title(title: str, plain: str) -> None:
    assert plain_title(title) == plain


def test_evidence_describes_the_overlap() -> None:
    assert evidence("articles", n_common=9, n_recent=10) == "They share 9 of 10 articles from the last 90 days."
    assert evidence("site", n_common=0, n_recent=0, title="B", domain="b.example") == (
        "Both are called “B” and come from b.example."
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


def test_finds_feeds_with_the_same_articles(reader: User) -> None:
    one, other = shared_by(reader, 8, only_one=2)
    shared_by(make.user(), 9)
    assert find_for(reader, now=timezone.now()) == 1
    duplicate = Duplicate.objects.get()
    assert (duplicate.one, duplicate.other, duplicate.why, duplicate.n_common, duplicate.n_recent) == (
        one,
        other,
        "articles",
        8,
        10,
    )
    assert evidence_sentence(duplicate) == "They share 8 of 10 articles from the last 90 days."


def test_compares_only_their_common_period(reader: User) -> None:
    one, _ = shared_by(reader, 6)
    for number in range(30):
        make.delivery(one, make.article(published_at=timezone.now() - timedelta(days=10, hours=number)))
    assert find_for(reader, now=timezone.now()) == 1


def test_copies_of_one_entry_count_as_shared(reader: User) -> None:
    one, other = (
        make.subscription(reader, make.feed(title=title, site_url="https://b.example/")) for title in ("B", "B (Atom)")
    )
    two_articles_each(one, other, 6)
    assert find_for(reader, now=timezone.now()) == 1
    assert Duplicate.objects.get().why == "articles"


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


def test_finds_one_document_at_two_urls(reader: User) -> None:
    make.subscription(reader, make.feed("https://b.example/feed"))
    make.subscription(reader, make.feed("https://c.example/f", final_url="https://b.example/feed/"))
    assert find_for(reader, now=timezone.now()) == 1
    assert Duplicate.objects.get().why == "address"


def test_keeps_dismissed_pairs_and_deletes_outdated_ones(reader: User) -> None:
    one, _ = shared_by(reader, 8)
    find_for(reader, now=timezone.now())
    Duplicate.objects.update(is_denied=True)
    assert find_for(reader, now=timezone.now()) == 1
    assert Duplicate.objects.get().is_denied
    Duplicate.objects.update(is_denied=False)
    Delivery.objects.filter(subscription=one).delete()
    assert find_for(reader, now=timezone.now()) == 0
    assert not Duplicate.objects.exists()


@pytest.mark.parametrize("n", [3, 30])
def test_takes_constant_queries(reader: User, n: int, django_assert_max_num_queries: object) -> None:
    for _ in range(n):
        make.delivery(make.subscription(reader), make.article())
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        find_for(reader, now=timezone.now())


def test_merging_loses_and_duplicates_nothing(reader: User) -> None:
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
    muted = make.muted(rule, leave, make.article())
    other = make.subscription(make.user(), leave.feed)
    make.delivery(other, only)
    planned = plan(keep, leave)
    assert (planned.n_both, planned.n_moving, planned.n_stars, planned.n_tagged, planned.n_rules) == (2, 1, 1, 1, 1)
    assert planned.inherited == ("title", "folder", "fetches_full_text")
    merge(keep, leave)
    subscription = Subscription.objects.get(user=reader)
    assert (subscription, subscription.title, subscription.folder, subscription.fetches_full_text) == (
        keep,
        "My name",
        leave.folder,
        True,
    )
    deliveries = Delivery.objects.filter(subscription=keep, folder=leave.folder)
    assert dict(deliveries.values_list("article", "is_read")) == {both.pk: False, only.pk: True, ours.pk: True}
    assert Delivery.objects.filter(user=reader).count() == 3
    assert subscription.unread_count == 1
    starred = ArticleState.objects.get(is_starred=True)
    assert (starred.article, starred.starred_at) == (ours, make.NOW)
    assert TaggedArticle.objects.get(tag=tag).article == ours
    assert Rule.objects.get(pk=rule.pk).subscription == Muted.objects.get().subscription == keep
    assert set(visible_articles(reader)) == {both, only, ours, muted}
    assert Subscription.everything.filter(user=reader).count() == 1
    assert Delivery.objects.get(user=other.user).is_read is False


def test_merging_keeps_settings_of_the_remaining_feed(reader: User) -> None:
    keep = make.subscription(reader, title="Kept", folder=make.folder(reader, "A"))
    merge(keep, make.subscription(reader, title="Left", folder=make.folder(reader, "B")))
    subscription = Subscription.objects.get()
    assert (subscription.title, subscription.folder.name) == ("Kept", "A")


@pytest.mark.parametrize("step", ["_move_states", "absorb"])
def test_failed_merge_changes_nothing(reader: User, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    keep, leave = make.subscription(reader), make.subscription(reader, title="Mine", folder=make.folder(reader))
    (_, theirs), *_ = two_articles_each(keep, leave, 2)
    star(reader, theirs.pk, is_starred=True, now=make.NOW)
    models = (Subscription, Delivery, ArticleState)
    before = [list(model.objects.order_by("pk").values()) for model in models]

    def fails(*args: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(merging, step, fails)
    with pytest.raises(OSError, match="full"):
        merge(keep, leave)
    assert [list(model.objects.order_by("pk").values()) for model in models] == before
