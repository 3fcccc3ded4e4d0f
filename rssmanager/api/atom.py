"""Streams as Atom, which Newsboat reads: states and labels are categories."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.feedgenerator import Atom1Feed
from django.utils.xmlutils import SimplerXMLGenerator

from rssmanager.api import streams
from rssmanager.api.items import Item

SCHEME = "http://www.google.com/reader/"
_INVALID = {code: None for code in range(32) if code not in (9, 10, 13)}  # in XML


def as_atom(items: Sequence[Item], *, title: str, feed_url: str, entries: Sequence[dict[str, Any]]) -> bytes:
    """The items as a feed in UTF-8; `entries` are the same as Google Reader's JSON has them."""
    feed = _StreamFeed(title=_clean(title), link=feed_url, description=None, feed_url=feed_url, feed_guid=feed_url)
    for item, entry in zip(items, entries, strict=True):
        feed.add_item(
            title=_clean(item.title),
            link=item.link,
            description=None,  # type: ignore[arg-type]  # no summary
            author_name=_clean(entry["author"]) or None,
            unique_id=entry["id"],
            pubdate=item.published_at,
            updateddate=item.article.revised_at or item.published_at,
            content=_clean(item.html),
            labels=entry["categories"],
        )
    return feed.writeString("utf-8").encode()


def _clean(text: str) -> str:
    return text.translate(_INVALID)


class _StreamFeed(Atom1Feed):
    """Django's feed with content and labels."""

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["content"], {"type": "html"})
        for name in item["labels"]:
            label = name.removeprefix(streams.STATE).removeprefix(streams.LABEL)
            handler.addQuickElement("category", "", {"term": _clean(name), "scheme": SCHEME, "label": _clean(label)})

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=datetime(1970, 1, 1, tzinfo=UTC))
