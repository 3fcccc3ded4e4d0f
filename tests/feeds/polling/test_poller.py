"""Polls over real sockets: every row of SPEC §2's status table, and the rows it stores."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import DataError, OperationalError

from feeds.fetching import Fetcher, FetchLimits, FetchResult, Hop, without_credentials
from feeds.models import Article, Condition, Feed, FeedKind, FeedStatus, Item, Poll, Revision, Source
from feeds.polling import leases
from feeds.polling import poller as polling
from feeds.polling.poller import FeedFetcher, Poller, PollReport
from feeds.storage import ingest
from feeds.storage.drafts import NormalizingRules
from tests import make
from tests.feeds.servers import ScriptedServer, answer, moved, silent
from tests.make import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.vendor]


def document(*entries: tuple[str, str], ttl: int = 0, hour: int = 8) -> bytes:
    """An RSS document of `(guid, title)` entries of the day of NOW."""
    when = format_datetime(NOW.replace(hour=hour))
    items = "".join(
        f"<item><guid isPermaLink='false'>{guid}</guid><link>https://paper.example/{guid}</link><title>{title}</title>"
        f"<pubDate>{when}</pubDate><description>What {title} is about, in a few words.</description></item>"
        for guid, title in entries
    )
    ttl_element = f"<ttl>{ttl}</ttl>" if ttl else ""
    return f"<rss version='2.0'><channel><title>Paper</title>{ttl_element}{items}</channel></rss>".encode()


ONE = document(("a", "Cranes come down"))
TWO = document(("b", "Library opens"), ("a", "Cranes come down"))
PAGE = (
    b"<!doctype html><html><head><link rel=alternate type=application/rss+xml href=/real.xml title=Real></head></html>"
)


@dataclass
class Bench:
    """A server to script and an engine to poll it with, under a clock that the test sets."""

    server: ScriptedServer
    fetcher: FeedFetcher
    now: datetime = NOW
    after_each: Callable[[], None] = field(default=lambda: None)

    def poll(self, *feeds: Feed) -> PollReport:
        if feeds:
            Feed.objects.filter(pk__in=[feed.pk for feed in feeds]).update(next_poll_at=self.now)
            Source.objects.update(rate_limited_until=None)
        poller = Poller(
            self.fetcher,
            rules=NormalizingRules(),
            concurrency=4,
            per_domain=2,
            clock=lambda: self.now,
            on_poll=lambda feed, poll: self.after_each(),
        )
        return poller.run()


@pytest.fixture
def bench() -> Iterator[Bench]:
    server = ScriptedServer()
    limits = FetchLimits(allow_private_networks=True, total_seconds=0.4, connect_seconds=0.4)
    fetcher = Fetcher(limits, user_agent="rssmanager/test", wait=lambda seconds: None)
    yield Bench(server, fetcher)
    fetcher.close()
    server.close()


def latest(feed: Feed) -> Poll:
    feed.refresh_from_db()
    poll = feed.polls.order_by("-pk").first()
    assert poll is not None
    return poll


def test_200_stores_articles_and_validators(bench: Bench) -> None:
    feed = make.feed(
        bench.server.on("/f", answer(200, TWO, etag='"v1"', last_modified="Wed, 04 Mar 2026 08:00:00 GMT"))
    )
    report = bench.poll(feed)
    assert (report.n_feeds, report.n_new) == (1, 2)
    poll = latest(feed)
    assert (poll.outcome, poll.status, poll.n_entries, poll.n_new, poll.well_formed) == ("new", 200, 2, 2, True)
    assert (feed.etag, feed.title, feed.format) == ('"v1"', "Paper", "rss20")
    assert feed.next_poll_at > NOW
    assert feed.interval_reason.startswith("every ")
    assert set(Article.objects.values_list("title", flat=True)) == {"Cranes come down", "Library opens"}
    assert not Source.objects.filter(lease_token__isnull=False).exists()


@pytest.mark.parametrize(
    ("body", "n_entries", "etag"), [(TWO, 2, '"v1"'), (TWO[:-150], 1, "")], ids=["complete", "cut off"]
)
def test_shorter_body_than_promised_is_read_as_far_as_it_goes(
    bench: Bench, body: bytes, n_entries: int, etag: str
) -> None:
    promised = answer(200, body, etag='"v1"').replace(f"Content-Length: {len(body)}".encode(), b"Content-Length: 99999")
    feed = make.feed(bench.server.on("/f", promised))
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.outcome, poll.n_entries, feed.etag) == ("new", n_entries, etag)
    assert poll.message.startswith("the response ended early")


def test_document_without_a_whole_entry_is_a_failure(bench: Bench) -> None:
    half = b"<rss version='2.0'><channel><item><title>half an ent"
    feed = make.feed(bench.server.on("/f", answer(200, half)))
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.outcome, poll.n_entries, feed.consecutive_failures) == ("parse_error", 0, 1)


@pytest.mark.parametrize(
    ("values", "language"), [({}, "fr"), ({"language": "de", "language_is_fixed": True}, "de")], ids=["own", "set"]
)
def test_a_set_language_stays(bench: Bench, values: dict[str, object], language: str) -> None:
    declared = TWO.replace(b"<item>", b"<language>fr-fr</language><item>", 1)
    feed = make.feed(bench.server.on("/f", answer(200, declared)), **values)
    bench.poll(feed)
    assert latest(feed).feed.language == language
    assert set(Article.objects.values_list("language", flat=True)) == {language}


def dated(*entries: tuple[str, str]) -> bytes:
    """An RSS document of titles and dates as written, "" for none."""
    items = "".join(
        f"<item><title>{title}</title>{date and f'<pubDate>{date}</pubDate>'}</item>" for title, date in entries
    )
    return f"<rss version='2.0'><channel><title>Paper</title>{items}</channel></rss>".encode()


def test_entries_without_a_date_have_that_of_the_poll(bench: Bench) -> None:
    old = format_datetime(NOW - timedelta(days=2))
    first = dated(("First", ""), ("Dated", old), ("Second", "soon"))
    feed = make.feed(bench.server.on("/f", answer(200, first), answer(200, dated(("Later", "")))))
    bench.poll(feed)
    bench.now = NOW + timedelta(days=1)
    bench.poll(feed)
    articles = {article.title: article for article in Article.objects.all()}
    step = timedelta(milliseconds=1)
    assert {title: article.published_at for title, article in articles.items()} == {
        "First": NOW,
        "Second": NOW - step,
        "Dated": NOW - timedelta(days=2),
        "Later": bench.now,
    }
    assert [title for title, article in articles.items() if not article.date_uncertain] == ["Dated"]
    places = Item.objects.order_by("-published_at").values_list("article__title", flat=True)
    assert list(places) == ["Later", "Dated", "First", "Second"]  # what a new feed already had isn't news


def test_a_clock_without_a_zone_that_is_ahead_is_set_back(bench: Bench) -> None:
    def local(hours: float) -> str:
        return f"{NOW + timedelta(hours=hours):%Y-%m-%d %H:%M:%S}"

    documents = (
        dated(("Newest", local(7.9)), ("Older", local(3)), ("In UTC", format_datetime(NOW - timedelta(hours=1)))),
        dated(("Late", local(5 * 24 + 5))),
    )
    feed = make.feed(bench.server.on("/f", *(answer(200, document) for document in documents)))
    bench.poll(feed)
    bench.now = NOW + timedelta(days=5)
    Feed.objects.update(last_success_at=bench.now - timedelta(hours=6))
    bench.poll(feed)
    ages = {article.title: (NOW - article.published_at) / timedelta(hours=1) for article in Article.objects.all()}
    assert ages == pytest.approx({"Newest": 0.1, "Older": 5, "In UTC": 1, "Late": 3 - 5 * 24})
    assert latest(feed).feed.clock_ahead_minutes == 8 * 60


def test_entries_dated_ahead_keep_their_order(bench: Bench) -> None:
    titles = [f"Title {number}" for number in range(9)]
    ahead = dated(*((title, format_datetime(NOW + timedelta(hours=9))) for title in titles))
    bench.poll(make.feed(bench.server.on("/f", answer(200, ahead))))
    assert list(Article.objects.order_by("-published_at").values_list("title", flat=True)) == titles
    assert Article.objects.latest("published_at").published_at == NOW


@pytest.mark.parametrize("day", ["2019-10-02", ""])
def test_dates_without_a_time_show_when_a_feed_fell_silent(bench: Bench, day: str) -> None:
    entry = f"<item><title>Cranes</title><pubDate>{day}</pubDate></item>"
    feed = make.feed(bench.server.on("/f", answer(200, f"<rss><channel>{entry}</channel></rss>".encode())))
    bench.poll(feed)
    feed.refresh_from_db()
    assert feed.newest_entry_at == (datetime(2019, 10, 2, tzinfo=UTC) if day else None)
    assert feed.condition == (Condition.SILENT if day else Condition.WELL)


def test_stores_the_url_of_a_feeds_icon_only_if_it_has_one(bench: Bench) -> None:
    with_icon = ONE.replace(b"<item>", b"<image><url>/i.png</url></image><item>", 1)
    feed = make.feed(bench.server.on("/f", answer(200, with_icon), answer(200, TWO)))
    bench.poll(feed)
    assert latest(feed).feed.icon_url == bench.server.url("/i.png")
    bench.poll(feed)
    assert latest(feed).feed.icon_url == ""


def test_304_is_a_success_after_sending_validators(bench: Bench) -> None:
    date = "Wed, 04 Mar 2026 08:00:00 GMT"
    feed = make.feed(bench.server.on("/f", answer(200, ONE, etag='"v1"', last_modified=date), answer(304)))
    bench.poll(feed)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("not_modified", 304)
    headers = bench.server.requests[-1].headers
    assert (headers["if-none-match"], headers["if-modified-since"]) == ('"v1"', date)
    assert (feed.consecutive_failures, feed.consecutive_unchanged) == (0, 1)


def test_a_date_of_the_future_is_not_sent_back(bench: Bench) -> None:
    future = "Sat, 16 Nov 2041 19:11:00 GMT"
    feed = make.feed(bench.server.on("/f", *(answer(200, body, last_modified=future) for body in (ONE, TWO))))
    bench.poll(feed)
    bench.poll(feed)
    assert (latest(feed).n_new, "if-modified-since" in bench.server.requests[-1].headers) == (1, False)


def test_every_feed_is_asked_in_full_once_a_week(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE, etag='"v1"'), answer(304)))
    start, asked = bench.now, []
    for hours in range(0, 22 * 24, 12):
        bench.now = start + timedelta(hours=hours)
        bench.poll(feed)
        if "if-none-match" not in bench.server.requests[-1].headers:
            asked.append(hours)
    assert [later - earlier for earlier, later in pairwise(asked[1:])] == [7 * 24, 7 * 24]
    assert (asked[0], len(asked)) == (0, 4)


def test_unchanged_body_without_validators_is_not_parsed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))
    bench.poll(feed)
    monkeypatch.setattr("feeds.polling.poller.read_document", None)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).message) == ("unchanged", "same document as last time")


def test_only_new_entries_of_a_changed_document_are_parsed(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(200, TWO)))
    bench.poll(feed)
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.n_entries, poll.n_new, poll.n_duplicates) == (1, 1, 0)
    assert len(feed.raw_hashes) == 2 * 24


def test_a_changed_entry_is_revised(bench: Bench) -> None:
    changed = document(("a", "Cranes come down on Monday"))
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(200, changed)))
    bench.poll(feed)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).n_revised) == ("new", 1)
    assert (Article.objects.get().title, Revision.objects.get().title) == (
        "Cranes come down on Monday",
        "Cranes come down",
    )


@pytest.mark.parametrize("status", [301, 308])
def test_stores_a_permanent_move_to_a_valid_feed(bench: Bench, status: int) -> None:
    new = bench.server.on("/new", answer(200, ONE))
    feed = make.feed(bench.server.on("/old", moved(status, "/new")))
    bench.poll(feed)
    assert (latest(feed).moved_to, latest(feed).message) == (new, "")
    assert (feed.url, bytes(feed.url_key)) == (new, Feed.key_of(new))
    bench.poll(feed)
    assert bench.server.requests[-1].target == "/new"


@pytest.mark.parametrize("status", [302, 303, 307])
def test_follows_a_temporary_move_without_storing_it(bench: Bench, status: int) -> None:
    bench.server.on("/new", answer(200, ONE))
    old = bench.server.on("/old", moved(status, "/new"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("new", old)
    assert feed.final_url.endswith("/new")


def test_ignores_a_partly_temporary_chain(bench: Bench) -> None:
    bench.server.on("/b", moved(302, "/c"))
    bench.server.on("/c", answer(200, ONE))
    old = bench.server.on("/a", moved(301, "/b"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("new", old)


def test_ignores_a_permanent_move_to_a_non_feed(bench: Bench) -> None:
    bench.server.on("/new", answer(200, PAGE))
    old = bench.server.on("/old", moved(301, "/new"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("parse_error", old)


def test_merges_a_move_to_an_existing_feed(bench: Bench) -> None:
    target = make.feed(bench.server.on("/new", answer(200, ONE)))
    feed = make.feed(bench.server.on("/old", moved(301, "/new")))
    bench.poll(feed)
    assert "merged" in latest(feed).message
    assert latest(feed).moved_to == target.url
    assert (feed.status, feed.merged_into, feed.next_poll_at) == (FeedStatus.MERGED, target, None)
    bench.server.requests.clear()
    bench.poll(feed)
    assert bench.server.requests == []


def elsewhere(url: str) -> str:
    """The same address under another registrable domain."""
    return url.replace("127.0.0.1", "localhost")


def test_a_move_to_another_publisher_keeps_articles_apart(bench: Bench) -> None:
    """Otherwise followers of the other publisher's feed would see what this row delivered before."""
    new = elsewhere(bench.server.on("/new", answer(200, ONE)))
    feed = make.feed(bench.server.on("/old", answer(200, TWO), moved(301, new)), tier=1)
    bench.poll(feed)
    bench.poll(feed)
    bench.poll()
    assert (latest(feed).moved_to, feed.status, feed.source.domain) == (new, FeedStatus.MERGED, "127.0.0.1")
    other = feed.merged_into
    assert other is not None
    assert (other.url, other.source.domain, other.tier, other.status) == (new, "localhost", None, FeedStatus.ACTIVE)
    assert set(feed.items.values_list("guid", flat=True)) == {"a", "b"}
    assert set(other.items.values_list("guid", flat=True)) == {"a"}  # from a poll of its own


