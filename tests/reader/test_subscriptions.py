"""Following and leaving feeds, alone and by the thousand; merged feeds; announcements."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Condition, Feed, FeedStatus, Item, Poll
from feeds.subscription_list import WantedFeed
from reader.delivery import deliver
from reader.leaving import leave
from reader.marking import mark_read, star
from reader.models import ArticleState, Delivery, Folder, Notification, Subscription
from reader.notifications import announce
from reader.subscriptions import Followed, follow, follow_all, rename, settle_merged_feeds
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def follow_urls(user: User, *urls: str) -> Followed:
    return follow_all(user, [WantedFeed(url) for url in urls], now=make.NOW, default_max_items=500)


def test_follows_in_folders_under_own_titles(reader: User) -> None:
    wanted = [
        WantedFeed("https://a.example/feed", title="A", folder=("News", "Local")),
        WantedFeed("https://b.example/feed", source_name="Bee", title="B", category="World", max_items=20),
    ]
    assert follow_all(reader, wanted, now=make.NOW, default_max_items=500) == Followed(2, 0)
    first, second = Subscription.objects.order_by("pk")
    assert (first.folder.name, first.title, first.feed.max_items) == ("News / Local", "A", 500)
    assert (second.folder, second.title, second.category, second.feed.max_items) == (None, "Bee", "World", 20)
    assert first.feed.next_poll_at == make.NOW


def test_one_feed_under_many_spellings(reader: User) -> None:
    follow_urls(reader, "https://www.a.example/feed")
    assert follow_urls(reader, "http://a.example/feed", "HTTPS://A.example:443/feed") == Followed(0, 2)
    assert Feed.objects.count() == 1


def test_users_share_feeds_but_not_subscriptions(reader: User) -> None:
    follow_urls(reader, "https://a.example/feed")
    follow_urls(make.user(), "https://a.example/feed")
    assert (Feed.objects.count(), Subscription.objects.count()) == (1, 2)


def test_a_feed_behind_a_password_is_another_feed(reader: User) -> None:
    """Who lacks the password must not read along with who has it."""
    follow_urls(reader, "https://ann:secret@a.example/feed")
    follow_urls(make.user(), "https://a.example/feed")
    assert Feed.objects.count() == 2
    assert "secret" not in "".join(str(feed) + feed.shown_url for feed in Feed.objects.all())


def test_following_many_takes_a_handful_of_queries(reader: User, django_assert_max_num_queries: object) -> None:
    urls = [f"https://site{n}.example/feed" for n in range(100)]
    with django_assert_max_num_queries(24):  # type: ignore[operator]
        follow_urls(reader, *urls)
    assert reader.subscriptions.count() == 100


def test_moving_to_another_folder_takes_the_articles_along(reader: User) -> None:
    subscription, folder = make.subscription(reader), make.folder(reader)
    make.delivery(subscription, make.article())
    rename(subscription, title="Mine", folder=folder)
    assert (Delivery.objects.get().folder, Subscription.objects.get().title) == (folder, "Mine")
    rename(subscription, title="", folder=None)
    assert Delivery.objects.get().folder is None


def test_a_deleted_folder_leaves_its_feeds(reader: User) -> None:
    folder = make.folder(reader)
    make.delivery(make.subscription(reader, folder=folder), make.article())
    Folder.objects.get().delete()
    assert (Subscription.objects.get().folder, Delivery.objects.get().folder) == (None, None)


def test_leaving_keeps_stars_and_what_other_feeds_bring(reader: User) -> None:
    leaving, staying = make.subscription(reader), make.subscription(reader)
    plain, starred, shared = (make.article() for _ in range(3))
    for article in (plain, starred, shared):
        make.delivery(leaving, article)
    make.delivery(staying, shared)
    mark_read(reader, [plain.pk, shared.pk])
    star(reader, starred.pk, is_starred=True, now=make.NOW)
    leave(reader, [leaving.pk], now=make.NOW)
    assert list(Delivery.objects.values_list("article", flat=True)) == [shared.pk]
    assert set(ArticleState.objects.values_list("article", flat=True)) == {starred.pk, shared.pk}


def merged_pair() -> tuple[Feed, Feed]:
    old, target = make.feed(), make.feed()
    Feed.objects.filter(pk=old.pk).update(status=FeedStatus.MERGED, merged_into=target)
    old.refresh_from_db()
    return old, target


def test_a_merged_feed_gives_its_readers_and_history_to_the_other(reader: User) -> None:
    old, target = merged_pair()
    both = make.user()
    make.subscription(reader, old, title="My name for it")
    make.subscription(both, old)
    make.subscription(both, target)
    early, late = make.article(), make.article()
    make.item(old, early, guid="1")
    make.poll(old)
    make.item(target, late, guid="2")
    deliver()
    assert settle_merged_feeds() == 1
    deliver()
    kept = Subscription.objects.get(user=reader)
    assert (kept.feed, kept.title) == (target, "My name for it")
    assert Subscription.objects.filter(user=both).count() == 1
    for user in (reader, both):
        assert set(Delivery.objects.filter(user=user).values_list("article", flat=True)) == {early.pk, late.pk}
    assert not Item.objects.filter(feed=old).exists()
    assert Poll.objects.get().feed == target
    assert settle_merged_feeds() == 0


def test_the_same_entry_of_merged_feeds_is_kept_once_and_a_clash_twice(reader: User) -> None:
    old, target = merged_pair()
    make.subscription(reader, old)
    same, clashing, other = (make.article() for _ in range(3))
    make.item(old, same, guid="1")
    make.item(target, same, guid="1")
    make.item(old, clashing, guid="2")
    make.item(target, other, guid="2")
    settle_merged_feeds()
    assert sorted(Item.objects.filter(feed=target).values_list("article", flat=True)) == sorted(
        [same.pk, clashing.pk, other.pk]
    )


def test_following_a_merged_feeds_old_address_leads_to_the_new(reader: User) -> None:
    old, target = merged_pair()
    follow_urls(reader, old.url)
    assert Subscription.objects.get().feed == target
    assert follow(make.user(), old)[0].feed == target


def change_condition(feed: Feed, condition: str, hours: int) -> None:
    Feed.objects.filter(pk=feed.pk).update(
        condition=condition,
        condition_reason="its last 3 polls failed",
        condition_changed_at=make.NOW + timedelta(hours=hours),
    )


def test_each_change_of_condition_is_told_once_to_each_subscriber(reader: User) -> None:
    feed = make.feed()
    make.subscription(reader, feed, title="The Courier")
    make.subscription(make.user(), feed)
    assert announce() == 0
    change_condition(feed, Condition.UNHEALTHY, 1)
    assert (announce(), announce()) == (2, 0)
    assert Notification.objects.get(user=reader).text == (
        "The Courier needs attention: its last 3 polls failed. We go on trying."
    )
    change_condition(feed, Condition.WELL, 2)
    assert announce() == 2
    assert Notification.objects.filter(user=reader).first().text == "The Courier is well again."


def test_that_a_feed_is_well_is_no_news_to_who_never_heard_otherwise(reader: User) -> None:
    feed = make.feed()
    change_condition(feed, Condition.WELL, 1)
    make.subscription(reader, feed)
    assert announce() == 0
