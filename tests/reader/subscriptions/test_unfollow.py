"""Unfollowing hides a feed at once; restoring it within seven days brings everything back."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from feeds.models import Article, Feed, FeedStatus
from feeds.subscription_lists.model import ListedFeed
from reader.access import visible_articles
from reader.articles.read_state import mark_all_read, mark_read, star
from reader.lists.queries import all_of
from reader.lists.sidebar import sidebar_of
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Duplicate,
    Muted,
    Rule,
    RuleBoost,
    RuleHit,
    Subscription,
    TaggedArticle,
)
from reader.rules.apply import apply_to_arrivals
from reader.stories.collapse import fold_now, fold_queued, queue_fold_ids
from reader.subscriptions import unfollow as unfollowing
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import Followed, follow, follow_all, move_merged_subscriptions
from reader.subscriptions.noise_limits import set_noise_limits
from reader.subscriptions.opml_export import export_list
from reader.subscriptions.unfollow import KEPT_FOR, purge_some, recently_unfollowed, restore, undo_unfollow, unfollow
from tests import make

pytestmark = pytest.mark.django_db

TOO_LATE = make.NOW + KEPT_FOR + timedelta(seconds=1)


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def shelves(reader: User) -> list[Subscription]:
    """Three feeds, two of which share articles and a story, and one to keep that also shares an article."""
    folder = make.folder(reader)
    one, other = make.subscription(reader, folder=folder, title="One", most_a_day=3), make.subscription(reader)
    third, stays = make.subscription(reader), make.subscription(reader)
    articles = [make.article(word_count=5 - number) for number in range(5)]
    for article in articles:
        make.delivery(one, article)
    for article in articles[3:]:
        make.delivery(other, article)
    for _ in range(5):
        make.delivery(third, make.article())
    make.delivery(stays, articles[4])
    lone = make.article()
    make.delivery(stays, lone)
    make.story(articles[0], articles[1], lone)
    fold_now(queue_fold_ids([articles[0].pk]), user=reader)
    mark_read(reader, [articles[2].pk, articles[3].pk])
    mark_read(reader, [articles[1].pk], is_read=False)
    star(reader, articles[2].pk, is_starred=True, now=make.NOW)
    Delivery.objects.filter(subscription=third).update(is_seen=True)
    rule = make.rule(reader, words="chess", subscription=one, lift=10)
    make.muted(rule, one, make.article())
    RuleHit.objects.create(user=reader, rule=rule, article=articles[1], acts=["read"])
    RuleBoost.objects.create(user=reader, rule=rule, article=articles[4], version=rule.version)
    Duplicate.objects.create(user=reader, one=one, other=other, why="site", is_denied=True)
    Delivery.objects.update(is_rated=True)
    return [one, other, third]


def state() -> dict[str, list[str]]:
    """All rows of users, except the fields `is_rated` and `arrival`."""
    models = (Delivery, ArticleState, Subscription, Rule, Muted, RuleHit, RuleBoost, Duplicate)
    rows_by_table = {}
    for model in models:
        rows = list(model._base_manager.order_by("pk").values())
        rows_by_table[model.__name__] = [
            str({name: row[name] for name in row if name not in ("is_rated", "arrival")}) for row in rows
        ]
    return rows_by_table


def ids_of(subscriptions: list[Subscription]) -> list[int]:
    return [subscription.pk for subscription in subscriptions]


def check_counts() -> None:
    for subscription in Subscription.everything.all():
        assert (
            subscription.unread_count
            == Delivery.everything.filter(subscription=subscription, is_read=False, quiet=0).count()
        )


def test_hides_everything(client: Client, reader: User, shelves: list[Subscription]) -> None:
    client.force_login(reader)
    unfollow(reader, ids_of(shelves), now=make.NOW)
    assert (Delivery.everything.count(), Delivery.objects.count()) == (14, 2)
    beside = sidebar_of(reader, here="all")
    assert (beside.n_feeds, beside.n_unread, [folder.n_unread for folder in beside.folders]) == (1, 2, [0])
    assert visible_articles(reader).count() == 3  # two of the remaining feed, and the starred one
    addresses = ("/all/", "/for-you/", "/important/", "/", "/rules/", "/muted/", "/search/?q=article", "/stories/")
    for address in (*addresses, "/digests/", "/feeds/duplicates/"):
        page = client.get(address).content.decode()
        assert "One" not in page.replace("One tap", ""), address
    for name in ("feed", "feed_health", "feed_edit", "feed_unfollow"):
        assert client.get(reverse(name, args=[shelves[0].pk])).status_code == 404
    hidden = Article.objects.exclude(pk__in=visible_articles(reader).values("pk"))[0]
    assert client.get(reverse("article", args=[hidden.pk])).status_code == 404
    assert client.get(reverse("rule_edit", args=[Rule.everything.get().pk])).status_code == 404
    stays = Subscription.objects.get()
    assert [outline.url for outline in export_list(reader)] == [stays.feed.url]
    check_counts()


def test_restoring_brings_back_every_row(reader: User, shelves: list[Subscription]) -> None:
    before = state()
    unfollowed = unfollow(reader, ids_of(shelves), now=make.NOW)
    assert unfollowed == shelves
    assert Delivery.objects.get(article__story__isnull=False).is_folded is False  # its lead is hidden
    assert undo_unfollow(reader, refreshed(unfollowed[1]), now=make.NOW + KEPT_FOR) == shelves
    assert state() == before
    check_counts()


def refreshed(subscription: Subscription) -> Subscription:
    return Subscription.everything.get(pk=subscription.pk)


def test_articles_published_in_the_meantime_are_delivered(reader: User) -> None:
    subscription = make.subscription(reader)
    unfollow(reader, [subscription.pk], now=make.NOW)
    late = make.article()
    make.item(subscription.feed, late)
    assert deliver() == 0
    restore(reader, [subscription.pk])
    assert deliver() == 1
    assert Delivery.objects.get().article == late
    check_counts()


def test_undo_works_once_and_within_seven_days(reader: User) -> None:
    first, second = make.subscription(reader), make.subscription(reader)
    unfollow(reader, [first.pk], now=make.NOW)
    unfollow(reader, [second.pk], now=make.NOW + timedelta(seconds=1))
    listed = recently_unfollowed(reader, now=make.NOW)
    assert [(row.subscription, row.n) for row in listed] == [(second, 1), (first, 1)]
    assert undo_unfollow(reader, refreshed(first), now=make.NOW) == [first]
    assert undo_unfollow(reader, refreshed(first), now=make.NOW) == []
    late = TOO_LATE + timedelta(seconds=1)
    assert undo_unfollow(reader, refreshed(second), now=late) == []
    assert recently_unfollowed(reader, now=late) == []
    assert list(Subscription.objects.all()) == [first]


def test_feeds_unfollowed_together_are_restored_together(reader: User, shelves: list[Subscription]) -> None:
    unfollow(reader, ids_of(shelves[:2]), now=make.NOW)
    unfollow(reader, ids_of(shelves[2:]), now=make.NOW + timedelta(hours=1))
    listed = recently_unfollowed(reader, now=make.NOW)
    assert [(row.subscription, row.n, row.n_others) for row in listed] == [(shelves[2], 1, 0), (shelves[0], 2, 1)]
    assert undo_unfollow(reader, refreshed(shelves[1]), now=make.NOW) == shelves[:2]
    assert Subscription.everything.get(unfollowed_at__isnull=False) == shelves[2]


def test_other_users_are_not_affected(reader: User, shelves: list[Subscription]) -> None:
    other = make.user()
    theirs = make.subscription(other, shelves[0].feed)
    assert deliver() == 6
    assert unfollow(reader, [theirs.pk], now=make.NOW) == []
    assert restore(other, ids_of(shelves)) == []
    unfollow(reader, ids_of(shelves), now=make.NOW)
    assert Delivery.objects.filter(user=other).count() == 6
    assert sidebar_of(other, here="all").n_unread == 5  # two of them are one story
    assert restore(other, ids_of(shelves)) == []
    assert undo_unfollow(other, refreshed(shelves[0]), now=make.NOW) == []
    assert Subscription.everything.filter(user=reader, unfollowed_at__isnull=False).count() == 3
    while purge_some(now=TOO_LATE):
        pass
    assert Delivery.everything.filter(user=other).count() == 6
    assert Delivery.everything.filter(user=reader).count() == 2


def test_following_again_restores_the_subscription(reader: User, shelves: list[Subscription]) -> None:
    before = state()
    unfollow(reader, ids_of(shelves), now=make.NOW)
    assert follow(reader, shelves[0].feed) == (shelves[0], True)
    assert follow(reader, shelves[0].feed, title="Other") == (shelves[0], False)
    wanted = [ListedFeed(url=shelf.feed.url) for shelf in shelves]
    assert follow_all(reader, wanted, now=make.NOW, default_max_items=9) == Followed(2, 1)
    assert state() == before
    unfollow(reader, ids_of(shelves[:1]), now=make.NOW)
    follow(reader, shelves[0].feed, title="Other", folder=make.folder(reader, "New"))
    restored = refreshed(shelves[0])
    assert (restored.title, restored.folder.name if restored.folder else "") == ("Other", "New")
    assert set(Delivery.objects.filter(subscription=restored).values_list("folder__name", flat=True)) == {"New"}


def test_reading_elsewhere_in_the_meantime_counts(reader: User, shelves: list[Subscription]) -> None:
    one, other, third = shelves
    stays = Subscription.objects.exclude(pk__in=ids_of(shelves)).get()
    shared = Delivery.objects.exclude(article__story__isnull=False).get(subscription=stays).article
    unfollow(reader, ids_of(shelves), now=make.NOW)
    mark_read(reader, [shared.pk])
    check_counts()
    restore(reader, [one.pk])
    assert Delivery.objects.get(subscription=one, article=shared).is_read
    mark_read(reader, [shared.pk], is_read=False)
    mark_all_read(reader, all_of(reader, with_folded=True), up_to=10**9)
    restore(reader, [other.pk])
    assert not Delivery.objects.filter(subscription=other, is_read=False).exists()
    assert Delivery.everything.filter(subscription=third, is_read=False).count() == 5
    check_counts()


def test_restores_despite_deleted_folder_and_merged_feed(reader: User, shelves: list[Subscription]) -> None:
    one = shelves[0]
    target = make.feed("https://moved.example/f", source=one.feed.source)
    unfollow(reader, [one.pk], now=make.NOW)
    reader.folders.all().delete()
    Feed.objects.filter(pk=one.feed_id).update(status=FeedStatus.MERGED, merged_into=target)
    restore(reader, [one.pk])
    move_merged_subscriptions()
    remaining = refreshed(one)
    assert (remaining.feed, remaining.folder, remaining.deliveries.count()) == (target, None, 5)


def test_feed_moves_to_an_unfollowed_one(reader: User) -> None:
    target = make.feed("https://moved.example/f")
    gone = make.subscription(reader, target)
    stays = make.subscription(reader, make.feed(source=target.source), title="Stays")
    unfollow(reader, [gone.pk], now=make.NOW)
    Feed.objects.filter(pk=stays.feed_id).update(status=FeedStatus.MERGED, merged_into=target)
    move_merged_subscriptions()
    assert Subscription.everything.get().title == "Stays"
    assert Subscription.objects.get().feed == target


def test_keeps_digests_only(reader: User) -> None:
    subscription = make.subscription(reader)
    make.delivery(subscription, make.article())
    set_noise_limits(subscription, most_a_day=None, is_digest_only=True, quiet_until=None)
    unfollow(reader, [subscription.pk], now=make.NOW)
    restore(reader, [subscription.pk])
    delivery = Delivery.objects.get()
    assert (delivery.quiet, delivery.is_folded, Subscription.objects.get().unread_count) == (1, True, 0)


def test_rules_are_restored_too(reader: User, shelves: list[Subscription]) -> None:
    rule = make.rule(reader, words="", subscription=shelves[2], marks_read=True)
    Arrival.objects.bulk_create(
        Arrival(delivery=delivery) for delivery in Delivery.objects.filter(subscription=shelves[2])
    )
    unfollow(reader, [shelves[2].pk], now=make.NOW)
    assert apply_to_arrivals(now=make.NOW) == 0
    assert Arrival.objects.count() == 5
    restore(reader, [shelves[2].pk])
    assert apply_to_arrivals(now=make.NOW) == 5
    assert RuleHit.objects.filter(rule=rule).count() == 5


def test_failed_unfollow_changes_nothing(
    reader: User, shelves: list[Subscription], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()

    def fails(*args: object) -> list[int]:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(unfollowing, "_delete_emptied_folders", fails)
        with pytest.raises(OSError, match="full"):
            unfollow(reader, ids_of(shelves), now=make.NOW, with_folders=True)
    assert state() == before
    unfollow(reader, ids_of(shelves), now=make.NOW)
    hidden = state()
    with monkeypatch.context() as patched:
        patched.setattr(unfollowing, "queue_fold", fails)
        with pytest.raises(OSError, match="full"):
            restore(reader, ids_of(shelves))
    assert state() == hidden


def test_is_completed_if_killed_before_folding(
    reader: User, shelves: list[Subscription], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()

    def killed(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    for act in (lambda: unfollow(reader, ids_of(shelves), now=make.NOW), lambda: restore(reader, ids_of(shelves))):
        with monkeypatch.context() as patched:
            patched.setattr(unfollowing, "fold_now", killed)
            with pytest.raises(KeyboardInterrupt):
                act()
        while fold_queued():
            pass
    assert state() == before


def purge(n: int | None = None) -> int:
    """Delete expired subscriptions in at most `n` transactions; return how many it took."""
    n_steps = 0
    while (n is None or n_steps < n) and purge_some(now=TOO_LATE):
        n_steps += 1
    return n_steps


def test_deletes_after_seven_days(reader: User, shelves: list[Subscription]) -> None:
    tagged = Article.objects.filter(deliveries__subscription=shelves[2])[0]
    mark_read(reader, [tagged.pk])
    make.tag(reader, "Kept", tagged)
    unfollow(reader, ids_of(shelves), now=make.NOW)
    before = state()
    assert not purge_some(now=make.NOW + KEPT_FOR)
    assert state() == before
    assert purge() == 6  # the articles of each, then the subscription
    assert not Subscription.everything.filter(pk__in=ids_of(shelves)).exists()
    assert (Delivery.everything.count(), Rule.everything.count(), Muted.everything.count()) == (2, 0, 0)
    assert {article_state.article_id for article_state in ArticleState.objects.filter(is_starred=False)} == {tagged.pk}
    assert ArticleState.objects.filter(is_starred=True).count() == 1
    assert TaggedArticle.objects.count() == 1
    check_counts()


def test_deletes_in_small_steps(reader: User, shelves: list[Subscription], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfollowing, "PURGED_AT_ONCE", 2)
    unfollow(reader, ids_of(shelves), now=make.NOW)
    for n_left in (12, 10, 9):
        assert purge(1) == 1
        assert Delivery.everything.count() == n_left
        check_counts()
    assert purge() == 7
    assert Delivery.everything.count() == 2


def test_following_half_deleted_feed_restores_all_articles(
    reader: User, shelves: list[Subscription], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unfollowing, "PURGED_AT_ONCE", 2)
    unfollow(reader, [shelves[2].pk], now=make.NOW)
    purge(2)
    assert Delivery.everything.filter(subscription=shelves[2]).count() == 1
    follow(reader, shelves[2].feed)
    deliver()
    assert shelves[2].deliveries.count() == 5
    assert purge() == 0
    check_counts()


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(reader: User, n: int, django_assert_max_num_queries: object) -> None:
    ids = []
    for _ in range(n):
        subscription = make.subscription(reader)
        make.delivery(subscription, make.article())
        ids.append(subscription.pk)
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        assert len(unfollow(reader, ids, now=make.NOW)) == n
    with django_assert_max_num_queries(13):  # type: ignore[operator]
        assert len(restore(reader, ids)) == n
    assert Delivery.objects.count() == n
