"""Following feeds; unfollowing is in `reader.subscriptions.unfollow`."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from feeds.fetching.credentials import is_secret_address, split_credentials, with_credentials
from feeds.fetching.url_parsing import may_share_credentials
from feeds.models import Article, Feed, FeedStatus, Source
from feeds.normalizing.domains import registrable_domain
from feeds.polling.merge_feeds import final_feed, resume
from feeds.publishers.hosts import publisher_at, publisher_of_document
from feeds.publishers.names import distinct_name
from feeds.subscription_lists.model import ListedFeed
from reader.articles.read_state import UNFOLDED, recount
from reader.limits import FEEDS
from reader.models import Delivery, Folder, Muted, Rule, Subscription, lock_deliveries
from reader.stories.collapse import fold_now, queue_fold
from reader.subscriptions.make_folders import folders_named
from reader.subscriptions.noise_limits import NOISE_FIELDS
from reader.subscriptions.unfollow import restore

SETTING_FIELDS = ("category", "has_alerts", "tells_of_trouble")


@dataclass(frozen=True, slots=True)
class Followed:
    """How many of the feeds are new to the user, and how many they already followed."""

    n_added: int
    n_known: int


def follow(user: User, feed: Feed, *, folder: Folder | None = None, title: str = "") -> tuple[Subscription, bool]:
    """The user's subscription of `feed` (or of the feed it was merged into), and whether it was not followed before.

    A recently unfollowed one is restored as it was, but with this title and folder, if given. Raises LimitReached.
    """
    mine, feed = Subscription.everything.filter(user=user), final_feed(feed)
    if not mine.filter(feed=feed).exists():
        FEEDS.check(mine)
    subscription, is_new = Subscription.everything.get_or_create(
        user=user, feed=feed, defaults={"folder": folder, "title": title[:300]}
    )
    if restore(user, [subscription.pk]):
        subscription.refresh_from_db()
        is_new = True
        rename(subscription, title=title or subscription.title, folder=folder or subscription.folder)
    return subscription, is_new


def follow_all(
    user: User, wanted: Sequence[ListedFeed], *, now: datetime, default_max_items: int, updates: bool = False
) -> Followed:
    """Follow these feeds in their folders, in a fixed number of queries. Safe to repeat.

    Recently unfollowed ones are restored as they were. Dead ones are polled once more. `updates`: feeds that
    are already followed take the settings of the list. Raises LimitReached, and then changes nothing.
    """
    if not wanted:
        return Followed(0, 0)
    with transaction.atomic():
        feeds = feeds_for(wanted, now=now, default_max_items=default_max_items)
        folders = folders_named(user, {folder_name(feed) for feed in wanted} - {""})
        known = set(Subscription.objects.filter(user=user).values_list("feed_id", flat=True))
        hidden = dict(
            Subscription.everything.filter(user=user, unfollowed_at__isnull=False).values_list("feed_id", "pk")
        )
        returning = [hidden[feed.pk] for feed in feeds.values() if feed.pk in hidden]
        known |= hidden.keys()
        new: dict[int, Subscription] = {}
        for listed in wanted:
            feed = feeds[Feed.key_of(listed.url)]
            if feed.pk in known or feed.pk in new:
                continue
            new[feed.pk] = Subscription(
                user=user,
                feed=feed,
                folder=folders.get(folder_name(listed)),
                title=_own_title(listed, feed),
                has_own_title=bool(listed.source_name),
                category=listed.category[:100],
            )
        if new:
            FEEDS.check(Subscription.everything.filter(user=user), len(new))
        Subscription.objects.bulk_create(new.values(), ignore_conflicts=True)
        joined = [feed.pk for feed in feeds.values() if feed.pk in new or feed.pk in hidden]
        resume(Feed.objects.filter(pk__in=joined, status=FeedStatus.DEAD), now)  # perhaps only for a time
        n_added = len(new) + len(restore(user, returning))
        if updates:
            listed_of = {feeds[Feed.key_of(listed.url)].pk: listed for listed in wanted}
            _update(user, {pk: listed for pk, listed in listed_of.items() if pk not in new}, folders)
    return Followed(n_added, len(wanted) - n_added)


def _own_title(listed: ListedFeed, feed: Feed) -> str:
    """The user's own title of a feed: as it is if they gave it, else "" where it is the feed's title. That of a feed
    that was never polled is unknown: its first delivery drops an equal one."""
    if listed.source_name:
        return listed.source_name
    title = distinct_name(listed.own_title, origin=publisher_at(listed.url))
    return "" if feed.last_success_at is not None and title == feed.title else title


def _update(user: User, listed_of: Mapping[int, ListedFeed], folders: Mapping[str, Folder]) -> None:
    """Give followed feeds their category, title and folder in a list; also limit and language, unless other users
    follow them."""
    mine = list(Subscription.objects.filter(user=user, feed__in=listed_of).select_related("feed"))
    moving: dict[Folder | None, list[int]] = defaultdict(list)
    for subscription in mine:
        listed = listed_of[subscription.feed_id]
        subscription.category = listed.category[:100] or subscription.category
        if listed.own_title:
            subscription.title = _own_title(listed, subscription.feed)
            subscription.has_own_title = bool(listed.source_name)
        folder = folders.get(folder_name(listed))
        if subscription.folder_id != (folder.pk if folder else None):
            moving[folder].append(subscription.pk)
    Subscription.objects.bulk_update(mine, ["category", "title", "has_own_title"])
    for folder, ids in moving.items():
        move(user, ids, folder)
    shared = Subscription.everything.exclude(user=user).filter(feed=OuterRef("pk"))
    own = list(Feed.objects.filter(~Exists(shared), pk__in=listed_of))
    for feed in own:
        listed = listed_of[feed.pk]
        feed.max_items = listed.max_items or feed.max_items
        if listed.language:
            feed.language, feed.language_is_fixed = listed.language[:8], True
    Feed.objects.bulk_update(own, ["max_items", "language", "language_is_fixed"])


def feeds_for(wanted: Sequence[ListedFeed], *, now: datetime, default_max_items: int) -> dict[bytes, Feed]:
    """The feed of each URL by its key; missing ones are created, due now."""
    by_key = {Feed.key_of(feed.url): feed for feed in wanted}
    known = _feeds_by_key(by_key.keys())
    missing = {key: feed for key, feed in by_key.items() if key not in known}
    if missing:
        publishers = {key: publisher_of_document(feed.url) for key, feed in missing.items()}
        domains = {registrable_domain(feed.url) for feed in missing.values()}
        sources = _sources(domains | set(publishers.values()) - {""})
        rows = [
            Feed(
                url=feed.url,
                url_key=key,
                source=sources[registrable_domain(feed.url)],
                publisher=sources.get(publishers[key]),
                is_private=is_secret_address(feed.url),
                title=distinct_name(feed.title, origin=publisher_at(feed.url)),
                site_url=feed.site_url,
                language=feed.language[:8],
                language_is_fixed=bool(feed.language),
                max_items=feed.max_items or default_max_items,
                next_poll_at=now,
            )
            for key, feed in sorted(missing.items())
        ]
        Feed.objects.bulk_create(rows, ignore_conflicts=True)
        known |= _feeds_by_key(missing.keys())
    return known


def _feeds_by_key(keys: object) -> dict[bytes, Feed]:
    found = Feed.objects.filter(url_key__in=list(keys)).select_related("merged_into")  # type: ignore[call-overload]
    return {bytes(feed.url_key): final_feed(feed) for feed in found}


def _sources(domains: set[str]) -> dict[str, Source]:
    Source.objects.bulk_create([Source(domain=domain) for domain in sorted(domains)], ignore_conflicts=True)
    return {source.domain: source for source in Source.objects.filter(domain__in=domains)}


def folder_name(wanted: ListedFeed) -> str:
    """The name of the folder for a path of nested outlines, "" for none."""
    return Folder.PATH_SEPARATOR.join(wanted.folder)[:200]


def rename(subscription: Subscription, *, title: str, folder: Folder | None) -> None:
    """Set a subscription's title and folder."""
    subscription.set_title(title[:300])
    subscription.folder = folder
    subscription.save(update_fields=["title", "has_own_title"])
    move(subscription.user, [subscription.pk], folder)


