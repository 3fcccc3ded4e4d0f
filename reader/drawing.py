"""Scores drawn: where each mark of an SVG lies. Pure geometry; colours and words are the page's.

Lengths are px of the drawing's own grid, or per cent of a width that the page gives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reader.scoring.importance import WEIGHTS, Parts

BAR_HEIGHT = 14  # px of the five columns beside a row
BAR_WIDTH = 44  # px, four gaps included
_GAP = 1
_DECAY_DAYS = 30  # what the little curve of ageing shows
_DECAY_WIDTH, _DECAY_HEIGHT = 14, 10
_DECAY_STEPS = 7


@dataclass(frozen=True, slots=True)
class Column:
    """One of the five parts: as wide as it weighs, as high as it is, so that its area is what it adds."""

    name: str
    points: int
    x: float
    width: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class SignedBar:
    """A bar from the middle to the right (for) or to the left (against); per cent of the width."""

    x: str
    width: str
    is_against: bool


def _places() -> tuple[tuple[str, float, float], ...]:
    """The name, left edge and width of each of the five columns."""
    space = BAR_WIDTH - _GAP * (len(WEIGHTS) - 1)
    before = [sum(list(WEIGHTS.values())[:place]) for place in range(len(WEIGHTS))]
    return tuple(
        (name, round(before[place] * space + place * _GAP, 1), round(weight * space, 1))
        for place, (name, weight) in enumerate(WEIGHTS.items())
    )


_PLACES = _places()


def score_columns(parts: Parts) -> tuple[Column, ...]:
    """The five parts side by side, in the order of `WEIGHTS`."""
    columns = []
    for name, x, width in _PLACES:
        points = float(getattr(parts, name))
        height = round(BAR_HEIGHT * points / 100, 1)
        columns.append(Column(name, round(points), x, width, round(BAR_HEIGHT - height, 1), height))
    return tuple(columns)


def decay_line(rate: float) -> str:
    """The points of a polyline: what is left of relevance over 30 days at `rate` per day, top left to bottom right."""
    points = []
    for step in range(_DECAY_STEPS + 1):
        left = math.exp(-rate * _DECAY_DAYS * step / _DECAY_STEPS)
        points.append(f"{_DECAY_WIDTH * step / _DECAY_STEPS:g},{1 + (_DECAY_HEIGHT - 2) * (1 - left):.1f}")
    return " ".join(points)


def signed_bars(values: Sequence[float]) -> tuple[SignedBar, ...]:
    """A bar for each value, the largest as long as there is room: half the width, or all of it if all are on a side."""
    most = max((abs(value) for value in values), default=0.0) or 1.0
    has_for, has_against = any(value > 0 for value in values), any(value < 0 for value in values)
    room = 50.0 if has_for and has_against else 100.0
    middle = 50.0 if has_for and has_against else 0.0 if has_for else 100.0
    return tuple(_signed(value / most * room, middle) for value in values)


def share_of(value: float, most: float) -> str:
    """The length of a bar from the left, in per cent of the width; half a per cent at least where there is any."""
    return f"{max(0.5, 100 * min(1.0, value / most)):.1f}%" if value > 0 and most > 0 else "0%"


def _signed(length: float, middle: float) -> SignedBar:
    return SignedBar(f"{middle + min(0.0, length):.1f}%", f"{abs(length):.1f}%", length < 0)
