"""Labels of topics: the commonest entity, ": " and three terms, as a reader would write them. Pure.

    Geneva: talks, second round          with an entity (`entities`)
    interest rates, housing, mortgages   without
    港鐵：灣仔站、事故、列車服務         in Chinese and Japanese

Of a topic in several languages those members are read that are in the lead's. Without a term the label is the lead's
title, cut between words. Of two topics with one label, the second says one term more, or another entity, or a number.

Source: SPEC §12; strategy.md step 5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from digests.labels.casing import Casing
from digests.labels.entities import entities_of
from digests.labels.reading import Reading, reading_of
from digests.labels.scripts import has_no_spaces, has_wide_punctuation
from digests.labels.spaceless import spaceless_terms
from digests.labels.terms import spaced_terms
from digests.labels.topic_text import Member, TopicText
from digests.labels.units import plain, trimmed_title, words_of
from feeds.normalizing.text import shorten

MOST_CHARACTERS = 120
SHOWN_TERMS = 3  # SPEC §12
FEWEST_WORDS = 2  # of the label of a single article, whose title says more than one word of it
TITLE_CHARACTERS = 60  # of a title in place of a label
UNTITLED = "Untitled"

_NUMBER_CHARACTERS = 10  # that " (2)" may take


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a label is made of. `is_wide`: in Chinese or Japanese, with their punctuation."""

    entities: tuple[str, ...]
    terms: tuple[str, ...]
    title: str
    is_wide: bool


def label_topics(topics: Sequence[TopicText]) -> list[str]:
    """A label for each topic: never empty, at most 120 characters, no two the same."""
    readings = [reading_of(topic) for topic in topics]
    _share_casing(readings)
    taken: dict[str, _Parts] = {}
    labels = []
    for reading in readings:
        parts = _parts(reading)
        label = next(each for each in _options(parts, taken) if each.casefold() not in taken)
        taken[label.casefold()] = parts
        labels.append(label)
    return labels


def label_of(topic: TopicText) -> str:
    """The label of a topic by itself: never empty, at most 120 characters."""
    return _label(_parts(reading_of(topic)))


def _share_casing(readings: Sequence[Reading]) -> None:
    """Let topics in one language know how words are written in the others."""
    by_language: dict[str, list[Casing]] = {}
    for reading in readings:
        by_language.setdefault(reading.language, []).append(reading.casing)
    for language, several in by_language.items():
        window = Casing.joined(several, language)
        for casing in several:
            casing.window = window


def _options(parts: _Parts, taken: Mapping[str, _Parts]) -> Iterator[str]:
    """The label, then what may be said instead where it is taken."""
    label = _label(parts)
    yield label
    rival = taken.get(label.casefold())
    if parts.terms:
        shown = parts.terms[:SHOWN_TERMS]
        for term in parts.terms[SHOWN_TERMS:]:
            if rival is None or term not in rival.terms:
                yield _label(replace(parts, terms=(*shown, term)), len(shown) + 1)
        said = {word for part in (*parts.entities[:1], *shown) for word in words_of(part)}
        for entity in parts.entities[1:]:
            if said.isdisjoint(words_of(entity)) and (rival is None or entity not in rival.entities[:1]):
                both = f"{parts.entities[0]}{'、' if parts.is_wide else ', '}{entity}"
                yield _label(replace(parts, entities=(both,)))
    number = 2
    while True:
        yield f"{shorten(label, MOST_CHARACTERS - _NUMBER_CHARACTERS)} ({number})"
        number += 1


def _label(parts: _Parts, n_terms: int = SHOWN_TERMS) -> str:
    """The label with as many terms as have room; without any, the title."""
    colon, comma = ("：", "、") if parts.is_wide else (": ", ", ")
    before = f"{parts.entities[0]}{colon}" if parts.entities else ""
    for n_shown in range(min(n_terms, len(parts.terms)), 0, -1):
        label = before + comma.join(parts.terms[:n_shown])
        if len(label) <= MOST_CHARACTERS:
            return label
    return parts.title


def _parts(reading: Reading) -> _Parts:
    if not reading.members:
        return _Parts((), (), UNTITLED, is_wide=False)
    entities = entities_of(reading)
    first = reading.units[0].text if reading.units else ""
    terms_in = spaceless_terms if has_no_spaces(first) else spaced_terms
    terms = terms_in(reading, entities[0] if entities else None)
    if reading.n_read == 1 and not entities and len(" ".join(terms).split()) < FEWEST_WORDS and " " in first:
        terms = []
    return _Parts(
        tuple(entity.text for entity in entities),
        tuple(terms),
        _title(reading.members[0]),
        is_wide=has_no_spaces(first) and has_wide_punctuation(first),
    )


def _title(lead: Member) -> str:
    """The title, or the beginning of the text, cut between words."""
    for text in (trimmed_title(lead), plain(lead.title), plain(lead.text[:300])):
        if text := text.strip():
            cut = shorten(text, TITLE_CHARACTERS)
            return cut if cut == text else f"{cut.rstrip(' ,;:.-–—')}…"
    return UNTITLED
