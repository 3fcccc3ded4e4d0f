"""What a user reads and when, over the last twelve weeks.

Bounded: the newest 10,000 engagements, their deliveries by index, and the titles of the newest 300 opened articles. No
text is loaded, and the archive isn't scanned.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Case, F, OuterRef, Subquery, Value, When
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.models import Article
from feeds.wording import sentence_of
from reader.interests.learning.features import count_terms
from reader.interests.stats_counts import (
    HOURS,
    OPENED,
    PASSED,
    SKIPPED,
    WEEKS,
    Counted,
    Outcome,
    Tally,
    busiest_hours,
    color_level,
    count_outcomes,
    stats_start,
    sum_tallies,
)
from reader.models import Delivery, Engagement, EngagementKind, Subscription

MAX_ENGAGEMENTS = 10_000
MAX_TITLES = 300  # of opened articles, for their terms
PLACES_SHOWN = 15
MIN_OPENED = 10  # articles, below which there is no summary
TERMS_SHOWN = 15
MIN_PER_TERM = 2  # articles
_OUTCOMES = {
    EngagementKind.OPENED: OPENED,
    EngagementKind.SKIPPED: SKIPPED,
    EngagementKind.DISLIKED: SKIPPED,
    EngagementKind.PASSED: PASSED,
}
_RANK = {OPENED: 2, SKIPPED: 1, PASSED: 0}  # which of several actions on an article counts


@dataclass(frozen=True, slots=True)
class Place:
    """A feed or a folder; `pk` is that of its page, None without one."""

    name: str
    pk: int | None
    tally: Tally


@dataclass(frozen=True, slots=True)
class Week:
    begins_on: date
    tally: Tally


@dataclass(frozen=True, slots=True)
class ReadingStats:
    """The page's contents; `days` are weekdays with the openings and color level of each hour. `is_cut`: the log was
    longer.
    """

    everything: Tally
    summary: str
    feeds: tuple[Place, ...]
    folders: tuple[Place, ...]
    n_feeds: int
    weeks: tuple[Week, ...]
    terms: tuple[tuple[str, int], ...]
    is_cut: bool
    begins_at: datetime
    days: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    hours: range = range(0, HOURS, 6)

    @property
    def most_in_a_week(self) -> int:
        return max(week.tally.n for week in self.weeks)


def load_stats(user: User, *, now: datetime, zone: ZoneInfo) -> ReadingStats:
    """Statistics of the last twelve weeks, in the user's time zone; four queries."""
    since = stats_start(now, zone)
    outcomes, is_cut = load_outcomes(user, since=since)
    sums = count_outcomes(outcomes, now=now, zone=zone)
    own = Subscription.objects.filter(user=user, pk__in=sums.by_place).select_related("feed", "folder")
    subscriptions = {subscription.pk: subscription for subscription in own}
    feeds = _sort(Place(subscription.shown_title, pk, sums.by_place[pk]) for pk, subscription in subscriptions.items())
    largest = max(n for day in sums.heat for n in day)
    return ReadingStats(
        everything=sums.everything,
        summary=summary(sums.everything, place=_top_feed(feeds), hours=busiest_hours(sums.heat)),
        feeds=feeds[:PLACES_SHOWN],
        folders=_folders(sums, subscriptions)[:PLACES_SHOWN],
        n_feeds=len(feeds),
        weeks=tuple(Week(day, tally) for day, tally in sums.weeks),
        terms=_terms(outcomes),
        is_cut=is_cut,
        begins_at=since,
        days=tuple((number, tuple((n, color_level(n, largest)) for n in day)) for number, day in enumerate(sums.heat)),
    )


