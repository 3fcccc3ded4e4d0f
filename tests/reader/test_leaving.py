"""Leaving feeds and coming back as if nothing had been."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Feed, FeedStatus
from reader.delivery import deliver
from reader.leaving import KEPT_FOR, MOST_KEPT, forget_old, lately_left, leave
from reader.marking import mark_read, star
from reader.models import ArticleState, Bundle, Delivery, Muted, Parting, Rule, RuleHit, Subscription
from reader.quieting import bound_noise
from reader.returning import come_back
from reader.subscriptions import settle_merged_feeds
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def rows() -> dict[str, list[dict[str, object]]]:
    """Everything that leaving takes, as it is."""
    models = (Subscription, Delivery, ArticleState, Muted, Rule)
    found = {each.__name__: list(each.objects.order_by("pk").values()) for each in models}
    for row in found["Delivery"] + found["ArticleState"] + found["Muted"]:
        del row["id"]
    for name in ("Delivery", "ArticleState", "Muted"):
        found[name].sort(key=str)
    return found


def full(reader: User) -> Subscription:
    """A feed in a folder with articles read, unread, starred, muted and quiet, and a rule that met one."""
    subscription = make.subscription(
        reader, folder=make.folder(reader), title="Mine", most_a_day=3, category="World", is_kept=True
    )
    articles = [make.article() for _ in range(5)]
    for article in articles:
        make.delivery(subscription, article)
    mark_read(reader, [articles[0].pk])
    mark_read(reader, [articles[1].pk], is_read=False)
    star(reader, articles[2].pk, is_starred=True, now=make.NOW)
    Delivery.objects.filter(article=articles[3]).update(quiet=2, is_folded=True, is_folded_in_folder=True, is_seen=True)
    rule = make.rule(reader, words="chess", subscription=subscription)
    make.muted(rule, subscription, make.article())
    RuleHit.objects.create(user=reader, rule=rule, article=articles[4], acts=["read"])
    subscription.refresh_from_db()
    subscription.unread_count = 3
    subscription.save()
    return subscription


def test_coming_back_restores_every_row(reader: User) -> None:
    subscription = full(reader)
    other = make.subscription(reader)
    make.delivery(other, make.article())
    before = rows()
    parting = leave(reader, [subscription.pk], now=make.NOW)
    assert parting is not None
    assert parting.names == ["Mine"]
    assert not Subscription.objects.filter(pk=subscription.pk).exists()
    assert Delivery.objects.count() == 1
    assert come_back(reader, parting, now=make.NOW + timedelta(days=6)) == ["Mine"]
    assert rows() == before
    assert RuleHit.objects.get().rule == Rule.objects.get()


def test_what_came_meanwhile_follows(reader: User) -> None:
    subscription = full(reader)
    parting = leave(reader, [subscription.pk], now=make.NOW)
    late = make.article()
    make.item(subscription.feed, late)
    assert deliver() == 0
    assert parting is not None
    come_back(reader, parting, now=make.NOW)
    assert deliver() == 1
    assert Delivery.objects.filter(article=late, subscription=subscription.pk).exists()


def test_coming_back_is_done_once_and_within_a_week(reader: User) -> None:
    first, second = (leave(reader, [make.subscription(reader).pk], now=make.NOW) for _ in range(2))
    assert first is not None
    assert second is not None
    assert come_back(reader, first, now=make.NOW) is not None
    assert come_back(reader, first, now=make.NOW) is None
    late = make.NOW + KEPT_FOR + timedelta(seconds=1)
    assert come_back(reader, second, now=late) is None
    assert list(lately_left(reader, now=make.NOW)) == [second]
    assert not lately_left(reader, now=late).exists()
    assert Subscription.objects.count() == 1


def test_a_feed_followed_again_meanwhile_gets_back_its_list(reader: User) -> None:
    subscription = full(reader)
    parting = leave(reader, [subscription.pk], now=make.NOW)
    anew = make.subscription(reader, subscription.feed)
    assert parting is not None
    come_back(reader, parting, now=make.NOW)
    assert Subscription.objects.get() == anew
    assert Delivery.objects.filter(subscription=anew).count() == 5
    assert Rule.objects.get().subscription == anew


def test_a_folder_deleted_and_a_feed_merged_meanwhile_are_no_obstacle(reader: User) -> None:
    subscription = full(reader)
    target = make.feed()
    parting = leave(reader, [subscription.pk], now=make.NOW)
    reader.folders.all().delete()
    Feed.objects.filter(pk=subscription.feed_id).update(status=FeedStatus.MERGED, merged_into=target)
    assert parting is not None
    come_back(reader, parting, now=make.NOW)
    settle_merged_feeds()
    kept = Subscription.objects.get()
    assert (kept.feed, kept.folder, kept.deliveries.count()) == (target, None, 5)


def test_another_persons_feed_is_not_left(reader: User) -> None:
    theirs = make.subscription(make.user())
    assert leave(reader, [theirs.pk], now=make.NOW) is None
    assert Subscription.objects.get() == theirs
    assert not Parting.objects.exists()


def test_the_oldest_partings_are_forgotten(reader: User) -> None:
    for _ in range(MOST_KEPT + 2):
        leave(reader, [make.subscription(reader).pk], now=make.NOW)
    newest = set(Parting.objects.order_by("-pk").values_list("pk", flat=True)[:MOST_KEPT])
    assert {each.pk for each in lately_left(reader, now=make.NOW)} == newest
    forget_old(now=make.NOW)
    assert set(Parting.objects.values_list("pk", flat=True)) == newest
    assert Subscription.everything.count() == MOST_KEPT


def test_what_is_a_week_old_is_forgotten_for_good(reader: User) -> None:
    leave(reader, [full(reader).pk], now=make.NOW)
    forget_old(now=make.NOW + KEPT_FOR)
    assert Subscription.everything.exists()
    forget_old(now=make.NOW + KEPT_FOR + timedelta(seconds=1))
    for model in (Parting, Bundle, Subscription, Rule, Muted):
        assert not model._base_manager.exists()


def test_digests_only_comes_back_as_such(reader: User) -> None:
    subscription = make.subscription(reader)
    make.delivery(subscription, make.article())
    bound_noise(subscription, most_a_day=None, is_digest_only=True, quiet_until=None)
    parting = leave(reader, [subscription.pk], now=make.NOW)
    assert parting is not None
    come_back(reader, parting, now=make.NOW)
    delivery = Delivery.objects.get()
    assert (delivery.quiet, delivery.is_folded, Subscription.objects.get().unread_count) == (1, True, 0)


@pytest.mark.parametrize("n", [1, 30])
def test_leaving_many_costs_no_more(reader: User, n: int, django_assert_max_num_queries: object) -> None:
    ids = []
    for _ in range(n):
        subscription = make.subscription(reader)
        make.delivery(subscription, make.article())
        ids.append(subscription.pk)
    with django_assert_max_num_queries(46):  # type: ignore[operator]
        parting = leave(reader, ids, now=make.NOW)
    assert parting is not None
    with django_assert_max_num_queries(48):  # type: ignore[operator]
        come_back(reader, parting, now=make.NOW)
    assert Delivery.objects.count() == n
