"""Real documents, as servers sent them, through the whole engine: socket, parser, normalizer, database."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import feedparser
import pytest

from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Article, Feed, Item, PollOutcome
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from rssmanager.env import PROJECT
from tests import make
from tests.feeds.servers import ScriptedServer, answer

DATA = PROJECT.parent / "shared" / "data" / "feeds"
NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)  # the day after the real feeds were collected

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not here"),
]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


def poll_documents(server: ScriptedServer, paths: list[Path]) -> dict[Path, Feed]:
    """The feed of each document after one poll of all."""
    feeds = {
        path: make.feed(server.on(f"/{number}", answer(200, path.read_bytes())), next_poll_at=NOW, max_items=100_000)
        for number, path in enumerate(paths)
    }
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    poller = Poller(fetcher, rules=NormalizingRules(), concurrency=8, per_domain=8, clock=lambda: NOW)
    assert poller.run().n_feeds == len(paths)
    fetcher.close()
    return feeds


@pytest.mark.slow
def test_real_documents_yield_at_least_what_feedparser_does(server: ScriptedServer) -> None:
    documents = sorted((DATA / "real").glob("*.xml"))
    assert len(documents) == 112
    short = {}
    for path, feed in poll_documents(server, documents).items():
        poll = feed.polls.get()
        found = feedparser.parse(path.open("rb"), sanitize_html=False, resolve_relative_uris=False)
        n_empty = sum(
            not (entry.get("title") or entry.get("summary") or entry.get("content")) for entry in found.entries
        )
        if poll.outcome != PollOutcome.NEW or poll.n_entries < len(found.entries) or poll.n_malformed > n_empty:
            short[path.name] = (poll.outcome, poll.n_entries, len(found.entries), poll.n_malformed, poll.message)
    assert short == {}


@pytest.mark.slow
def test_real_articles_have_titles_links_and_dates(server: ScriptedServer) -> None:
    feeds = poll_documents(server, sorted((DATA / "real").glob("*.xml")))
    assert Article.objects.count() > 2900
    bare = next(feed for path, feed in feeds.items() if "areweanticheatyet" in path.name)  # has neither links nor guids
    articles = Article.objects.exclude(feed=bare)
    n = articles.count()
    assert articles.filter(title="").count() == 0
    assert articles.exclude(url="").count() > 0.9 * n
    assert articles.filter(date_uncertain=False).count() > 0.9 * n
    assert articles.filter(published_at__gt=NOW.replace(day=20)).count() == 0
    assert Item.objects.count() >= n


@pytest.mark.slow
def test_every_fixture_is_read_or_refused_with_a_reason(server: ScriptedServer) -> None:
    documents = sorted(path for path in (DATA / "fixtures").iterdir() if path.suffix != ".tsv")
    assert len(documents) == 204
    feeds = poll_documents(server, documents)
    outcomes = {path.name: feed.polls.get() for path, feed in feeds.items()}
    assert {poll.outcome for poll in outcomes.values()} <= {
        PollOutcome.NEW,
        PollOutcome.UNCHANGED,
        PollOutcome.PARSE_ERROR,
    }
    refused = {name: poll for name, poll in outcomes.items() if poll.outcome == PollOutcome.PARSE_ERROR}
    assert all(poll.message for poll in refused.values())
    assert {name for name in refused if not name.endswith((".html", ".json", ".opml"))} == {
        "miniflux+v2--iso88591.xml",  # well-formed XML, but no feed: a <note>
        "miniflux+v2--iso88591_utf8_mismatch.xml",  # the same
        "rbren+rss-parser--unrecognized.rss",  # a web page
    }