@pytest.mark.parametrize("secret", ["/f?token=hush", "/f?page=2", "/9f8a7b6c5d4e3f2a1b0c/feed"])
def test_a_secret_feed_that_moves_keeps_articles_apart(bench: Bench, secret: str) -> None:
    new = bench.server.on("/open", answer(200, ONE))
    feed = make.feed(bench.server.on(secret, answer(200, TWO), moved(301, "/open")))
    bench.poll(feed)
    bench.poll(feed)
    bench.poll()
    assert latest(feed).feed.status == FeedStatus.MERGED
    assert feed.merged_into is not None
    assert feed.merged_into.url == new
    assert set(feed.merged_into.items.values_list("guid", flat=True)) == {"a"}  # from a poll of its own


def test_a_feed_that_claims_a_known_publisher_names_its_host(bench: Bench) -> None:
    make.source("bbc.co.uk", name="BBC News", tier=2)
    claim = TWO.replace(b"<title>Paper</title>", b"<title>BBC News</title><link>https://www.bbc.co.uk/</link>")
    feed = make.feed(bench.server.on("/f", answer(200, claim.replace(b"paper.example", b"www.bbc.co.uk"))))
    bench.poll(feed)
    feed.refresh_from_db()
    assert feed.publisher is not None
    assert (feed.publisher.domain, feed.via, feed.title) == ("bbc.co.uk", "127.0.0.1", "BBC News (127.0.0.1)")
    subscription = make.subscription(make.user(), feed)
    assert (subscription.source_name, subscription.shown_title) == ("BBC News via 127.0.0.1", "BBC News (127.0.0.1)")


