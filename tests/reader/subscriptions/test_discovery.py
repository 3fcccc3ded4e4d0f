"""Which address is followed, and why none is."""

from dataclasses import replace

import pytest

from feeds.errors import ConnectionFailed
from feeds.fetching import FetchResult, Hop
from reader.errors import NothingToFollow
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


class Answering:
    """Answers by URL; nothing answers at other URLs."""

    def __init__(self, **answers: FetchResult) -> None:
        self.asked: list[str] = []
        self._answers = answers

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        self.asked.append(url)
        if (answer := self._answers.get(url.partition(":")[0])) is None:
            raise ConnectionFailed(f"No connection to {url}.", url=url)
        return replace(answer, url=url)


FOUND, MISSING = FetchResult("", 200, body=RSS), FetchResult("", 404)


@pytest.mark.django_db
@table(
    ("typed", "answers", "found"),
    [
        ("paper.example/f", {"http": FOUND}, "http://paper.example/f"),
        ("paper.example/f", {"https": MISSING, "http": FOUND}, "http://paper.example/f"),
        ("paper.example/f", {"https": FOUND, "http": FOUND}, "https://paper.example/f"),
    ],
)
def test_address_without_a_scheme_falls_back_to_http(typed: str, answers: dict[str, FetchResult], found: str) -> None:
    assert [each.url for each in find_feeds(typed, fetcher=Answering(**answers), now=NOW)] == [found]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "answers", "n_asked"), [("paper.example/f", {}, 2), ("https://paper.example/f", {"http": FOUND}, 1)]
)
def test_explains_why_https_failed(typed: str, answers: dict[str, FetchResult], n_asked: int) -> None:
    fetcher = Answering(**answers)
    with pytest.raises(NothingToFollow, match=r"^No connection to https://paper\.example/f\.$"):
        find_feeds(typed, fetcher=fetcher, now=NOW)
    assert len(fetcher.asked) == n_asked


@pytest.mark.django_db
@pytest.mark.parametrize(
    "answer",
    [
        FetchResult("", 403, {"cf-mitigated": "challenge"}),
        FetchResult("", 200, body=b"<!doctype html><html><title>Just a moment...</title></html>"),
    ],
    ids=["by its header", "by its page"],
)
def test_challenge_is_explained(answer: FetchResult) -> None:
    fetcher = Answering(https=answer)
    with pytest.raises(NothingToFollow, match=r"a bot check \(Cloudflare\)\. Ask"):
        find_feeds("https://paper.example/f", fetcher=fetcher, now=NOW)
    assert len(fetcher.asked) == 1
