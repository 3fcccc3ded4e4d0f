"""Following and leaving feeds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.merging import final_feed, move_history
from feeds.models import Article, Feed, FeedStatus, Source
from feeds.normalizing.domains import registrable_domain
from feeds.subscription_list import WantedFeed
from reader.folding import note, settle
from reader.locking import lock
from reader.marking import UNFOLDED
from reader.models import Delivery, Folder, Rule, Subscription

OWN_WISHES = ("category", "has_alerts", "tells_of_trouble")


@dataclass(frozen=True, slots=True)
class Followed:
    """How many of the wanted feeds were followed anew and how many the user followed already."""

    n_added: int
    n_known: int


def follow(user: User, feed: Feed, *, folder: Folder | None = None, title: str = "") -> tuple[Subscription, bool]:
    """The user's subscription of `feed` (or of the feed it was merged into), and whether it is new."""
    return Subscription.objects.get_or_create(
        user=user, feed=final_feed(feed), defaults={"folder": folder, "title": title[:300]}
    )


def follow_all(user: User, wanted: Sequence[WantedFeed], *, now: datetime, default_max_items: int) -> Followed:
    """Follow these feeds in their folders; a handful of statements however many there are. Safe to repeat."""
    if not wanted:
        return Followed(0, 0)
    with transaction.atomic():
        feeds = feeds_for(wanted, now=now, default_max_items=default_max_items)
        folders = _folders(user, {folder_name(each) for each in wanted} - {""})
        known = set(Subscription.objects.filter(user=user).values_list("feed_id", flat=True))
        new: dict[int, Subscription] = {}
        for each in wanted:
            feed = feeds[Feed.key_of(each.url)]
            if feed.pk in known or feed.pk in new:
                continue
            new[feed.pk] = Subscription(
                user=user,
                feed=feed,
                folder=folders.get(folder_name(each)),
                title=(each.source_name or each.title)[:300],
                category=each.category[:100],
            )
        Subscription.objects.bulk_create(new.values(), ignore_conflicts=True)
    return Followed(len(new), len(wanted) - len(new))


def feeds_for(wanted: Sequence[WantedFeed], *, now: datetime, default_max_items: int) -> dict[bytes, Feed]:
    """The feed of each wanted URL by its key, made where there is none, due at once."""
    by_key = {Feed.key_of(each.url): each for each in wanted}
    known = _feeds_by_key(by_key.keys())
    missing = {key: each for key, each in by_key.items() if key not in known}
    if missing:
        sources = _sources({registrable_domain(each.url) for each in missing.values()})
        rows = [
            Feed(
                url=each.url,
                url_key=key,
                source=sources[registrable_domain(each.url)],
                title=each.title[:300],
                site_url=each.site_url,
                language=each.language[:8],
                max_items=each.max_items or default_max_items,
                next_poll_at=now,
            )
            for key, each in sorted(missing.items())
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


def folder_name(wanted: WantedFeed) -> str:
    """The name of the folder for a path of nested outlines, "" for none."""
    return Folder.PATH_SEPARATOR.join(wanted.folder)[:200]


def folder_named(user: User, name: str) -> Folder | None:
    """The user's folder of that name, made when it is missing; None for an empty name."""
    return _folders(user, {name[:200]})[name[:200]] if name.strip() else None


def _folders(user: User, names: set[str]) -> dict[str, Folder]:
    Folder.objects.bulk_create([Folder(user=user, name=name) for name in sorted(names)], ignore_conflicts=True)
    return {folder.name: folder for folder in Folder.objects.filter(user=user, name__in=names)}


def rename(subscription: Subscription, *, title: str, folder: Folder | None) -> None:
    """Give a subscription the person's own title and move it to a folder."""
    subscription.title, subscription.folder = title[:300], folder
    subscription.save(update_fields=["title"])
    move(subscription.user, [subscription.pk], folder)


def move(user: User, subscription_ids: Collection[int], folder: Folder | None) -> None:
    """Move the user's subscriptions to a folder, or to none; their deliveries move along. A fixed number of statements.

    They arrive unfolded there: what stood under another article of the old folder was not seen in the new one.
    """
    mine = Subscription.objects.filter(user=user, pk__in=subscription_ids)
    with transaction.atomic():
        moving = Delivery.objects.filter(subscription__in=mine).exclude(folder=folder)
        changes = note(Article.objects.filter(deliveries__in=moving))
        lock(moving)
        moving.update(folder=folder, is_folded_in_folder=UNFOLDED)
        mine.update(folder=folder)
    settle(changes, user=user)


def fetch_full_texts(user: User, subscription_ids: Collection[int], *, is_wanted: bool) -> None:
    """Whether the pages of what these feeds bring are fetched and shown to the person."""
    Subscription.objects.filter(user=user, pk__in=subscription_ids).update(fetches_full_text=is_wanted)


def wish(subscription: Subscription, *, category: str, has_alerts: bool, tells_of_trouble: bool, is_kept: bool) -> None:
    """What the person wants of a feed besides its name, place, text and noise."""
    subscription.category = " ".join(category.split())[:100]
    subscription.has_alerts, subscription.tells_of_trouble = has_alerts, tells_of_trouble
    subscription.is_kept = is_kept
    subscription.save(update_fields=[*OWN_WISHES, "is_kept"])


def settle_merged_feeds() -> int:
    """Move subscriptions and history of feeds that turned out to be another feed; returns how many feeds."""
    merged = list(Feed.objects.filter(pk__in=Subscription.objects.values("feed"), status=FeedStatus.MERGED))
    merged += list(
        Feed.objects.filter(status=FeedStatus.MERGED, newest_item_id__gt=0).exclude(pk__in=[m.pk for m in merged])
    )
    for feed in merged:
        _settle(feed, final_feed(feed))
    return len(merged)


def _settle(old: Feed, target: Feed) -> None:
    changes: list[int] = []
    with transaction.atomic():
        move_history(old, target)
        there = set(Subscription.objects.filter(feed=target).values_list("user_id", flat=True))
        for subscription in Subscription.objects.filter(feed=old):
            if subscription.user_id in there:
                stays = Subscription.objects.get(feed=target, user=subscription.user_id)
                Rule.objects.filter(subscription=subscription).update(subscription=stays)
                changes += note(Article.objects.filter(deliveries__subscription=subscription))
                subscription.delete()
            else:
                subscription.feed = target
                subscription.save(update_fields=["feed"])
        # Items that came over have ids below the mark: everything is offered again, what is there already stays as it
        # is.
        Subscription.objects.filter(feed=target).update(delivered_item_id=0)
    settle(changes)