def test_a_feed_that_moves_back_is_polled_again(bench: Bench) -> None:
    one = make.feed(bench.server.on("/one", moved(301, "/two"), answer(200, ONE)))
    two = make.feed(bench.server.on("/two", answer(200, ONE), moved(301, "/one")), next_poll_at=None)
    bench.poll(one)
    Feed.objects.filter(pk=one.pk).update(followers_moved_at=NOW)
    assert (latest(one).feed.status, one.merged_into) == (FeedStatus.MERGED, two)
    bench.poll(two)
    one.refresh_from_db()
    assert (one.status, one.merged_into, one.followers_moved_at, one.next_poll_at) == ("active", None, None, NOW)
    assert (latest(two).feed.status, two.merged_into, two.next_poll_at) == ("merged", one, None)
    bench.poll()
    assert latest(one).outcome == "unchanged"


@pytest.mark.parametrize("status", [FeedStatus.DEAD, FeedStatus.MERGED])
def test_merging_into_a_stopped_feed_resumes_it(bench: Bench, status: FeedStatus) -> None:
    gone = make.feed(status=FeedStatus.DEAD)
    merged_into = gone if status == FeedStatus.MERGED else None
    new = bench.server.on("/new", answer(200, ONE))
    target = make.feed(new, status=status, merged_into=merged_into, condition=Condition.DEAD, next_poll_at=None)
    feed = make.feed(bench.server.on("/old", moved(301, "/new")))
    bench.poll(feed)
    assert (latest(feed).feed.status, feed.merged_into) == (FeedStatus.MERGED, target)
    bench.poll()
    assert (latest(target).outcome, target.status, target.condition) == ("new", "active", Condition.WELL)


