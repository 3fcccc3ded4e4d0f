"""What changed between two versions of a text, word by word, to be read rather than patched with. Pure.

Theory. Publishers correct a word, add a paragraph, or replace everything. So paragraphs are aligned first, and words
only within those that differ: this is what a person sees as one change, and what keeps the cost of long texts down.
Writing without spaces (Chinese, Japanese, Thai, …) is compared by character. A word or mark that happens to stand in
both between two changes is counted to them, since "~~the~~ a ~~cat~~ dog" in shreds reads worse than the phrase before
and after. Long stretches without a change are left out, and it is said how many words they have.

Bounds. Aligning words takes time with the product of how often each stands in both texts; paragraphs beyond
`MOST_PAIRS` are shown as taken out and put in whole, and beyond `MOST_WORDS` nothing more is compared.

Known misses: a paragraph that was moved is taken out here and put in there.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import chain

MOST_WORDS = 6_000  # of both versions together; the longest articles of ordinary feeds
MOST_PAIRS = 40_000  # equal words in both texts, each with each; 1,500 words of prose have about 12,000
MOST_PARAGRAPHS = 1_000  # of both versions together
CONTEXT = 12  # unchanged words shown on each side of a change
LEAST_KEPT = 2  # unchanged words between two changes; fewer are counted to them

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_TOKEN = re.compile(
    rf"(?:[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+(?:['’.,-](?:(?![{_UNSPACED}])\w)+)*|[^\w\s])[^\S\n]*|\n\s*|\s+"
)
_PARAGRAPH = re.compile(r"[^\n]*\n*")


class Kind(StrEnum):
    """What became of a piece of text; `GAP` stands for unchanged words that are not shown."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; for a gap no text but how many words (or characters without spaces) it stands for."""

    kind: Kind
    text: str
    n_words: int


@dataclass(frozen=True, slots=True)
class WordChanges:
    """The pieces in the order of reading; `is_cut`: the texts go on beyond what was compared."""

    pieces: tuple[Piece, ...]
    is_cut: bool = False

    @property
    def n_added(self) -> int:
        return sum(each.n_words for each in self.pieces if each.kind == Kind.ADDED)

    @property
    def n_removed(self) -> int:
        return sum(each.n_words for each in self.pieces if each.kind == Kind.REMOVED)

    @property
    def are_none(self) -> bool:
        return not self.n_added and not self.n_removed


_Run = tuple[Kind, list[str]]


def word_changes(before: str, after: str) -> WordChanges:
    """What to take out of `before` and put in to get `after`; white space alone is no change."""
    old, old_is_cut = _words(before)
    new, new_is_cut = _words(after)
    runs = _joined(_by_paragraph(old, new))
    pieces = tuple(_pieces(_joined(_without_shreds(runs))))
    return WordChanges(pieces, old_is_cut or new_is_cut)


def _words(text: str) -> tuple[list[str], bool]:
    """The first `MOST_WORDS` / 2 words, each with the space behind it, and whether there are more."""
    found: list[str] = []
    for match in _TOKEN.finditer(text.strip()):
        if len(found) == MOST_WORDS // 2:
            return found, True
        found.append(match[0])
    return found, False


def _key(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for word in words)


def _by_paragraph(old: list[str], new: list[str]) -> Iterator[_Run]:
    olds, news = _paragraphs(old), _paragraphs(new)
    if len(olds) + len(news) > MOST_PARAGRAPHS:
        yield from _by_word(old, new)
        return
    matcher = SequenceMatcher(None, [_key(each) for each in olds], [_key(each) for each in news], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            yield Kind.KEPT, _roomier(_flat(olds[i1:i2]), _flat(news[j1:j2]))
        else:
            yield from _by_word(_flat(olds[i1:i2]), _flat(news[j1:j2]))


def _paragraphs(words: list[str]) -> list[list[str]]:
    """The words of each line, the break at its end."""
    found: list[list[str]] = [[]]
    for word in words:
        found[-1].append(word)
        if "\n" in word:
            found.append([])
    return [each for each in found if each]


def _flat(lists: Sequence[list[str]]) -> list[str]:
    return list(chain.from_iterable(lists))


def _by_word(old: list[str], new: list[str]) -> Iterator[_Run]:
    olds, news = _key(old), _key(new)
    in_old, in_new = Counter(olds), Counter(news)
    if sum(n * in_new[word] for word, n in in_old.items()) > MOST_PAIRS:
        yield Kind.REMOVED, old
        yield Kind.ADDED, new
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Kind.KEPT, _roomier(old[i1:i2], new[j1:j2])
        else:
            yield Kind.REMOVED, old[i1:i2]
            yield Kind.ADDED, new[j1:j2]


def _roomier(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The same words, each with the more space of the two behind it: a last word has none, where the other goes on."""
    return [max(pair, key=len) for pair in zip(new, old, strict=True)]


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    """Runs with what belongs together in one: of neighbouring changes, all that is removed before all that is added."""
    joined: list[_Run] = []
    removed: list[str] = []
    added: list[str] = []

    def change() -> None:
        joined.extend((kind, words[:]) for kind, words in ((Kind.REMOVED, removed), (Kind.ADDED, added)) if words)
        removed.clear()
        added.clear()

    for kind, words in runs:
        if not words:
            continue
        if kind == Kind.KEPT:
            change()
            if joined and joined[-1][0] == Kind.KEPT:
                joined[-1][1].extend(words)
            else:
                joined.append((kind, list(words)))
        else:
            (removed if kind == Kind.REMOVED else added).extend(words)
    change()
    return joined


def _without_shreds(runs: list[_Run]) -> Iterator[_Run]:
    """The runs, with fewer than `LEAST_KEPT` unchanged words between two changes given to both sides."""
    for place, (kind, words) in enumerate(runs):
        is_between = 0 < place < len(runs) - 1
        is_break = any("\n" in word for word in words)
        if kind == Kind.KEPT and is_between and _n_words(words) < LEAST_KEPT and not is_break:
            yield Kind.REMOVED, words
            yield Kind.ADDED, words
        else:
            yield kind, words


def _pieces(runs: list[_Run]) -> Iterator[Piece]:
    for place, (kind, words) in enumerate(runs):
        if kind != Kind.KEPT:
            if _n_words(words):  # else a break alone
                yield Piece(kind, "".join(words), _n_words(words))
            continue
        head = [] if place == 0 else words[:CONTEXT]
        tail = [] if place == len(runs) - 1 else words[max(len(head), len(words) - CONTEXT) :]
        hidden = words[len(head) : len(words) - len(tail)]
        if _n_words(hidden) <= CONTEXT:
            yield Piece(Kind.KEPT, "".join(words), _n_words(words))
            continue
        if head:
            yield Piece(Kind.KEPT, "".join(head), _n_words(head))
        yield Piece(Kind.GAP, "", _n_words(hidden))
        if tail:
            yield Piece(Kind.KEPT, "".join(tail), _n_words(tail))


def _n_words(words: Sequence[str]) -> int:
    """How many of the tokens hold a letter or a digit."""
    return sum(any(character.isalnum() for character in word) for word in words)
