"""A fetched document to drafts: parse, normalize, keep the newest. Pure; shared by polling, subscribing and tests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from feeds.normalizing.draft import Draft
from feeds.normalizing.entry import FeedContext, normalize
from feeds.normalizing.language import feed_language
from feeds.parsing import parse
from feeds.parsing.feed import ParsedFeed


@dataclass(frozen=True, slots=True)
class NormalizingRules:
    """What an installation adds to normalization: trackers, and category spellings mapped to one (lower-case keys)."""

    extra_trackers: frozenset[str] = frozenset()
    synonyms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed feed and its drafts, newest first; counts of what was skipped or doubtful."""

    parsed: ParsedFeed
    drafts: tuple[Draft, ...]
    n_malformed: int
    n_uncertain_dates: int


def read_document(body: bytes, *, url: str, content_type: str, known_hashes: Collection[int]) -> ParsedFeed:
    """The document without the entries whose raw bytes are known. Raises ParseError."""
    return parse(body, url=url, content_type=content_type, known_hashes=known_hashes)


def normalize_document(
    parsed: ParsedFeed, *, url: str, declared_language: str, now: datetime, max_items: int, rules: NormalizingRules
) -> Document:
    """The drafts of at most `max_items` newest entries. `declared_language`: the feed's as known before, "" if
    unknown."""
    language = parsed.language or declared_language
    context = FeedContext(
        url=url,
        link=parsed.link,
        language=language,
        detected_language="" if language or not parsed.entries else feed_language(parsed),
    )
    drafts = [
        normalize(entry, feed=context, now=now, extra_trackers=rules.extra_trackers, synonyms=rules.synonyms)
        for entry in parsed.entries
    ]
    kept = [draft for draft in drafts if draft is not None]
    n_malformed = len(drafts) - len(kept)
    if len(kept) > max_items:
        kept = sorted(kept, key=lambda draft: draft.published_at, reverse=True)[:max_items]
    return Document(parsed, tuple(kept), n_malformed, sum(draft.date_uncertain for draft in kept))