def test_no_merge_into_a_paused_feed(bench: Bench) -> None:
    target = make.feed(bench.server.on("/new", answer(200, ONE)), status=FeedStatus.PAUSED)
    feed = make.feed(bench.server.on("/old", moved(301, "/new")))
    bench.poll(feed)
    assert latest(feed).message == f"moved to {target.url}; not followed, because that feed is paused"
    assert (feed.status, feed.merged_into, feed.url) == (FeedStatus.ACTIVE, None, feed.url)


def test_never_stores_credentials_of_a_redirect(bench: Bench) -> None:
    new = bench.server.on("/new", answer(200, ONE))
    feed = make.feed(bench.server.on("/old", moved(301, new.replace("//", "//ada:hush@"))))
    bench.poll(feed)
    assert (latest(feed).moved_to, feed.url, feed.final_url) == ("", bench.server.url("/old"), new)
    assert not Feed.objects.filter(url__contains="hush").exists()


class Moved:
    """A substitute for the network: every URL redirects to `to` at once, where `credentials` are sent, and `status`
    and a feed are the response."""

    def __init__(self, to: str, *, status: int = 200, hop: int = 301, credentials: tuple[str, str] | None) -> None:
        self._to, self._status, self._hop, self._credentials = to, status, hop, credentials

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        hops = (Hop(self._hop, without_credentials(url), self._to),)
        return FetchResult(self._to, self._status, body=ONE, hops=hops, credentials=self._credentials)


@pytest.mark.parametrize(
    ("old", "new", "url"),
    [
        ("http://paper.example/f", "https://paper.example/f", "https://ann:s3cret@paper.example/f"),
        ("https://paper.example/f", "https://paper.example/new", "https://ann:s3cret@paper.example/new"),
    ],
)
def test_password_follows_its_own_server(bench: Bench, old: str, new: str, url: str) -> None:
    feed = make.feed(old.replace("://", "://ann:s3cret@"))
    bench.fetcher = Moved(new, credentials=("ann", "s3cret"))
    bench.poll(feed)
    assert (latest(feed).moved_to, latest(feed).message) == (new, "")
    assert (feed.url, feed.final_url, feed.condition) == (url, "", Condition.WELL)


