"""Pairs of a user's feeds that seem to be duplicates: found hourly, until the user merges or keeps them."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

from django.contrib.auth.models import User
from django.db.models import Count, F, QuerySet

from feeds.models import Feed, FeedStatus, Item
from feeds.normalizing.canonical_url import is_http_url, url_key
from feeds.publishers.names import name_without_domain
from reader.models import Delivery, Duplicate, Subscription
from reader.subscriptions.duplicate_rules import (
    MIN_ARTICLES,
    MIN_SHARED,
    Shared,
    Traits,
    evidence,
    likeness,
    plain_title,
)
from reader.subscriptions.read_rates import QUARTER

MAX_PAIRS = 200  # compared per user, those with most in common first
MAX_SAME_NAME = 20  # feeds of one title on one site, or of one address
PAIRS_SHOWN = 50  # on one page
MAX_GUIDS = 500  # per feed

Pair = tuple[int, int]
Dated = tuple[datetime, int]


@dataclass(slots=True)
class _Features:
    """A user's subscriptions for comparison."""

    traits: dict[int, Traits] = field(default_factory=dict)
    feeds: dict[int, int] = field(default_factory=dict)
    by_address: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_title: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))


def find_all(*, now: datetime) -> int:
    """Compare every user's feeds; returns the number of pairs."""
    followers = User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk")
    return sum(find_for(user, now=now) for user in followers)


def find_for(user: User, *, now: datetime) -> int:
    """Update the user's pairs; returns how many there are. Pairs the user keeps aren't suggested again."""
    features = _features(user)
    shared = _shared(user, features, now)
    found: dict[Pair, tuple[str, Shared]] = {}
    for (one, other), both in shared.items():
        if why := likeness(features.traits[one], features.traits[other], both):
            found[one, other] = (why, both)
    duplicates_of(user).exclude(
        pk__in=[
            duplicate.pk
            for duplicate in Duplicate.objects.filter(user=user)
            if (duplicate.one_id, duplicate.other_id) in found
        ]
    ).delete()
    rows = [
        Duplicate(user=user, one_id=one, other_id=other, why=why, n_common=both.n_common, n_recent=both.n_larger)
        for (one, other), (why, both) in found.items()
    ]
    Duplicate.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["one", "other"], update_fields=["why", "n_common", "n_recent"]
    )
    return len(found)


def duplicates_of(user: User) -> QuerySet[Duplicate]:
    """The pairs to suggest: of feeds the user follows and did not decide to keep."""
    there = Duplicate.objects.filter(user=user, one__unfollowed_at=None, other__unfollowed_at=None)
    return there.filter(is_denied=False).order_by("pk")


def pairs_of(user: User) -> QuerySet[Duplicate]:
    """The same with the feeds, sources, icons and folders their page shows."""
    sides = ("one", "other")
    names = [f"{side}__{name}" for side in sides for name in ("feed__source", "feed__icon", "folder")]
    return duplicates_of(user).select_related(*names).defer(*(f"{side}__feed__icon__content" for side in sides))


def evidence_sentence(pair: Duplicate) -> str:
    """The evidence for a pair in a sentence; its feeds with their sources are loaded."""
    feed = pair.one.feed
    return evidence(
        pair.why,
        n_common=pair.n_common,
        n_recent=pair.n_recent,
        title=name_without_domain(feed.title),
        domain=feed.source.domain,
    )


def _features(user: User) -> _Features:
    features = _Features()
    mine = Subscription.objects.filter(user=user).exclude(feed__status=FeedStatus.SAVED)
    feeds = mine.values_list("pk", "feed", "feed__title", "feed__site_url", "feed__url_key", "feed__final_url")
    for pk, feed, title, site_url, own_key, final_url in feeds:
        addresses = {bytes(own_key)} | ({Feed.key_of(final_url)} if final_url else set())
        site = url_key(site_url).hex() if is_http_url(site_url) else ""
        features.feeds[pk] = feed
        title = name_without_domain(title)
        features.traits[pk] = Traits(title, site, addresses)
        for key in addresses:
            features.by_address[key].append(pk)
        if site and plain_title(title):
            features.by_title[site, plain_title(title)].append(pk)
    return features


def _shared(user: User, features: _Features, now: datetime) -> dict[Pair, Shared]:
    """What each pair of possible duplicates has in common."""
    recent = Delivery.objects.filter(user=user, published_at__gte=now - QUARTER).order_by()
    both = (
        recent.filter(
            article__deliveries__user=user,
            article__deliveries__subscription__gt=F("subscription"),
            article__deliveries__subscription__unfollowed_at=None,
        )
        .values_list("subscription", "article__deliveries__subscription")
        .annotate(n=Count("pk"))
        .filter(n__gte=MIN_ARTICLES)
        .order_by("-n")[:MAX_PAIRS]
    )
    pairs: set[Pair] = {(one, other) for one, other, _ in both if {one, other} <= features.feeds.keys()}
    for several in (*features.by_address.values(), *features.by_title.values()):
        pairs.update(combinations(sorted(several)[:MAX_SAME_NAME], 2))
    covered = _covered(recent, {pk for pair in pairs for pk in pair})
    return {pair: _in_common(pair, covered, features) for pair in pairs}


def _covered(recent: QuerySet[Delivery], ids: Collection[int]) -> dict[int, list[Dated]]:
    """The dates and numbers of the recent articles of these, the oldest first."""
    found: dict[int, list[Dated]] = defaultdict(list)
    rows = recent.filter(subscription__in=ids).order_by("published_at", "article")
    for pk, published_at, article in rows.values_list("subscription", "published_at", "article"):
        found[pk].append((published_at, article))
    return found


def _in_common(pair: Pair, covered: Mapping[int, list[Dated]], features: _Features) -> Shared:
    one, other = (covered.get(pk, []) for pk in pair)
    if not one or not other:
        return Shared()
    since = max(one[0][0], other[0][0])  # both cover the time from here on
    ours, theirs = ({article for at, article in several if at >= since} for several in (one, other))
    smaller, larger = sorted((len(ours), len(theirs)))
    n_common = len(ours & theirs)
    if n_common < MIN_SHARED * larger and features.traits[pair[0]].site == features.traits[pair[1]].site:
        n_common += _same_entries(ours - theirs, theirs - ours, *(features.feeds[pk] for pk in pair))
    return Shared(n_common, larger, smaller)


def _same_entries(ours: Collection[int], theirs: Collection[int], our_feed: int, their_feed: int) -> int:
    """How many of our articles have a guid that one of theirs has: one entry that came as two articles."""
    guids = []
    for feed, ids in ((our_feed, ours), (their_feed, theirs)):
        rows = Item.objects.filter(article__in=sorted(ids)[-MAX_GUIDS:]).values_list("feed_id", "guid")
        guids.append(
            {guid for of, guid in rows if of == feed}
        )  # by the article alone, as in `feeds.storage.purge.sole_articles`
    return len(set.intersection(*guids))
