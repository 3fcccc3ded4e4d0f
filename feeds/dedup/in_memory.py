"""Deduplicates documents in memory, as the stages do in the database: for evaluation and tests. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

import numpy as np

from feeds.dedup import near_duplicate_policies
from feeds.dedup.clustering import Member, group_into_stories
from feeds.dedup.comparable import BlockingKey, Match, Subject, publisher_of, strongest, subject_of, versions_of
from feeds.dedup.embeddings import vectors_of
from feeds.dedup.entity_models import names_of
from feeds.dedup.events import (
    MIN_MEANING_ACROSS_LANGUAGES,
    MIN_SHARED_KEYS,
    EventProfile,
    event_keys,
    event_profile_of,
    match_events,
    meaning_keys,
    min_meaning,
)
from feeds.dedup.exact_policy import Part, are_parts
from feeds.dedup.vectors import vector_from
from feeds.normalizing.canonical_url import canonical_url, key_of_canonical
from feeds.normalizing.identity import fragment_of
from feeds.publishers.hosts import publisher_at

POLICIES = tuple(near_duplicate_policies.POLICIES)
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)  # documents without a date count as simultaneous
_ROWS = 500  # vectors compared with all others at once

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """An article in a labelled file. `text` is plain; `published_at` aware, None unknown; `source` the publisher."""

    title: str
    text: str = ""
    url: str = ""
    published_at: datetime | None = None
    source: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Stories:
    """The number of each document's story, and the matches of pairs of documents, the smaller number first."""

    numbers: list[int]
    matches: dict[Pair, Match]