@pytest.mark.parametrize(
    ("hop", "status", "outcome"),
    [
        (301, 200, "new"),
        (308, 200, "new"),
        (301, 401, "http_error"),
        (302, 401, "http_error"),
        (307, 403, "http_error"),
    ],
)
def test_asks_where_a_password_does_not_go(bench: Bench, hop: int, status: int, outcome: str) -> None:
    feed = make.feed(url := "https://ann:s3cret@paper.example/f")
    bench.fetcher = Moved("https://b.paper.example/f", status=status, hop=hop, credentials=None)
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.outcome, poll.moved_to) == (outcome, "https://b.paper.example/f")
    assert poll.message.endswith("redirects to https://b.paper.example/f; the feed's password isn't sent there")
    assert (feed.url, feed.final_url, feed.status) == (url, "https://b.paper.example/f", FeedStatus.ACTIVE)
    assert feed.condition == Condition.UNHEALTHY
    assert feed.condition_reason == "it redirects to b.paper.example, and we don't send its password there"
    assert Feed.objects.count() == 1


def test_a_temporary_redirect_that_needs_no_password_is_fine(bench: Bench) -> None:
    feed = make.feed(url := "https://ann:s3cret@paper.example/f")
    bench.fetcher = Moved("https://cdn.example/f", hop=302, credentials=None)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).message, latest(feed).moved_to) == ("new", "", "")
    assert (feed.url, feed.condition) == (url, Condition.WELL)


@pytest.mark.parametrize("elsewhere", ["name", "port"])
def test_password_reaches_no_other_origin(bench: Bench, elsewhere: str) -> None:
    other = ScriptedServer()
    receiver = {"name": bench.server, "port": other}[elsewhere]
    receiver.on("/new", answer(200, ONE))
    new = receiver.url("/new", host="localhost" if elsewhere == "name" else "")
    bench.server.on("/f", moved(301, new))
    feed = make.feed(url := bench.server.url("/f", credentials="ann:s3cret"))
    for _ in range(3):
        bench.poll(feed)
    other.close()
    assert (latest(feed).feed.url, feed.final_url, feed.condition) == (url, new, Condition.UNHEALTHY)
    targets = [(request.target, "authorization" in request.headers) for request in bench.server.requests]
    assert set(targets + [(r.target, "authorization" in r.headers) for r in other.requests]) == {
        ("/f", True),
        ("/new", False),
    }


def test_ignores_other_urls_in_the_document(bench: Bench) -> None:
    """Neither of itself (`self`, `hub`, `itunes:new-feed-url`, site, icon) nor of its entries' source and author."""
    other = "https://victim.example/feed.xml"
    claims = (
        f"<link>https://victim.example/</link><image><url>https://victim.example/logo.png</url></image>"
        f"<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='self' href='{other}'/>"
        f"<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='hub' href='https://victim.example/hub'/>"
        f"<itunes:new-feed-url xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>{other}</itunes:new-feed-url>"
    )
    source = f"<source url='{other}'>Victim</source><author>editor@victim.example (Victim)</author></item>"
    body = ONE.replace(b"</title><item>", f"</title>{claims}<item>".encode()).replace(b"</item>", source.encode())
    feed = make.feed(url := bench.server.on("/f", answer(200, body)))
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url, feed.status, feed.source.domain) == ("new", url, "active", "127.0.0.1")
    assert Article.objects.get().source == feed.source
    assert [request.target for request in bench.server.requests] == ["/f"]
    assert not Source.objects.filter(domain="victim.example").exists()


def test_articles_behind_a_password_stay_separate(bench: Bench) -> None:
    """Entries without a link are told apart by the feed's address, those with one by the link; both must not meet."""
    linkless = b"<item><guid isPermaLink='false'>1</guid><title>%s</title></item></channel>"
    url = bench.server.on(
        "/f",
        *(
            answer(200, ONE.replace(b"</channel>", linkless % owner))
            for owner in (b"Ada's bill", b"Ben's bill", b"Open")
        ),
    )
    feeds = [make.feed(url.replace("//", f"//{secret}")) for secret in ("ada:one@", "ben:two@", "")]
    for feed in feeds:
        Feed.objects.update(status=FeedStatus.PAUSED)
        Feed.objects.filter(pk=feed.pk).update(status=FeedStatus.ACTIVE)
        bench.poll(feed)
    titles = [set(feed.items.values_list("article__title", flat=True)) - {"Cranes come down"} for feed in feeds]
    assert titles == [{"Ada's bill"}, {"Ben's bill"}, {"Open"}]
    assert Article.objects.filter(title="Cranes come down").count() == 3


