"""Habits drawn: where each mark of an SVG lies. Pure geometry.

Across, places are in per cent of the width that the page gives; down, in px.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reader.habits_counting import DAYS, HOURS

LEFT = 9.0  # per cent, for the names of days
CELL_HEIGHT = 22  # px, its gap included
LABELS = 18  # px under or above what is drawn
SHADES = 4  # beside none
BARS_HEIGHT = 120  # px


@dataclass(frozen=True, slots=True)
class Cell:
    """One hour of one weekday; `shade` from 0, none, to `SHADES`, the most."""

    x: str
    y: int
    width: str
    height: int
    shade: int
    weekday: int
    hour: int
    n: int


@dataclass(frozen=True, slots=True)
class Label:
    x: str
    y: int
    number: int


@dataclass(frozen=True, slots=True)
class Heat:
    cells: tuple[Cell, ...]
    days: tuple[Label, ...]
    hours: tuple[Label, ...]
    height: int


@dataclass(frozen=True, slots=True)
class Bars:
    """Two bars a week, one before the other: `below` what was come past, `above` what of it was opened."""

    weeks: tuple["Pair", ...]
    height: int
    most: int


@dataclass(frozen=True, slots=True)
class Pair:
    x: str
    middle: str
    width: str
    below_y: float
    below_height: float
    above_y: float
    above_height: float


def heat(counts: Sequence[Sequence[int]]) -> Heat:
    """The drawing of openings by weekday and hour."""
    most = max((n for day in counts for n in day), default=0)
    step = (100 - LEFT) / HOURS
    cells = tuple(
        Cell(
            x=f"{LEFT + hour * step:.2f}%",
            y=weekday * CELL_HEIGHT,
            width=f"{step * 0.9:.2f}%",
            height=CELL_HEIGHT - 2,
            shade=_shade(counts[weekday][hour], most),
            weekday=weekday,
            hour=hour,
            n=counts[weekday][hour],
        )
        for weekday in range(DAYS)
        for hour in range(HOURS)
    )
    days = tuple(Label("0%", day * CELL_HEIGHT + CELL_HEIGHT // 2 - 1, day) for day in range(DAYS))
    base = DAYS * CELL_HEIGHT + LABELS - 5
    hours = tuple(Label(f"{LEFT + hour * step:.2f}%", base, hour) for hour in range(0, HOURS, 6))
    return Heat(cells, days, hours, DAYS * CELL_HEIGHT + LABELS)


def bars(weeks: Sequence[tuple[int, int]]) -> Bars:
    """The drawing of weeks, each how many were come past and how many of these opened."""
    most = max((n for n, _ in weeks), default=0)
    step = 100 / max(1, len(weeks))
    pairs = []
    for place, (n, n_opened) in enumerate(weeks):
        below, above = (round(BARS_HEIGHT * each / most, 1) if most else 0.0 for each in (n, n_opened))
        pairs.append(
            Pair(
                x=f"{place * step + step * 0.1:.2f}%",
                middle=f"{place * step + step / 2:.2f}%",
                width=f"{step * 0.8:.2f}%",
                below_y=round(BARS_HEIGHT - below, 1),
                below_height=below,
                above_y=round(BARS_HEIGHT - above, 1),
                above_height=above,
            )
        )
    return Bars(tuple(pairs), BARS_HEIGHT + LABELS, most)


def _shade(n: int, most: int) -> int:
    """0 for none; else by quarters of the most there is."""
    return min(SHADES, 1 + (SHADES * n - 1) // most) if n and most else 0
