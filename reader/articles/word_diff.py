"""What changed between two versions of a text, word by word, for reading rather than patching. Pure.

Scripts without spaces (Chinese, Japanese, Thai, …) are compared by character. The longest common subsequence of words
is unchanged (rapidfuzz, bit-parallel: 0.1 s for the longest texts). Unchanged words between two changes count as
changed if there is just one, or if they are at most half as long as either change: "~~the~~ a ~~cat~~ dog" reads worse
than the whole phrase before and after. Long unchanged stretches are left out, with a count.

Known misses: a moved paragraph is shown as removed and added.

Tried and dropped: difflib, which needs extra limits for repetitive texts; diff-match-patch, which gives up after a
second on unrelated texts, so that the result depends on the machine's load.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from rapidfuzz.distance import LCSseq, MatchingBlock

MAX_WORDS = 6_000  # of both versions together; the longest articles of ordinary feeds
CONTEXT = 12  # unchanged words shown on each side of a change

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_TOKEN = re.compile(
    rf"(?:[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+(?:['’.,-](?:(?![{_UNSPACED}])\w)+)*|[^\w\s])[^\S\n]*|\n\s*|\s+"
)


class Kind(StrEnum):
    """What happened to a piece of text; `GAP` stands for unchanged words that aren't shown."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text with its number of words (or characters without spaces); a gap has no text."""

    kind: Kind
    text: str
    n_words: int


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The pieces in reading order. `is_cut`: the texts are longer than what was compared."""

    pieces: tuple[Piece, ...]
    is_cut: bool = False

    @property
    def n_added(self) -> int:
        return sum(piece.n_words for piece in self.pieces if piece.kind == Kind.ADDED)

    @property
    def n_removed(self) -> int:
        return sum(piece.n_words for piece in self.pieces if piece.kind == Kind.REMOVED)

    @property
    def is_empty(self) -> bool:
        return all(piece.kind in (Kind.KEPT, Kind.GAP) for piece in self.pieces)


def word_diff(before: str, after: str) -> WordDiff:
    """What to remove from `before` and add to get `after`; white space is ignored."""
    old, old_is_cut = _words(before)
    new, new_is_cut = _words(after)
    return WordDiff(tuple(_pieces(old, new)), old_is_cut or new_is_cut)


def _words(text: str) -> tuple[list[str], bool]:
    """The first `MAX_WORDS` / 2 words, each with the space after it, and whether there are more."""
    words: list[str] = []
    for match in _TOKEN.finditer(text.strip()):
        if len(words) == MAX_WORDS // 2:
            return words, True
        words.append(match[0])
    return words, False


def _pieces(old: list[str], new: list[str]) -> Iterator[Piece]:
    at_old = at_new = 0
    for block in _unchanged(old, new):
        yield from _piece(Kind.REMOVED, old[at_old : block.a])
        yield from _piece(Kind.ADDED, new[at_new : block.b])
        is_first, at_old, at_new = block.a == block.b == 0, block.a + block.size, block.b + block.size
        # The longer of the spaces after a word, because the last word of a text has none.
        words = [max(pair, key=len) for pair in zip(new[block.b : at_new], old[block.a : at_old], strict=True)]
        yield from _with_gap(words, is_first=is_first, is_last=at_old == len(old) and at_new == len(new))


def _unchanged(old: list[str], new: list[str]) -> Iterator[MatchingBlock]:
    """The common blocks that are shown as unchanged, and an empty block at the end."""
    blocks = LCSseq.editops([word.strip() for word in old], [word.strip() for word in new]).as_matching_blocks()
    at_old = at_new = 0
    for block, following in pairwise(blocks):
        end_old, end_new = block.a + block.size, block.b + block.size
        words = new[block.b : end_new]
        changed_before = (old[at_old : block.a], new[at_new : block.b])
        changed_after = (old[end_old : following.a], new[end_new : following.b])
        is_between = any(changed_before) and any(changed_after) and not any("\n" in word for word in words)
        n_changed = min(max(map(_n_words, changed_before)), max(map(_n_words, changed_after)))
        if not is_between or _n_words(words) > max(1, n_changed // 2):
            yield block
            at_old, at_new = end_old, end_new
    yield blocks[-1]


def _piece(kind: Kind, words: Sequence[str]) -> Iterator[Piece]:
    text = "".join(words)
    if text.strip():  # else a line break alone
        yield Piece(kind, text, _n_words(words))


def _with_gap(words: list[str], *, is_first: bool, is_last: bool) -> Iterator[Piece]:
    """Unchanged words, without those far from a change."""
    head = [] if is_first else words[:CONTEXT]
    tail = [] if is_last else words[max(len(head), len(words) - CONTEXT) :]
    hidden = words[len(head) : len(words) - len(tail)]
    if _n_words(hidden) > CONTEXT:
        yield from _piece(Kind.KEPT, head)
        yield Piece(Kind.GAP, "", _n_words(hidden))
        yield from _piece(Kind.KEPT, tail)
    else:
        yield from _piece(Kind.KEPT, words)


def _n_words(words: Sequence[str]) -> int:
    """The number of tokens with a letter or a digit."""
    return sum(any(character.isalnum() for character in word) for word in words)
