"""Hub and topic of a feed, from headers and documents."""

import pytest

from feeds.fetching.result import FetchResult
from feeds.parsing import parse
from feeds.push.discovery import find_hub

URL = "https://paper.example/feed"
HUB, TOPIC = "https://hub.example/", "https://paper.example/feed.xml"
NAMED = {
    "rss": f"<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><title>T</title>"
    f"<atom:link rel='hub' href='{HUB}'/><atom:link rel='self' href='/feed.xml'/></channel></rss>",
    "atom": f"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='hub' href='{HUB}'/>"
    f"<link rel='self' href='{TOPIC}'/></feed>",
    "json": f'{{"version": "https://jsonfeed.org/version/1.1", "title": "T", "feed_url": "{TOPIC}", "items": [],'
    f'"hubs": [{{"type": "rssCloud", "url": "https://cloud.example/"}}, {{"type": "WebSub", "url": "{HUB}"}}]}}',
}
SILENT = "<rss version='2.0'><channel><title>T</title></channel></rss>"
IN_ENTRIES = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='self' href='/feed.xml'/><entry><id>1</id>"
    "<title>E</title><link rel='hub' href='https://evil.example/'/>"
    "<source><link rel='hub' href='https://evil.example/'/></source></entry></feed>"
)


def found(document: str, link: str = "", url: str = URL) -> tuple[str, str]:
    headers = {"link": link} if link else {}
    return find_hub(url, parse(document.encode(), url=URL), FetchResult(URL, 200, headers))


@pytest.mark.parametrize("name", NAMED)
def test_reads_documents(name: str) -> None:
    assert found(NAMED[name]) == (HUB, TOPIC)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (f'<{HUB}>; rel="hub", </feed.xml>; rel="self"', (HUB, TOPIC)),
        (f"<{TOPIC}>; rel=self, <{HUB}>; rel=hub; title=x", (HUB, TOPIC)),
        (f'<{HUB}>; rel="hub", <https://second.example/>; rel="hub", <{TOPIC}>; rel="self"', (HUB, TOPIC)),
        (f'<{HUB}>; rel="HUB nofollow", <{TOPIC}>; rel="self"', (HUB, TOPIC)),
        (f'<{HUB}>; rel="hub"', ("", "")),  # no address of its own: ours is never sent
        (f'<{TOPIC}>; rel="self"', ("", "")),
        ("<//x[>; rel=hub, garbage", ("", "")),
        (f'<javascript:1>; rel="hub", <{TOPIC}>; rel="self"', ("", "")),
        (f'<https://user:word@hub.example/>; rel="hub", <{TOPIC}>; rel="self"', ("", "")),
        (f'<https://hub.example/{"x" * 2000}>; rel="hub", <{TOPIC}>; rel="self"', ("", "")),
    ],
)
def test_reads_headers(link: str, expected: tuple[str, str]) -> None:
    assert found(SILENT, link) == expected


def test_headers_come_first() -> None:
    link = '<https://other.example/>; rel="hub", <https://paper.example/other.xml>; rel="self"'
    assert found(NAMED["rss"], link) == ("https://other.example/", "https://paper.example/other.xml")
    assert found(NAMED["rss"], '<https://other.example/>; rel="hub"') == ("https://other.example/", TOPIC)
    assert found(NAMED["rss"], '<https://api.example/>; rel="https://api.w.org/"') == (HUB, TOPIC)


def test_links_of_entries_name_no_hub() -> None:
    assert found(IN_ENTRIES) == ("", "")


def test_feed_with_a_password_has_no_hub() -> None:
    assert found(NAMED["rss"], url="https://user:word@paper.example/feed") == ("", "")
