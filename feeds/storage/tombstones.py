"""Writes and reads tombstones, so that purged entries don't come back (`feeds.storage.retention`)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from feeds.models import Feed, Tombstone
from feeds.normalizing.draft import Draft
from feeds.storage.retention import Burial, guid_value, minute_of, page_value, tombstone_values, was_purged


@dataclass(frozen=True, slots=True)
class Entry:
    """A delivered entry: the key of its article, and the last content under its guid."""

    url_key: bytes
    guid: str
    content_hash: int
    published_at: datetime


def write_tombstones(feed_id: int, entries: Collection[Entry]) -> None:
    """Write tombstones for entries of one feed; the latest entry of a guid or page counts."""
    rows = {
        value: Tombstone(
            feed_id=feed_id,
            value=value,
            content_hash=entry.content_hash,
            minute=minute_of(entry.published_at),
        )
        for entry in sorted(entries, key=lambda entry: entry.published_at)
        for value in (guid_value(entry.guid), page_value(entry.url_key))
    }
    Tombstone.objects.bulk_create(
        [rows[value] for value in sorted(rows)],
        update_conflicts=True,
        unique_fields=["feed_id", "value"],
        update_fields=["content_hash", "minute"],
    )


def drop_purged(feed: Feed, drafts: Sequence[Draft], *, known: Collection[str]) -> Sequence[Draft]:
    """The drafts without purged entries; those with `known` guids aren't checked."""
    unknown = [draft for draft in drafts if draft.guid not in known]
    if feed.last_success_at is None or not unknown:
        return drafts
    wanted = {value for draft in unknown for value in tombstone_values(draft)}
    rows = Tombstone.objects.filter(feed=feed, value__in=wanted).values_list("value", "content_hash", "minute")
    burials = {value: Burial(content_hash, minute) for value, content_hash, minute in rows}
    return [draft for draft in drafts if draft.guid in known or not was_purged(draft, burials)]
