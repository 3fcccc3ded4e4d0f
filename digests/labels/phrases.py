"""Terms of a topic as a reader would write them: words as they stand in the texts, neighbours joined to phrases. Pure.

Theory. The centroid has stems: "rate", "interest", "hike". What a reader would write stands in the texts: "interest
rates". So stems that stand next to each other in a good part of the places where either stands are one phrase, up to
three words, which may hold an "of" or "de" between them; and a stem of a recognized name of several words is that name
("York" alone is none). A stem alone is the form of it that titles use most.

Of the stems those come first that weigh most, in many members, and in titles. Stop words, verbs of reporting and words
of web pages make no term; words of time and quantity only within a phrase, or where nothing else is left.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from digests.labels.casing import Casing
from digests.labels.reading import Reading
from digests.labels.units import Unit, Word
from digests.labels.word_choice import WordChoice
from digests.labels.word_kinds import is_participle, is_weak, makes_sentence, may_begin, may_end, may_join
from digests.labels.word_tables import CONNECTORS, WEAK

MOST_WORDS = 3  # of a phrase that say something
LEAST_SUPPORT = 0.4  # share of the units with a term that have the phrase, from which on it is shown in the phrase
LONGER_SUPPORT = 0.6  # share of the units with a phrase that have a longer one, from which on that is shown
LONGEST_PHRASE = 50  # characters

_PARTING = re.compile(r"[()\[\]{}<>\"“”„«»|:;!?]")
_MOST_CONNECTORS = 2  # in a row: "de la"
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,2})?")  # after a name: "Windows 11", "Ubuntu 26.04"


@dataclass(slots=True)
class Phrase:
    """Words that stand together: the stems that they are made of, and the places, `words[start:end]` of units."""

    stems: frozenset[str]
    places: list[tuple[Unit, int, int]] = field(default_factory=list)

    @property
    def n_units(self) -> int:
        return len({id(unit) for unit, _, _ in self.places})

    @property
    def members(self) -> set[int]:
        return {unit.member for unit, _, _ in self.places}

    @property
    def in_titles(self) -> set[int]:
        return {unit.member for unit, _, _ in self.places if unit.is_title}

    @property
    def lows(self) -> tuple[str, ...]:
        """Its words in lower case, in the form that stands there most."""
        unit, start, end = self._commonest()
        return tuple(word.low for word in unit.words[start:end])

    def text(self, casing: Casing) -> str:
        """The phrase as it is shown."""
        unit, start, end = self._commonest()
        first, *others = unit.words[start:end]
        parts, last = [casing.cased(first.low)], first.end
        for word in others:
            parts += [unit.text[last : word.start].lower(), casing.cased(word.low)]
            last = word.end
        return "".join(parts)

    def _commonest(self) -> tuple[Unit, int, int]:
        forms = Counter(tuple(word.low for word in unit.words[start:end]) for unit, start, end in self.places)
        best = max(forms, key=lambda form: forms[form])
        return next(
            (unit, start, end)
            for unit, start, end in self.places
            if tuple(word.low for word in unit.words[start:end]) == best
        )


class Phrases:
    """The phrases that a topic's terms stand in."""

    def __init__(self, reading: Reading, choice: WordChoice) -> None:
        self._reading, self._choice = reading, choice
        self._connectors = CONNECTORS.get(reading.language, frozenset())
        self._by_key: dict[tuple[str, ...], Phrase] = {}
        for unit in reading.units:
            for chain in self._chains(unit.words):
                self._add_windows(unit, chain)
        for name in reading.long_names():
            self._add_name(name)
        self._by_stem: defaultdict[str, list[Phrase]] = defaultdict(list)
        for phrase in self._by_key.values():
            for stem in phrase.stems:
                self._by_stem[stem].append(phrase)

    def best(self, stem: str, used: AbstractSet[str]) -> Phrase | None:
        """The phrase that a stem is shown in, with none of the used stems; None when it is shown alone."""
        fit = [phrase for phrase in self._by_stem.get(stem, ()) if self._is_fit(phrase, stem, used)]
        if not fit:
            return None
        best = max(fit, key=self._rank)
        longer = [each for each in fit if each.stems > best.stems and each.n_units >= LONGER_SUPPORT * best.n_units]
        return max(longer, key=self._rank, default=best)

    def _is_fit(self, phrase: Phrase, stem: str, used: AbstractSet[str]) -> bool:
        if not used.isdisjoint(phrase.stems) or phrase.n_units < LEAST_SUPPORT * self._choice.n_units(stem):
            return False
        if (
            len(phrase.members) < 2
            and phrase.lows[-1] in WEAK
            and self._reading.casing.cased(phrase.lows[-1]).islower()
        ):
            return False
        least = min(2, self._choice.n_members(stem))
        is_shared = len(phrase.members) >= least and (least == 2 or bool(phrase.in_titles))
        return is_shared and not self._reading.sources.bar(phrase.lows, phrase.members, phrase.in_titles)

    def _rank(self, phrase: Phrase) -> tuple[int, float]:
        return phrase.n_units, self._choice.weight(phrase.stems)

    def _chains(self, words: Sequence[Word]) -> Iterator[list[int]]:
        """Places of words in a row that make terms, with at most some connectors between two of them."""
        chain: list[int] = []
        for at, word in enumerate(words):
            if chain and not (word.joined and not word.begins):
                yield chain
                chain = []
            if self._choice.makes_terms(word) or (chain and chain[-1] == at - 1 and _is_number_of(words[at - 1], word)):
                chain.append(at)
            elif chain and not (word.low in self._connectors and at - chain[-1] <= _MOST_CONNECTORS):
                yield chain
                chain = []
        yield chain

    def _add_windows(self, unit: Unit, chain: Sequence[int]) -> None:
        for first in range(len(chain)):
            for last in range(first + 1, min(first + MOST_WORDS, len(chain))):
                places = chain[first : last + 1]
                goes_on = places[-1] + 1 in chain
                if self._reads_well(unit, places, goes_on=goes_on):
                    self._add(unit, places[0], places[-1] + 1, [unit.words[at] for at in places])

    def _reads_well(self, unit: Unit, places: Sequence[int], *, goes_on: bool) -> bool:
        """Whether the words at these places are a noun with what belongs to it, as far as anybody can tell.

        `goes_on`: more words follow, of which a participle at the end would be the verb ("ship carrying oil").
        """
        words = [unit.words[at] for at in places]
        first, *inner, last = words
        language, casing = self._reading.language, self._reading.casing
        if not first.stems or not may_begin(first.low, language) or not may_end(last.low, language):
            return False
        if goes_on and is_participle(last.low, language):
            return False
        if is_weak(first.low) and places[1] > places[0] + 1:  # "day of …"
            return False
        if language == "de" and (_is_oblique(casing.cased(first.low)) or casing.cased(last.low).islower()):
            return False
        if makes_sentence(casing.cased(first.low), words[1].low):
            return False
        return all(may_join(word.low, language) for word in inner) and any(
            word.stems and not is_weak(word.low) for word in words
        )

    def _add_name(self, name: tuple[str, ...]) -> None:
        key = f" {' '.join(name)} "
        for unit in self._reading.units:
            if key in unit.key:
                lows = tuple(word.low for word in unit.words)
                for at in range(len(lows) - len(name) + 1):
                    if lows[at : at + len(name)] == name and not _is_parted(unit, at, at + len(name)):
                        self._add(unit, at, at + len(name), unit.words[at : at + len(name)])

    def _add(self, unit: Unit, start: int, end: int, words: Sequence[Word]) -> None:
        key = tuple(" ".join(word.stems) or word.low for word in words)
        length = unit.words[end - 1].end - unit.words[start].start
        if length > LONGEST_PHRASE or len(set(key)) < len(key):
            return
        phrase = self._by_key.setdefault(key, Phrase(frozenset(stem for word in words for stem in word.stems)))
        if (unit, start, end) not in phrase.places[-1:]:
            phrase.places.append((unit, start, end))


def _is_parted(unit: Unit, start: int, end: int) -> bool:
    """Whether brackets, quotation marks or the like are between the words, so that they make no name."""
    return _PARTING.search(unit.text[unit.words[start].start : unit.words[end - 1].end]) is not None


def _is_number_of(name: Word, number: Word) -> bool:
    return name.text[:1].isupper() and _NUMBER.fullmatch(number.low) is not None


def _is_oblique(word: str) -> bool:
    """Whether a German word is an adjective in a case that does not stand alone: "höheren"."""
    return word.islower() and word.endswith(("en", "em"))
