"""The table of feeds to begin with."""

from feeds.feed_address import feed_address
from feeds.normalizing.canonical_url import feed_url_key
from reader.starters import chosen, starter_sets

FEEDS = [feed for each in starter_sets() for feed in each.feeds]


def test_every_address_can_be_followed_and_stands_once() -> None:
    assert [feed_address(each.url) for each in FEEDS] == [each.url for each in FEEDS]
    assert len({feed_url_key(each.url) for each in FEEDS}) == len(FEEDS)
    assert all(each.title and each.site_url.startswith("https://") and len(each.language) == 2 for each in FEEDS)


def test_every_topic_stands_once() -> None:
    topics = [each.topic for each in starter_sets()]
    assert len(set(topics)) == len(topics) >= 8


def test_chooses_what_is_in_the_table_in_its_order() -> None:
    assert chosen([FEEDS[3].url, "https://elsewhere.example/feed", FEEDS[1].url]) == (FEEDS[1], FEEDS[3])
    assert chosen([]) == ()
