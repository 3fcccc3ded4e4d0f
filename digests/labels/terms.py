"""The terms of a label, the best first. Pure."""

from itertools import takewhile

from digests.labels.entities import Entity
from digests.labels.phrases import Phrases
from digests.labels.reading import Reading
from digests.labels.units import words_of
from digests.labels.word_choice import Tier, WordChoice

MOST_TERMS = 8  # three for the label, the others to tell it from another
ENOUGH_WORDS = 2  # in the label, from which on a verb by itself is no term: not "drones, refinery, burns"
ALIKE_PREFIX = 5  # letters that two words have in common at their beginning
ALIKE_SHARE = 0.75  # of the longer one, from which on they say the same: "Crimea", "Crimean"


def spaced_terms(reading: Reading, entity: Entity | None) -> list[str]:
    """At most eight terms, none of which repeats a word of another or of the entity."""
    barred = entity.stems(reading.language) if entity else frozenset[str]()
    choice = WordChoice(reading, barred)
    phrases = Phrases(reading, choice)
    words, stems, found = set(words_of(entity.text) if entity else ()), set(barred), list[str]()
    for stem, tier in choice.ranked():
        if stem in stems or len(found) == MOST_TERMS or (tier > Tier.TITLE and len(words) >= ENOUGH_WORDS):
            continue
        lows: tuple[str, ...] = (choice.form(stem),)
        text = reading.casing.cased(lows[0])
        phrase = phrases.best(stem, stems)
        if phrase and words.isdisjoint(phrase.lows):
            lows, text = phrase.lows, phrase.text(reading.casing)
            stems |= phrase.stems
        stems.add(stem)
        if not any(_are_alike(low, word) for low in lows for word in words):
            words.update(lows)
            found.append(text)
    return found


def _are_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    n_common = sum(1 for _ in pairs)
    return n_common >= ALIKE_PREFIX and n_common >= ALIKE_SHARE * max(len(one), len(other))
