"""Pairs of a person's feeds that seem to be one publication: found hourly, kept, denied by their person or not."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

from django.contrib.auth.models import User
from django.db.models import Count, F, QuerySet

from feeds.models import Feed, Item
from feeds.normalizing.canonical_url import is_http_url, url_key
from reader.figuring import QUARTER
from reader.likeness import LEAST_ARTICLES, LEAST_SHARED, Shared, Traits, evidence, likeness, plain_title
from reader.models import Delivery, Subscription, Twins

MOST_PAIRS = 200  # looked at of one person, those with most in common first
MOST_OF_A_NAME = 20  # feeds of one title on one site, or of one address
PAIRS_SHOWN = 50  # on one page
MOST_GUIDS = 500  # of each of two feeds

Pair = tuple[int, int]
Dated = tuple[datetime, int]


@dataclass(slots=True)
class _Looks:
    """A person's subscriptions as they are compared."""

    traits: dict[int, Traits] = field(default_factory=dict)
    feeds: dict[int, int] = field(default_factory=dict)
    by_address: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_title: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))


def find_all(*, now: datetime) -> int:
    """Look at everybody's feeds; returns how many pairs there are."""
    followers = User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk")
    return sum(find_for(user, now=now) for user in followers)


def find_for(user: User, *, now: datetime) -> int:
    """Bring the person's pairs up to date; returns how many there are. What they denied stays denied."""
    looks = _looks(user)
    shared = _shared(user, looks, now)
    found: dict[Pair, tuple[str, Shared]] = {}
    for (one, other), both in shared.items():
        if why := likeness(looks.traits[one], looks.traits[other], both):
            found[one, other] = (why, both)
    twins_of(user).exclude(
        pk__in=[each.pk for each in Twins.objects.filter(user=user) if (each.one_id, each.other_id) in found]
    ).delete()
    rows = [
        Twins(user=user, one_id=one, other_id=other, why=why, n_common=both.n_common, n_recent=both.n_larger)
        for (one, other), (why, both) in found.items()
    ]
    Twins.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["one", "other"], update_fields=["why", "n_common", "n_recent"]
    )
    return len(found)


def twins_of(user: User) -> QuerySet[Twins]:
    """The pairs of feeds that the person follows and did not deny."""
    there = Twins.objects.filter(user=user, one__parting=None, other__parting=None)
    return there.filter(is_denied=False).order_by("pk")


def pairs_of(user: User) -> QuerySet[Twins]:
    """The same with what their page shows: feeds, sources and folders."""
    names = [f"{side}__{name}" for side in ("one", "other") for name in ("feed__source", "folder")]
    return twins_of(user).select_related(*names)


def says(twins: Twins) -> str:
    """The evidence for a pair in a sentence; its feeds with their sources are loaded."""
    feed = twins.one.feed
    return evidence(
        twins.why,
        n_common=twins.n_common,
        n_recent=twins.n_recent,
        title=feed.title,
        domain=feed.source.domain,
    )


def _looks(user: User) -> _Looks:
    looks = _Looks()
    feeds = Subscription.objects.filter(user=user).values_list(
        "pk", "feed", "feed__title", "feed__site_url", "feed__url_key", "feed__answered_url"
    )
    for pk, feed, title, site_url, own_key, answered_url in feeds:
        addresses = {bytes(own_key)} | ({Feed.key_of(answered_url)} if answered_url else set())
        site = url_key(site_url).hex() if is_http_url(site_url) else ""
        looks.feeds[pk] = feed
        looks.traits[pk] = Traits(title, site, addresses)
        for key in addresses:
            looks.by_address[key].append(pk)
        if site and plain_title(title):
            looks.by_title[site, plain_title(title)].append(pk)
    return looks


def _shared(user: User, looks: _Looks, now: datetime) -> dict[Pair, Shared]:
    """What each pair worth a look has in common."""
    recent = Delivery.objects.filter(user=user, published_at__gte=now - QUARTER).order_by()
    both = (
        recent.filter(
            article__deliveries__user=user,
            article__deliveries__subscription__gt=F("subscription"),
            article__deliveries__subscription__parting=None,
        )
        .values_list("subscription", "article__deliveries__subscription")
        .annotate(n=Count("pk"))
        .filter(n__gte=LEAST_ARTICLES)
        .order_by("-n")[:MOST_PAIRS]
    )
    pairs: set[Pair] = {(one, other) for one, other, _ in both}
    for several in (*looks.by_address.values(), *looks.by_title.values()):
        pairs.update(combinations(sorted(several)[:MOST_OF_A_NAME], 2))
    covered = _covered(recent, {pk for pair in pairs for pk in pair})
    return {pair: _in_common(pair, covered, looks) for pair in pairs}


def _covered(recent: QuerySet[Delivery], ids: Collection[int]) -> dict[int, list[Dated]]:
    """The dates and numbers of the recent articles of these, the oldest first."""
    found: dict[int, list[Dated]] = defaultdict(list)
    rows = recent.filter(subscription__in=ids).order_by("published_at", "article")
    for pk, published_at, article in rows.values_list("subscription", "published_at", "article"):
        found[pk].append((published_at, article))
    return found


def _in_common(pair: Pair, covered: Mapping[int, list[Dated]], looks: _Looks) -> Shared:
    one, other = (covered.get(pk, []) for pk in pair)
    if not one or not other:
        return Shared()
    since = max(one[0][0], other[0][0])  # both cover the time from here on
    ours, theirs = ({article for at, article in several if at >= since} for several in (one, other))
    smaller, larger = sorted((len(ours), len(theirs)))
    n_common = len(ours & theirs)
    if n_common < LEAST_SHARED * larger and looks.traits[pair[0]].site == looks.traits[pair[1]].site:
        n_common += _same_entries(ours - theirs, theirs - ours, *(looks.feeds[pk] for pk in pair))
    return Shared(n_common, larger, smaller)


def _same_entries(ours: Collection[int], theirs: Collection[int], our_feed: int, their_feed: int) -> int:
    """How many of our articles have a guid that one of theirs has: one entry that came as two articles."""
    guids = []
    for feed, ids in ((our_feed, ours), (their_feed, theirs)):
        rows = Item.objects.filter(article__in=sorted(ids)[-MOST_GUIDS:]).values_list("feed_id", "guid")
        guids.append({guid for of, guid in rows if of == feed})  # by the article alone, as in `feeds.purging.last_of`
    return len(set.intersection(*guids))
