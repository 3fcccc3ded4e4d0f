"""How long what a feed delivered is kept, and how an entry that is kept no longer is known again. Pure.

An item's age counts from when it came, not from its date: what a feed brings today of last year is read today. A limit
by number keeps what came last and, of what came together, what is dated last.

A feed goes on listing what was purged, and some list their whole archive. So an entry leaves a tombstone under its guid
and another under its page. Neither alone says that an entry is the old one: some feeds use one guid, or link to one
page, for everything they publish, and nothing of theirs may be lost. So an entry is held for one that was purged when

- guid or page are those of one with the same content, or
- the guid is, the content changed, and the entry is dated for certain and no later than that one was: a publisher
  corrected what is long gone here.

Known error: an old entry without a date whose content changes comes back, once. Losing it would be worse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from feeds.dedup.layered import guid_for_reuse
from feeds.normalizing.draft import Draft

MINUTE = 60  # seconds
MOST_REVISIONS = 20  # of one article, the latest; a live blog would have hundreds


@dataclass(frozen=True, slots=True)
class Keeping:
    """How much of one feed is kept: for so many days since it came, and so many items. None: without limit."""

    days: int | None = None
    n_items: int | None = None

    @property
    def is_limited(self) -> bool:
        return self.days is not None or self.n_items is not None

    def cutoff(self, now: datetime) -> datetime | None:
        """What came before is kept no longer."""
        return None if self.days is None else now - timedelta(days=self.days)


@dataclass(frozen=True, slots=True)
class Grave:
    """What a tombstone says: the content that was last delivered, and the minute of its date."""

    content_hash: int
    minute: int


def keeping_of(days: int | None, n_items: int | None, *, default: Keeping) -> Keeping:
    """A feed's own rule over the installation's: None is as everywhere, 0 without limit."""
    return Keeping(
        days=default.days if days is None else days or None,
        n_items=default.n_items if n_items is None else n_items or None,
    )


def guid_value(guid: str) -> int:
    """A signed 64-bit number for a guid, among those of one feed."""
    return _number(b"guid " + guid.encode(errors="replace"))


def page_value(url_key: bytes) -> int:
    """The same for an article's key."""
    return _number(b"page " + url_key)


def values_of(draft: Draft) -> tuple[int, ...]:
    """Under what an entry may be buried: its guid, its form for reuse, its page."""
    return (
        guid_value(draft.guid),
        guid_value(guid_for_reuse(draft.guid, draft.content_hash)),
        page_value(draft.url_key),
    )


def minute_of(moment: datetime) -> int:
    """Whole minutes since 1970."""
    return int(moment.timestamp() // MINUTE)


def is_buried(draft: Draft, graves: Mapping[int, Grave]) -> bool:
    """Say whether an entry is one that was purged."""
    found = [graves[value] for value in values_of(draft) if value in graves]
    if any(grave.content_hash == draft.content_hash for grave in found):
        return True
    same_guid = graves.get(guid_value(draft.guid))
    return same_guid is not None and not draft.date_uncertain and minute_of(draft.published_at) <= same_guid.minute


def _number(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)
