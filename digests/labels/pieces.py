"""Titles and texts in scripts without spaces, cut where no word goes on. Pure.

A piece ends at punctuation, numbers, characters of grammar and, in Japanese, at hiragana but for what belongs to a noun
("引き上げ"). It is made of atoms: characters, whole words in Latin letters, whole runs of katakana.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from digests.labels.units import Unit
from digests.labels.word_tables_han import GRAMMAR
from digests.topics.texts import stems

READ_CHARACTERS = 240  # of a text

# Inside a regular expression's brackets.
SYLLABIC = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
_OF_NOUNS = (
    f"(?<=[{HAN}])(?:[きりちいしみえけげせび](?=[{HAN}])|[げりみきけえ](?=[をがはにのでともへや、。]|$|[^ぁ-ん]))"
)
_ATOM = re.compile(
    rf"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9]*(?:[.&+'-][A-Za-z0-9]+)*|(?<![0-9])[0-9]++[A-Za-z][A-Za-z0-9]*"
    rf"|[{_KATAKANA}]+|(?![{GRAMMAR}])[{HAN}]|{_OF_NOUNS}|[{SYLLABIC}]"
)
_LATIN = re.compile("[A-Za-zÀ-ÿ0-9]")


@dataclass(slots=True)
class Piece:
    """What stands between two characters that no term grows over, in characters, Latin words and runs of katakana."""

    atoms: tuple[str, ...]
    members: set[int] = field(default_factory=set)
    in_titles: set[int] = field(default_factory=set)


Place = tuple[Piece, int, int]  # atoms[start:end] of a piece


def pairs_of(text: str) -> set[str]:
    """Pairs of characters; of what is in Latin letters the whole."""
    return {text} if text.isascii() else {text[at : at + 2] for at in range(len(text) - 1)}


def pieces_of(units: Sequence[Unit]) -> list[Piece]:
    """The different pieces of the titles and of the beginnings of the texts."""
    found: dict[tuple[str, ...], Piece] = {}
    for unit in units:
        for atoms in _cut(unit.text if unit.is_title else unit.text[:READ_CHARACTERS]):
            piece = found.setdefault(tuple(map(str.lower, atoms)), Piece(tuple(atoms)))
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
        between_latin = gap == " " and atoms and is_latin(match[0]) and is_latin(atoms[-1])
        if gap and not between_latin:
            yield atoms
            atoms, gap = [], ""
        atoms.append(gap + match[0])
        end = match.end()
    yield atoms


def index_of(pieces: Sequence[Piece], language: str) -> dict[str, list[Place]]:
    """For each stem the places of the atoms that it is made of."""
    index: defaultdict[str, list[Place]] = defaultdict(list)
    for piece in pieces:
        for at, atom in enumerate(piece.atoms):
            if is_latin(atom):
                for found in stems(atom.strip(), language):
                    index[found.stem].append((piece, at, at + 1))
                continue
            for pair in pairs_of(atom):
                index[pair].append((piece, at, at + 1))
            if at + 1 < len(piece.atoms) and not is_latin(piece.atoms[at + 1]):
                index[atom[-1] + piece.atoms[at + 1][0]].append((piece, at, at + 2))
    return index


def is_latin(atom: str) -> bool:
    """Whether it is a word in Latin letters, of whichever case, with or without a space before it."""
    return _LATIN.match(atom.lstrip()) is not None
