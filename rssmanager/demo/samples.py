"""Sample feeds for users who don't follow anything yet, without a server or network.

`SamplePublishers` renders the document that a poll of a URL would have fetched. The domains end in `.example`, which is
reserved (RFC 2606), so no mistake can reach a real site.

An edition is the sample day as of a time that is part of the URLs. The same URL always returns the same document, so
interrupted imports can resume, and a user who starts next week gets a current day.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from feeds.errors import FetchError
from feeds.fetching import FetchResult
from feeds.subscription_lists.model import ListedFeed
from reader.subscriptions.starter_packs import topic_name
from rssmanager.demo.feed_documents import CONTENT_TYPES, render
from rssmanager.demo.media import icon
from rssmanager.demo.publishers import LAST_GENERATION, Publisher, PublisherFeed, load_publishers
from rssmanager.demo.responses import ICON_PATHS
from rssmanager.demo.templating import Edition

LEFT_OUT = ("hostile", "gone")  # only for tests and the demo
_MOMENT = "%Y-%m-%d-%H%M"
_ADDRESS = re.compile(r"https://([a-z0-9-]+)\.example/(\d{4}-\d\d-\d\d-\d{4})(/.*)")


@dataclass(frozen=True, slots=True)
class SampleFeed:
    """A feed to import, with its folder in the active language, and its publisher's tier."""

    wanted: ListedFeed
    domain: str
    tier: int


class SamplePublishers:
    """Replaces the fetcher for sample feeds. `media_url` is where `medium` is served."""

    def __init__(self, media_url: str) -> None:
        self._media_url = media_url.rstrip("/")

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        """The response of a server. Raises FetchError for other URLs."""
        for publisher in load_publishers():
            if publisher.icon and url in _icon_urls(publisher, moment_of(url)):
                return FetchResult(url, 200, {"content-type": "image/png"}, icon(publisher.key, publisher.icon))
        for publisher, feed in _offered():
            moment = moment_of(url)
            if moment is not None and url == _address(publisher, moment) + feed.path:
                edition = Edition(
                    moment, LAST_GENERATION, _address(publisher, moment), f"{self._media_url}/{publisher.key}"
                )
                body = render(publisher, feed, edition)
                content_type = f"{CONTENT_TYPES[feed.format]}; charset={feed.encoding}"
                return FetchResult(url, 200, {"content-type": content_type}, body, n_bytes=len(body))
        raise FetchError("This version has no such sample feed.", url=url)


def sample_feeds(moment: datetime) -> tuple[SampleFeed, ...]:
    """The feeds of the edition at `moment` (aware, to the minute)."""
    return tuple(
        SampleFeed(
            ListedFeed(
                url=_address(publisher, moment) + feed.path,
                title=feed.title,
                site_url=f"{_address(publisher, moment)}/",
                folder=(topic_name(publisher.folder),),
                language=publisher.language,
            ),
            domain=f"{publisher.key}.example",
            tier=publisher.tier,
        )
        for publisher, feed in _offered()
    )


def moment_of(url: str) -> datetime | None:
    """The time of a sample feed's edition; None for other URLs."""
    found = _ADDRESS.fullmatch(url)
    return datetime.strptime(found[2], _MOMENT).replace(tzinfo=UTC) if found else None


def _offered() -> list[tuple[Publisher, PublisherFeed]]:
    """All feeds except those whose problems need a server."""
    return [
        (publisher, feed) for publisher in load_publishers() for feed in publisher.feeds if feed.trouble not in LEFT_OUT
    ]


def _icon_urls(publisher: Publisher, moment: datetime | None) -> list[str]:
    addresses = [f"https://{publisher.key}.example", *([_address(publisher, moment)] if moment else [])]
    return [address + path for address in addresses for path in ICON_PATHS]


def _address(publisher: Publisher, moment: datetime) -> str:
    return f"https://{publisher.key}.example/{moment.astimezone(UTC):{_MOMENT}}"
