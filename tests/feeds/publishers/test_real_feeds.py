"""The registry knows the publishers of the starter feeds and of real feeds."""

import csv

import pytest

from feeds.normalizing.canonical_url import absolute, canonical_url
from feeds.parsing import parse
from feeds.publishers.hosts import is_shared, publisher_of_document
from feeds.publishers.registry import load_registry
from reader.subscriptions.starter_packs import starter_sets
from rssmanager.env import PROJECT

KNOWN = {entry.domain: entry for entry in load_registry()}
REAL = PROJECT.parent / "shared" / "data" / "feeds" / "real"
NEWS = {
    "https://theweek.com/feeds.xml": ("theweek.com", 2, "The Week"),
    "https://rss.nytimes.com/services/xml/rss/nyt/World.xml": ("nytimes.com", 2, "The New York Times"),
    "https://allafrica.com/tools/headlines/rdf/latest/headlines.rdf": ("allafrica.com", 5, "allAfrica"),
    "https://japantoday.com/category/world/feed": ("japantoday.com", 3, "Japan Today"),
    "https://www.dawn.com/feeds/world/": ("dawn.com", 2, "Dawn"),
    "https://feeds.bbci.co.uk/news/world/rss.xml": ("bbc.co.uk", 2, "BBC News"),
    "https://www.abc.net.au/news/feed/45910/rss.xml": ("abc.net.au", 2, "ABC News (Australia)"),
    "https://feeds.elpais.com/mrss-s/pages/ep/site/english.elpais.com/portada": ("elpais.com", 2, "El País"),
    "https://rss.csmonitor.com/feeds/all": ("csmonitor.com", 2, "The Christian Science Monitor"),
    "https://feeds.npr.org/1004/rss.xml": ("npr.org", 2, "NPR"),
    "https://en.mercopress.com/rss/": ("mercopress.com", 3, "MercoPress"),
    "https://foreignpolicy.com/feed/": ("foreignpolicy.com", 2, "Foreign Policy"),
    "https://feeds.a.dj.com/rss/RSSWorldNews.xml": ("wsj.com", 2, "The Wall Street Journal"),
}
HOSTED = {
    "https://feeds.feedburner.com/SalmonRun": "sujitpal.blogspot.com",
    "https://feedpress.me/FIJ": "foodinjars.com",
    "https://stml.tumblr.com/rss": "stml.tumblr.com",
    "https://raywoodcockslatest.wordpress.com/feed/": "raywoodcockslatest.wordpress.com",
    "https://www.youtube.com/feeds/videos.xml?channel_id=UC4Otk-uDioJN0tg6s1QO9lw": "",
    "https://www.math.columbia.edu/~woit/wordpress/?feed=rss2": "",
}


def test_every_starter_feed_has_a_known_publisher() -> None:
    starters = [feed for starter_set in starter_sets() for feed in starter_set.feeds]
    publishers = {feed.url: publisher_of_document(feed.url, site_url=feed.site_url) for feed in starters}
    assert len(publishers) >= 50
    assert {url: publisher for url, publisher in publishers.items() if publisher not in KNOWN} == {}
    elsewhere = {
        feed.url: publishers[feed.url]
        for feed in starters
        if publisher_of_document(feed.site_url) != publishers[feed.url]
    }
    assert elsewhere == {}


def test_starter_feeds_of_the_bbc_are_the_bbcs() -> None:
    urls = [feed.url for starter_set in starter_sets() for feed in starter_set.feeds if "bbci.co.uk" in feed.url]
    assert {publisher_of_document(url) for url in urls} == {"bbc.co.uk"}
    assert (KNOWN["bbc.co.uk"].tier, KNOWN["bbc.co.uk"].name) == (2, "BBC News")


@pytest.mark.skipif(not REAL.is_dir(), reason="the real feeds are not beside this checkout")
def test_real_feeds_have_their_publishers() -> None:
    publishers = {}
    with (REAL / "manifest.tsv").open(encoding="utf-8") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            url = row["url"]
            parsed = parse((REAL / row["file"]).read_bytes(), url=url, content_type="")
            links = [canonical_url(absolute(url, entry.link)) for entry in parsed.entries if entry.link]
            publishers[url] = publisher_of_document(url, site_url=absolute(url, parsed.link), links=links)
    known = {url: publishers[url] for url in NEWS}
    assert {url: (domain, KNOWN[domain].tier, KNOWN[domain].name) for url, domain in known.items()} == NEWS
    assert {url: publishers[url] for url in HOSTED} == HOSTED
    assert [publisher for publisher in publishers.values() if is_shared(publisher)] == []
    assert sorted(url for url, publisher in publishers.items() if not publisher and "youtube.com" not in url) == [
        "http://causality.cs.ucla.edu/blog/index.php/feed/",
        "https://www.math.columbia.edu/~woit/wordpress/?feed=rss2",
    ]
