"""What a person reads and when, out of the log of what they did in the last twelve weeks.

Bounded: the newest 10,000 lines of the log, their deliveries by index, and the titles of the newest 300 opened. No
article is read for its text, and the archive is not looked through.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Case, F, OuterRef, Subquery, Value, When

from feeds.models import Article
from reader.habits_counting import (
    HOURS,
    OPENED,
    PASSED,
    SKIPPED,
    Counted,
    Deed,
    Tally,
    busiest_hours,
    counted,
    first_moment,
    together,
)
from reader.habits_drawing import Bars, Heat, Pair, bars, heat
from reader.habits_words import sentence
from reader.learning.features import term_counts
from reader.models import Delivery, Engagement, EngagementKind, Subscription

MOST_ACTS = 10_000  # lines of the log
MOST_TITLES = 300  # of articles opened, for their terms
PLACES_SHOWN = 15
TERMS_SHOWN = 15
LEAST_OF_A_TERM = 2  # articles
_COUNTS_AS = {
    EngagementKind.OPENED: OPENED,
    EngagementKind.SKIPPED: SKIPPED,
    EngagementKind.DISLIKED: SKIPPED,
    EngagementKind.PASSED: PASSED,
}
_RANK = {OPENED: 2, SKIPPED: 1, PASSED: 0}  # of what was done with one article, what counts


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
    drawn: Pair


@dataclass(frozen=True, slots=True)
class Habits:
    """The page's contents; `days` are weekdays with the openings of each hour. `is_cut`: the log was longer."""

    everything: Tally
    sentence: str
    feeds: tuple[Place, ...]
    folders: tuple[Place, ...]
    n_feeds: int
    heat: Heat
    bars: Bars
    weeks: tuple[Week, ...]
    terms: tuple[tuple[str, int], ...]
    is_cut: bool
    begins_at: datetime
    days: tuple[tuple[int, tuple[int, ...]], ...]
    hours: range = range(HOURS)


def habits_of(user: User, *, now: datetime, zone: ZoneInfo) -> Habits:
    """What is known of the last twelve weeks, by the person's clock; four statements."""
    since = first_moment(now, zone)
    deeds, is_cut = deeds_of(user, since=since)
    sums = counted(deeds, now=now, zone=zone)
    mine = Subscription.objects.filter(user=user, pk__in=sums.by_place).select_related("feed", "folder")
    subscriptions = {each.pk: each for each in mine}
    feeds = _sorted(Place(each.shown_title, pk, sums.by_place[pk]) for pk, each in subscriptions.items())
    drawn = bars([(tally.n, tally.n_opened) for _, tally in sums.weeks])
    return Habits(
        everything=sums.everything,
        sentence=sentence(sums.everything, place=_favourite(feeds), hours=busiest_hours(sums.heat)),
        feeds=feeds[:PLACES_SHOWN],
        folders=_folders(sums, subscriptions)[:PLACES_SHOWN],
        n_feeds=len(feeds),
        heat=heat(sums.heat),
        bars=drawn,
        weeks=tuple(Week(day, tally, pair) for (day, tally), pair in zip(sums.weeks, drawn.weeks, strict=True)),
        terms=_terms(deeds),
        is_cut=is_cut,
        begins_at=since,
        days=tuple((number, tuple(day)) for number, day in enumerate(sums.heat)),
    )


def deeds_of(user: User, *, since: datetime) -> tuple[list[Deed], bool]:
    """What came of each article of the log since then, and whether the log was longer than is counted."""
    mine = Engagement.objects.filter(user=user, happened_at__gte=since).order_by("-happened_at", "-pk")
    brought = Delivery.objects.filter(article=OuterRef("article"), user=user).order_by()
    seconds = Case(When(kind=EngagementKind.OPENED, then=F("article__reading_seconds")), default=Value(0))
    rows = mine.annotate(place=Subquery(brought.values("subscription_id")[:1]), seconds=seconds)
    columns = ("pk", "undoes_id", "article_id", "kind", "happened_at", "place", "seconds")
    log = list(rows.values_list(*columns)[: MOST_ACTS + 1])
    undone = {undoes for _, undoes, *_ in log if undoes}
    deeds: dict[int, Deed] = {}
    for pk, undoes, article, kind, at, place, reading in log[:MOST_ACTS]:
        if undoes or pk in undone or kind not in _COUNTS_AS:
            continue
        deed = Deed(article, _COUNTS_AS[kind], at, place, reading or 0)
        known = deeds.get(article)
        if known is None or _RANK[deed.kind] > _RANK[known.kind]:
            deeds[article] = deed
    return list(deeds.values()), len(log) > MOST_ACTS


def _sorted(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda each: (-each.tally.n_opened, -each.tally.n, each.name.casefold())))


def _favourite(feeds: tuple[Place, ...]) -> str:
    return feeds[0].name if feeds and feeds[0].tally.n_opened else ""


def _folders(sums: Counted, subscriptions: Mapping[int, Subscription]) -> tuple[Place, ...]:
    folders = {each.folder_id: each.folder for each in subscriptions.values() if each.folder}
    found = []
    for pk, folder in folders.items():
        tallies = (sums.by_place[each.pk] for each in subscriptions.values() if each.folder_id == pk)
        found.append(Place(str(folder), pk, together(tallies)))
    return _sorted(found)


def _terms(deeds: Iterable[Deed]) -> tuple[tuple[str, int], ...]:
    """The terms in most titles of what was opened last, with how many titles."""
    opened = sorted((deed for deed in deeds if deed.kind == OPENED), key=lambda deed: deed.at, reverse=True)
    titles = Article.objects.filter(pk__in=[deed.article for deed in opened[:MOST_TITLES]])
    counts: Counter[str] = Counter()
    for title, language in titles.values_list("title", "language"):
        counts.update(set(term_counts(title, "", language)))
    common = [(term, n) for term, n in counts.items() if n >= LEAST_OF_A_TERM]
    return tuple(sorted(common, key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))[:TERMS_SHOWN])
