"""Finds the hub of a feed, and the address by which the hub knows the feed."""

from urllib.parse import urlsplit

from feeds.fetching.credentials import split_credentials
from feeds.fetching.headers import link_urls
from feeds.fetching.result import FetchResult
from feeds.parsing.feed import ParsedFeed

MAX_URL = 2_000  # characters


def find_hub(url: str, parsed: ParsedFeed, response: FetchResult | None) -> tuple[str, str]:
    """Return the URLs of the hub and topic of the feed at `url`, by `Link` headers or else by the document.

    Both are "" if there is no usable hub, no own address, or a password that the hub doesn't have.

    The feed's own address is never guessed: the URL we poll may contain a user's secret.
    """
    hubs, topics = parsed.hubs, [parsed.self_url]
    if response is not None and (linked := link_urls(response.headers, "hub", base=response.url)):
        hubs, topics = linked, [*link_urls(response.headers, "self", base=response.url), parsed.self_url]
    hub, topic = next(filter(_is_usable, hubs), ""), next(filter(_is_usable, topics), "")
    if not hub or not topic or split_credentials(url)[1] is not None:
        return "", ""
    return hub, topic


def _is_usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return is_address and len(url) <= MAX_URL
