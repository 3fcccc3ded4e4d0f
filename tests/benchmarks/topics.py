"""Articles about something, that nobody wrote: `prose` with subjects, for what learning reads. Pure.

An article has a main topic and a lesser one. Four phrases in ten are of the main topic, two of the other, the rest are
anybody's; half the words of a topic's phrases are of its own 120. So articles of one topic share terms, as real ones
do, and a cosine with what a person likes is not noise. A third of the titles begin as titles of a genre do, so that the
judge of time sensitivity finds all its five classes.

Vectors of meaning are not computed by the model: an article's is the direction of its main topic, some of the other's,
and as much chance.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feeds.dedup.vectors import DIMENSIONS, stored_vectors
from tests.benchmarks.prose import Prose

N_TOPICS = 40
WORDS_A_TOPIC, PHRASES_A_TOPIC = 120, 400
N_PHRASES = 19  # of eight words each: some 150 words
OF_MAIN, OF_OTHER = 8, 4
OWN_WORDS = 0.5  # share of a topic's words in its phrases
OPENED = 0.33  # share of titles that begin as their genre does
OPENERS = (
    ("Live updates:", "Urgent:", "Evacuation order issued:", "Breaking:"),
    ("Police said today:", "Results tonight:", "Shares fell as", "Tomorrow:"),
    ("Talks and inquiry:", "Next month:", "Preview of", "Minister plans to"),
    ("The rise of", "In recent years:", "Analysis:", "Hands-on:"),
    ("How to", "A brief history of", "Explained: what is", "A recipe for"),
)
_LESSER, _CHANCE = 0.5, 1.0  # lengths beside the main topic's direction, which is 1


@dataclass(frozen=True, slots=True)
class Piece:
    """What an article says, and the numbers of its topics."""

    title: str
    text: str
    topic: int
    other: int


class Topics:
    """A source of articles, each another; `seed` decides which. Topics are the same for every seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._prose = Prose(seed)
        self.words = own_words()
        self._phrases = [[self._phrase(own) for _ in range(PHRASES_A_TOPIC)] for own in self.words]
        self._plain = [" ".join(self._prose.words(8)) for _ in range(20 * PHRASES_A_TOPIC)]

    def piece(self) -> Piece:
        topic, other = self._random.randrange(N_TOPICS), self._random.randrange(N_TOPICS)
        chosen = self._random.choices(self._phrases[topic], k=OF_MAIN)
        chosen += self._random.choices(self._phrases[other], k=OF_OTHER)
        chosen += self._random.choices(self._plain, k=N_PHRASES - len(chosen))
        self._random.shuffle(chosen)
        return Piece(self._title(topic), _sentences(chosen), topic, other)

    def _title(self, topic: int) -> str:
        words = self._random.sample(self.words[topic], 3) + self._prose.words(self._random.randint(3, 7))
        title = " ".join(words)
        if self._random.random() < OPENED:
            return f"{self._random.choice(self._random.choice(OPENERS))} {title}"
        return title[0].upper() + title[1:]

    def _phrase(self, own: Sequence[str]) -> str:
        plain = self._prose.words(8)
        return " ".join(self._random.choice(own) if self._random.random() < OWN_WORDS else word for word in plain)


def vectors(pieces: Sequence[Piece], seed: int) -> list[bytes]:
    """The meaning of each piece, as it is stored."""
    directions = _units(np.random.default_rng(0).normal(size=(N_TOPICS, DIMENSIONS)))
    chance = _units(np.random.default_rng(seed).normal(size=(len(pieces), DIMENSIONS)))
    found = directions[[piece.topic for piece in pieces]] + _CHANCE * chance
    found += _LESSER * directions[[piece.other for piece in pieces]]
    return stored_vectors(_units(found).astype(np.float32))


def _units(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


def own_words() -> list[list[str]]:
    """For each topic the words that only it has, but for those that two have by chance."""
    source = random.Random(0)
    return [[_word(source) for _ in range(WORDS_A_TOPIC)] for _ in range(N_TOPICS)]


def _word(source: random.Random) -> str:
    syllables = (source.choice("bdfgklmnprstvz") + source.choice("aeiou") for _ in range(source.randint(3, 4)))
    return "".join(syllables)


def _sentences(phrases: Sequence[str]) -> str:
    pairs = zip(phrases[::2], phrases[1::2], strict=False)
    return " ".join(f"{one[0].upper()}{one[1:]} {other}." for one, other in pairs)
