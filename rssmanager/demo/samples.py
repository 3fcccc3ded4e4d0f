"""The sample publishers without a server: feeds for a reader in which nobody follows anything yet.

No network has a part in it: who stands in for it (`SamplePublishers`) makes from an address the document that a poll
would have brought. The domains end in `.example`, which is nobody's (RFC 2606), so that even a mistake reaches nobody.

An edition is the sample day as of a moment, and that moment stands in the addresses: the same address always gives the
same document, however often an interrupted worker begins again, and who comes next week gets a day of their own.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from feeds.errors import FetchError
from feeds.fetching import FetchResult
from feeds.subscription_list import WantedFeed
from reader.starters import topic_name
from rssmanager.demo.documents import CONTENT_TYPES, render
from rssmanager.demo.prose import Edition
from rssmanager.demo.publishers import LAST_GENERATION, Publisher, PublisherFeed, load_publishers

LEFT_OUT = ("hostile", "gone")  # what these show is for tests, and for the demo's page of troubled feeds
_MOMENT = "%Y-%m-%d-%H%M"
_ADDRESS = re.compile(r"https://([a-z0-9-]+)\.example/(\d{4}-\d\d-\d\d-\d{4})(/.*)")


@dataclass(frozen=True, slots=True)
class SampleFeed:
    """A feed as an import wants it, in a folder named in the language of the moment, and its publisher's tier."""

    wanted: WantedFeed
    domain: str
    tier: int


class SamplePublishers:
    """Gives the documents of sample feeds where polling asks for them. `media_url`: where `medium` is served."""

    def __init__(self, media_url: str) -> None:
        self._media_url = media_url.rstrip("/")

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        """What a server would have answered. Raises FetchError for an address that is no sample feed's."""
        for publisher, feed in _offered():
            moment = moment_of(url)
            if moment is not None and url == _address(publisher, moment) + feed.path:
                edition = Edition(
                    moment, LAST_GENERATION, _address(publisher, moment), f"{self._media_url}/{publisher.key}"
                )
                body = render(publisher, feed, edition)
                content_type = f"{CONTENT_TYPES[feed.format]}; charset={feed.encoding}"
                return FetchResult(url, 200, {"content-type": content_type}, body, n_bytes=len(body))
        raise FetchError("This version of the reader has no such sample feed.", url=url)


def sample_feeds(moment: datetime) -> tuple[SampleFeed, ...]:
    """The feeds of the edition of `moment` (aware, to the minute)."""
    return tuple(
        SampleFeed(
            WantedFeed(
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
    """The moment of the edition that a sample feed belongs to; None for other addresses."""
    found = _ADDRESS.fullmatch(url)
    return datetime.strptime(found[2], _MOMENT).replace(tzinfo=UTC) if found else None


def _offered() -> list[tuple[Publisher, PublisherFeed]]:
    """What goes wrong with some of them in the demo is their server's doing, and here is none."""
    return [(each, feed) for each in load_publishers() for feed in each.feeds if feed.trouble not in LEFT_OUT]


def _address(publisher: Publisher, moment: datetime) -> str:
    return f"https://{publisher.key}.example/{moment.astimezone(UTC):{_MOMENT}}"
