"""New items are delivered to all followers once, and unread counts stay correct."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed
from reader.articles.read_state import mark_all_read, mark_read, star
from reader.lists.queries import all_of, of_subscription
from reader.models import ArticleState, Delivery, Subscription
from reader.subscriptions.delivery import deliver
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def unread(subscription: Subscription) -> tuple[int, int]:
    """The stored and the actual unread count."""
    subscription.refresh_from_db()
    return subscription.unread_count, subscription.deliveries.filter(is_read=False).count()


def test_delivers_existing_items_to_new_subscriber() -> None:
    feed = make.feed()
    articles = [make.article() for _ in range(3)]
    for article in articles:
        make.item(feed, article)
    subscription = make.subscription(make.user(), feed)
    assert deliver() == 3
    assert set(subscription.deliveries.values_list("article", flat=True)) == {article.pk for article in articles}
    assert unread(subscription) == (3, 3)


def test_delivering_again_changes_nothing() -> None:
    subscription = make.subscription(make.user())
    make.item(subscription.feed, make.article())
    assert (deliver(), deliver()) == (1, 0)
    Subscription.objects.update(delivered_item_id=0)  # as after a merge of feeds
    assert deliver() == 0
    assert unread(subscription) == (1, 1)


def test_delivers_article_with_two_items_once() -> None:
    subscription, article = make.subscription(make.user()), make.article()
    make.item(subscription.feed, article)
    make.item(subscription.feed, article)
    assert deliver() == 1
    assert unread(subscription) == (1, 1)


def test_delivers_to_every_follower() -> None:
    """An article isn't hidden by another user's feed that delivered it first."""
    article = make.article()
    first, second = make.subscription(make.user()), make.subscription(make.user())
    make.item(first.feed, article)
    deliver()
    make.item(second.feed, article)
    deliver()
    assert Delivery.objects.filter(user=second.user, article=article).exists()


def test_delivers_nothing_to_other_users() -> None:
    subscription = make.subscription(make.user())
    stranger = make.user()
    make.item(subscription.feed, make.article())
    deliver()
    assert not Delivery.objects.filter(user=stranger).exists()


def test_article_read_in_another_feed_arrives_read() -> None:
    user, article = make.user(), make.article()
    first, second = make.subscription(user), make.subscription(user)
    make.item(first.feed, article)
    deliver()
    mark_read(user, [article.pk])
    make.item(second.feed, article)
    deliver()
    assert Delivery.objects.get(subscription=second).is_read
    assert unread(second) == (0, 0)


def test_takes_constant_queries_for_many_subscriptions(django_assert_num_queries: object) -> None:
    for _ in range(30):
        make.item(make.subscription(make.user()).feed, make.article())
    # Two more check whether new articles are in a story, within the transaction and after it; two at the end look for
    # assessments that another feed corroborates, and find none.
    with django_assert_num_queries(15):  # type: ignore[operator]
        assert deliver() == 30


def test_item_stored_meanwhile_is_delivered_next_time() -> None:
    subscription = make.subscription(make.user())
    make.item(subscription.feed, make.article())
    late = make.item(subscription.feed, make.article())
    Feed.objects.update(newest_item_id=late.pk - 1)  # its poll isn't committed yet
    assert deliver() == 1
    Feed.objects.update(newest_item_id=late.pk)
    assert deliver() == 1


def test_reading_updates_every_feed_of_the_article() -> None:
    user, article = make.user(), make.article()
    subscriptions = [make.subscription(user), make.subscription(user)]
    for subscription in subscriptions:
        make.delivery(subscription, article)
    assert mark_read(user, [article.pk]) == 2
    assert [unread(subscription) for subscription in subscriptions] == [(0, 0), (0, 0)]
    assert mark_read(user, [article.pk]) == 0
    assert mark_read(user, [article.pk], is_read=False) == 2
    assert [unread(subscription) for subscription in subscriptions] == [(1, 1), (1, 1)]


def test_reading_is_per_user() -> None:
    article = make.article()
    mine, theirs = make.subscription(make.user()), make.subscription(make.user())
    make.delivery(mine, article)
    make.delivery(theirs, article)
    mark_read(mine.user, [article.pk])
    assert unread(theirs) == (1, 1)


def test_marking_all_read_skips_later_articles_and_other_feeds() -> None:
    user = make.user()
    here, elsewhere = make.subscription(user), make.subscription(user)
    delivery = make.delivery(
        here, make.article(published_at=make.NOW + timedelta(hours=20))
    )  # some dates are in the future
    make.delivery(elsewhere, make.article())
    late = make.delivery(here, make.article(published_at=make.NOW - timedelta(days=1)))
    assert mark_all_read(user, of_subscription(here), up_to=delivery.pk) == 1
    assert (unread(here), unread(elsewhere)) == ((1, 1), (1, 1))
    assert mark_all_read(user, all_of(user), up_to=late.pk) == 2


def test_marking_all_read_keeps_stars_and_marks_copies_in_other_feeds() -> None:
    user = make.user()
    here, elsewhere, theirs = make.subscription(user), make.subscription(user), make.subscription(make.user())
    article = make.article()
    for subscription in (here, elsewhere, theirs):
        make.delivery(subscription, article)
    star(user, article.pk, is_starred=True, now=make.NOW)
    assert mark_all_read(user, of_subscription(here), up_to=2**62) == 2
    assert [unread(subscription) for subscription in (here, elsewhere, theirs)] == [(0, 0), (0, 0), (1, 1)]
    state = ArticleState.objects.get()
    assert (state.user, state.is_read, state.is_starred, state.starred_at) == (user, True, True, make.NOW)


@pytest.mark.parametrize("n", [1, 700])
def test_marking_all_read_takes_constant_queries(n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    subscription = make.subscription(make.user())
    for _ in range(n):
        make.item(subscription.feed, make.article())
    deliver()
    with django_assert_num_queries(7):
        assert mark_all_read(subscription.user, all_of(subscription.user), up_to=2**62) == n
    assert unread(subscription) == (0, 0)


def test_stars_and_unstars() -> None:
    user, article = make.user(), make.article()
    star(user, article.pk, is_starred=True, now=make.NOW)
    assert ArticleState.objects.get().starred_at == make.NOW
    star(user, article.pk, is_starred=False, now=make.NOW)
    state = ArticleState.objects.get()
    assert (state.is_starred, state.starred_at) == (False, None)
