"""Where a user's articles come from, and which of their feeds mostly repeat others; for the feeds page.

An article of a feed is repeated if another of the user's feeds has it, too, or has an article of the same story.
Articles that the user split from their story count separately. If two feeds each repeat at least half of the other,
both are listed, and the page says that one of them is enough.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from feeds.models import FeedStatus
from reader.models import Delivery, Separation, Subscription
from reader.subscriptions.read_rates import MONTH

MAX_DELIVERIES = 5000  # the newest of four weeks; reading them takes some 50 ms
MIN_ARTICLES = 5  # of a feed that can be listed
REPEATED_FROM = 0.5  # of a feed's articles
MAX_REPEATERS = 8  # listed
MAX_NAMED = 3  # feeds named in a sentence
MAX_FOLDERS = 6  # listed, the largest
_BOTH = (False, True)  # keeps to the index of a user's deliveries


@dataclass(frozen=True, slots=True)
class Half:
    """The smallest number of feeds that make up half of a total, out of `n_all`, and the names of the largest."""

    n_feeds: int
    n_all: int
    names: tuple[str, ...]

    @property
    def n_more(self) -> int:
        return self.n_feeds - len(self.names)


@dataclass(frozen=True, slots=True)
class FolderShare:
    """A folder's share of the delivered and the opened articles, in percent. `name` is "" for no folder."""

    name: str
    of_articles: int
    of_opened: int


@dataclass(frozen=True, slots=True)
class Repeater:
    """A feed that mostly repeats `others`: `n_repeated` of its `n_articles` newest are in another feed, too."""

    subscription: Subscription
    n_articles: int
    n_repeated: int
    others: tuple[Subscription, ...]
    is_mutual: bool


@dataclass(frozen=True, slots=True)
class Overlap:
    """`articles` of four weeks, `opened` of 90 days, None if there are none. `folders` is empty for just one."""

    articles: Half | None
    opened: Half | None
    folders: tuple[FolderShare, ...]
    repeaters: tuple[Repeater, ...]


def overlap_of(user: User, *, now: datetime) -> Overlap:
    """The section's contents; three queries."""
    mine: dict[int, Any] = {
        subscription.pk: subscription
        for subscription in Subscription.objects.filter(user=user)
        .exclude(feed__status=FeedStatus.SAVED)
        .select_related("feed", "folder")
        .only("title", "n_month", "n_opened", "feed__title", "feed__url", "folder__name")
    }
    apart = set(Separation.objects.filter(user=user).values_list("article_id", flat=True))
    rows = (
        Delivery.objects.filter(user=user, is_folded__in=_BOTH, is_read__in=_BOTH, published_at__gte=now - MONTH)
        .order_by("-published_at", "-article", "pk")
        .values_list("subscription_id", "article_id", "article__story_id")
    )
    events = (
        (feed, ("article", article) if story is None or article in apart else ("story", story))
        for feed, article, story in rows[:MAX_DELIVERIES]
        if feed in mine
    )
    return Overlap(
        articles=_half(mine.values(), lambda feed: feed.n_month),
        opened=_half(mine.values(), lambda feed: feed.n_opened),
        folders=_folders(mine.values()),
        repeaters=_repeaters(events, mine),
    )


def _half(feeds: Iterable[Subscription], count: Callable[[Subscription], int]) -> Half | None:
    largest = sorted((feed for feed in feeds if count(feed)), key=lambda feed: (-count(feed), feed.shown_title))
    total, running_sum = sum(map(count, largest)), 0
    for n, feed in enumerate(largest, start=1):
        running_sum += count(feed)
        if 2 * running_sum >= total:
            return Half(n, len(largest), tuple(feed.shown_title for feed in largest[: min(n, MAX_NAMED)]))
    return None


def _folders(feeds: Iterable[Subscription]) -> tuple[FolderShare, ...]:
    n_month, n_opened = Counter[str](), Counter[str]()
    for feed in feeds:
        name = feed.folder.name if feed.folder else ""
        n_month[name] += feed.n_month
        n_opened[name] += feed.n_opened
    if len(n_month) < 2 or not n_month.total():
        return ()
    largest = sorted(n_month, key=lambda name: (-n_month[name], name))[:MAX_FOLDERS]
    return tuple(
        FolderShare(
            name,
            of_articles=round(100 * n_month[name] / n_month.total()),
            of_opened=round(100 * n_opened[name] / (n_opened.total() or 1)),
        )
        for name in largest
    )


def _repeaters(events: Iterable[tuple[int, Hashable]], feeds: Mapping[int, Subscription]) -> tuple[Repeater, ...]:
    """The feeds that mostly repeat others, those with most repeated articles first."""
    n_articles, n_repeated = Counter[int](), Counter[int]()
    shared: dict[int, Counter[int]] = defaultdict(Counter)
    by_event: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for feed, event in events:
        n_articles[feed] += 1
        by_event[event][feed] += 1
    for counts in by_event.values():
        if len(counts) > 1:
            n_repeated.update(counts)
            for feed, n in counts.items():
                shared[feed].update(dict.fromkeys(counts.keys() - {feed}, n))

    def repeats(feed: int, other: int) -> bool:
        return shared[feed][other] >= REPEATED_FROM * n_articles[feed]

    repeaters = []
    for feed, n in n_articles.items():
        if n >= MIN_ARTICLES and n_repeated[feed] >= REPEATED_FROM * n:
            others = sorted(shared[feed], key=lambda pk: (-shared[feed][pk], feeds[pk].shown_title))[:MAX_NAMED]
            is_mutual = repeats(feed, others[0]) and repeats(others[0], feed)
            repeaters.append(Repeater(feeds[feed], n, n_repeated[feed], tuple(feeds[pk] for pk in others), is_mutual))
    repeaters.sort(key=lambda repeater: (-repeater.n_repeated, repeater.subscription.shown_title))
    return tuple(repeaters[:MAX_REPEATERS])
