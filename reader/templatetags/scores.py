"""Scores for templates: numbers, small charts, and the same in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

from django import template
from django.template.defaultfilters import floatformat
from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from feeds.wording import comma
from reader.scoring.explain import TermShare
from reader.scoring.importance import WEIGHTS, part_name, strength_of
from reader.scoring.rating import Rating

register = template.Library()

WIDTH, HEIGHT, _GAP = 44, 14, 1  # px: the five columns beside a row, and the gap between two of them


def _column_paths() -> tuple[str, str]:
    """Five columns, each as wide as its part weighs, as SVG paths: full, and with a placeholder for each upper edge.

    A column is as high as its part has points, so that its area is what the part adds to the importance.
    """
    full, filled, x = "", "", 0.0
    for weight in WEIGHTS.values():
        width = weight * (WIDTH - _GAP * (len(WEIGHTS) - 1))
        full += f"M{x:g} 0h{width:g}v{HEIGHT}h-{width:g}z"
        filled += f"M{x:g} {{:g}}h{width:g}V{HEIGHT}h-{width:g}z"
        x += width + _GAP
    return full, filled


_FULL, _FILLED = _column_paths()


@register.filter
def of(found: Mapping[Any, Any], key: object) -> object:
    """The value of a key in a mapping; "" if missing."""
    return found.get(key, "") if found else ""


@register.filter
def rounded(number: float, n_decimals: int = 0) -> str:
    """The number in the user's format. `floatformat` alone writes 1.7e-272, the recency after two years, in full."""
    return str(floatformat(round(number, 9), n_decimals))


def score_values(rating: Rating, *, by_relevance: bool) -> dict[str, object]:
    """What `components/_score.html` prints of a row's score: its importance, or its time-adjusted relevance."""
    values = {name: float(getattr(rating.parts, name)) for name in WEIGHTS}
    points = rating.adjusted_points if by_relevance else rating.points
    labels = _score_labels(by_relevance, get_language())
    parts = labels.comma.join(f"{labels.names[name]} {round(value)}" for name, value in values.items())
    return {
        "score": labels.sentence % {"points": points, "importance": rating.points, "parts": parts},
        "points": points,
        "strength": strength(rating.points),
        "filled": _FILLED.format(*(round(HEIGHT * (1 - value / 100), 1) for value in values.values())),
        "full": _FULL,
        "width": WIDTH,
        "height": HEIGHT,
    }


@register.filter
def strength(points: int) -> int:
    """The number of dots for an importance."""
    return strength_of(points)


@dataclass(frozen=True, slots=True)
class _ScoreLabels:
    sentence: str
    names: Mapping[str, str]
    comma: str


@cache
def _score_labels(by_relevance: bool, _language: str | None) -> _ScoreLabels:
    sentence = (
        _("Relevance now %(points)s of 100; importance %(importance)s of 100: %(parts)s. Why?")
        if by_relevance
        else _("Importance %(points)s of 100: %(parts)s. Why?")
    )
    names = {name: part_name(name) for name in WEIGHTS}
    return _ScoreLabels(sentence, names, comma())


@register.inclusion_tag("components/_signed_bars.html")
def signed_bars(terms: Sequence[TermShare]) -> dict[str, object]:
    """What each term added or took away, as bars to both sides on one scale."""
    return {"terms": terms, "most": max((term.size for term in terms), default=0.0)}


@register.filter
def anchor(term: str) -> str:
    """The id of a term's place on its page, whatever it is written with."""
    return f"t{crc32(term.encode()):x}"


@register.filter
def signed(value: float) -> str:
    """A number with its sign, one decimal: `+12.3`, `−0.4`; the minus is a minus, not a hyphen."""
    return str(number_format(f"{value:+.1f}")).replace("-", "−")
