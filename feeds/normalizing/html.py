"""Sanitizes markup: the only place that decides what part of a publisher's body reaches a page.

Three steps, of which the last guarantees safety:

1. *Limit.* Forbidden characters are dropped, and whatever makes a parser take quadratic time.
2. *Rewrite* (`html_writer`). The tree, parsed as in a browser, is written again with allowed elements only: scripts,
   styles and drawings removed with their content, formulas reduced to MathML that is safe (`html_math`), URLs
   absolute, lazy images resolved, tracking pixels and hidden text (`html_hidden`) removed.
3. *Confirm.* bleach, with the same closed lists, parses that and writes what it accepts. Its output is final.

bleach's output is then rewritten once more. If that differs from its input, two parsers disagree on what the markup
means (the basis of mutation attacks), and the steps are repeated on the output until they agree. Markup that doesn't
become stable, or has more elements than can be read in two seconds, is shown as plain text. So
sanitizing the result again changes nothing, by construction.
"""

import re
import threading
from dataclasses import dataclass

from bleach.sanitizer import Cleaner

from feeds.normalizing.html_anchors import Place
from feeds.normalizing.html_text import paragraphs, strip_forbidden, visible_text
from feeds.normalizing.html_vocabulary import KEPT, MATH, is_allowed
from feeds.normalizing.html_writer import TooLarge, rewrite

SANITIZER_VERSION = 3  # raise whenever the same markup gives other HTML, so that stored bodies are sanitized again

MAX_TAGS = 24_000  # "<" in a body: about twice the elements; the largest of 3,069 published ones has 7,042
MAX_REFERENCES = 20_000  # "&" in bleach's input; it takes quadratic time in them
MAX_CLEANED = 12_000  # elements that bleach reads in all rounds together, at about 130 µs each
MAX_ROUNDS = 4  # most markup is stable after the first; tables inside links after the second or third
_MANY_TAGS = 2_000  # "<" from which formatting elements lose their attributes
_LONG = 32 * 1024  # characters from which a tag could have too many attributes

_QUOTED = r"""=\s*(?:"[^"]*"|'[^']*')"""
_TAG = re.compile(rf"""<([a-zA-Z][^\s/<>"'=]*)((?:{_QUOTED}|[^<>])*+)>?""")
# Reopened in each paragraph until they are closed.
_FORMATTING = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))  # fmt: skip
_START_TAG = re.compile("<[a-z]")
_MAX_ATTRIBUTES = 4096  # characters outside quotes


class _Cleaners(threading.local):
    """One cleaner per thread, because its parser keeps state."""

    def __init__(self) -> None:
        self.cleaner = Cleaner(
            tags=KEPT | MATH, attributes=is_allowed, protocols=("http", "https", "mailto", "data"), strip=True
        )


_cleaners = _Cleaners()


@dataclass(frozen=True, slots=True)
class Sanitized:
    """Safe HTML. `lost_formatting`: the markup was too large, and this is only its text."""

    html: str
    lost_formatting: bool = False


def sanitize_body(
    markup: str, *, base_url: str, page_url: str = "", article: int = 0, is_text: bool = False
) -> Sanitized:
    """Return markup as HTML that is safe in a page, and whether its formatting was lost; never raises.

    `markup` is as published, or plain text if `is_text`, with blank lines between paragraphs. Relative URLs are
    dropped if `base_url` is not an absolute http(s) URL. `page_url`: the page of the body, whose footnotes are the
    body's own ("" for `base_url`); `article`: the number that makes ids of bodies on one page differ. Source: SPEC §5,
    body.
    """
    place = Place(base_url, page_url or base_url, article)
    readable = strip_forbidden(markup)
    if is_text:
        readable = paragraphs(readable)
    try:
        return Sanitized(_sanitize_until_stable(_limit_tags(readable), place))
    except TooLarge:
        return Sanitized(_plain(readable), lost_formatting=True)


def _sanitize_until_stable(markup: str, place: Place) -> str:
    """Return bleach's output once parsing it again changes nothing."""
    rewritten, n_cleaned = rewrite(markup, place), 0
    for _ in range(MAX_ROUNDS):
        n_cleaned += len(_START_TAG.findall(rewritten))
        if rewritten.count("&") > MAX_REFERENCES or n_cleaned > MAX_CLEANED:
            raise TooLarge
        output = _cleaners.cleaner.clean(rewritten)
        again = rewrite(output, place)
        if again == rewritten:
            return str(output)
        rewritten = again
    raise TooLarge


def _plain(markup: str) -> str:
    """Return the text of markup in paragraphs, without links: for markup that is too large or never stable."""
    return paragraphs(strip_forbidden(visible_text(markup)), links=False)


def _limit_tags(markup: str) -> str:
    """Remove what makes parsers quadratic: thousands of attributes, formatting that every paragraph reopens."""
    tags = markup.count("<")
    if tags > MAX_TAGS:
        raise TooLarge
    if tags < _MANY_TAGS and len(markup) < _LONG:
        return markup
    return _TAG.sub(lambda tag: _limit_attributes(tag, tags), markup)


def _limit_attributes(tag: re.Match[str], tags: int) -> str:
    name, attributes = tag[1], tag[2]
    if tags >= _MANY_TAGS and name.lower() in _FORMATTING:
        return f"<{name}>"
    if len(attributes) > _MAX_ATTRIBUTES and len(re.sub(_QUOTED, "=", attributes)) > _MAX_ATTRIBUTES:
        return f"<{name}>"
    return tag[0]
