"""The features of an article to compare, and the match of two articles. Pure data."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from feeds.dedup.fingerprints import Fingerprint, fingerprint_of
from feeds.dedup.titles import Title, title_of
from feeds.normalizing.han import simplified

_BETWEEN_WORDS = re.compile("[-_+]+")
_LONG_NUMBER = re.compile(r"\d{5}")


@dataclass(frozen=True, slots=True)
class Subject:
    """What layers 3 and 4 compare of an article.

    `publisher`: as returned by `publisher_of`. `fingerprint`: None if the text is too short. `versions`: what later
    versions of one item have in common (`versions_of`).
    """

    title: Title
    publisher: str
    published_at: datetime
    fingerprint: Fingerprint | None
    versions: frozenset[str] = frozenset()


def subject_of(
    *,
    title: str,
    text: str,
    language: str,
    publisher: str,
    source_names: tuple[str, ...],
    published_at: datetime,
    versions: frozenset[str] = frozenset(),
) -> Subject:
    """The subject of an article. `source_names`: names of its publisher that may follow its title."""
    return Subject(
        title_of(simplified(title, language), language=language, source_names=source_names),
        publisher,
        published_at,
        fingerprint_of(simplified(text, language), language=language),
        versions,
    )


def publisher_of(*, url: str, domain: str, name: str) -> str:
    """The publisher of an article: the publisher at its URL (`domain`), or without URL the source's name; "" unknown.

    Source: SPEC §6, layer 5.
    """
    return (domain or name) if url else (name or domain)


def is_one_publisher(ours: str, theirs: str) -> bool:
    """Whether two articles have the same publisher; unknown ones count as different."""
    return bool(ours) and ours == theirs


def versions_of(url: str, guids: Iterable[str] = ()) -> frozenset[str]:
    """What an item and its replacement have in common: the URL's path and the guid's family.

    Only paths with a slug of three words or a long number count, not "/" or "/article.php". A guid's family is the part
    before "#" ("…/news/123#0", "…/news/123#1").
    """
    path = urlsplit(url).path.rstrip("/").lower()
    families = {f"guid:{family}" for family, mark, _ in (guid.partition("#") for guid in guids) if family and mark}
    return frozenset(families | {f"path:{path}"} if _names_a_page(path.rpartition("/")[2]) else families)


def _names_a_page(segment: str) -> bool:
    return len(list(filter(None, _BETWEEN_WORDS.split(segment)))) >= 3 or _LONG_NUMBER.search(segment) is not None


class BlockingKey(NamedTuple):
    """Articles with the same `value` that were published within `window` are worth comparing.

    `bits`: 64 bits that summarize what the key is a part of (a SimHash, the words of a title), or None. Articles whose
    bits differ in more than `most_apart` places are no candidates.
    """

    value: int
    window: timedelta
    bits: int | None = None
    most_apart: int = 0
    is_of_title: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """Why two articles belong together.

    `layer` is "title", "content" or "entities"; `measure` is the value of the evidence in its own unit; `closeness` in
    [0, 1] is the confidence. `joins`: the match alone puts both in one story. A match of one event depends on the other
    matches of the story (`clustering`), and a revision at another address may only be flagged.
    """

    disposition: str
    layer: str
    measure: float
    closeness: float
    evidence: str
    joins: bool = True


def strongest(matches: Iterable[Match]) -> Match:
    """The strongest match of a pair: one that joins, then an event, then a flag."""
    return max(
        matches, key=lambda match: (match.joins, match.disposition == "same_event", match.closeness, match.layer)
    )