def group(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
    """The number of each document's story under a policy. `events`: whether layer 5 runs too."""
    return find_stories(documents, policy=policy, events=events).numbers


def find_stories(documents: Sequence[Document], *, policy: str, events: bool) -> Stories:
    """The stories under a policy, with their evidence. `events`: whether layer 5 runs too."""
    chosen = near_duplicate_policies.POLICIES[policy]
    pages = _pages(documents)
    firsts = sorted(set(pages))
    matches = near_duplicates({n: _subject(documents[n]) for n in firsts}, chosen)
    members = [Member(n, _order(documents[n]), publisher=publisher_of_document(documents[n])) for n in firsts]
    if events and chosen.names_events:
        profiles = profiles_of(documents, firsts)
        of_events = same_events(profiles)
        matches = {
            pair: strongest([scores[pair] for scores in (matches, of_events) if pair in scores])
            for pair in matches.keys() | of_events.keys()
        }
        members = [
            Member(n, _order(documents[n]), profiles[n].language, profiles[n].salient, profiles[n].publisher)
            for n in firsts
        ]
    numbers = {n: number for number, story in enumerate(group_into_stories(members, matches)) for n in story}
    return Stories([numbers[page] for page in pages], matches)


def near_duplicates(subjects: Mapping[int, Subject], policy: near_duplicate_policies.Policy) -> dict[Pair, Match]:
    """The matches of layers 3 and 4 between candidates, the smaller number of a pair first."""
    owners: dict[int, list[tuple[int, BlockingKey]]] = defaultdict(list)
    only_title: dict[Pair, bool] = {}
    for number, subject in sorted(subjects.items()):
        for key in {key.value: key for key in policy.keys(subject)}.values():
            for other, theirs in owners[key.value]:
                if abs(subject.published_at - subjects[other].published_at) > policy.window:
                    continue
                if key.bits is None or theirs.bits is None or (key.bits ^ theirs.bits).bit_count() <= key.most_apart:
                    only_title[other, number] = only_title.get((other, number), True) and key.is_of_title
            owners[key.value].append((number, key))
    matches = {
        (one, other): policy.compare(subjects[one], subjects[other])
        for (one, other), is_title in only_title.items()
        if not is_title or policy.titles_match(subjects[one], subjects[other])
    }
    return {pair: match for pair, match in matches.items() if match is not None}


def same_events(profiles: Mapping[int, EventProfile]) -> dict[Pair, Match]:
    """The matches of layer 5, the smaller number of a pair first."""
    matches = {pair: match_events(profiles[pair[0]], profiles[pair[1]]) for pair in event_candidates(profiles)}
    return {pair: match for pair, match in matches.items() if match is not None}


def event_candidates(profiles: Mapping[int, EventProfile]) -> list[Pair]:
    """The pairs that layer 5 compares, sorted."""
    owners: dict[int, list[int]] = defaultdict(list)
    pairs = _alike_in_meaning(profiles)
    for number, profile in sorted(profiles.items()):
        keys = event_keys(profile)
        shared = Counter(other for value in keys for other in owners[value])
        pairs |= {(other, number) for other, n in shared.items() if n >= MIN_SHARED_KEYS}
        for value in keys:
            owners[value].append(number)
    return sorted(pairs)


def _alike_in_meaning(profiles: Mapping[int, EventProfile]) -> set[Pair]:
    """The pairs that share a cell of meaning and are similar enough."""
    vectors = {n: profile.vector for n, profile in profiles.items() if profile.vector is not None}
    owners: dict[int, list[int]] = defaultdict(list)
    for number in sorted(vectors):
        for cell in meaning_keys(profiles[number]):
            owners[cell].append(number)
    pairs: set[Pair] = set()
    for numbers in owners.values():
        matrix = np.vstack([vectors[n] for n in numbers])
        for start in range(0, len(numbers), _ROWS):
            cosines = matrix[start : start + _ROWS] @ matrix.T
            for a, b in np.argwhere(cosines >= MIN_MEANING_ACROSS_LANGUAGES).tolist():
                one, other = numbers[start + a], numbers[b]
                least = min_meaning(profiles[one].language, profiles[other].language)
                if one < other and cosines[a, b] >= least:
                    pairs.add((one, other))
    return pairs


def _pages(documents: Sequence[Document]) -> list[int]:
    """For each document the fullest of those at its canonical URL (layer 2), itself where there is no URL.

    Parts of a page, such as the comments on a post, are pages of their own (`exact_policy`).
    """
    of_key: dict[bytes, list[list[int]]] = defaultdict(list)
    pages: dict[int, list[int]] = {}
    for n, document in enumerate(documents):
        url = canonical_url(document.url) if document.url else ""
        parts = of_key[key_of_canonical(url)] if url else []
        versions = next((part for part in parts if not _are_parts(document, documents[part[0]])), None)
        if versions is None:
            versions = []
            parts.append(versions)
        versions.append(n)
        pages[n] = versions
    return [max(pages[n], key=lambda m: (len(documents[m].text), -m)) for n in range(len(documents))]


def _are_parts(one: Document, other: Document) -> bool:
    return are_parts(_as_part(one), _as_part(other))


def _as_part(document: Document) -> Part:
    return Part(document.title, document.text, fragment_of(document.url))


def _subject(document: Document) -> Subject:
    return subject_of(
        title=document.title,
        text=document.text,
        language=document.language,
        publisher=publisher_of_document(document),
        source_names=(document.source,) if document.source else (),
        published_at=document.published_at or _UNDATED,
        versions=versions_of(document.url),
    )


def publisher_of_document(document: Document) -> str:
    """The publisher of a document as `publisher_of` returns it, "" unknown."""
    domain = publisher_at(document.url) if document.url else ""
    return publisher_of(url=document.url, domain=domain, name=document.source)


def _order(document: Document) -> tuple[datetime, bytes]:
    content = f"{document.url}\0{document.title}\0{document.text}".encode("utf-8", "replace")
    return document.published_at or _UNDATED, blake2b(content, digest_size=16).digest()


def profiles_of(documents: Sequence[Document], chosen: Sequence[int]) -> dict[int, EventProfile]:
    """What layer 5 compares of the chosen documents."""
    selected = [documents[n] for n in chosen]
    names = names_of([(document.title, document.text, document.language) for document in selected])
    vectors = vectors_of([(document.title, document.text) for document in selected])
    return {
        n: event_profile_of(
            title=document.title,
            text=document.text,
            language=document.language,
            names=document_names,
            vector=vector_from(vector),
            published_at=document.published_at or _UNDATED,
            publisher=publisher_of_document(document),
        )
        for n, document, document_names, vector in zip(chosen, selected, names, vectors, strict=True)
    }
