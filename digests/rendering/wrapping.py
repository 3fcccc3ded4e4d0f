"""Wraps text to a width in terminal columns. Pure.

East Asian characters take two columns, combining and invisible ones none. Lines break at spaces, in scripts without
spaces also between characters, but not before closing or after opening punctuation. URLs are never broken.

Tried and dropped: `wcwidth.wrap` breaks URLs, and starts lines with "、" and ends them with "（".
"""

import re
import unicodedata
from collections.abc import Iterator

# Scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Han, and their punctuation.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff]"
)
_OPENING = frozenset("([{（「『【〈《〔［｛“‘«‹\u2066\u2067\u2068เแโใไ")  # Thai vowels before their consonant too
_CLOSING = frozenset(
    ")]}、。，．・：；？！）」』】〉》〕］｝”’»›…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%,.:;?!\u2069"
)
_ADDRESS = re.compile("https?://", re.IGNORECASE)


def width(text: str) -> int:
    """The number of columns of a line."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines of at most `columns`, longer only for a URL; no lines for no text."""
    lines: list[str] = []
    line, used = "", 0
    for space, unit in _units(text, columns):
        size = width(unit)
        if line and used + len(space) + size > columns:
            lines.append(line)
            line, used = unit, size
        else:
            line, used = line + (space if line else "") + unit, used + (len(space) if line else 0) + size
    return [*lines, line] if line else lines


def shortened(text: str, columns: int) -> str:
    """The text, cut with an ellipsis if it doesn't fit into `columns`."""
    if width(text) <= columns:
        return text
    first = wrapped(text, columns - 1)[0].rstrip(" ,;:–—-·")
    return f"{first if width(first) < columns else ''}…"


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _units(text: str, columns: int) -> Iterator[tuple[str, str]]:
    """The parts between which a line can break, each with the space before it, which a break replaces."""
    for word in text.split():
        space = " "
        for unit in _parts(word, columns):
            yield space, unit
            space = ""


def _parts(word: str, columns: int) -> Iterator[str]:
    if _ADDRESS.match(word):
        yield word
        return
    for part in _between_characters(word):
        if width(part) <= columns:
            yield part
        else:
            yield from _cut(part, columns)


def _between_characters(word: str) -> Iterator[str]:
    """The word split around each character of a script without spaces, except where punctuation forbids it."""
    part = ""
    for character in word:
        if part and _may_break(part[-1], character):
            yield part
            part = ""
        part += character
    yield part


def _may_break(before: str, after: str) -> bool:
    if before in _OPENING or after in _CLOSING or not _columns(after) or before == "\u200d":
        return False
    return bool(_SPACELESS.match(before) or _SPACELESS.match(after))


def _cut(part: str, columns: int) -> Iterator[str]:
    """A part longer than a line, in pieces of one line each."""
    piece, used = "", 0
    for character in part:
        size = _columns(character)
        if piece and size and used + size > columns:
            yield piece
            piece, used = "", 0
        piece, used = piece + character, used + size
    yield piece
