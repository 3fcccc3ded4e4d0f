"""Writes and reads tombstones, so that purged entries don't come back (`feeds.storage.retention`)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from feeds.models import Feed, Tombstone
from feeds.normalizing.draft import Draft
from feeds.storage.retention import Burial, guid_value, minute_of, page_value, tombstone_values


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


def find_burials(drafts: Mapping[Feed, Sequence[Draft]]) -> dict[int, dict[int, Burial]]:
    """The tombstones of these entries by feed and value; a feed that was never polled has none."""
    wanted = {
        feed.pk: {value for draft in several for value in tombstone_values(draft)}
        for feed, several in drafts.items()
        if several and feed.last_success_at is not None
    }
    found: dict[int, dict[int, Burial]] = {feed: {} for feed in wanted}
    if wanted:
        values = set[int]().union(*wanted.values())
        rows = Tombstone.objects.filter(feed__in=wanted, value__in=values)
        for feed, value, content_hash, minute in rows.values_list("feed_id", "value", "content_hash", "minute"):
            if value in wanted[feed]:
                found[feed][value] = Burial(content_hash, minute)
    return found
