"""Following and unfollowing feeds, one or thousands; merged feeds; notifications."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Condition, Feed, FeedStatus, Poll, Source
from feeds.subscription_lists.model import ListedFeed
from reader.access import visible_articles
from reader.articles.read_state import mark_read, star
from reader.models import ArticleState, Delivery, Folder, Notification, Preferences, Subscription
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import Followed, follow, follow_all, move_merged_subscriptions, rename
from reader.subscriptions.notifications import notify_subscribers
from reader.subscriptions.unfollow import purge_some, unfollow
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


def follow_urls(user: User, *urls: str) -> Followed:
    return follow_all(user, [ListedFeed(url) for url in urls], now=make.NOW, default_max_items=500)


def test_follows_with_folders_and_titles(reader: User) -> None:
    wanted = [
        ListedFeed("https://a.example/feed", title="A", folder=("News", "Local")),
        ListedFeed("https://b.example/feed", source_name="Bee", title="B", category="World", max_items=20),
    ]
    assert follow_all(reader, wanted, now=make.NOW, default_max_items=500) == Followed(2, 0)
    first, second = Subscription.objects.order_by("pk")
    assert (first.folder.name, first.title, first.feed.max_items) == ("News / Local", "A", 500)
    assert (second.folder, second.title, second.category, second.feed.max_items) == (None, "Bee", "World", 20)
    assert first.feed.next_poll_at == make.NOW


def test_recognizes_feed_under_many_spellings(reader: User) -> None:
    follow_urls(reader, "https://www.a.example/feed")
    assert follow_urls(reader, "http://a.example/feed", "HTTPS://A.example:443/feed") == Followed(0, 2)
    assert Feed.objects.count() == 1


def test_users_share_feeds_but_not_subscriptions(reader: User) -> None:
    follow_urls(reader, "https://a.example/feed")
    follow_urls(make.user(), "https://a.example/feed")
    assert (Feed.objects.count(), Subscription.objects.count()) == (1, 2)


def test_feed_with_password_is_another_feed(reader: User) -> None:
    """Users without the password must not get its articles."""
    follow_urls(reader, "https://ann:secret@a.example/feed")
    follow_urls(make.user(), "https://a.example/feed")
    assert Feed.objects.count() == 2
    assert "secret" not in "".join(str(feed) + feed.shown_url for feed in Feed.objects.all())


def test_following_many_takes_few_queries(reader: User, django_assert_max_num_queries: object) -> None:
    urls = [f"https://site{n}.example/feed" for n in range(100)]
    with django_assert_max_num_queries(24):  # type: ignore[operator]
        follow_urls(reader, *urls)
    assert reader.subscriptions.count() == 100


def test_moving_to_another_folder_moves_articles(reader: User) -> None:
    subscription, folder = make.subscription(reader), make.folder(reader)
    make.delivery(subscription, make.article())
    rename(subscription, title="Mine", folder=folder)
    assert (Delivery.objects.get().folder, Subscription.objects.get().title) == (folder, "Mine")
    rename(subscription, title="", folder=None)
    assert Delivery.objects.get().folder is None


def test_deleting_a_folder_keeps_its_feeds(reader: User) -> None:
    folder = make.folder(reader)
    make.delivery(make.subscription(reader, folder=folder), make.article())
    Folder.objects.get().delete()
    assert (Subscription.objects.get().folder, Delivery.objects.get().folder) == (None, None)


def test_unfollowing_keeps_starred_and_shared_articles(reader: User) -> None:
    leaving, staying = make.subscription(reader), make.subscription(reader)
    plain, starred, shared = (make.article() for _ in range(3))
    for article in (plain, starred, shared):
        make.delivery(leaving, article)
    make.delivery(staying, shared)
    mark_read(reader, [plain.pk, shared.pk])
    star(reader, starred.pk, is_starred=True, now=make.NOW)
    unfollow(reader, [leaving.pk], now=make.NOW)
    assert list(Delivery.objects.values_list("article", flat=True)) == [shared.pk]
    assert set(visible_articles(reader)) == {starred, shared}
    while purge_some(now=make.NOW + timedelta(days=8)):
        pass
    assert set(ArticleState.objects.values_list("article", flat=True)) == {starred.pk, shared.pk}


def merged_pair() -> tuple[Feed, Feed]:
    """Two feeds of one publisher, the first merged into the second."""
    old, target = make.feed("https://paper.example/old"), make.feed("https://paper.example/new")
    Feed.objects.filter(pk=old.pk).update(status=FeedStatus.MERGED, merged_into=target)
    old.refresh_from_db()
    return old, target


def test_follows_merged_feed_with_history(reader: User) -> None:
    old, target = merged_pair()
    both = make.user()
    make.subscription(reader, old, title="My name for it")
    make.subscription(both, old)
    make.subscription(both, target)
    early, late = make.article(), make.article()
    make.item(old, early, guid="1")
    make.item(target, late, guid="2")
    deliver()
    assert move_merged_subscriptions() == 1
    deliver()
    remaining = Subscription.objects.get(user=reader)
    assert (remaining.feed, remaining.title) == (target, "My name for it")
    assert Subscription.objects.get(user=both).feed == target
    for user in (reader, both):
        assert set(Delivery.objects.filter(user=user).values_list("article", flat=True)) == {early.pk, late.pk}
    assert [subscription.unread_count for subscription in Subscription.objects.all()] == [2, 2]
    assert move_merged_subscriptions() == 0


def test_merged_feed_adds_nothing_for_followers_of_the_other(reader: User) -> None:
    old, target = merged_pair()
    make.subscription(make.user(), old)
    mine = make.subscription(reader, target)
    secret, public = make.article(), make.article()
    make.item(old, secret)
    make.item(target, public)
    make.poll(old, outcome="http_error", message="https://paper.example/old?token=secret answered 404")
    move_merged_subscriptions()
    deliver()
    assert list(Delivery.objects.filter(subscription=mine).values_list("article", flat=True)) == [public.pk]
    assert not visible_articles(reader).filter(pk=secret.pk).exists()
    assert not Poll.objects.filter(feed=target).exists()


def test_old_url_of_merged_feed_leads_to_the_new_one(reader: User) -> None:
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


def test_notifies_subscribers_once_per_change(reader: User) -> None:
    feed = make.feed()
    make.subscription(reader, feed, title="The Courier")
    make.subscription(make.user(), feed)
    assert notify_subscribers() == 0
    change_condition(feed, Condition.UNHEALTHY, 1)
    assert (notify_subscribers(), notify_subscribers()) == (2, 0)
    assert Notification.objects.get(user=reader).text == (
        "The Courier needs attention: its last 3 polls failed. We keep trying."
    )
    Preferences.objects.create(user=reader, notifies_minor=True)
    change_condition(feed, Condition.WELL, 2)
    assert notify_subscribers() == 1
    again, problem = Notification.objects.filter(user=reader)
    assert (again.text, again.seen_at) == ("The Courier is working again.", None)
    assert problem.seen_at is not None  # it is over


def test_users_choose_the_conditions_that_are_news(reader: User) -> None:
    feed = make.feed()
    make.subscription(reader, feed)
    Preferences.objects.create(user=reader, notifies_broken=False)
    change_condition(feed, Condition.DEAD, 1)
    assert notify_subscribers() == 0
    Preferences.objects.update(notifies_broken=True)
    assert notify_subscribers() == 0  # not later either


def test_silence_is_news_only_if_it_began_while_followed(reader: User) -> None:
    quiet = make.subscription(reader, make.feed(newest_entry_at=make.NOW - timedelta(days=400)))
    Preferences.objects.create(user=reader, notifies_minor=True)
    kept = make.subscription(reader, make.feed(newest_entry_at=make.NOW - timedelta(days=91)))
    Subscription.objects.filter(pk=quiet.pk).update(added_at=make.NOW)
    Subscription.objects.filter(pk=kept.pk).update(added_at=make.NOW - timedelta(days=100))
    for subscription in (quiet, kept):
        change_condition(subscription.feed, Condition.SILENT, 1)
    assert (notify_subscribers(), notify_subscribers()) == (1, 0)
    assert Notification.objects.get().feed == kept.feed
    change_condition(quiet.feed, Condition.WELL, 2)
    assert notify_subscribers() == 0


def test_silence_is_asked_about_once(reader: User) -> None:
    feed = make.feed(newest_entry_at=make.NOW - timedelta(days=91))
    mine, kept = make.subscription(reader, feed), make.subscription(make.user(), feed, is_kept=True)
    Subscription.objects.update(added_at=make.NOW - timedelta(days=100))
    change_condition(feed, Condition.SILENT, 1)
    assert (notify_subscribers(), Notification.objects.get().user) == (1, mine.user)
    change_condition(feed, Condition.UNHEALTHY, 2)
    assert notify_subscribers() == 2
    change_condition(feed, Condition.SILENT, 3)
    assert notify_subscribers() == 0
    assert list(Notification.objects.filter(seen_at=None).values_list("user", "kind")) == [(mine.user_id, "silent")]
    Feed.objects.update(newest_entry_at=make.NOW + timedelta(days=1))
    change_condition(feed, Condition.SILENT, 24 * 100)
    assert notify_subscribers() == 1
    assert not Notification.objects.filter(user=kept.user, kind=Condition.SILENT).exists()


def test_host_that_is_down_is_told_once(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    feeds = [make.feed(f"https://videos.example/{n}") for n in range(3)]
    for feed in feeds:
        make.subscription(reader, feed)
    make.subscription(make.user(), feeds[0], tells_of_trouble=False)
    Feed.objects.update(last_success_at=make.NOW, last_polled_at=make.NOW + timedelta(hours=1))
    Feed.objects.filter(pk=feeds[2].pk).update(last_polled_at=make.NOW)
    Source.objects.filter(domain="videos.example").update(down_since=make.NOW)
    counts = []
    for minutes in (119, 121, 181):
        monkeypatch.setattr("django.utils.timezone.now", lambda m=minutes: make.NOW + timedelta(minutes=m))
        counts.append(notify_subscribers())
    assert counts == [0, 1, 0]
    told = Notification.objects.get()
    assert (told.user, told.kind, told.path) == (reader, "host", "/health/?q=videos.example")
    assert told.text == "videos.example has been down for hours. 2 of your feeds wait for it, and we keep trying."


def test_no_recovery_notice_without_failure_notice(reader: User) -> None:
    feed = make.feed()
    change_condition(feed, Condition.WELL, 1)
    make.subscription(reader, feed)
    assert notify_subscribers() == 0
