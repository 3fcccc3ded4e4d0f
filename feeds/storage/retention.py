"""Retention rules, and recognizing entries that were purged. Pure.

An item's age counts from its arrival, not its date: last year's article that arrives today will be read today. A limit
by number keeps the last to arrive, and the latest dates among those that arrived together.

Feeds keep listing purged entries. So each purged entry leaves one tombstone for its guid and one for its page. Neither
alone is enough, because some feeds use one guid or one page for everything they publish. An entry counts as purged if

- a tombstone for its guid or page has the same content, or
- a tombstone for its guid has other content, and the entry has a certain date no later than the tombstone's: the
  publisher corrected an old entry.

Known error: an old entry without a date comes back once if its content changes. Losing it would be worse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from feeds.dedup.exact_policy import guids_of
from feeds.normalizing.draft import Draft

MINUTE = 60  # seconds
MAX_REVISIONS = 20  # of one article; a live blog would have hundreds


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """Limits for one feed: days since arrival and number of items; None for no limit."""

    days: int | None = None
    n_items: int | None = None

    @property
    def is_limited(self) -> bool:
        return self.days is not None or self.n_items is not None

    def cutoff(self, now: datetime) -> datetime | None:
        """Items that arrived earlier have expired."""
        return None if self.days is None else now - timedelta(days=self.days)


@dataclass(frozen=True, slots=True)
class Burial:
    """The values of a tombstone: the last delivered content, and the minute of its date."""

    content_hash: int
    minute: int


def retention_for(days: int | None, n_items: int | None, *, default: RetentionRule) -> RetentionRule:
    """A feed's rule: None uses the default, 0 means no limit."""
    return RetentionRule(
        days=default.days if days is None else days or None,
        n_items=default.n_items if n_items is None else n_items or None,
    )


def guid_value(guid: str) -> int:
    """A signed 64-bit hash of a guid."""
    return _number(b"guid " + guid.encode(errors="replace"))


def page_value(url_key: bytes) -> int:
    """A signed 64-bit hash of an article's key."""
    return _number(b"page " + url_key)


def tombstone_values(draft: Draft) -> set[int]:
    """The values of tombstones an entry may have: its guids and its pages."""
    return {*map(guid_value, guids_of(draft)), page_value(draft.url_key), page_value(draft.page_key)}


def minute_of(moment: datetime) -> int:
    """Whole minutes since 1970."""
    return int(moment.timestamp() // MINUTE)


def was_purged(draft: Draft, burials: Mapping[int, Burial]) -> bool:
    """Whether an entry was purged."""
    matching = [burials[value] for value in tombstone_values(draft) if value in burials]
    if any(burial.content_hash == draft.content_hash for burial in matching):
        return True
    same_guid = burials.get(guid_value(draft.guid))
    return same_guid is not None and not draft.date_uncertain and minute_of(draft.published_at) <= same_guid.minute


def _number(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)
