"""What templates say scores with: numbers, little drawings, and the same in words."""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from reader import drawing
from reader.drawing import BAR_HEIGHT, BAR_WIDTH, decay_line, score_columns, share_of
from reader.explaining import TermShare
from reader.ratings import Rating
from reader.scoring.decay import LASTING, RATES

register = template.Library()

# What a row has room for; "low" and "high" alone would leave a reader guessing of what.
IN_SHORT = {1: "evergreen", 2: "lasts months", 3: "lasts weeks", 4: "lasts a day or two", 5: "lasts hours"}
_LINES = {score: decay_line(rate) for score, rate in RATES.items()}


@register.filter
def of(found: Mapping[Any, Any], key: object) -> object:
    """What a mapping holds for a key; "" when it holds nothing."""
    return found.get(key, "") if found else ""


@register.inclusion_tag("components/_score.html")
def score(rating: Rating, article_id: int, this_page: str, by_relevance: bool = False) -> dict[str, object]:
    """The score of a row, leading to its explanation: importance, or relevance as time has left it."""
    query = urlencode({"next": f"{this_page.partition('#')[0]}#a{article_id}"})
    columns = score_columns(rating.parts)
    points = rating.adjusted_points if by_relevance else rating.points
    parts = ", ".join(f"{each.name} {each.points}" for each in columns)
    first = f"Relevance now {points} of 100; importance {rating.points}" if by_relevance else f"Importance {points}"
    return {
        "points": points,
        "columns": columns,
        "width": BAR_WIDTH,
        "height": BAR_HEIGHT,
        "url": f"{reverse('article_why', args=[article_id])}?{query}",
        "words": f"{first} of 100: {parts}. Why?",
    }


@register.inclusion_tag("components/_ageing.html")
def ageing(sensitivity: int, is_own: bool = False) -> dict[str, object]:
    """How fast it ages, in short and as a line that falls as fast as it."""
    return {
        "name": IN_SHORT[sensitivity],
        "words": f"Time sensitivity {sensitivity} of 5: {LASTING[sensitivity]}{', you say' if is_own else ''}",
        "line": _LINES[sensitivity],
        "is_own": is_own,
    }


@register.inclusion_tag("components/_signed_bars.html")
def signed_bars(terms: Sequence[TermShare]) -> dict[str, object]:
    """What each term brought or took, drawn to both sides."""
    return {"bars": tuple(zip(terms, drawing.signed_bars([each.share for each in terms]), strict=True))}


@register.filter
def bar(value: float, most: float = 100.0) -> str:
    """How long a bar is that stands for `value` of `most`, in per cent of its width."""
    return share_of(value, most)


@register.filter
def anchor(term: str) -> str:
    """The id of a term's place on its page, whatever it is written with."""
    return f"t{crc32(term.encode()):x}"


@register.filter
def signed(value: float) -> str:
    """A number with its sign, one decimal: `+12.3`, `−0.4`; the minus is a minus, not a hyphen."""
    return f"{value:+.1f}".replace("-", "−")
