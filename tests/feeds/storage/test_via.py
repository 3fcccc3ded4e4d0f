"""Feeds that someone else serves for a publisher: whose they are, and how that is shown."""

import pytest

from feeds.models import Feed
from feeds.storage import ingest
from feeds.storage.ingest import Arrival
from tests import make
from tests.make import NOW
from tests.make_draft import draft

pytestmark = pytest.mark.django_db

PAPER, OTHER = "https://paper.example/a", "https://elsewhere.example/b"


def arrive(feed: Feed, *links: str, site: str = "https://paper.example/") -> None:
    """A document of the feed with entries that link to these pages, at the feed's own address."""
    drafts = [draft(f"g{number}{link}", url=link) for number, link in enumerate(links)]
    arrival = Arrival(feed, drafts, NOW, site_url=site)
    ingest.write([ingest.plan(arrival, ingest.look_up([arrival]))])
    feed.last_success_at = NOW
    feed.save()


@pytest.mark.parametrize(
    "url",
    [
        "https://feeds.feedburner.com/paper",
        "https://rsshub.app/paper",
        "http://192.168.1.5:1200/paper",
        "https://bridge.example/p",
    ],
)
def test_a_bridge_has_the_publisher_and_tier_of_its_articles(url: str) -> None:
    make.source("paper.example", name="The Paper", tier=1)
    feed = make.feed(url, publisher=None)
    arrive(feed, PAPER)
    assert feed.publisher is not None
    assert (feed.publisher.domain, feed.via) == ("paper.example", url.split("/")[2].partition(":")[0])
    article = feed.items.get().article
    assert article.source is not None
    assert (article.source.domain, article.source.tier) == ("paper.example", 1)
    subscription = make.subscription(make.user(), feed)
    assert subscription.source_name == f"The Paper via {feed.via}"
    subscription.title = "My paper"
    assert subscription.source_name == "My paper"


def test_a_publishers_own_feed_names_no_host() -> None:
    feed = make.feed("https://rss.paper.example/f", publisher=None)
    arrive(feed, PAPER)
    assert feed.via == ""


def test_entries_that_disagree_leave_it_to_the_address_for_good() -> None:
    bridge = make.source("bridge.example")
    feed = make.feed("https://bridge.example/p", publisher=bridge)
    arrive(feed, PAPER, OTHER)
    arrive(feed, PAPER)  # later documents only have the new entries
    assert (feed.publisher, feed.via) == (bridge, "")


def test_a_later_entry_without_link_changes_nothing() -> None:
    feed = make.feed("https://bridge.example/p")
    arrive(feed, PAPER)
    arrive(feed, "")
    assert feed.publisher is not None
    assert (feed.publisher.domain, feed.via) == ("paper.example", "bridge.example")
    arrive(feed, OTHER)
    assert (feed.publisher.domain, feed.via) == ("bridge.example", "")
