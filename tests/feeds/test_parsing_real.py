"""Feeds as servers sent them and the fixtures of six projects: nothing that feedparser finds is lost.

feedparser is the reference, with its extra processing off; intended differences are listed.
"""

import io
import warnings
from functools import cache
from typing import Any

import feedparser
import pytest

from feeds.errors import ParseError
from feeds.parsing import ParsedEntry, ParsedFeed, parse
from rssmanager.env import PROJECT
from tests.tables import table

FEEDS = PROJECT.parent / "shared" / "data" / "feeds"
URL = "https://feed.example/feed.xml"
pytestmark = pytest.mark.skipif(not FEEDS.exists(), reason="../shared/data is not here")


def files(folder: str) -> list[str]:
    return sorted(path.name for path in (FEEDS / folder).glob("*") if path.name != "manifest.tsv")


REFUSED_FEED_NAMES = {
    "miniflux+v2--iso88591.xml": "not_a_feed",  # no feed in it, only a few elements
    "miniflux+v2--iso88591_utf8_mismatch.xml": "not_a_feed",
    "rbren+rss-parser--unrecognized.rss": "html",
}


@cache
def parsed(name: str) -> ParsedFeed:
    return parse((FEEDS / "real" / name).read_bytes(), url=URL)


def by_feedparser(body: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)


def losses(ours: ParsedEntry, theirs: Any) -> list[str]:
    """What feedparser found in an entry and we did not."""
    found = {
        "title": ours.title,
        "link": ours.link or ours.guid,
        "id": ours.guid,
        "published": ours.dates,
        "updated": ours.dates,
        "author": ours.author,
        "summary": ours.markup,
        "content": ours.markup,
        "tags": ours.categories,
        "media_content": ours.media,
        "media_thumbnail": ours.media,
    }
    return [key for key, value in found.items() if _has_text(dict.get(theirs, key)) and not value]


def _has_text(value: Any) -> bool:
    if isinstance(value, list):
        return any(_has_text(item) for item in value)
    if isinstance(value, dict):
        return any(_has_text(dict.get(value, key)) for key in ("value", "term", "url", "href"))
    return bool(value and str(value).strip())


def assert_nothing_is_lost(feed: ParsedFeed, body: bytes) -> None:
    theirs = by_feedparser(body)
    assert len(feed.entries) >= len(theirs.entries)
    assert feed.title or not dict.get(theirs.feed, "title")
    lost = [losses(ours, their) for ours, their in zip(feed.entries, theirs.entries, strict=False)]
    assert [loss for loss in lost if loss] == []


@table("name", files("real"))
def test_real_feeds_lose_nothing_that_feedparser_finds(name: str) -> None:
    assert_nothing_is_lost(parsed(name), (FEEDS / "real" / name).read_bytes())


@table("name", files("real"))
def test_real_feeds_need_not_be_parsed_twice(name: str) -> None:
    body = (FEEDS / "real" / name).read_bytes()
    feed = parsed(name)

    again = parse(body, url=URL, known_hashes=frozenset(feed.raw_hashes))
    half = parse(body, url=URL, known_hashes=frozenset(feed.raw_hashes[::2]))

    assert len(feed.raw_hashes) == (len(feed.entries) if name != "dylanharris-org-feed-me-rss.xml" else 0)
    assert again.entries == (() if feed.raw_hashes else feed.entries)
    known = frozenset(feed.raw_hashes[::2])
    assert half.entries == tuple(
        entry
        for entry, value in zip(feed.entries, feed.raw_hashes or range(len(feed.entries)), strict=True)
        if value not in known
    )


def test_real_feeds_have_usable_entries() -> None:
    feeds = {name: parsed(name) for name in files("real")}

    assert [name for name, feed in feeds.items() if not feed.entries] == []
    bare = [
        name
        for name, feed in feeds.items()
        for entry in feed.entries
        if not (entry.title or entry.markup) or not (entry.link or entry.guid)
    ]
    assert set(bare) == {"areweanticheatyet-com-feed-rss.xml"}  # its items have neither link nor guid


def is_named_as_no_feed(name: str) -> bool:
    return name.endswith((".html", ".opml", ".json"))


@table("name", files("fixtures"))
def test_fixtures_lose_nothing_or_are_rejected(name: str) -> None:
    body = (FEEDS / "fixtures" / name).read_bytes()
    try:
        feed = parse(body, url=URL)
    except ParseError as refusal:
        reason = refusal.reason
    else:
        reason = ""
        assert_nothing_is_lost(feed, body)

    if not is_named_as_no_feed(name):
        assert reason == REFUSED_FEED_NAMES.get(name, "")
    assert reason == "" or not by_feedparser(body).entries