def test_410_stops_polling_and_keeps_articles(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(410)))
    bench.poll(feed)
    bench.poll(feed)
    assert latest(feed).outcome == "gone"
    assert (feed.status, feed.condition, feed.next_poll_at) == (FeedStatus.DEAD, Condition.DEAD, None)
    assert Article.objects.count() == 1
    n_requests = len(bench.server.requests)
    bench.poll(feed)
    assert len(bench.server.requests) == n_requests


def test_429_limits_the_domain_and_doubles_the_interval(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(429, retry_after="7200")))
    bench.poll(feed)
    Feed.objects.filter(pk=feed.pk).update(interval_seconds=3600)
    bench.poll(feed)
    assert latest(feed).outcome == "limited"
    assert feed.interval_seconds == 7200
    assert (feed.source.rate_limited_until, feed.consecutive_failures) == (NOW + timedelta(hours=2), 0)
    assert feed.next_poll_at >= NOW + timedelta(hours=2)
    assert len(bench.server.requests) == 2  # a 429 is not tried again at once
    neighbour = make.feed(bench.server.on("/g", answer(200, TWO)))
    assert neighbour.source == feed.source
    assert bench.poll().n_feeds == 0  # the other feed of the domain is due, and waits too
    bench.now = NOW + timedelta(hours=2, seconds=1)
    assert bench.poll().n_feeds >= 1
    assert latest(neighbour).outcome == "new"


def test_a_429_after_a_redirect_limits_the_domain_that_answered(bench: Bench) -> None:
    bench.server.on("/real", answer(200, ONE), answer(200, ONE), answer(429, retry_after="7200"))
    feeds = [make.feed(bench.server.on(f"/{n}", moved(302, elsewhere(bench.server.url("/real"))))) for n in (1, 2)]
    for feed in feeds:
        bench.poll(feed)
    bench.poll(feeds[0])
    limits = dict(Source.objects.values_list("domain", "rate_limited_until"))
    assert (limits["127.0.0.1"], limits["localhost"]) == (None, NOW + timedelta(hours=2))
    Feed.objects.update(next_poll_at=NOW)
    n_requests = len(bench.server.requests)
    assert (bench.poll().n_feeds, len(bench.server.requests)) == (0, n_requests)
    assert latest(feeds[1]).feed.next_poll_at == NOW + timedelta(hours=2)


@pytest.mark.parametrize(
    ("retry_after", "rests"),
    [
        pytest.param("120", timedelta(minutes=2), id="seconds"),
        pytest.param("Wed, 04 Mar 2026 13:00:00 GMT", timedelta(hours=1), id="date"),
        pytest.param("99999999", timedelta(days=7), id="absurd"),
    ],
)
def test_obeys_503_with_retry_after(bench: Bench, retry_after: str, rests: timedelta) -> None:
    feed = make.feed(bench.server.on("/f", answer(503, retry_after=retry_after)))
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("limited", 503)
    assert feed.source.rate_limited_until == NOW + rests


def test_a_403_after_a_success_is_a_rate_limit(bench: Bench) -> None:
    lately = make.feed(bench.server.on("/f", answer(200, ONE), answer(403)))
    bench.poll(lately)
    never = make.feed(bench.server.on("/g", answer(403)))
    bench.poll(lately, never)
    assert (latest(lately).outcome, lately.consecutive_failures) == ("limited", 0)
    assert (latest(never).outcome, never.consecutive_failures) == ("http_error", 1)


@pytest.mark.parametrize("status", [400, 401, 404, 418])
def test_4xx_is_not_retried_immediately(bench: Bench, status: int) -> None:
    feed = make.feed(bench.server.on("/f", answer(status)))
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("http_error", status)
    assert latest(feed).message == f"the server responded with status {status}"
    assert len(bench.server.requests) == 1
    assert feed.next_poll_at - NOW > timedelta(hours=5)  # twice the interval, no second try after 60 s


def test_5xx_is_retried_then_backs_off(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(500)), interval_seconds=3600)
    bench.poll(feed)
    assert len(bench.server.requests) == 3
    assert timedelta(seconds=54) <= latest(feed).feed.next_poll_at - NOW <= timedelta(seconds=66)
    waits = []
    for _ in range(3):
        bench.poll(feed)
        feed.refresh_from_db()
        waits.append((feed.next_poll_at - NOW) / timedelta(hours=1))
    assert waits == pytest.approx([2, 4, 8], rel=0.101)  # the jitter
    assert feed.interval_seconds == 3600


def test_a_web_page_fails_and_lists_its_feeds(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, PAGE, content_type="text/html")))
    bench.poll(feed)
    assert latest(feed).outcome == "parse_error"
    assert feed.discovered_feeds == [{"url": bench.server.url("/real.xml"), "title": "Real"}]
    assert latest(feed).message.endswith(f" It links to 1 feed: {bench.server.url('/real.xml')}")


