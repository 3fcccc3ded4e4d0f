"""Small topics written by hand, with the terms that their centroid would have."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from digests.labels import Member, TopicText, label_topics
from digests.topics.tokens import document_terms
from feeds.dedup.entity_tables import COUNTRIES

N_TERMS = 30

Names = dict[str, tuple[str, ...]]


def topic_in(
    language: str,
    *documents: str,
    people: str = "",
    organizations: str = "",
    places: str = "",
    sources: str = "Morning Post",
) -> TopicText:
    """A topic of documents, each `title | text`, the lead first.

    Of the names, given with commas between, each member has those whose last word, or a known spelling of which, it
    has. Its source is the one of `sources`, with commas between, in turn; the domain is the source's without spaces.
    """
    every = {"people": _split(people), "organizations": _split(organizations), "places": _split(places)}
    all_sources = _split(sources) or [""]
    members = [
        member(document, language, every, all_sources[n % len(all_sources)]) for n, document in enumerate(documents)
    ]
    return TopicText(members, centroid_of(members))


def member(document: str, language: str, names: dict[str, list[str]], source: str) -> Member:
    title, _, text = document.partition(" | ")
    read = document.lower()
    found = {kind: tuple(name for name in several if _names_it(read, name)) for kind, several in names.items()}
    publisher = f"{''.join(source.lower().split())}.example" if source else ""
    return Member(title, text, language, source, publisher, found)


def centroid_of(members: Sequence[Member]) -> list[tuple[str, float]]:
    """The heaviest stems of the mean of the members' term counts, each of length 1."""
    total: Counter[str] = Counter()
    for each in members:
        counts = document_terms(each.title, each.text, each.language)
        length = math.sqrt(sum(n * n for n in counts.values())) or 1
        for stem, n in counts.items():
            total[stem] += n / length / len(members)
    return sorted(total.items(), key=lambda term: (-round(term[1], 9), term[0]))[:N_TERMS]


def _names_it(read: str, name: str) -> bool:
    spellings = [spelling for spelling, known in COUNTRIES.items() if known == name and len(spelling) > 1]
    return name.split()[-1] in read or any(spelling in read for spelling in spellings)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def parts_of(label: str) -> Iterable[str]:
    """The entity, if there is one, and the terms of a label in a language with spaces."""
    entity, colon, terms = label.rpartition(": ")
    return [entity, *terms.split(", ")] if colon else terms.split(", ")


def label_of(topic: TopicText) -> str:
    """The label of a topic by itself."""
    return label_topics([topic])[0]
