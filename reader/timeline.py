"""When each article of a story came, drawn: where its dot lies, and what the axis says. Pure.

Moments are aware, in any zone. `now` is in the zone of the person who reads, and words are in that zone too; distances
are not, since an hour counts twice on the wall when clocks go back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from feeds.scheduling import spell
from reader.moments import day, on_day

MARGIN = 2.0  # per cent of the width left free at each side, for half a dot and a little air
CLOSE = 3.2  # per cent: dots nearer than this lie above each other; 11 px on a phone, where a dot is 10 px wide
LANE = 14  # px from one dot to the one above it
MOST_LANES = 8  # what does not fit is drawn over the highest
AXIS = 22  # px below the dots for the axis and what stands under it
MOST_TICKS = 5
STRIP = 96  # px: width of a story's arrivals in a list
STRIP_MARGIN = 3.0  # px: half a mark
_DAY = timedelta(days=1)
_STEPS = tuple(timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440))


@dataclass(frozen=True, slots=True)
class Moment:
    """An article came: when, from whom, called what; `kind` is "lead", "report" or "copy"."""

    at: datetime
    source: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Dot:
    """`x` and `y` as SVG reads them, and what it stands for."""

    x: str
    y: int
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    anchor: str
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """`words` say the whole of it; `height` and `axis` in px, the width is what the page gives."""

    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    height: int
    axis: int
    words: str


def timeline(moments: Sequence[Moment], now: datetime) -> Timeline | None:
    """The drawing of these moments; None where all fall into one minute, or there are fewer than two."""
    ordered = sorted(moments, key=lambda each: each.at.astimezone(UTC))
    if len(ordered) < 2:
        return None
    times = [each.at.astimezone(UTC) for each in ordered]
    if times[-1] - times[0] < timedelta(minutes=1):
        return None
    places = [_place(at, times[0], times[-1]) for at in times]
    lanes = _lanes(places)
    axis = (max(lanes) + 1) * LANE + 4
    dots = tuple(
        Dot(f"{place:.2f}%", axis - 10 - lane * LANE, each.kind, _words(each, now))
        for each, place, lane in zip(ordered, places, lanes, strict=True)
    )
    ticks = tuple(_ticks(times[0], times[-1], now.tzinfo or UTC))
    return Timeline(dots, ticks, axis + AXIS, axis, _summary(ordered, times[-1] - times[0], now))


@dataclass(frozen=True, slots=True)
class Strip:
    """A story's arrivals in one line of a list: `xs` in px of `STRIP` px, `words` say how long they took."""

    xs: tuple[str, ...]
    words: str


def strip(times: Sequence[datetime]) -> Strip:
    """Arrivals from the first at the left to the last at the right; all in the middle where they came as one."""
    first, last = min(times), max(times)
    if last - first < timedelta(minutes=1):
        return Strip((f"{STRIP / 2:g}",), _("all at once"))
    share = [(at - first) / (last - first) for at in times]
    places = sorted({f"{STRIP_MARGIN + each * (STRIP - 2 * STRIP_MARGIN):.1f}" for each in share}, key=float)
    return Strip(tuple(places), _("within %(span)s") % {"span": spell(last - first)})


def moment_words(moment: datetime, now: datetime) -> str:
    """A day as people say it, and the time: `today 08:10`, `Friday 08:10`, `18 Nov 08:10`."""
    local = moment.astimezone(now.tzinfo)
    return pgettext("a day as people say it, and the time", "%(day)s %(time)s") % {
        "day": day(local, now),
        "time": f"{local:%H:%M}",
    }


def _place(at: datetime, first: datetime, last: datetime) -> float:
    """Per cent of the width."""
    return MARGIN + (100 - 2 * MARGIN) * ((at - first) / (last - first))


def _lanes(places: Sequence[float]) -> list[int]:
    """For each place, from left to right, the lowest lane in which nothing is too near."""
    ends: list[float] = []
    lanes = []
    for place in places:
        free = next((lane for lane, end in enumerate(ends) if place - end >= CLOSE), len(ends))
        lane = min(free, MOST_LANES - 1)
        ends[lane : lane + 1] = [place]
        lanes.append(lane)
    return lanes


def _ticks(first: datetime, last: datetime, zone: tzinfo) -> Iterator[Tick]:
    """At full minutes, hours or days of the wall clock, at most `MOST_TICKS`; the weekday where it is new."""
    gaps = MOST_TICKS - 1
    step = next((step for step in _STEPS if (last - first) / step <= gaps), None) or _DAY * -(
        -(last - first).days // gaps
    )
    said = None
    for moment in _rounded(first, last, step, zone):
        place = _place(moment.astimezone(UTC), first, last)
        label = on_day(moment, pgettext("date format", "D j")) if step >= _DAY else f"{moment:%H:%M}"
        if step < _DAY and said != moment.date():
            told = {"weekday": WEEKDAYS_ABBR[moment.weekday()], "time": label}
            label, said = pgettext("a weekday and a time", "%(weekday)s %(time)s") % told, moment.date()
        anchor = "start" if place < 10 else "end" if place > 90 else "middle"
        yield Tick(f"{place:.2f}%", anchor, label)


def _rounded(first: datetime, last: datetime, step: timedelta, zone: tzinfo) -> Iterator[datetime]:
    """The local times from `first` to `last` at which a step counted from midnight ends."""
    wall = datetime.combine(first.astimezone(zone).date(), time())
    while (moment := wall.replace(tzinfo=zone)).astimezone(UTC) <= last:
        if moment.astimezone(UTC) >= first:
            yield moment
        wall += step


def _words(each: Moment, now: datetime) -> str:
    told = {"source": each.source, "moment": moment_words(each.at, now), "title": each.title}
    return pgettext("an article of a story", "%(source)s, %(moment)s: %(title)s") % told


def _summary(ordered: Sequence[Moment], span: timedelta, now: datetime) -> str:
    first, last = ordered[0], ordered[-1]
    sentence = ngettext(
        "%(n)s article within %(span)s: the first from %(first)s, %(first_at)s; the last from %(last)s, %(last_at)s.",
        "%(n)s articles within %(span)s: the first from %(first)s, %(first_at)s; the last from %(last)s, %(last_at)s.",
        len(ordered),
    )
    return sentence % {
        "n": len(ordered),
        "span": spell(span),
        "first": first.source,
        "first_at": moment_words(first.at, now),
        "last": last.source,
        "last_at": moment_words(last.at, now),
    }
