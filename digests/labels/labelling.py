"""Labels of topics: the name in most articles, ": " and three terms. Pure, except for the models it loads.

    Geneva: talks, second round          with an entity (`entities`)
    interest rates, housing, mortgages   without
    港鐵：灣仔站、事故、列車服務         in Chinese and Japanese

Only members in the lead's language are read. Without a term the label is the lead's title, cut between words. If two
topics had the same label, the second gets one more term, another entity, or a number.

Source: SPEC §12; strategy.md step 5.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from digests.labels.entities import entities_of
from digests.labels.phrases import terms_of
from digests.labels.spaceless import is_spaceless
from digests.labels.tokens import Reading, read, trimmed_title
from digests.labels.topic_input import Member, TopicText
from feeds.normalizing.text import clean_title, shorten

MAX_CHARACTERS = 120
SHOWN_TERMS = 3  # SPEC §12
MIN_WORDS = 2  # in the label of a single article; otherwise its title says more
TITLE_CHARACTERS = 60  # of a title used as a label
UNTITLED = "Untitled"
_NUMBER_CHARACTERS = 10  # reserved for " (2)"
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")  # written with wide punctuation


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a label. `is_wide`: with Chinese or Japanese punctuation."""

    entities: tuple[str, ...]
    terms: tuple[str, ...]
    title: str
    is_wide: bool


def label_topics(topics: Sequence[TopicText]) -> list[str]:
    """A unique label of at most 120 characters for each topic."""
    labels: dict[str, str] = {}
    for reading in read(topics):
        label = next(option for option in _options(_parts(reading)) if option.casefold() not in labels)
        labels[label.casefold()] = label
    return list(labels.values())


def _options(parts: _Parts) -> Iterator[str]:
    """The label, then alternatives: with more terms, with another name, with a number."""
    label = _label(parts)
    yield label
    for n_terms in range(SHOWN_TERMS + 1, len(parts.terms) + 1):
        yield _label(parts, n_terms)
    for entity in parts.entities[1:]:
        both = f"{parts.entities[0]}{'、' if parts.is_wide else ', '}{entity}"
        if parts.terms and entity not in parts.terms:
            yield _label(replace(parts, entities=(both,)))
    for number in count(2):
        yield f"{shorten(label, MAX_CHARACTERS - _NUMBER_CHARACTERS)} ({number})"


def _label(parts: _Parts, n_terms: int = SHOWN_TERMS) -> str:
    """The label with as many terms as fit; without any, the title."""
    colon, comma = ("：", "、") if parts.is_wide else (": ", ", ")
    before = f"{parts.entities[0]}{colon}" if parts.entities else ""
    for n_shown in range(min(n_terms, len(parts.terms)), 0, -1):
        label = before + comma.join(parts.terms[:n_shown])
        if len(label) <= MAX_CHARACTERS:
            return label
    return parts.title


def _parts(reading: Reading) -> _Parts:
    if not reading.members:
        return _Parts((), (), UNTITLED, is_wide=False)
    entities = entities_of(reading)
    first = reading.lines[0].text if reading.lines else ""
    terms = terms_of(reading, entities[0] if entities else None)
    if len(reading.members) == 1 and not entities and len(" ".join(terms).split()) < MIN_WORDS and " " in first:
        terms = []
    return _Parts(
        tuple(entity.text for entity in entities),
        tuple(terms),
        _title(reading.members[0]),
        is_wide=is_spaceless(first) and _WIDE.search(first) is not None,
    )


def _title(lead: Member) -> str:
    """The title or the beginning of the text, cut between words."""
    for text in (trimmed_title(lead), clean_title(lead.title), clean_title(lead.text[:300])):
        if text:
            cut = shorten(text, TITLE_CHARACTERS)
            return cut if cut == text else f"{cut.rstrip(' ,;:.-–—')}…"
    return UNTITLED
