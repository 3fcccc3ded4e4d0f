"""What templates say scores with: numbers, little drawings, and the same in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from reader import drawing
from reader.drawing import BAR_HEIGHT, BAR_WIDTH, decay_line, score_columns, share_of
from reader.explaining import TermShare
from reader.ratings import Rating
from reader.scoring.decay import RATES, lasting
from reader.scoring.importance import WEIGHTS, Parts, part_name
from reader.templatetags.acts import address_of, quoted

register = template.Library()

_EMPTY = score_columns(Parts(0, 0, 0, 0, 0))
_ROOM = "".join(f"M{each.x:g} 0h{each.width:g}v{BAR_HEIGHT}h-{each.width:g}z" for each in _EMPTY)
# A path of five columns, of which only the upper edges differ from row to row.
_FILLED = "".join(f"M{each.x:g} {{:g}}h{each.width:g}V{BAR_HEIGHT}h-{each.width:g}z" for each in _EMPTY)
_SCORE = (
    '<a class="score" href="{url}" title="{words}" aria-label="{words}" data-why><span class="points">{points}</span>'
    f'<svg class="parts" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}"'
    f' aria-hidden="true"><path class="part-room" d="{_ROOM}"></path>'
    '<path class="part" d="{filled}"></path></svg></a>'
)
_AGEING = (
    '<span><span class="ageing" title="{words}">'
    '<svg class="decay" width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">'
    '<polyline points="{line}"></polyline></svg><span class="ageing-words">{name}{own}</span></span></span>'
)
_OWN = ' <span class="own">({})</span>'
_LINES = {score: decay_line(rate) for score, rate in RATES.items()}


@register.filter
def of(found: Mapping[Any, Any], key: object) -> object:
    """What a mapping holds for a key; "" when it holds nothing."""
    return found.get(key, "") if found else ""


@register.simple_tag
def score(rating: Rating, article_id: int, this_page: str, by_relevance: bool = False) -> SafeString:
    """The score of a row, leading to its explanation: importance, or relevance as time has left it."""
    columns = score_columns(rating.parts)
    points = rating.adjusted_points if by_relevance else rating.points
    said = _said(by_relevance, get_language())
    parts = said.comma.join(f"{said.names[each.name]} {each.points}" for each in columns)
    return format_html(
        _SCORE,
        url=f"{address_of('article_why', article_id)}?next={quoted(this_page.partition('#')[0])}%23a{article_id}",
        words=said.sentence % {"points": points, "importance": rating.points, "parts": parts},
        points=points,
        filled=_FILLED.format(*(each.y for each in columns)),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What each score of a list is said with."""

    sentence: str
    names: Mapping[str, str]
    comma: str


@cache
def _said(by_relevance: bool, _language: str | None) -> _Said:
    sentence = (
        _("Relevance now %(points)s of 100; importance %(importance)s of 100: %(parts)s. Why?")
        if by_relevance
        else _("Importance %(points)s of 100: %(parts)s. Why?")
    )
    names = {name: part_name(name) for name in WEIGHTS}
    return _Said(sentence, names, pgettext("between the names of a list", ", "))


def ageing(sensitivity: int, is_own: bool = False) -> SafeString:
    """How fast it ages, in short and as a line that falls as fast as it."""
    return _ageing(sensitivity, is_own, get_language())


@cache
def _ageing(sensitivity: int, is_own: bool, _language: str | None) -> SafeString:
    words = (
        _("Time sensitivity %(score)s of 5: %(lasting)s, you say")
        if is_own
        else _("Time sensitivity %(score)s of 5: %(lasting)s")
    )
    return format_html(
        _AGEING,
        words=words % {"score": sensitivity, "lasting": lasting(sensitivity)},
        line=_LINES[sensitivity],
        name=_in_short(sensitivity),
        own=format_html(_OWN, pgettext("your word on how fast it ages", "yours")) if is_own else "",
    )


def _in_short(sensitivity: int) -> str:
    """What a row has room for; "low" and "high" alone would leave a reader guessing of what."""
    return {
        1: pgettext("how fast an article ages", "evergreen"),
        2: _("lasts months"),
        3: _("lasts weeks"),
        4: _("lasts a day or two"),
        5: _("lasts hours"),
    }[sensitivity]


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
    return str(number_format(f"{value:+.1f}")).replace("-", "−")
