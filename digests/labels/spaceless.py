"""Terms of topics in scripts without spaces, where a stem is a pair of characters and no word. Pure.

Theory. A pair of characters that weighs much is part of a word that stands in the titles. From each such pair a string
is grown, character by character to either side, as long as most of the different places where it stands go on in the
same way: "灣仔" goes on with 站 nearly always, "灣仔站" with 附, with 事, or ends, so the word is 灣仔站. Pieces of
text that are the same count as one place, or a headline that is copied would look like one word.

Nothing grows over punctuation, numbers, characters of grammar or, in Japanese, hiragana but for what belongs to a noun
("引き上げ"); Latin words and runs of katakana are taken whole. What stands in one place only is taken to its ends, if
they are near enough to be read as one term.

Thai, Lao, Khmer and Burmese are the same with longer strings, that begin and end where their vowel signs allow it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from digests.labels.entities import Entity
from digests.labels.reading import Reading
from digests.labels.units import Unit
from digests.labels.word_tables_han import EMPTY, GRAMMAR, NOT_FIRST, NOT_LAST
from digests.topics.texts import stems

LONGEST = 8  # characters of a term
SHORTEST_CUT = 5  # characters, from which on an odd number of them is one too many
LONGEST_SYLLABIC, SHORTEST_SYLLABIC = 24, 4  # in Thai, Lao, Khmer, Burmese
GOES_ON = 0.6  # share of the places of a string, from which on it grows
READ_CHARACTERS = 240  # of a text
NO_TITLE_FACTOR = 0.5  # for stems that no title has
READ_TERMS = 40  # the heaviest of a topic
MOST_TERMS = 8  # three for the label, the others to tell it from another

_SYLLABIC = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_NOT_FIRST_SIGN = re.compile("[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3]")
_NOT_LAST_SIGN = re.compile("[\u0e40-\u0e44\u0ec0-\u0ec4]")  # vowels that stand before their consonant
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
_OF_NOUNS = (
    f"(?<=[{_HAN}])(?:[きりちいしみえけげせび](?=[{_HAN}])|[げりみきけえ](?=[をがはにのでともへや、。]|$|[^ぁ-ん]))"
)
_ATOM = re.compile(
    rf"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9]*(?:[.&+'-][A-Za-z0-9]+)*|[0-9]+[A-Za-z][A-Za-z0-9]*"
    rf"|[{_KATAKANA}]+|(?![{GRAMMAR}])[{_HAN}]|{_OF_NOUNS}|[{_SYLLABIC}]"
)
_IS_LATIN = re.compile("[A-Za-zÀ-ÿ0-9]")
_IS_SYLLABIC = re.compile(f"[{_SYLLABIC}]")


@dataclass(slots=True)
class _Piece:
    """What stands between two characters that no term grows over, in characters, Latin words and runs of katakana."""

    atoms: tuple[str, ...]
    members: set[int] = field(default_factory=set)
    in_titles: set[int] = field(default_factory=set)


_Place = tuple[_Piece, int, int]  # atoms[start:end] of a piece


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    members: set[int]
    in_titles: set[int]


def spaceless_terms(reading: Reading, entity: Entity | None) -> list[str]:
    """At most eight terms, the best first, none of which shares two characters with another or with the entity."""
    index = _index(_pieces(reading.units), reading.language)
    weights = {
        stem: weight * (1 if any(piece.in_titles for piece, _, _ in index[stem]) else NO_TITLE_FACTOR)
        for stem, weight in reading.terms[:READ_TERMS]
        if stem in index
    }
    grown = [_grown(index[stem]) for stem in sorted(weights, key=lambda stem: -weights[stem])]
    bar = reading.sources.bar
    several = [term for term in grown if term and not bar([term.text.lower()], term.members, term.in_titles)]
    shared = [term for term in several if len(term.members) >= min(2, reading.n_read)]
    return _apart(shared or several, [*entity.forms, entity.text] if entity else [])


def _apart(found: Sequence[_Term], entity: Collection[str]) -> list[str]:
    """The terms without the entity and without those that share characters with one before."""
    kept: list[str] = []
    taken = {pair for form in entity for pair in _pairs(form.lower())}
    for term in found:
        text = _without(term.text, entity)
        if len(text) < 2 or text.lower() in EMPTY or not taken.isdisjoint(pairs := _pairs(text.lower())):
            continue
        kept.append(text)
        taken |= pairs
        if len(kept) == MOST_TERMS:
            break
    return kept


def _pairs(text: str) -> set[str]:
    """Pairs of characters; of what is in Latin letters the whole."""
    return {text} if text.isascii() else {text[at : at + 2] for at in range(len(text) - 1)}


def _without(text: str, entity: Collection[str]) -> str:
    """The term without the entity, empty words, and characters of half a word before and behind it."""
    for form in sorted((*entity, *EMPTY), key=len, reverse=True):
        if len(text) > len(form) and not form.isascii():
            text = text.removeprefix(form).removesuffix(form)
    if len(text) > 2:
        text = text.lstrip(NOT_FIRST) if len(text) % 2 else text
        text = text.rstrip(NOT_LAST) if len(text) % 2 else text
    return text.strip()


def _pieces(units: Sequence[Unit]) -> list[_Piece]:
    """The different pieces of the titles and of the beginnings of the texts."""
    found: dict[tuple[str, ...], _Piece] = {}
    for unit in units:
        for atoms in _cut(unit.text if unit.is_title else unit.text[:READ_CHARACTERS]):
            piece = found.setdefault(tuple(map(str.lower, atoms)), _Piece(tuple(atoms)))
            piece.members.add(unit.member)
            if unit.is_title:
                piece.in_titles.add(unit.member)
    return list(found.values())


def _cut(text: str) -> Iterator[list[str]]:
    """The atoms of each piece; of two Latin words the second keeps the space before it."""
    atoms: list[str] = []
    end = 0
    for match in _ATOM.finditer(text):
        gap = text[end : match.start()]
        between_latin = gap == " " and atoms and _IS_LATIN.match(match[0]) and _IS_LATIN.match(atoms[-1].strip())
        if gap and not between_latin:
            yield atoms
            atoms, gap = [], ""
        atoms.append(gap + match[0])
        end = match.end()
    yield atoms


def _index(pieces: Sequence[_Piece], language: str) -> dict[str, list[_Place]]:
    """For each stem the places of the atoms that it is made of."""
    index: defaultdict[str, list[_Place]] = defaultdict(list)
    for piece in pieces:
        for at, atom in enumerate(piece.atoms):
            if _IS_LATIN.match(atom.strip()):
                for found in stems(atom.strip(), language):
                    index[found.stem].append((piece, at, at + 1))
                continue
            for pair in _pairs(atom):
                index[pair].append((piece, at, at + 1))
            if at + 1 < len(piece.atoms) and not _IS_LATIN.match(piece.atoms[at + 1].strip()):
                index[atom[-1] + piece.atoms[at + 1][0]].append((piece, at, at + 2))
    return index


def _grown(places: Sequence[_Place]) -> _Term | None:
    """The string that most of the places of a stem belong to; None when it has no end that is near enough."""
    while True:
        after = Counter(piece.atoms[end].lower() if end < len(piece.atoms) else "" for piece, _, end in places)
        before = Counter(piece.atoms[start - 1].lower() if start else "" for piece, start, _ in places)
        (next_one, n_after), (last_one, n_before) = after.most_common(1)[0], before.most_common(1)[0]
        least = GOES_ON * len(places)
        if next_one and n_after >= least and (n_after >= n_before or not last_one):
            places = [(p, s, e + 1) for p, s, e in places if e < len(p.atoms) and p.atoms[e].lower() == next_one]
        elif last_one and n_before >= least:
            places = [(p, s - 1, e) for p, s, e in places if s and p.atoms[s - 1].lower() == last_one]
        else:
            return _term(places)
        if _length(places[0]) > (LONGEST_SYLLABIC if _IS_SYLLABIC.match(places[0][0].atoms[0]) else LONGEST):
            return None


def _length(place: _Place) -> int:
    piece, start, end = place
    return sum(1 if _IS_LATIN.match(atom.strip()) else len(atom) for atom in piece.atoms[start:end])


def _term(places: Sequence[_Place]) -> _Term | None:
    places = _within_words(places)
    forms = Counter("".join(piece.atoms[start:end]).strip() for piece, start, end in places)
    text = forms.most_common(1)[0][0]
    if _IS_SYLLABIC.match(text) and not _is_whole(text, places[0]):
        return None
    members = set().union(*(piece.members for piece, _, _ in places))
    return _Term(text, members, set().union(*(piece.in_titles for piece, _, _ in places)))


def _within_words(places: Sequence[_Place]) -> list[_Place]:
    """The places without a character more than pairs make, at the side where no piece bears the term out.

    Words have two characters most often. "市場關注美" that goes on with 伊 and 國 ends in half a word; what stands at
    the beginning and the end of pieces is left as it is.
    """
    piece, start, end = places[0]
    is_han = all(len(atom) == 1 and not _IS_LATIN.match(atom) for atom in piece.atoms[start:end])
    if is_han and end - start >= SHORTEST_CUT and (end - start) % 2 and not _IS_SYLLABIC.match(piece.atoms[start]):
        is_first = any(start == 0 for _, start, _ in places)
        is_last = any(end == len(piece.atoms) for piece, _, end in places)
        if is_first and not is_last:
            return [(piece, start, end - 1) for piece, start, end in places]
        if is_last and not is_first:
            return [(piece, start + 1, end) for piece, start, end in places]
    return list(places)


def _is_whole(text: str, place: _Place) -> bool:
    """Whether a term in Thai or the like is long enough to be one, and cuts no syllable as far as its signs show."""
    piece, _, end = place
    following = piece.atoms[end] if end < len(piece.atoms) else " "
    is_cut = _NOT_FIRST_SIGN.match(text) or _NOT_FIRST_SIGN.match(following) or _NOT_LAST_SIGN.match(text[-1])
    return len(text) >= SHORTEST_SYLLABIC and not is_cut
