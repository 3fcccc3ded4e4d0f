"""Safe HTML from anybody's markup: the only place that decides what of a publisher's body reaches a page.

Three steps, the last of which is the guard:

1. *Bound.* Characters no document may hold are dropped, and what makes a parser take quadratic time is taken away.
2. *Rewrite* (`html_writer`). The tree as a browser reads it is written again with kept elements only: scripts, styles
   and foreign markup gone with their content, URLs absolute, lazy pictures resolved, pixels gone.
3. *Confirm.* bleach, with the same closed lists, reads that and writes what it accepts. Nothing touches it afterwards.

Bleach's answer is then rewritten once more; when that differs from what bleach was given, two parsers disagree on what
the markup means (the ground of mutation attacks), and the steps are repeated on the answer until they agree. Markup
that does not come to rest, and markup with more elements than can be read in a few seconds, is shown as plain text.
So `sanitize(sanitize(x)) == sanitize(x)` by construction.
"""

import re
import threading

from bleach.sanitizer import Cleaner

from feeds.normalizing.html_text import paragraphs, visible_text, well_formed
from feeds.normalizing.html_vocabulary import KEPT, is_allowed
from feeds.normalizing.html_writer import TooLarge, rewritten

SANITIZER_VERSION = 1  # raised whenever the same markup gives other HTML, so that stored bodies are made anew

MAX_TAGS = 40_000  # "<" in a body: about twice the elements; beyond, parsing may take a minute
MAX_REFERENCES = 20_000  # "&" in what bleach reads, which takes quadratic time in them
MAX_ROUNDS = 4  # most markup rests after the first; tables inside links after the second or third
_MANY_TAGS = 2_000  # "<" from which formatting loses its attributes
_LONG = 32 * 1024  # characters from which a tag could hold too many attributes

_QUOTED = r"""=\s*(?:"[^"]*"|'[^']*')"""
_TAG = re.compile(rf"""<([a-zA-Z][^\s/<>"'=]*)((?:{_QUOTED}|[^<>])*)>?""")
# Reopened in each paragraph until they end.
_FORMATTING = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))  # fmt: skip
_MAX_ATTRIBUTES = 4096  # characters outside quotes


class _Cleaners(threading.local):
    """A cleaner for each thread: its parser keeps state."""

    def __init__(self) -> None:
        self.cleaner = Cleaner(
            tags=KEPT, attributes=is_allowed, protocols=("http", "https", "mailto", "data"), strip=True
        )


_cleaners = _Cleaners()


def sanitize(markup: str, *, base_url: str, is_text: bool = False) -> str:
    """Markup as HTML that is safe in a page, "" when nothing of it can be shown; never raises.

    Args:
        markup: as published; plain text when `is_text`, whose blank lines then part paragraphs.
        base_url: what relative URLs hang on; they are dropped when it is not an absolute http(s) URL.

    Source: SPEC §5, body.
    """
    readable = well_formed(markup)
    if is_text:
        readable = paragraphs(readable)
    try:
        return _rested(_bounded(readable), base_url)
    except TooLarge:
        return _plain(readable)


def _rested(markup: str, base_url: str) -> str:
    """What bleach makes of markup once reading its answer again changes nothing."""
    given = rewritten(markup, base_url)
    for _ in range(MAX_ROUNDS):
        if given.count("&") > MAX_REFERENCES:
            raise TooLarge
        answer = _cleaners.cleaner.clean(given)
        again = rewritten(answer, base_url)
        if again == given:
            return str(answer)
        given = again
    raise TooLarge


def _plain(markup: str) -> str:
    """The text that markup shows, in paragraphs, without even links: for what is too large or finds no rest."""
    return paragraphs(well_formed(visible_text(markup)), links=False)


def _bounded(markup: str) -> str:
    """Markup without what makes parsers quadratic: thousands of attributes, formatting that every paragraph reopens."""
    tags = markup.count("<")
    if tags > MAX_TAGS:
        raise TooLarge
    if tags < _MANY_TAGS and len(markup) < _LONG:
        return markup
    return _TAG.sub(lambda tag: _bounded_tag(tag, tags), markup)


def _bounded_tag(tag: re.Match[str], tags: int) -> str:
    name, attributes = tag[1], tag[2]
    if tags >= _MANY_TAGS and name.lower() in _FORMATTING:
        return f"<{name}>"
    if len(attributes) > _MAX_ATTRIBUTES and len(re.sub(_QUOTED, "=", attributes)) > _MAX_ATTRIBUTES:
        return f"<{name}>"
    return tag[0]