def test_three_parse_failures_are_unhealthy_until_success(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", *[answer(200, b"garbage")] * 3, answer(200, ONE)))
    conditions = []
    for _ in range(4):
        bench.poll(feed)
        feed.refresh_from_db()
        conditions.append(feed.condition)
    assert conditions == [Condition.WELL, Condition.WELL, Condition.UNHEALTHY, Condition.WELL]
    assert (feed.condition_changed_at, feed.consecutive_parse_failures) == (NOW, 0)


def test_malformed_entries_are_noted_and_counted(bench: Bench) -> None:
    empty = b"<item><link>https://paper.example/%d</link></item>"
    body = ONE.replace(b"</channel>", empty % 1 + empty % 2 + b"</channel>")
    feed = make.feed(bench.server.on("/f", answer(200, body)))
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.outcome, poll.n_entries, poll.n_read, poll.n_new, poll.n_malformed) == ("new", 3, 1, 1, 2)
    assert poll.message == "2 entries without a title or text were skipped"


def test_three_timeouts_are_unhealthy(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", silent(bench.server)))
    marked = []
    for _ in range(3):
        bench.poll(feed)
        feed.refresh_from_db()
        marked.append(feed.is_marked_slow)
    assert (latest(feed).outcome, marked) == ("timeout", [False, False, True])
    assert (feed.condition, feed.consecutive_timeouts, feed.is_slow) == (Condition.UNHEALTHY, 3, True)


def test_failing_most_polls_is_unhealthy(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(404)))
    for hours in range(3):
        make.poll(feed, "http_error" if hours else "new", started_at=NOW - timedelta(hours=hours))
    make.poll(feed, "http_error", started_at=NOW - timedelta(days=8))
    bench.poll(feed)
    assert (latest(feed).feed.condition, feed.condition_reason) == (
        Condition.UNHEALTHY,
        "3 of 4 polls failed within 7 days",
    )


def test_the_publishers_ttl_is_the_minimum(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, document(("a", "Cranes"), ttl=600))), kind=FeedKind.BREAKING)
    bench.poll(feed)
    assert latest(feed).feed.next_poll_at >= NOW + timedelta(minutes=600)
    assert (feed.publisher_minimum_seconds, feed.publisher_minimum_by) == (36_000, "ttl")


def test_a_faulty_feed_does_not_stop_the_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO)))
    read_document = polling.read_document

    def faulty(body: bytes, **options: object) -> object:
        if body == TWO:
            raise RuntimeError("a bug")
        return read_document(body, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(polling, "read_document", faulty)
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, latest(bad).message) == ("internal", "RuntimeError: a bug")
    monkeypatch.undo()
    bench.poll(bad)
    assert latest(bad).outcome == "new"


def test_a_hanging_feed_backs_off_and_stops_no_other(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO)))
    read_document = polling.read_document

    def hanging(body: bytes, **options: object) -> object:
        while body == TWO:
            pass
        return read_document(body, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(polling, "read_document", hanging)
    monkeypatch.setattr(polling, "READ_SECONDS", 0.2)
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, latest(bad).message) == ("internal", "reading this feed took too long")
    assert bad.next_poll_at > NOW


def test_content_that_hangs_when_stored_affects_only_its_feed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO)))
    write = ingest.write

    def hang(plans: Sequence[ingest.Plan]) -> list[ingest.Stored]:
        while any(planned.feed == bad and planned.entries for planned in plans):
            pass
        return write(plans)

    monkeypatch.setattr(ingest, "write", hang)
    monkeypatch.setattr("feeds.polling.storing.STORE_SECONDS", 0.2)
    bench.poll(good, bad)
    assert (latest(good).outcome, latest(bad).outcome) == ("new", "internal")


