"""Terms of topics in scripts without spaces, where a stem is a pair of characters and no word. Pure.

Theory. A pair of characters that weighs much is part of a word that stands in the titles. From each such pair a string
is grown, character by character to either side, as long as most of the different places where it stands go on in the
same way: "灣仔" goes on with 站 nearly always, "灣仔站" with 附, with 事, or ends, so the word is 灣仔站. Pieces of
text (`pieces`) that are the same count as one place, or a headline that is copied would look like one word. What stands
in one place only is taken to the ends of its piece, if they are near enough to be read as one term.

Thai, Lao, Khmer and Burmese are the same with longer strings, that begin and end where their vowel signs allow it.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from digests.labels.entities import Entity
from digests.labels.pieces import HAN, SYLLABIC, Place, index_of, is_latin, pairs_of, pieces_of
from digests.labels.reading import Reading
from digests.labels.word_tables_han import EMPTY, NOT_FIRST, NOT_LAST
from feeds.dedup.background import commonness

LONGEST = 8  # characters of a term
SHORTEST_CUT = 5  # characters, from which on an odd number of them is one too many
LONGEST_SYLLABIC, SHORTEST_SYLLABIC = 24, 4  # in Thai, Lao, Khmer, Burmese
GOES_ON = 0.6  # share of the places of a string, from which on it grows
NO_TITLE_FACTOR = 0.5  # for stems that no title has
READ_TERMS = 40  # the heaviest of a topic
MOST_TERMS = 8  # three for the label, the others to tell it from another

_HAN_ONLY = re.compile(f"[{HAN}]+")
_IS_SYLLABIC = re.compile(f"[{SYLLABIC}]")
_NOT_FIRST_SIGN = re.compile("[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3]")
_NOT_LAST_SIGN = re.compile("[\u0e40-\u0e44\u0ec0-\u0ec4]")  # vowels that stand before their consonant


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    members: set[int]
    in_titles: set[int]


def spaceless_terms(reading: Reading, entity: Entity | None) -> list[str]:
    """At most eight terms, the best first, none of which shares two characters with another or with the entity."""
    index = index_of(pieces_of(reading.units), reading.language)
    weights = {
        stem: weight * (1 if any(piece.in_titles for piece, _, _ in index[stem]) else NO_TITLE_FACTOR)
        for stem, weight in reading.terms[:READ_TERMS]
        if stem in index
    }
    least = min(2, reading.n_read)
    grown = [_grown(index[stem], least) for stem in sorted(weights, key=lambda stem: -weights[stem])]
    bar = reading.sources.bar
    several = [term for term in grown if term and not bar([term.text.lower()], term.members, term.in_titles)]
    shared = [term for term in several if len(term.members) >= least]
    return _apart(shared or several, [*entity.forms, entity.text] if entity else [])


def _apart(found: Sequence[_Term], entity: Collection[str]) -> list[str]:
    """The terms without the entity and without those that share characters with one before."""
    kept: list[str] = []
    taken = {pair for form in entity for pair in pairs_of(form.lower())}
    for term in found:
        text = _without(term.text, entity)
        if len(text) < 2 or text.lower() in EMPTY or not taken.isdisjoint(pairs := pairs_of(text.lower())):
            continue
        kept.append(text)
        taken |= pairs
        if len(kept) == MOST_TERMS:
            break
    return kept


def _without(text: str, entity: Collection[str]) -> str:
    """The term without the entity, empty words, and characters of half a word before and behind it."""
    for form in sorted(entity, key=len, reverse=True):
        if len(text) > len(form) and not form.isascii():
            text = text.removeprefix(form).removesuffix(form)
    if not _HAN_ONLY.fullmatch(text):
        return text.strip()
    text = _without_edges(_without_empty(text))
    is_half = len(text) == 2 and text[-1] in NOT_LAST and not commonness(text)
    return "" if is_half else text


def _without_empty(text: str) -> str:
    """The string without the word of two characters before and behind it that says nothing."""
    text = text[2:] if len(text) > 3 and text[:2] in EMPTY else text
    return text[:-2] if len(text) > 3 and text[-2:] in EMPTY else text


def _grown(places: Sequence[Place], least: int) -> _Term | None:
    """The string that most of the places of a stem, and as many members as `least`, belong to.

    When that has no end that is near enough, it is what also stands where it goes on in another way; None if nothing
    does, or if a text alone has it, and only once.
    """
    limit = LONGEST_SYLLABIC if _IS_SYLLABIC.match(places[0][0].atoms[0]) else LONGEST
    branching: Sequence[Place] = ()
    while _length(places[0]) <= limit:
        both = (_to_the_right(places), _to_the_left(places))
        longer = [grown for grown in both if _is_borne_out(grown, places, least)]
        if not longer:
            return _term(places)
        best = max(longer, key=len)
        branching = places if len(best) < len(places) else branching
        places = best
    return _term(branching) if branching else None


def _to_the_right(places: Sequence[Place]) -> list[Place]:
    """The places with the atom that most of them go on with."""
    found = [(piece, start, end) for piece, start, end in places if end < len(piece.atoms)]
    counts = Counter(piece.atoms[end].lower() for piece, _, end in found)
    best = max(counts, key=lambda atom: counts[atom], default="")
    return [(piece, start, end + 1) for piece, start, end in found if piece.atoms[end].lower() == best]


def _to_the_left(places: Sequence[Place]) -> list[Place]:
    """The places with the atom that most of them have before."""
    found = [(piece, start, end) for piece, start, end in places if start]
    counts = Counter(piece.atoms[start - 1].lower() for piece, start, _ in found)
    best = max(counts, key=lambda atom: counts[atom], default="")
    return [(piece, start - 1, end) for piece, start, end in found if piece.atoms[start - 1].lower() == best]


def _is_borne_out(grown: Sequence[Place], places: Sequence[Place], least: int) -> bool:
    """Whether enough of the places, and of the members, have the longer string."""
    if len(grown) < GOES_ON * len(places):
        return False
    return len(_members(grown)) >= min(least, len(_members(places)))


def _length(place: Place) -> int:
    piece, start, end = place
    return sum(1 if is_latin(atom) else len(atom) for atom in piece.atoms[start:end])


def _term(places: Sequence[Place]) -> _Term | None:
    if len(places) == 1 and not places[0][0].in_titles:
        return None
    forms = Counter("".join(piece.atoms[start:end]).strip() for piece, start, end in places)
    text = forms.most_common(1)[0][0]
    if _IS_SYLLABIC.match(text):
        return _Term(text, _members(places), _in_titles(places)) if _is_whole(text, places[0]) else None
    if _HAN_ONLY.fullmatch(text):
        text = _of_words(text, places)
    return _Term(text, _members(places), _in_titles(places))


def _of_words(text: str, places: Sequence[Place]) -> str:
    """A string in Han without a character more than pairs make, at the side where nothing bears it out.

    Words have two characters most often. "市場關注美" that goes on with 伊 and 國 ends in half a word; what stands at
    the beginning and the end of pieces is left as it is, and what ends in a pair that is known as a word.
    """
    text = _without_edges(_without_empty(text))
    if len(text) < SHORTEST_CUT or len(text) % 2 == 0:
        return text
    is_first = any(start == 0 for _, start, _ in places)
    is_last = any(end == len(piece.atoms) for piece, _, end in places)
    if is_first and not is_last and not commonness(text[-2:]):
        return text[:-1]
    if is_last and not is_first and not commonness(text[:2]):
        return text[1:]
    return text


def _without_edges(text: str) -> str:
    """The string without characters that words seldom begin or end with, if their number is odd."""
    if len(text) > 2 and len(text) % 2 and text[0] in NOT_FIRST:
        text = text[1:]
    return text[:-1] if len(text) > 2 and len(text) % 2 and text[-1] in NOT_LAST else text


def _members(places: Sequence[Place]) -> set[int]:
    return set().union(*(piece.members for piece, _, _ in places))


def _in_titles(places: Sequence[Place]) -> set[int]:
    return set().union(*(piece.in_titles for piece, _, _ in places))


def _is_whole(text: str, place: Place) -> bool:
    """Whether a term in Thai or the like is long enough to be one, and cuts no syllable as far as its signs show."""
    piece, _, end = place
    following = piece.atoms[end] if end < len(piece.atoms) else " "
    is_cut = _NOT_FIRST_SIGN.match(text) or _NOT_FIRST_SIGN.match(following) or _NOT_LAST_SIGN.match(text[-1])
    return len(text) >= SHORTEST_SYLLABIC and not is_cut
