"""Labels of topics: the name in most articles, ": " and three terms. Pure, except for the models it loads.

    Geneva: talks, second round          with an entity (`entities`)
    interest rates, housing, mortgages   without
    港鐵：灣仔站、事故、列車服務         in Chinese and Japanese

Only members in the lead's language are read. Without a term the label is the lead's title, cut between words. If two
topics had the same label, the second gets one more term, or a number.

Source: SPEC §12; strategy.md step 5.
"""

import re
from collections.abc import Iterator, Sequence
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


def label_topics(topics: Sequence[TopicText]) -> list[str]:
    """A unique label of at most 120 characters for each topic."""
    labels: dict[str, str] = {}
    for reading in read(topics):
        label = next(option for option in _options(reading) if option.casefold() not in labels)
        labels[label.casefold()] = label
    return list(labels.values())


def _options(reading: Reading) -> Iterator[str]:
    """The label, then alternatives with more terms, then with a number."""
    entity = next(iter(entities_of(reading)), None)
    terms = terms_of(reading, entity)
    first = reading.lines[0].text if reading.lines else ""
    if len(reading.members) == 1 and not entity and len(" ".join(terms).split()) < MIN_WORDS and " " in first:
        terms = []
    colon, comma = ("：", "、") if is_spaceless(first) and _WIDE.search(first) else (": ", ", ")
    before = f"{entity.text}{colon}" if entity else ""
    labels = [before + comma.join(terms[: n + 1]) for n in range(len(terms))]
    labels = [label for label in labels if len(label) <= MAX_CHARACTERS] or [_title(reading.members)]
    yield from labels[SHOWN_TERMS - 1 :] or labels[-1:]
    shortened = shorten(labels[:SHOWN_TERMS][-1], MAX_CHARACTERS - _NUMBER_CHARACTERS)
    yield from (f"{shortened} ({number})" for number in count(2))


def _title(members: Sequence[Member]) -> str:
    """The lead's title or the beginning of its text, cut between words."""
    for lead in members[:1]:
        for text in (trimmed_title(lead), clean_title(lead.title), clean_title(lead.text[:300])):
            if text:
                cut = shorten(text, TITLE_CHARACTERS)
                return cut if cut == text else f"{cut.rstrip(' ,;:.-–—')}…"
    return UNTITLED
