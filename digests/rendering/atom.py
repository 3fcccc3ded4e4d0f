"""Digests as an Atom feed, an entry each: the private feed of a person. Source: RFC 4287.

Ids never change with what a digest says: an entry's is a tag URI (RFC 4151) of its page and its day, the feed's comes
from its own address. An entry was updated when its digest was made; the feed, when its newest was.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.utils import translation
from django.utils.feedgenerator import Atom1Feed, get_tag_uri
from django.utils.translation import gettext as _
from django.utils.xmlutils import SimplerXMLGenerator

from digests.edition import Edition
from digests.rendering import words
from digests.rendering.markup import written
from digests.rendering.sheet import sheet_of
from digests.rendering.subjects import subject
from digests.rendering.tidy import one_line

AUTHOR = "rssmanager"
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a feed without entries was updated, where nobody says when

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
    """The feed in UTF-8, its entries in the order given.

    All addresses are absolute: that of the feed itself, of the page that it stands for, of each digest's page.
    `updated_at` is for a feed without entries.
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
            title=subject(edition),
            link=url,
            description=sheet.nothing or words.BETWEEN.join(sheet.counts),  # plain figures of ours, no markup
            unique_id=get_tag_uri(url, edition.day),
            pubdate=edition.made_at,
            updateddate=edition.made_at,
            content=written("digests/_feed_entry.html", {"sheet": sheet, "url": url}),
        )
    return feed.writeString("utf-8").encode()


class _DigestFeed(Atom1Feed):
    """Django's, with `content` beside `summary`, and without a look at the clock when it is empty."""

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["content"], {"type": "html"})

    def latest_post_date(self) -> datetime:
        moments: list[datetime] = [item["updateddate"] for item in self.items]
        return max(moments, default=self.feed["updated_at"])
