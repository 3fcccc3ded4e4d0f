"""Tombstones written and asked for: what a feed delivered, and was purged, does not come back (`feeds.retention`)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from feeds.models import Feed, Tombstone
from feeds.normalizing.draft import Draft
from feeds.retention import Grave, guid_value, is_buried, minute_of, page_value, values_of


@dataclass(frozen=True, slots=True)
class Entry:
    """What a feed delivered: the key of its article, and what it delivered last under the guid."""

    url_key: bytes
    guid: str
    content_hash: int
    published_at: datetime


def bury(feed_id: int, entries: Collection[Entry]) -> None:
    """Let these entries of one feed not come back; of several under one guid or page the latest counts."""
    rows = {
        value: Tombstone(
            feed_id=feed_id,
            value=value,
            content_hash=each.content_hash,
            minute=minute_of(each.published_at),
        )
        for each in sorted(entries, key=lambda each: each.published_at)
        for value in (guid_value(each.guid), page_value(each.url_key))
    }
    Tombstone.objects.bulk_create(
        [rows[value] for value in sorted(rows)],
        update_conflicts=True,
        unique_fields=["feed_id", "value"],
        update_fields=["content_hash", "minute"],
    )


def without_purged(feed: Feed, drafts: Sequence[Draft], *, known: Collection[str]) -> Sequence[Draft]:
    """The drafts but for those that were here and were purged. Those whose guids are `known` need no look."""
    unknown = [draft for draft in drafts if draft.guid not in known]
    if feed.last_success_at is None or not unknown:
        return drafts
    wanted = {value for draft in unknown for value in values_of(draft)}
    found = Tombstone.objects.filter(feed=feed, value__in=wanted).values_list("value", "content_hash", "minute")
    graves = {value: Grave(content_hash, minute) for value, content_hash, minute in found}
    return [draft for draft in drafts if draft.guid in known or not is_buried(draft, graves)]