def move(user: User, subscription_ids: Collection[int], folder: Folder | None) -> None:
    """Move the user's subscriptions and their deliveries to a folder, or to none.

    The deliveries start unfolded there.
    """
    mine = Subscription.objects.filter(user=user, pk__in=subscription_ids)
    with transaction.atomic():
        moving = Delivery.objects.filter(subscription__in=mine).exclude(folder=folder)
        changes = queue_fold(Article.objects.filter(deliveries__in=moving))
        lock_deliveries(moving)
        moving.update(folder=folder, is_folded_in_folder=UNFOLDED)
        mine.update(folder=folder)
    fold_now(changes, user=user)


def change_address(
    subscription: Subscription, url: str, login: tuple[str, str] | None, *, now: datetime, default_max_items: int
) -> Subscription:
    """The subscription, with its articles, of the feed at another URL; of the one the user already had there, if so.

    `login`: a new user name and password; None keeps the stored one, which never goes to another origin except from
    http to https; ("", "") removes it.
    """
    old_url, old_login = split_credentials(subscription.feed.url)
    bare, typed = split_credentials(url)
    if login is None:
        login = typed or (old_login if may_share_credentials(old_url, bare) else None)
    target_url = with_credentials(bare, login) if login and login != ("", "") else bare
    if Feed.key_of(target_url) == bytes(subscription.feed.url_key):
        return subscription
    found = feeds_for([ListedFeed(url=target_url)], now=now, default_max_items=default_max_items)
    feed = found[Feed.key_of(target_url)]
    with transaction.atomic():
        changes = _move_to(feed, subscription)
        resume(Feed.objects.filter(pk=feed.pk, status=FeedStatus.DEAD), now)
    fold_now(changes)
    return Subscription.objects.select_related("feed").get(user=subscription.user, feed=feed)


