"""All layers over documents in memory: what the program does with a database, for measuring and for tests. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

from feeds.dedup import policies
from feeds.dedup.events import Account, account_of
from feeds.dedup.grouping import Member, stories
from feeds.dedup.meaning import vectors_of
from feeds.dedup.name_models import names_of
from feeds.dedup.subject import Subject, strongest, subject_of
from feeds.dedup.vectors import vector_from
from feeds.dedup.window import EventWindow, NearWindow
from feeds.normalizing.canonical_url import canonical_url, key_of_canonical
from feeds.normalizing.domains import registrable_domain

POLICIES = tuple(policies.POLICIES)
_UNDATED = datetime(2000, 1, 1, tzinfo=UTC)  # documents without a date are taken for simultaneous


@dataclass(frozen=True, slots=True)
class Document:
    """An article in a labelled file. `text` is plain; `published_at` aware, None unknown; `source` the publisher."""

    title: str
    text: str = ""
    url: str = ""
    published_at: datetime | None = None
    source: str = ""
    language: str = ""


def group(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
    """The number of each document's story under a policy. `events`: whether layer 5 is asked too."""
    chosen = policies.POLICIES[policy]
    pages = _pages(documents)
    firsts = sorted(set(pages))
    ties = NearWindow(chosen).ties({n: _subject(documents[n]) for n in firsts})
    members = [Member(n, _order(documents[n])) for n in firsts]
    if events and chosen.names_events:
        accounts = _accounts(documents, firsts)
        events_found = EventWindow().ties(accounts)
        ties = {
            pair: strongest([each[pair] for each in (ties, events_found) if pair in each])
            for pair in ties.keys() | events_found.keys()
        }
        members = [Member(n, _order(documents[n]), accounts[n].language, accounts[n].salient) for n in firsts]
    numbers = {n: number for number, story in enumerate(stories(members, ties)) for n in story}
    return [numbers[page] for page in pages]


def _pages(documents: Sequence[Document]) -> list[int]:
    """For each document the fullest of those at its canonical URL (layer 2), itself where there is no URL."""
    fullest: dict[bytes, int] = {}
    keys = [key_of_canonical(canonical_url(each.url)) if each.url else b"" for each in documents]
    for n, key in enumerate(keys):
        best = fullest.get(key)
        if key and (best is None or len(documents[n].text) > len(documents[best].text)):
            fullest[key] = n
    return [fullest[key] if key else n for n, key in enumerate(keys)]


def _subject(document: Document) -> Subject:
    return subject_of(
        title=document.title,
        text=document.text,
        language=document.language,
        domain=registrable_domain(document.url) if document.url else document.source or document.title,
        source_names=(document.source,) if document.source else (),
        published_at=document.published_at or _UNDATED,
    )


def _order(document: Document) -> tuple[datetime, bytes]:
    content = f"{document.url}\0{document.title}\0{document.text}".encode("utf-8", "replace")
    return document.published_at or _UNDATED, blake2b(content, digest_size=16).digest()


def _accounts(documents: Sequence[Document], chosen: Sequence[int]) -> dict[int, Account]:
    read = [documents[n] for n in chosen]
    names = names_of([(each.title, each.text, each.language) for each in read])
    vectors = vectors_of([(each.title, each.text) for each in read])
    return {
        n: account_of(
            title=each.title,
            text=each.text,
            language=each.language,
            names=named,
            vector=vector_from(vector),
            published_at=each.published_at or _UNDATED,
        )
        for n, each, named, vector in zip(chosen, read, names, vectors, strict=True)
    }
