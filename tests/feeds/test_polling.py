"""Polls over real sockets: every row of SPEC §2's status table, from the wire to the rows it leaves."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest
from django.db import DataError, OperationalError

from feeds import claiming, ingest, polling
from feeds.fetching import Fetcher, FetchLimits
from feeds.intake import NormalizingRules
from feeds.models import Article, Condition, Feed, FeedKind, FeedStatus, Item, Poll, Revision, Source
from feeds.polling import Poller, PollReport
from tests import make
from tests.feeds.servers import ScriptedServer, answer, moved, silent
from tests.make import NOW

pytestmark = pytest.mark.django_db(transaction=True)


def document(*entries: tuple[str, str], ttl: int = 0, hour: int = 8) -> bytes:
    """An RSS document of `(guid, title)` entries of the day of NOW."""
    when = format_datetime(NOW.replace(hour=hour))
    items = "".join(
        f"<item><guid isPermaLink='false'>{guid}</guid><link>https://paper.example/{guid}</link><title>{title}</title>"
        f"<pubDate>{when}</pubDate><description>What {title} is about, in a few words.</description></item>"
        for guid, title in entries
    )
    asked = f"<ttl>{ttl}</ttl>" if ttl else ""
    return f"<rss version='2.0'><channel><title>Paper</title>{asked}{items}</channel></rss>".encode()


ONE = document(("a", "Cranes come down"))
TWO = document(("b", "Library opens"), ("a", "Cranes come down"))
PAGE = (
    b"<!doctype html><html><head><link rel=alternate type=application/rss+xml href=/real.xml title=Real></head></html>"
)


@dataclass
class Bench:
    """A server to script and an engine to poll it with, under a clock that the test sets."""

    server: ScriptedServer
    fetcher: Fetcher
    now: datetime = NOW
    after_each: Callable[[], None] = field(default=lambda: None)

    def poll(self, *feeds: Feed) -> PollReport:
        if feeds:
            Feed.objects.filter(pk__in=[feed.pk for feed in feeds]).update(next_poll_at=self.now)
            Source.objects.update(resting_until=None)
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


def test_200_brings_articles_and_keeps_the_validators(bench: Bench) -> None:
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


def test_304_is_a_success_and_sends_what_was_kept(bench: Bench) -> None:
    date = "Wed, 04 Mar 2026 08:00:00 GMT"
    feed = make.feed(bench.server.on("/f", answer(200, ONE, etag='"v1"', last_modified=date), answer(304)))
    bench.poll(feed)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("not_modified", 304)
    headers = bench.server.requests[-1].headers
    assert (headers["if-none-match"], headers["if-modified-since"]) == ('"v1"', date)
    assert (feed.failures_running, feed.unchanged_running) == (0, 1)


def test_an_unchanged_body_without_validators_is_not_parsed_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))
    bench.poll(feed)
    monkeypatch.setattr("feeds.polling.read_document", None)
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).message) == ("unchanged", "same document as last time")


def test_only_new_entries_of_a_changed_document_are_parsed(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(200, TWO)))
    bench.poll(feed)
    bench.poll(feed)
    poll = latest(feed)
    assert (poll.n_entries, poll.n_new, poll.n_duplicates) == (2, 1, 0)
    assert len(feed.raw_hashes) == 16


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
def test_a_permanent_move_is_kept_once_the_target_has_parsed(bench: Bench, status: int) -> None:
    new = bench.server.on("/new", answer(200, ONE))
    feed = make.feed(bench.server.on("/old", moved(status, "/new")))
    bench.poll(feed)
    assert (latest(feed).moved_to, latest(feed).message) == (new, "")
    assert (feed.url, bytes(feed.url_key)) == (new, Feed.key_of(new))
    bench.poll(feed)
    assert bench.server.requests[-1].target == "/new"


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_passing_move_is_followed_and_forgotten(bench: Bench, status: int) -> None:
    bench.server.on("/new", answer(200, ONE))
    old = bench.server.on("/old", moved(status, "/new"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("new", old)
    assert feed.answered_url.endswith("/new")


def test_a_chain_that_is_not_permanent_throughout_is_not_kept(bench: Bench) -> None:
    bench.server.on("/b", moved(302, "/c"))
    bench.server.on("/c", answer(200, ONE))
    old = bench.server.on("/a", moved(301, "/b"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("new", old)


def test_a_permanent_move_to_something_else_than_a_feed_is_not_kept(bench: Bench) -> None:
    bench.server.on("/new", answer(200, PAGE))
    old = bench.server.on("/old", moved(301, "/new"))
    feed = make.feed(old)
    bench.poll(feed)
    assert (latest(feed).outcome, feed.url) == ("parse_error", old)


def test_a_move_to_a_feed_that_is_followed_already_merges(bench: Bench) -> None:
    target = make.feed(bench.server.on("/new", answer(200, ONE)))
    feed = make.feed(bench.server.on("/old", moved(301, "/new")))
    bench.poll(feed)
    assert "merged" in latest(feed).message
    assert latest(feed).moved_to == target.url
    assert (feed.status, feed.merged_into, feed.next_poll_at) == (FeedStatus.MERGED, target, None)
    bench.server.requests.clear()
    bench.poll(feed)
    assert bench.server.requests == []


def test_410_ends_polling_and_keeps_the_articles(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(410)))
    bench.poll(feed)
    bench.poll(feed)
    assert latest(feed).outcome == "gone"
    assert (feed.status, feed.condition, feed.next_poll_at) == (FeedStatus.DEAD, Condition.DEAD, None)
    assert Article.objects.count() == 1
    n_requests = len(bench.server.requests)
    bench.poll(feed)
    assert len(bench.server.requests) == n_requests


def test_429_rests_the_whole_domain_and_doubles_the_interval(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE), answer(429, retry_after="7200")))
    bench.poll(feed)
    Feed.objects.filter(pk=feed.pk).update(interval_seconds=3600)
    bench.poll(feed)
    assert latest(feed).outcome == "limited"
    assert feed.interval_seconds == 7200
    assert (feed.source.resting_until, feed.failures_running) == (NOW + timedelta(hours=2), 0)
    assert feed.next_poll_at >= NOW + timedelta(hours=2)
    assert len(bench.server.requests) == 2  # a 429 is not tried again at once
    neighbour = make.feed(bench.server.on("/g", answer(200, TWO)))
    assert neighbour.source == feed.source
    assert bench.poll().n_feeds == 0  # the neighbour is due, and rests too
    bench.now = NOW + timedelta(hours=2, seconds=1)
    assert bench.poll().n_feeds >= 1
    assert latest(neighbour).outcome == "new"


@pytest.mark.parametrize(
    ("asked", "rests"),
    [
        pytest.param("120", timedelta(minutes=2), id="seconds"),
        pytest.param("Wed, 04 Mar 2026 13:00:00 GMT", timedelta(hours=1), id="date"),
        pytest.param("99999999", timedelta(days=7), id="absurd"),
    ],
)
def test_503_with_retry_after_is_obeyed(bench: Bench, asked: str, rests: timedelta) -> None:
    feed = make.feed(bench.server.on("/f", answer(503, retry_after=asked)))
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("limited", 503)
    assert feed.source.resting_until == NOW + rests


def test_a_403_after_a_success_is_a_limit_and_one_from_the_start_an_error(bench: Bench) -> None:
    lately = make.feed(bench.server.on("/f", answer(200, ONE), answer(403)))
    bench.poll(lately)
    never = make.feed(bench.server.on("/g", answer(403)))
    bench.poll(lately, never)
    assert (latest(lately).outcome, lately.failures_running) == ("limited", 0)
    assert (latest(never).outcome, never.failures_running) == ("http_error", 1)


@pytest.mark.parametrize("status", [400, 401, 404, 418])
def test_4xx_is_an_error_that_is_not_tried_again_at_once(bench: Bench, status: int) -> None:
    feed = make.feed(bench.server.on("/f", answer(status)))
    bench.poll(feed)
    assert (latest(feed).outcome, latest(feed).status) == ("http_error", status)
    assert latest(feed).message == f"the server answered {status}"
    assert len(bench.server.requests) == 1


def test_5xx_is_tried_three_times_then_in_a_minute_then_backs_off(bench: Bench) -> None:
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


def test_a_page_is_a_failure_that_shows_the_feeds_it_links_to(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, PAGE, content_type="text/html")))
    bench.poll(feed)
    assert latest(feed).outcome == "parse_error"
    assert feed.found_feeds == [{"url": bench.server.url("/real.xml"), "title": "Real"}]
    assert latest(feed).message.endswith(f"; the page links to 1 feed: {bench.server.url('/real.xml')}")


def test_three_unreadable_answers_make_a_feed_unhealthy_and_one_good_one_heals_it(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", *[answer(200, b"garbage")] * 3, answer(200, ONE)))
    conditions = []
    for _ in range(4):
        bench.poll(feed)
        feed.refresh_from_db()
        conditions.append(feed.condition)
    assert conditions == [Condition.WELL, Condition.WELL, Condition.UNHEALTHY, Condition.WELL]
    assert (feed.condition_changed_at, feed.parse_failures_running) == (NOW, 0)


def test_three_timeouts_make_a_feed_slow(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", silent(bench.server)))
    for _ in range(3):
        bench.poll(feed)
    assert latest(feed).outcome == "timeout"
    assert (feed.condition, feed.timeouts_running) == (Condition.SLOW, 3)


def test_a_feed_that_fails_more_often_than_not_is_unhealthy(bench: Bench) -> None:
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


def test_one_bad_feed_does_not_keep_the_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO)))
    whole = polling.read_document

    def faulty(body: bytes, **rest: object) -> object:
        if body == TWO:
            raise RuntimeError("a bug")
        return whole(body, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(polling, "read_document", faulty)
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, latest(bad).message) == ("internal", "RuntimeError: a bug")
    monkeypatch.undo()
    bench.poll(bad)
    assert latest(bad).outcome == "new"


def test_content_that_the_database_refuses_costs_only_its_own_feed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = make.feed(bench.server.on("/good", answer(200, ONE)))
    bad = make.feed(bench.server.on("/bad", answer(200, TWO, etag='"v1"')), title="As it was")
    whole = ingest.write

    def refuse(feed: Feed, *rest: object, **more: object) -> object:
        stored = whole(feed, *rest, **more)  # type: ignore[arg-type]
        if feed.pk == bad.pk and more and rest[0].entries:  # type: ignore[attr-defined]
            raise DataError("no such characters here")
        return stored

    monkeypatch.setattr(ingest, "write", refuse)
    bench.poll(good, bad)
    assert latest(good).outcome == "new"
    assert (latest(bad).outcome, bad.failures_running, bad.etag, bad.title) == ("internal", 1, "", "As it was")
    assert Item.objects.filter(feed=bad).count() == 0


def test_a_poll_killed_half_way_leaves_nothing_and_is_done_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, TWO, etag='"v1"')))

    def gone(*_: object, **__: object) -> None:
        raise OperationalError("the database went away")

    monkeypatch.setattr("feeds.recording.record", gone)
    with pytest.raises(OperationalError):
        bench.poll(feed)
    assert (Article.objects.count(), Item.objects.count(), Poll.objects.count()) == (0, 0, 0)
    feed.refresh_from_db()
    assert (feed.etag, feed.next_poll_at) == ("", NOW)
    monkeypatch.undo()
    assert bench.poll().n_new == 2


def test_a_lease_keeps_others_away_until_it_expires(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))
    dead_worker = uuid4()
    assert claiming.claim(NOW, token=dead_worker, limit=10).feeds == (feed,)
    assert bench.poll().n_feeds == 0
    bench.now = NOW + claiming.LEASE + timedelta(seconds=1)
    assert bench.poll().n_feeds == 1


def test_feeds_of_one_domain_are_claimed_together(bench: Bench) -> None:
    make.feed("https://a.example/1")
    claiming.claim(NOW, token=uuid4(), limit=1)
    make.feed("https://a.example/2")
    other = make.feed("https://b.example/1")
    assert claiming.claim(NOW, token=uuid4(), limit=10).feeds == (other,)


def test_an_answer_that_comes_after_the_lease_was_taken_over_is_dropped(bench: Bench) -> None:
    feed = make.feed(bench.server.on("/f", answer(200, ONE)))

    def taken_over(connection: object) -> None:
        Source.objects.update(lease_token=uuid4())
        connection.sendall(answer(200, ONE))  # type: ignore[attr-defined]

    bench.server.on("/f", taken_over)
    assert bench.poll(feed).n_feeds == 0
    assert Article.objects.count() == 0


@pytest.mark.parametrize(
    "change", [{"status": FeedStatus.PAUSED}, {"url": "https://elsewhere.example/f"}], ids=["paused", "moved"]
)
def test_what_a_person_changed_meanwhile_stands(bench: Bench, change: dict[str, str]) -> None:
    feed = make.feed("https://paper.example/f")

    def changed(connection: object) -> None:
        Feed.objects.update(**change)
        connection.sendall(answer(200, ONE))  # type: ignore[attr-defined]

    Feed.objects.update(url=bench.server.on("/f", changed))
    bench.poll(feed)
    feed.refresh_from_db()
    assert Article.objects.count() == 0
    assert {name: getattr(feed, name) for name in change} == change


def test_a_domain_is_asked_by_two_connections_at_most(bench: Bench) -> None:
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


def test_credentials_reach_the_server_and_nothing_else(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.server.on("/f", answer(500))
    feed = make.feed(bench.server.url("/f", credentials="ann:s3cret"), title="")
    with caplog.at_level("DEBUG"):
        bench.poll(feed)
    assert bench.server.requests[0].headers["authorization"].startswith("Basic ")
    shown = " ".join([caplog.text, latest(feed).message, str(feed), feed.shown_url, feed.interval_reason])
    assert "s3cret" not in shown


def test_what_was_to_join_an_article_just_purged_is_planned_anew(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make.feed(bench.server.on("/one", answer(200, ONE)))
    bench.poll(first)
    second = make.feed(bench.server.on("/two", answer(200, ONE)))
    whole = ingest.plan

    def purged_next(feed: Feed, *rest: object, **more: object) -> object:
        planned = whole(feed, *rest, **more)  # type: ignore[arg-type]
        Article.objects.filter(feed=first).delete()
        return planned

    monkeypatch.setattr(ingest, "plan", purged_next)
    bench.poll(second)
    assert (latest(second).outcome, second.failures_running) == ("new", 0)
    assert Article.objects.get().feed == second
