"""A chart of when the articles of a story were published. Pure.

Times are aware, in any zone. Texts use the zone of `now`, the user's. Positions use UTC, because local hours repeat
when the clock goes back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.utils.translation import ngettext, pgettext

from feeds.polling.schedule import format_duration
from reader.preferences.relative_time import day

MARGIN = 2.0  # per cent of the width left free at each side, for half a dot
CLOSE = 3.2  # per cent: closer dots are stacked; 11 px on a phone, where a dot is 10 px wide
LANE = 14  # px from one dot to the one above it
MAX_LANES = 8  # any further dots cover the highest
_AT_ONCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """An article; `kind` is "lead", "report" or "copy"."""

    at: datetime
    source: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Dot:
    """`x` in per cent of the width, `y` in px, and a description."""

    x: str
    y: int
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """`height` in px, the axis at the bottom; `begins` and `ends` label its ends, `words` sum it up."""

    dots: tuple[Dot, ...]
    height: int
    begins: str
    ends: str
    words: str


def timeline(moments: Sequence[Moment], now: datetime) -> Timeline | None:
    """The chart of these moments; None for fewer than two, or if all fall within a minute."""
    in_utc = [replace(moment, at=moment.at.astimezone(UTC)) for moment in moments]
    ordered = sorted(in_utc, key=lambda moment: moment.at)
    shares = _shares([moment.at for moment in ordered])
    if not shares:
        return None
    places = [MARGIN + (100 - 2 * MARGIN) * share for share in shares]
    lanes = _lanes(places)
    height = (max(lanes) + 1) * LANE + 4
    dots = tuple(
        Dot(f"{place:.2f}%", height - 10 - lane * LANE, moment.kind, _words(moment, now))
        for moment, place, lane in zip(ordered, places, lanes, strict=True)
    )
    begins, ends = (_moment_words(moment.at, now) for moment in (ordered[0], ordered[-1]))
    sentence = ngettext(
        "%(n)s article within %(span)s: the first from %(first)s, %(begins)s; the last from %(last)s, %(ends)s.",
        "%(n)s articles within %(span)s: the first from %(first)s, %(begins)s; the last from %(last)s, %(ends)s.",
        len(ordered),
    ) % {
        "n": len(ordered),
        "span": format_duration(ordered[-1].at - ordered[0].at),
        "first": ordered[0].source,
        "begins": begins,
        "last": ordered[-1].source,
        "ends": ends,
    }
    return Timeline(dots, height, begins, ends, sentence)


def _shares(times: Sequence[datetime]) -> list[float]:
    """Where each time is between the first (0) and the last (1); empty if all fall within a minute."""
    first, last = min(times, default=None), max(times, default=None)
    if first is None or last is None or last - first < _AT_ONCE:
        return []
    return [(time_ - first) / (last - first) for time_ in times]


def _lanes(places: Sequence[float]) -> list[int]:
    """For each place, from left to right, the lowest lane in which nothing is too close."""
    ends: list[float] = []
    lanes = []
    for place in places:
        free = next((lane for lane, end in enumerate(ends) if place - end >= CLOSE), len(ends))
        lane = min(free, MAX_LANES - 1)
        ends[lane : lane + 1] = [place]
        lanes.append(lane)
    return lanes


def _words(moment: Moment, now: datetime) -> str:
    values = {"source": moment.source, "moment": _moment_words(moment.at, now), "title": moment.title}
    return pgettext("an article of a story", "%(source)s, %(moment)s: %(title)s") % values


def _moment_words(moment: datetime, now: datetime) -> str:
    """The day and the time: `today 08:10`, `Friday 08:10`, `18 Nov 08:10`."""
    local = moment.astimezone(now.tzinfo)
    values = {"day": day(local, now), "time": f"{local:%H:%M}"}
    return pgettext("a day as people say it, and the time", "%(day)s %(time)s") % values
