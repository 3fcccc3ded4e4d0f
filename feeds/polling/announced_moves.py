"""Feeds that say in their document where they moved (`itunes:new-feed-url`): a permanent redirect, written by hand.

Publishers who can't redirect announce their new address in the old document, and many who needn't repeat their own
address there, or leave a copy of another feed's. So a move counts only if the document at the new address is readable,
says of itself nothing else, and is the same feed: it has the title or an entry of the old one, or repeats its address.
Then it is stored as after a redirect (`feeds.polling.record`).

A feed that is private never moves this way: its document is often a copy of the public one, which would take the place
of what a user pays for. Nor does a feed move to an address that is no public name, except on its own host, even if the
settings allow private networks.
"""

import re
from html import unescape

from feeds.fetching import FetchResult, Hop
from feeds.fetching.credentials import without_credentials
from feeds.models import Feed
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.domains import has_public_suffix, host_of
from feeds.normalizing.text import clean_title
from feeds.storage.drafts import Document

_ANNOUNCED = re.compile(rb"new-feed-url[^<>]{0,200}>\s{0,50}(?:<!\[CDATA\[\s{0,50})?+([^<>\s\]]{8,2000})")


def announced_address(feed: Feed, response: FetchResult) -> str:
    """The address to which the document says it moved, "" if there is none or the feed may not move there."""
    if response.status != 200 or feed.is_private or (response.hops and not response.moved_permanently_to):
        return ""
    found = _ANNOUNCED.search(response.body)
    url = absolute(response.url, unescape(found[1].decode("utf-8", "replace"))) if found else ""
    is_elsewhere = bool(url) and Feed.key_of(url) not in (Feed.key_of(feed.url), Feed.key_of(response.url))
    host = host_of(url)
    return url if is_elsewhere and (has_public_suffix(host) or host == host_of(feed.url)) else ""


def as_redirected(feed: Feed, address: str, response: FetchResult) -> FetchResult | None:
    """The response of the announced address as if the feed's had redirected to it; None if it isn't there for good."""
    hops = (Hop(301, without_credentials(feed.url), address), *response.hops)
    redirected = FetchResult(
        response.url, response.status, response.headers, response.body, hops, response.seconds, n_bytes=response.n_bytes
    )
    return redirected if response.status == 200 and redirected.moved_permanently_to else None


def is_same_feed(old: Document, new: Document, *, address: str) -> bool:
    """Whether the document at the announced address is the old one's feed, and doesn't announce another address."""
    key, says = Feed.key_of(address), new.parsed.new_url
    if Feed.key_of(old.parsed.new_url) != key or (says and Feed.key_of(says) != key):
        return False
    title = clean_title(old.parsed.title).casefold()
    has_title = bool(title) and clean_title(new.parsed.title).casefold() == title
    return bool(says) or has_title or not old.present.isdisjoint(new.present)