def test_a_run_ends_after_two_hanging_feeds_and_leaves_the_others_due(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a task with many of them ends in time."""
    bad = [make.feed(bench.server.on(f"/bad{n}", answer(200, TWO))) for n in range(3)]

    def hang(body: bytes, **options: object) -> None:
        while True:
            pass

    monkeypatch.setattr(polling, "read_document", hang)
    monkeypatch.setattr(polling, "READ_SECONDS", 0.2)
    bench.poll(*bad)
    assert sorted(feed.polls.count() for feed in bad) == [0, 1, 1]
    assert Source.objects.exclude(leased_until=None).count() == 0


def test_rejected_content_affects_only_its_feed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO, etag='"v1"')), title="As it was")
    write = ingest.write

    def refuse(plans: Sequence[ingest.Plan]) -> list[ingest.Stored]:
        stored = write(plans)
        if any(planned.feed == bad and planned.entries for planned in plans):
            raise DataError("no such characters here")
        return stored

    monkeypatch.setattr(ingest, "write", refuse)
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, bad.consecutive_failures, bad.etag, bad.title) == ("internal", 1, "", "As it was")
    assert Item.objects.filter(feed=bad).count() == 0


def test_a_killed_poll_stores_nothing_and_is_repeated(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, TWO, etag='"v1"')))

    def kill(*_: object, **__: object) -> None:
        raise OperationalError("the database went away")

    monkeypatch.setattr("feeds.polling.record.record", kill)
    with pytest.raises(OperationalError):
        bench.poll(feed)
    assert (Article.objects.count(), Item.objects.count(), Poll.objects.count()) == (0, 0, 0)
    feed.refresh_from_db()
    assert (feed.etag, feed.next_poll_at) == ("", NOW)
    monkeypatch.undo()
    assert bench.poll().n_new == 2


def test_a_lease_excludes_others_until_it_expires(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))
    dead_worker = uuid4()
    assert leases.claim(NOW, token=dead_worker, limit=10).feeds == (feed,)
    assert bench.poll().n_feeds == 0
    bench.now = NOW + leases.LEASE + timedelta(seconds=1)
    assert bench.poll().n_feeds == 1


def test_feeds_of_one_domain_are_claimed_together(bench: Bench) -> None:
    make.feed("https://a.example/1")
    leases.claim(NOW, token=uuid4(), limit=1)
    make.feed("https://a.example/2")
    other = make.feed("https://b.example/1")
    assert leases.claim(NOW, token=uuid4(), limit=10).feeds == (other,)


def test_drops_a_response_after_losing_the_lease(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))

    def taken_over(connection: object) -> None:
        Source.objects.update(lease_token=uuid4())
        connection.sendall(answer(200, ONE))  # type: ignore[attr-defined]

    bench.server.on("/f", taken_over)
    assert bench.poll(feed).n_feeds == 0
    assert Article.objects.count() == 0


@pytest.mark.parametrize(
    "change",
    [{"status": FeedStatus.PAUSED}, {"url": "https://elsewhere.example/f"}, {"is_private": True}],
    ids=["paused", "moved", "made private"],
)
def test_keeps_settings_changed_during_a_poll(bench: Bench, change: dict[str, object]) -> None:
    feed = make.feed("https://paper.example/f")

    def changed(connection: object) -> None:
        Feed.objects.update(**change)
        connection.sendall(answer(200, ONE))  # type: ignore[attr-defined]

    Feed.objects.update(url=bench.server.on("/f", changed))
    bench.poll(feed)
    feed.refresh_from_db()
    assert Article.objects.count() == 0
    assert {name: getattr(feed, name) for name in change} == change


def test_two_connections_per_domain_at_most(bench: Bench) -> None:
    lock, flying, peak = threading.Lock(), [0], [0]
    gate = threading.Event()

    def count(connection: object) -> None:
        with lock:
            flying[0] += 1
            peak[0] = max(peak[0], flying[0])
            if flying[0] == 2:
                gate.set()
        gate.wait(5)
        with lock:
            flying[0] -= 1
        connection.sendall(answer(200, ONE))  # type: ignore[attr-defined]

    feeds = [make.feed(bench.server.on(f"/{n}", count)) for n in range(6)]
    assert bench.poll(*feeds).n_feeds == 6
    assert peak[0] == 2


def test_credentials_reach_only_the_server(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.server.on("/f", answer(500))
    feed = make.feed(bench.server.url("/f", credentials="ann:s3cret"), title="")
    with caplog.at_level("DEBUG"):
        bench.poll(feed)
    assert bench.server.requests[0].headers["authorization"].startswith("Basic ")
    visible = " ".join([caplog.text, latest(feed).message, str(feed), feed.shown_url, feed.interval_reason])
    assert "s3cret" not in visible


def test_plans_again_if_an_article_was_just_purged(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make.feed(bench.server.on("/one", answer(200, ONE)))
    bench.poll(first)
    second = make.feed(bench.server.on("/two", answer(200, ONE)))
    plan = ingest.plan

    def purged_next(arrival: ingest.Arrival, known: ingest.Known) -> ingest.Plan:
        planned = plan(arrival, known)
        Article.objects.filter(feed=first).delete()
        return planned

    monkeypatch.setattr(ingest, "plan", purged_next)
    bench.poll(second)
    assert (latest(second).outcome, second.consecutive_failures) == ("new", 0)
    assert Article.objects.get().feed == second


def test_a_cut_document_is_continued_by_the_next_poll(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.storage.drafts.MAX_BYTES", 1)
    other = make.feed(bench.server.on("/other", answer(200, ONE)))
    feed = make.feed(bench.server.on("/f", answer(200, TWO, etag='"v1"')))
    bench.poll(feed, other)
    message = "This feed is too large to read at once; only the first 1 entry was saved"
    assert (latest(feed).outcome, latest(feed).message, latest(feed).n_new) == ("new", message, 1)
    assert (feed.etag, feed.body_hash, latest(other).n_new) == ("", None, 1)
    bench.poll(feed)
    assert (latest(feed).message, latest(feed).n_entries) == ("", 1)
    assert sorted(feed.items.values_list("guid", flat=True)) == ["a", "b"]


def test_a_too_costly_document_fails_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.parsing.limited.MAX_MEMORY", 2**20)
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO + b" " * 2**21)))
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, latest(bad).n_new) == ("parse_error", 0)
    assert latest(bad).message == "This feed takes too long or too much memory to read."
