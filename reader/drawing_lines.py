"""Figures in [0, 1] over time, drawn as lines: where each stroke of an SVG lies. Pure geometry.

Across, places are in per cent of the width that the page gives; down, in px.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.utils.formats import number_format
from django.utils.translation import ngettext, pgettext

HEIGHT = 160  # px
TOP, BOTTOM = 8, 136  # px: where 1 and the least shown value lie
LEFT, RIGHT = 10.0, 98.0  # per cent
_STEPS = (0.1, 0.2, 0.5)  # from one grid line to the next
_MOST_GRID = 6


@dataclass(frozen=True, slots=True)
class Stroke:
    x1: str
    y1: float
    x2: str
    y2: float


@dataclass(frozen=True, slots=True)
class Point:
    x: str
    y: float


@dataclass(frozen=True, slots=True)
class Line:
    """One series; `strokes` join its `points`."""

    name: str
    strokes: tuple[Stroke, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class GridLine:
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Lines:
    series: tuple[Line, ...]
    grid: tuple[GridLine, ...]
    height: int
    words: str


def lines(moments: Sequence[datetime], series: Mapping[str, Sequence[float]]) -> Lines | None:
    """The drawing of each named series at `moments`, oldest first; None without moments. One moment is a dot."""
    if not moments:
        return None
    least = _least([value for values in series.values() for value in values])
    xs = [_across(moment, moments[0], moments[-1]) for moment in moments]
    drawn = tuple(_line(name, xs, [_down(value, least) for value in values]) for name, values in series.items())
    return Lines(drawn, _grid(least), HEIGHT, _words(moments, series))


def _least(values: Sequence[float]) -> float:
    """Where the scale begins: the tenth below the least value, but not above 0.5."""
    return min(0.5, int(10 * min(values)) / 10)


def _across(moment: datetime, first: datetime, last: datetime) -> str:
    share = (moment - first) / (last - first) if last > first else 0.5
    return f"{LEFT + (RIGHT - LEFT) * share:.2f}%"


def _down(value: float, least: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (min(1.0, max(least, value)) - least) / (1 - least), 1)


def _line(name: str, xs: Sequence[str], ys: Sequence[float]) -> Line:
    points = tuple(Point(x, y) for x, y in zip(xs, ys, strict=True))
    strokes = tuple(Stroke(a.x, a.y, b.x, b.y) for a, b in pairwise(points))
    return Line(name, strokes, points)


def _grid(least: float) -> tuple[GridLine, ...]:
    step = next(each for each in _STEPS if (1 - least) / each <= _MOST_GRID)
    n = round((1 - least) / step)
    values = [1 - place * step for place in range(n + 1)]
    return tuple(
        GridLine(_down(value, least), str(number_format(f"{value:.1f}"))) for value in values if value >= least - 1e-9
    )


def _words(moments: Sequence[datetime], series: Mapping[str, Sequence[float]]) -> str:
    n, first, last = len(moments), _at(series, 0), _at(series, -1)
    sentence = ngettext("One training: %(last)s.", "%(n)s trainings: first %(first)s; last %(last)s.", n)
    return sentence % {"n": n, "first": first, "last": last}


def _at(series: Mapping[str, Sequence[float]], place: int) -> str:
    comma = pgettext("between the names of a list", ", ")
    return comma.join(f"{name} {number_format(f'{values[place]:.2f}')}" for name, values in series.items())
