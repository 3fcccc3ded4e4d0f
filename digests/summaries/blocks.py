"""The paragraphs, headings, items of a plain text, each with its place: what sentences never reach across. Pure.

A line is a block, as `feeds.normalizing.plain_text` makes them. Texts that were plain from the beginning may be wrapped
at some column; there the lines of a paragraph are put together again. A line goes on in the next one where that begins
in lower case; and where many do, in any line that is nearly as long as the longest and has no end.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

READ_CHARACTERS = 20_000  # of a text, some 3,000 words: what comes later is in no summary

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_ENDS = (
    ".",
    "!",
    "?",
    "…",
    ":",
    ";",
    "。",
    "！",
    "？",
    "：",
    "；",
    '"',
    "”",
    "»",
    "“",
    "’",
    ")",
    "]",
    "」",
    "』",
    "）",
)
_LEAST_WRAPPED = 40  # characters of a line that may go on in the next
_LONGEST_WRAPPED = 120  # characters; lines are wrapped at 65 to 80, in some mails at 100
_SHARE_WRAPPED = 0.2  # of the lines go on in lower case, from which on the text is wrapped
_NEARLY = 0.7  # of the longest line
_JOINERS = "\u200c\u200d"  # are format characters, and part of Persian words and of emoji


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a text as it stands there, from `start` on, line breaks within a wrapped paragraph included."""

    start: int
    raw: str


def blocks(text: str) -> list[Block]:
    """The blocks of the first 20,000 characters that hold anything, in order."""
    text = text[:READ_CHARACTERS]
    lines = [Block(line.start(), line[0]) for line in _LINE.finditer(text) if line[0].strip()]
    return [Block(first.start, text[first.start : last.start + len(last.raw)]) for first, last in _joined(lines)]


def shown(raw: str) -> str:
    """A piece of text on one line, single spaces, without controls, direction marks, and halves of characters."""
    line = " ".join(raw.split())
    if line.isprintable():
        return line
    kept = (each if each in _JOINERS or unicodedata.category(each)[0] != "C" else "" for each in line)
    return " ".join("".join(kept).split())


def _joined(lines: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """The first and the last line of each block."""
    longest = max((len(line.raw) for line in lines), default=0)
    n_lower = sum(_goes_on(line, following) for line, following in pairwise(lines))
    is_wrapped = longest <= _LONGEST_WRAPPED and n_lower >= 2 and n_lower > _SHARE_WRAPPED * len(lines)
    first = 0
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else None
        is_full = is_wrapped and len(line.raw) >= _NEARLY * longest and not line.raw.rstrip().endswith(_ENDS)
        if following is None or not (is_full or _goes_on(line, following)):
            yield lines[first], line
            first = at + 1


def _goes_on(line: Block, following: Block) -> bool:
    """Whether a line is so long that it may be wrapped, has no end, and the next one begins in lower case."""
    raw = line.raw.rstrip()
    if not _LEAST_WRAPPED <= len(raw) <= _LONGEST_WRAPPED or raw.endswith(_ENDS):
        return False
    return following.raw.lstrip()[:1].islower()
