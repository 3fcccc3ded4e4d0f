"""A user's private feed: digests as Atom entries. Source: RFC 4287.

Ids don't depend on content: an entry's is a tag URI (RFC 4151) of its page and day, the feed's comes from its address.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.utils import translation
from django.utils.feedgenerator import Atom1Feed, get_tag_uri
from django.utils.translation import gettext as _
from django.utils.xmlutils import SimplerXMLGenerator

from digests.edition.document import Edition
from digests.rendering import phrases
from digests.rendering.clean_text import one_line
from digests.rendering.html import render
from digests.rendering.layout import sheet_of

AUTHOR = "rssmanager"
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # update time of an empty feed, if unknown

PageUrl = Callable[[Edition], str]


def as_atom(
    editions: Sequence[Edition],
    *,
    self_url: str,
    site_url: str,
    page_url: PageUrl,
    title: str = "",
    updated_at: datetime = NEVER,
) -> bytes:
    """The feed in UTF-8 with its entries in the given order. All URLs are absolute.

    `updated_at` is used if there are no entries.
    """
    feed = _DigestFeed(
        title=one_line(title or _("Digests")),
        link=site_url,
        description=None,
        language=translation.get_language(),
        author_name=AUTHOR,
        feed_url=self_url,
        feed_guid=uuid5(NAMESPACE_URL, self_url).urn,
        updated_at=updated_at,
    )
    for edition in editions:
        url, sheet = page_url(edition), sheet_of(edition)
        feed.add_item(
            title=phrases.subject(edition),
            link=url,
            description=sheet.nothing or phrases.BETWEEN.join(sheet.counts),  # no markup
            unique_id=get_tag_uri(url, edition.day),
            pubdate=edition.made_at,
            updateddate=edition.made_at,
            content=render("digests/_feed_entry.html", {"sheet": sheet, "url": url}),
        )
    return feed.writeString("utf-8").encode()


class _DigestFeed(Atom1Feed):
    """Django's feed with `content` besides `summary`, and a given update time when empty."""

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["content"], {"type": "html"})

    def latest_post_date(self) -> datetime:
        moments: list[datetime] = [item["updateddate"] for item in self.items]
        return max(moments, default=self.feed["updated_at"])
