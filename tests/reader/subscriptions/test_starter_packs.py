"""The table of starter feeds."""

from feeds.discovery.feed_address import feed_address
from feeds.normalizing.canonical_url import feed_url_key
from reader.subscriptions.starter_packs import chosen, starter_sets

FEEDS = [feed for starter_set_ in starter_sets() for feed in starter_set_.feeds]


def test_every_url_is_valid_and_unique() -> None:
    assert [feed_address(feed.url) for feed in FEEDS] == [feed.url for feed in FEEDS]
    assert len({feed_url_key(feed.url) for feed in FEEDS}) == len(FEEDS)
    assert all(feed.title and feed.site_url.startswith("https://") and len(feed.language) == 2 for feed in FEEDS)


def test_every_topic_appears_once() -> None:
    topics = [starter_set_.topic for starter_set_ in starter_sets()]
    assert len(set(topics)) == len(topics) >= 8


def test_selects_feeds_in_table_order() -> None:
    assert chosen([FEEDS[3].url, "https://elsewhere.example/feed", FEEDS[1].url]) == (FEEDS[1], FEEDS[3])
    assert chosen([]) == ()
