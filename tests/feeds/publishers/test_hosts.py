"""Which publisher a URL and a document belong to."""

import pytest

from feeds.normalizing.domains import registrable_domain
from feeds.publishers.hosts import is_shared, origin_of, publisher_at, publisher_of_document, speaks_for
from feeds.word_lists import read_rows

KINDS = {"anyone", "subdomains", "accounts"}


@pytest.mark.parametrize(
    ("url", "publisher"),
    [
        pytest.param("https://feeds.bbci.co.uk/news/rss.xml", "bbc.co.uk", id="a host of the publisher's feeds"),
        pytest.param("https://www.bbc.com/news/1", "bbc.co.uk", id="another domain"),
        pytest.param("https://rss.nytimes.com/x", "nytimes.com", id="a subdomain"),
        pytest.param("https://www.ecb.europa.eu/rss/press.html", "ecb.europa.eu", id="a part of a site"),
        pytest.param("https://op.europa.eu/x", "europa.eu", id="the rest of it"),
        pytest.param("https://timesofindia.indiatimes.com/x", "timesofindia.com", id="a part of another domain"),
        pytest.param("https://cars.indiatimes.com/x", "indiatimes.com", id="the rest of that"),
        pytest.param("https://alice.substack.com/feed", "alice.substack.com", id="a newsletter"),
        pytest.param("https://substack.com/feed", "substack.com", id="its platform"),
        pytest.param("https://www.tumblr.com/x", "tumblr.com", id="not a blog"),
        pytest.param("https://alice.github.io/feed", "alice.github.io", id="on the Public Suffix List"),
        pytest.param("https://medium.com/feed/@ada", "medium.com", id="accounts on one host"),
        pytest.param("https://news.mit.edu/rss", "news.mit.edu", id="a university's news"),
        pytest.param("https://people.csail.mit.edu/ada", "mit.edu", id="a page at a university"),
        pytest.param("https://bbc.co.uk.liar.example/x", "liar.example", id="looks like another"),
        pytest.param("https://notbbci.co.uk/x", "notbbci.co.uk", id="ends like another"),
        pytest.param("BBCI.co.uk", "bbc.co.uk", id="a host"),
        pytest.param("http://127.0.0.1:8000/feed", "127.0.0.1", id="an address"),
        pytest.param("http://[::1]/feed", "::1", id="an IPv6 address"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_names_the_publisher_of_a_url(url: str, publisher: str) -> None:
    assert publisher_at(url) == publisher


@pytest.mark.parametrize("publisher", ["feedburner.com", "medium.com", "substack.com", "youtube.com", "dj.com"])
def test_shared_hosts_are_no_publisher(publisher: str) -> None:
    assert is_shared(publisher)


@pytest.mark.parametrize("publisher", ["alice.substack.com", "bbc.co.uk", "alice.github.io", "reuters.com", ""])
def test_others_are(publisher: str) -> None:
    assert not is_shared(publisher)


PAPER, OTHER = "https://paper.example/a", "https://b.example/1"


@pytest.mark.parametrize(
    ("feed", "document", "site", "links", "publisher"),
    [
        pytest.param("https://paper.example/f", "", "", [], "paper.example", id="the address"),
        pytest.param("https://paper.example/f", "https://new.example/f", "", [], "new.example", id="after redirects"),
        pytest.param("https://home.example/f", "", PAPER, [PAPER], "paper.example", id="a bridge"),
        pytest.param("https://home.example/f", "", PAPER, [], "home.example", id="a site without links is no proof"),
        pytest.param("https://home.example/f", "", PAPER, [PAPER, OTHER], "home.example", id="links disagree"),
        pytest.param("http://192.168.1.5:1200/f", "", PAPER, [PAPER], "paper.example", id="a machine at home"),
        pytest.param("https://feeds.bbci.co.uk/f", "", "", ["https://x.example/1"], "bbc.co.uk", id="alias first"),
        pytest.param("https://feeds.feedburner.com/f", "", PAPER, [PAPER], "paper.example", id="FeedBurner, all agree"),
        pytest.param("https://feeds.feedburner.com/f", "", PAPER, [], "paper.example", id="FeedBurner, no entries"),
        pytest.param("https://feeds.feedburner.com/f", "", "", [PAPER], "", id="FeedBurner, no site"),
        pytest.param(
            "https://feeds.feedburner.com/f", "", PAPER, [PAPER, "https://b.example/1"], "", id="FeedBurner, a planet"
        ),
        pytest.param(
            "https://feeds.feedburner.com/f", "", PAPER, ["https://feedproxy.google.com/~r/1", PAPER], "paper.example",
            id="FeedBurner's own links say nothing",
        ),
        pytest.param(
            "https://paper.example/f", "https://feeds.feedburner.com/f", "https://b.example", [PAPER], "paper.example",
            id="redirects to FeedBurner",
        ),
        pytest.param("https://feeds.megaphone.fm/f", "", PAPER, [], "paper.example", id="a podcast"),
        pytest.param("https://rsshub.app/paper", "", PAPER, [PAPER], "paper.example", id="a feed generator"),
        pytest.param("https://medium.com/feed/@ada", "", PAPER, [PAPER], "", id="an account isn't believed"),
        pytest.param("https://gist.githubusercontent.com/f", "", PAPER, [PAPER], "", id="nor is a file"),
        pytest.param("https://www.math.columbia.edu/~ada/f", "", PAPER, [PAPER], "", id="nor a page at a university"),
        pytest.param("https://alice.substack.com/feed", "", PAPER, [PAPER], "paper.example", id="a newsletter"),
        pytest.param("https://rss.beehiiv.com/feeds/1", "", PAPER, [PAPER], "paper.example", id="feeds of newsletters"),
        pytest.param("https://feeds.a.dj.com/f", "", "", [], "wsj.com", id="several publishers: the first"),
        pytest.param(
            "https://feeds.a.dj.com/f", "", "https://marketwatch.com", ["https://marketwatch.com/1"],
            "marketwatch.com", id="several publishers: one of them",
        ),
        pytest.param("https://feeds.a.dj.com/f", "", PAPER, [PAPER], "wsj.com", id="several publishers: another"),
    ],
)  # fmt: skip
def test_names_the_publisher_of_a_document(
    feed: str, document: str, site: str, links: list[str], publisher: str
) -> None:
    assert publisher_of_document(feed, document_url=document, site_url=site, links=links) == publisher


def test_services_speak_for_nobody() -> None:
    origin = origin_of("https://feeds.feedburner.com/f", "")
    assert (speaks_for(origin, "paper.example"), speaks_for("dj.com", "marketwatch.com")) == (False, True)


def test_the_table_is_clean() -> None:
    rows = read_rows("feeds.publishers", "hosts.tsv")
    hosts = [host for host, _ in rows]
    assert len(hosts) == len(set(hosts)) >= 200
    for host, publishers in rows:
        assert host.endswith(registrable_domain(host)), host
        if publishers not in KINDS:
            assert {publisher_at(publisher) for publisher in publishers.split()} == set(publishers.split()), host