def load_outcomes(user: User, *, since: datetime) -> tuple[list[Outcome], bool]:
    """The outcome of each article since `since`, and whether the log was longer than the limit."""
    engagements = Engagement.active.filter(user=user, happened_at__gte=since).order_by("-happened_at", "-pk")
    deliveries = Delivery.objects.filter(article=OuterRef("article"), user=user).order_by()
    seconds = Case(When(kind=EngagementKind.OPENED, then=F("article__reading_seconds")), default=Value(0))
    rows = engagements.annotate(place=Subquery(deliveries.values("subscription_id")[:1]), seconds=seconds)
    columns = ("article_id", "kind", "happened_at", "place", "seconds")
    log = list(rows.values_list(*columns)[: MAX_ENGAGEMENTS + 1])
    outcomes: dict[int, Outcome] = {}
    for article, kind, at, place, seconds in log[:MAX_ENGAGEMENTS]:
        if kind not in _OUTCOMES:
            continue
        outcome = Outcome(article, _OUTCOMES[kind], at, place, seconds or 0)
        known = outcomes.get(article)
        if known is None or _RANK[outcome.kind] > _RANK[known.kind]:
            outcomes[article] = outcome
    return list(outcomes.values()), len(log) > MAX_ENGAGEMENTS


def _sort(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda place: (-place.tally.n_opened, -place.tally.n, place.name.casefold())))


def _top_feed(feeds: tuple[Place, ...]) -> str:
    return feeds[0].name if feeds and feeds[0].tally.n_opened else ""


def _folders(sums: Counted, subscriptions: Mapping[int, Subscription]) -> tuple[Place, ...]:
    folders = {
        subscription.folder_id: subscription.folder for subscription in subscriptions.values() if subscription.folder
    }
    result = []
    for pk, folder in folders.items():
        tallies = (
            sums.by_place[subscription.pk] for subscription in subscriptions.values() if subscription.folder_id == pk
        )
        result.append(Place(str(folder), pk, sum_tallies(tallies)))
    return _sort(result)


def _terms(outcomes: Iterable[Outcome]) -> tuple[tuple[str, int], ...]:
    """The terms in most titles of recently opened articles, with the number of titles."""
    opened = sorted(
        (outcome for outcome in outcomes if outcome.kind == OPENED), key=lambda outcome: outcome.at, reverse=True
    )
    titles = Article.objects.filter(pk__in=[outcome.article for outcome in opened[:MAX_TITLES]])
    counts: Counter[str] = Counter()
    for title, language in titles.values_list("title", "language"):
        counts.update(set(count_terms(title, "", language)))
    common = [(term, n) for term, n in counts.items() if n >= MIN_PER_TERM]
    return tuple(sorted(common, key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))[:TERMS_SHOWN])


def summary(everything: Tally, *, place: str, hours: tuple[int, int] | None) -> str:
    """`You open one in nine of the articles you see, most from Harbour Post, mostly between 7:00 and 9:00.`"""
    if everything.n_opened < MIN_OPENED:
        return ngettext(
            "Not enough data yet: %(n)d article opened in %(weeks)d weeks.",
            "Not enough data yet: %(n)d articles opened in %(weeks)d weeks.",
            everything.n_opened,
        ) % {"n": everything.n_opened, "weeks": WEEKS}
    parts = [_open_rate(everything.share)]
    if place:
        parts.append(_("most from %(place)s") % {"place": place})
    if hours:
        parts.append(_("mostly between %(first)d:00 and %(last)d:00") % {"first": hours[0], "last": hours[1] or 24})
    return sentence_of(parts)


def _open_rate(share: float) -> str:
    one_in = round(1 / share)
    if share >= 0.85:
        return _("You open nearly every article you see")
    if share >= 0.6:
        return _("You open two in three of the articles you see")
    numbers = {2: _("two"), 3: _("three"), 4: _("four"), 5: _("five"), 6: _("six"), 7: _("seven"), 8: _("eight")}
    numbers |= {9: _("nine"), 10: _("ten"), 11: _("eleven"), 12: _("twelve")}
    return _("You open one in %(number)s of the articles you see") % {"number": numbers.get(one_in, one_in)}
