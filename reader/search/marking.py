"""Where in a title or a text something was found: the stretches to mark, and a snippet around the first. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from feeds.normalizing.text import is_spaceless, runs
from feeds.search.match import Phrase
from feeds.search.words import folded

SNIPPET = 240  # characters
BEFORE = 60  # of them before what was found
READ_CHARACTERS = 20_000  # of a text; what is found later has no snippet


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, to be marked or not."""

    text: str
    is_found: bool = False


Span = tuple[int, int]


def marked(text: str, phrases: Sequence[Phrase], field: str) -> tuple[Piece, ...]:
    """The whole text in pieces; empty when nothing of it is marked."""
    spans = _spans(text, phrases, field)
    return tuple(_pieces(text, spans, 0, len(text))) if spans else ()


def snippet(text: str, phrases: Sequence[Phrase]) -> tuple[Piece, ...]:
    """The text around the first place; empty when nothing is found in it."""
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
    """Where phrases stand, in order; the longest of those that begin at one place, and none within another.

    `reach`: only this far from the first.
    """
    by_first: dict[str, list[Phrase]] = {}
    loose: list[Phrase] = []
    for each in phrases:
        if each.field in ("", field):
            begins_anywhere = is_spaceless(each.runs[0]) or (each.is_prefix and len(each.runs) == 1)
            (loose if begins_anywhere else by_first.setdefault(each.runs[0], [])).append(each)
    if not by_first and not loose:
        return []
    chosen: list[Span] = []
    stretches = list(runs(text))
    for number, stretch in enumerate(stretches):
        if chosen and reach is not None and stretch.start() > chosen[0][0] + reach:
            break
        candidates = by_first.get(folded(stretch[0]), []) + loose
        if not candidates:
            continue
        found = [span for each in candidates for span in _beginning(stretches, number, each)]
        for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
            if not chosen or start >= chosen[-1][1]:
                chosen.append((start, end))
    return chosen


def _beginning(stretches: "Sequence[re.Match[str]]", number: int, phrase: Phrase) -> Iterator[Span]:
    """Where the phrase stands, if it begins in the stretch of this number."""
    wanted = phrase.runs
    if len(wanted) == 1 and is_spaceless(wanted[0]):
        yield from _within(stretches[number], wanted[0])
        return
    several = stretches[number : number + len(wanted)]
    if len(several) < len(wanted):
        return
    for place, (stretch, word) in enumerate(zip(several, wanted, strict=True)):
        is_last = place == len(wanted) - 1
        if not _is_at(folded(stretch[0]), word, is_first=not place, is_last=is_last, is_prefix=phrase.is_prefix):
            return
    yield several[0].start(), several[-1].end()


def _within(stretch: "re.Match[str]", wanted: str) -> Iterator[Span]:
    """Every place in a run of a script without spaces; the whole run where folding moved its characters."""
    text, (start, end) = folded(stretch[0]), stretch.span()
    at = text.find(wanted)
    while at >= 0:
        yield (start + at, start + at + len(wanted)) if len(text) == end - start else (start, end)
        at = text.find(wanted, at + len(wanted))


def _is_at(run: str, word: str, *, is_first: bool, is_last: bool, is_prefix: bool) -> bool:
    if is_spaceless(word):
        return (is_first and run.endswith(word)) or (is_last and run.startswith(word)) or run == word
    return run == word or (is_last and is_prefix and run.startswith(word))