def set_full_text(user: User, subscription_ids: Collection[int], *, is_wanted: bool) -> None:
    """Set whether the full text of new articles is fetched."""
    Subscription.objects.filter(user=user, pk__in=subscription_ids).update(fetches_full_text=is_wanted)


def save_feed_settings(
    subscription: Subscription, *, category: str, has_alerts: bool, tells_of_trouble: bool, is_kept: bool
) -> None:
    """Save a feed's category, alerts and notifications."""
    subscription.category = " ".join(category.split())[:100]
    subscription.has_alerts, subscription.tells_of_trouble = has_alerts, tells_of_trouble
    subscription.is_kept = is_kept
    subscription.save(update_fields=[*SETTING_FIELDS, "is_kept"])


def move_merged_subscriptions() -> int:
    """Move the subscriptions of merged feeds to their targets; returns the number of feeds."""
    followed = Subscription.objects.values("feed")
    waiting = Q(followers_moved_at=None) | Q(source=F("merged_into__source"), pk__in=followed)
    merged = list(Feed.objects.filter(waiting, status=FeedStatus.MERGED).exclude(merged_into=None))
    for feed in merged:
        _settle(feed, final_feed(feed))
    return len(merged)


def _settle(old: Feed, target: Feed) -> None:
    """Within one publisher, subscriptions move with their deliveries. For another publisher they stay, and the target
    is followed too: old articles must not appear under its name."""
    changes: list[int] = []
    with transaction.atomic():
        for subscription in Subscription.objects.filter(feed=old):
            if old.source_id == target.source_id:
                changes += _move_to(target, subscription)
            else:
                _follow_too(target, subscription)
        Feed.objects.filter(pk=old.pk).update(followers_moved_at=timezone.now(), next_poll_at=None)
    fold_now(changes)


def _move_to(target: Feed, subscription: Subscription) -> list[int]:
    same = Subscription.everything.filter(feed=target, user=subscription.user_id)
    same.filter(unfollowed_at__isnull=False).delete()  # replaced by the followed one
    stays = same.first()
    if stays is None:  # its earlier items are delivered too
        subscription.feed, subscription.delivered_item_id = target, 0
        subscription.save(update_fields=["feed", "delivered_item_id"])
        return []
    return absorb(stays, subscription)


def absorb(stays: Subscription, leaving: Subscription) -> list[int]:
    """Move all that one subscription has to another of the same user, and delete it. In a transaction.

    Returns the changes to fold after it.
    """
    changes = queue_fold(Article.objects.filter(deliveries__subscription=leaving))
    lock_deliveries(Delivery.objects.filter(subscription__in=(leaving.pk, stays.pk)))
    Rule.objects.filter(subscription=leaving).update(subscription=stays)
    muted = Muted.objects.filter(subscription=stays).values("article")
    Muted.objects.filter(subscription=leaving).exclude(article__in=muted).update(subscription=stays)
    there = Delivery.objects.filter(subscription=stays).values("article")
    moving = Delivery.objects.filter(subscription=leaving).exclude(article__in=there)
    moving.update(subscription=stays, folder=stays.folder_id, is_folded_in_folder=UNFOLDED)
    leaving.delete()
    recount({stays.pk})
    return changes


def _follow_too(target: Feed, subscription: Subscription) -> None:
    settings = {
        name: getattr(subscription, name) for name in (*SETTING_FIELDS, *NOISE_FIELDS, "folder", "fetches_full_text")
    }
    Subscription.everything.get_or_create(user=subscription.user, feed=target, defaults=settings)
