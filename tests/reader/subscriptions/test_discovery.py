"""Which address is followed after redirects."""

import pytest

from feeds.fetching import FetchResult, Hop
from reader.subscriptions.discovery import find_feeds
from tests.make import NOW
from tests.tables import table

RSS = b"<rss version='2.0'><channel><title>Paper</title><item><title>One</title><guid>1</guid></item></channel></rss>"
LOGIN = ("ada", "secret")


class Redirecting:
    def __init__(self, status: int, to: str, credentials: tuple[str, str] | None) -> None:
        self._hop, self._credentials = Hop(status, "https://paper.example/f", to), credentials

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        return FetchResult(self._hop.to_url, 200, body=RSS, hops=(self._hop,), credentials=self._credentials)


@pytest.mark.django_db
@table(
    ("typed", "status", "to", "sent", "followed"),
    [
        ("https://paper.example/f", 301, "https://b.example/f", None, "https://b.example/f"),
        ("https://paper.example/f", 302, "https://b.example/f", None, "https://paper.example/f"),
        ("https://paper.example/f", 301, "https://b.example/f", LOGIN, "https://paper.example/f"),
        (
            "https://ada:secret@paper.example/f",
            308,
            "https://paper.example/new",
            LOGIN,
            "https://ada:secret@paper.example/new",
        ),
        ("https://ada:secret@paper.example/f", 301, "https://b.example/f", None, "https://ada:secret@paper.example/f"),
    ],
)
def test_password_stays_with_the_address(
    typed: str, status: int, to: str, sent: tuple[str, str] | None, followed: str
) -> None:
    assert [found.url for found in find_feeds(typed, fetcher=Redirecting(status, to, sent), now=NOW)] == [followed]
