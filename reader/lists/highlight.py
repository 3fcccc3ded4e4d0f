"""Highlights search matches in titles and texts. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from feeds.search.query_tree import Phrase
from feeds.search.tokenizer import is_paired, words_with_places

SNIPPET = 240  # characters
BEFORE = 60  # of them before the first match
READ_CHARACTERS = 20_000  # of a text that are searched for a snippet


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, highlighted if it matched."""

    text: str
    is_found: bool = False


Span = tuple[int, int]


def highlight(text: str, phrases: Sequence[Phrase], field: str) -> tuple[Piece, ...]:
    """The whole text in pieces; empty if nothing in it matches."""
    spans = _spans(text, phrases, field)
    return tuple(_pieces(text, spans, 0, len(text))) if spans else ()


def snippet(text: str, phrases: Sequence[Phrase]) -> tuple[Piece, ...]:
    """The text around the first match; empty if nothing in it matches."""
    text = " ".join(text[:READ_CHARACTERS].split())
    spans = _spans(text, phrases, "body", reach=SNIPPET)
    if not spans:
        return ()
    start = max(0, spans[0][0] - BEFORE)
    if start:
        space = text.find(" ", start, spans[0][0])
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + SNIPPET)
    if end < len(text):
        space = text.rfind(" ", spans[0][1], end)
        end = space if space > end - 40 else max(end, spans[0][1])
    pieces = list(_pieces(text, spans, start, end))
    if start:
        pieces.insert(0, Piece("… "))
    if end < len(text):
        pieces.append(Piece(" …"))
    return tuple(pieces)


def _pieces(text: str, spans: Sequence[Span], start: int, end: int) -> Iterator[Piece]:
    at = start
    for first, last in spans:
        if first < at or last > end:
            continue
        if first > at:
            yield Piece(text[at:first])
        yield Piece(text[first:last], is_found=True)
        at = last
    if at < end:
        yield Piece(text[at:end])


def _spans(text: str, phrases: Sequence[Phrase], field: str, *, reach: int | None = None) -> list[Span]:
    """The spans of the phrases in order, without overlaps; of those with the same start, the longest.

    `reach`: stop this many characters after the first span.
    """
    by_first: dict[str, list[Phrase]] = defaultdict(list)
    prefixes = []
    for phrase in phrases:
        if phrase.field in ("", field):
            if phrase.is_prefix and len(phrase.words) == 1:
                prefixes.append(phrase)
            for word in (phrase.words[0], *phrase.others):
                by_first[word].append(phrase)
    if not by_first:
        return []
    found: list[Span] = []
    partial: list[tuple[Phrase, int, int]] = []  # the number of words matched so far, and the start
    for word, start, end in words_with_places(text):
        if found and reach is not None and start > found[0][0] + reach:
            break
        if not (partial or prefixes or word in by_first):
            continue
        beginning = [(phrase, 0, start) for phrase in (*by_first.get(word, ()), *prefixes)]
        candidates, partial = partial + beginning, []
        for phrase, n_matched, first in candidates:
            wanted, is_last = phrase.words[n_matched], n_matched == len(phrase.words) - 1
            if is_last and phrase.is_prefix and word.startswith(wanted):
                is_inside = is_paired(word) and len(word) == end - start
                found.append((first, start + len(wanted) if is_inside else end))
            elif word != wanted and word not in phrase.others:
                continue
            elif is_last:
                found.append((first, end))
            else:
                partial.append((phrase, n_matched + 1, first))
    chosen: list[Span] = []
    for span in sorted(found, key=lambda span: (span[0], -span[1])):
        if not chosen or span[0] >= chosen[-1][1]:
            chosen.append(span)
    return chosen
