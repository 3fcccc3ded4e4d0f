"""Claims due feeds, fetches them concurrently, and stores them in small groups.

Threads fetch; the calling thread parses and normalizes one document after another, and stores a group when it is full
or nothing else arrives. At most `per_domain` feeds of a domain are in flight, and slow ones don't hold up the others
(`lanes`). If the process is killed, everything stored is complete and the rest is still due.
"""

import logging
import random
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from time import monotonic, perf_counter
from typing import Protocol
from uuid import UUID, uuid4

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.discovery.find import FEED_TYPES, Candidate, discover
from feeds.errors import FetchError, FetchTimeout, ForbiddenAddress, ParseError, TimeLimitExceeded
from feeds.fetching import FetchResult
from feeds.fetching.challenges import challenge_message, challenge_of
from feeds.fetching.headers import link_urls
from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from feeds.normalizing.identity import unpack_marks
from feeds.parsing.limited import read_document
from feeds.polling import leases
from feeds.polling.announced_moves import announced_address, as_redirected, is_same_feed
from feeds.polling.lanes import Lanes, Pace
from feeds.polling.record import PollResult
from feeds.polling.responses import RECENT_SUCCESS, interpret
from feeds.polling.schedule import is_asked_in_full
from feeds.polling.storing import Answer, Group, Storer, internal_error
from feeds.storage.drafts import NormalizingRules, ReadOptions
from feeds.time_limit import time_limit

logger = logging.getLogger(__name__)

BATCH = 64  # feeds claimed at a time
LEASE_RESERVE = timedelta(minutes=3)  # no fetch starts when its lease has less left
CLAIM_AGAIN = 5.0  # seconds after finding nothing due, while fetches are in flight
RELEASE_AGAIN = 1.0  # seconds after releasing idle leases; each release waits for its turn to write
SLOW_TAIL = timedelta(seconds=30)  # before the end of a run, in which no slow feed starts
PROMPT_TAIL = timedelta(seconds=30)  # after the end of a run, in which prompt feeds are polled while slow ones continue
TICK = 1.0  # seconds between two checks for slow fetches
GATHER = 0.1  # seconds without another response, after which an incomplete group is stored
STAGES = ("fetch", "parse", "normalize", "store")  # seconds that the calling thread spends in each
READ_SECONDS = 15.0  # of CPU time for one document; its reader stops by itself after a tenth of it, unless it hangs
MAX_HANGING = 2  # documents in one run, which then ends; their feeds back off, and the others are due for the next
MAX_DISCOVERED = 20  # feeds kept from a page that was returned instead of a feed


class FeedFetcher(Protocol):
    """Fetches documents: a `Fetcher` from the network, or a substitute. Raises FetchError."""

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult: ...


@dataclass(slots=True)
class PollReport:
    """The results of a run: polls by outcome, sums of their counts, and seconds by stage."""

    n_feeds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    n_new: int = 0
    n_duplicates: int = 0
    n_revised: int = 0
    n_malformed: int = 0
    n_left_out: int = 0
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    def add(self, poll: Poll) -> None:
        self.n_feeds += 1
        self.outcomes[poll.outcome] += 1
        self.n_new += poll.n_new
        self.n_duplicates += poll.n_duplicates
        self.n_revised += poll.n_revised
        self.n_malformed += poll.n_malformed
        self.n_left_out += poll.n_left_out


@dataclass(frozen=True, slots=True)
class _Fetched:
    feed: Feed
    response: FetchResult | None
    error: FetchError | None
    started_at: datetime
    seconds: float
    announced: FetchResult | None = None  # of the address to which the document says it moved


class Poller:
    """Polls due feeds until none is left that this worker may claim. Not thread-safe.

    `clock` returns aware UTC; `on_poll` is called after each stored poll. Only feeds with `status` are polled; `token`
    identifies the leases. `set_feed` is called with the feed that is read next, and with 0 after it.

    With `skip_timeouts`, a feed that times out is left unchanged and due, for a later run with more time.
    """

    def __init__(
        self,
        fetcher: FeedFetcher,
        *,
        rules: NormalizingRules,
        concurrency: int,
        per_domain: int,
        clock: Callable[[], datetime],
        on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None,
        status: FeedStatus = FeedStatus.ACTIVE,
        token: UUID | None = None,
        set_feed: Callable[[int], None] = lambda feed_id: None,
        skip_timeouts: bool = False,
    ) -> None:
        self._status, self._set_feed, self._skip_timeouts = status, set_feed, skip_timeouts
        self._fetcher, self._rules, self._clock, self._on_poll = fetcher, rules, clock, on_poll
        self._lanes = Lanes(concurrency, per_domain)
        self._token = token or uuid4()
        chance = random.Random()  # noqa: S311 - spreads polls, guards nothing
        self._storer = Storer(self._token, status, lambda: chance.uniform(-1, 1), set_feed)
        self._group = Group()
        self._claimed: dict[int, tuple[Feed, datetime]] = {}  # waiting feeds, with the expiry of their leases
        self._sources: set[int] = set()  # leased
        self._futures: dict[Future[_Fetched], tuple[Feed, int]] = {}  # with the source when the fetch started
        self._skipped: set[int] = set()
        self._claim_after = dict.fromkeys(Pace, 0.0)  # when to claim again after nothing was due
        self._release_after = 0.0
        self._n_hanging = 0
        self.report = PollReport()

    def run(self, *, only: Collection[int] | None = None, until: datetime | None = None) -> PollReport:
        """Poll due feeds (among the ids `only`), starting none after `until`. Raises database errors."""
        started = perf_counter()
        with ThreadPoolExecutor(self._lanes.n_threads, thread_name_prefix="fetch") as threads:
            try:
                while True:
                    self._claim_due(only, until)
                    self._dispatch(threads)
                    if self._n_hanging >= MAX_HANGING:
                        break
                    if self._futures:
                        self._process_finished()
                        self._lanes.move_slow(monotonic())
                    elif self._group.answers:
                        self._store_group()
                    else:
                        break
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
                leases.release(self._token, self._sources)
                self._sources.clear()
        self.report.seconds += perf_counter() - started
        return self.report

    def _claim_due(self, only: Collection[int] | None, until: datetime | None) -> None:
        now = self._clock()
        for pace in Pace:
            if not self._may_start(pace, now, until):
                self._lanes.drop_all(pace)
            elif self._lanes.wants(pace) and monotonic() >= self._claim_after[pace]:
                self._claim(pace, now, only)

    def _may_start(self, pace: Pace, now: datetime, until: datetime | None) -> bool:
        """Whether this run still starts feeds of that pace.

        Slow ones stop earlier; prompt ones continue while slow ones keep the worker busy anyway.
        """
        if until is None:
            return True
        if pace == Pace.SLOW:
            return now < until - SLOW_TAIL
        if pace == Pace.PROMPT and self._lanes.n_slow:
            return now < until + PROMPT_TAIL
        return now < until

    def _claim(self, pace: Pace, now: datetime, only: Collection[int] | None) -> None:
        exclude = self._lanes.feeds | self._skipped | {answer.feed.pk for answer in self._group.answers}
        claimed = leases.claim(
            now, token=self._token, limit=BATCH, pace=pace, exclude=exclude, only=only, status=self._status
        )
        if not claimed.feeds:
            self._claim_after[pace] = monotonic() + CLAIM_AGAIN
        for feed in claimed.feeds:
            self._sources.add(feed.source_id)
            self._claimed[feed.pk] = feed, claimed.expires_at
            self._lanes.add(feed.pk, source=feed.source_id, pace=pace)

    def _release_idle(self) -> None:
        if monotonic() < self._release_after:
            return
        self._release_after = monotonic() + RELEASE_AGAIN
        if idle := {source for source in self._sources if not self._lanes.in_use(source)}:
            leases.release(self._token, idle)
            self._sources -= idle

    def _dispatch(self, threads: ThreadPoolExecutor) -> None:
        while (pk := self._lanes.start_next(monotonic())) is not None:
            feed, expires_at = self._claimed.pop(pk)
            if self._clock() > expires_at - LEASE_RESERVE:
                self._lanes.end(pk)
                self._lanes.drop(feed.source_id)  # still due, for the next claim
            else:
                self._futures[threads.submit(self._fetch, feed)] = feed, feed.source_id

    def _fetch(self, feed: Feed) -> _Fetched:
        started, started_at = perf_counter(), self._clock()
        etag, last_modified = feed.etag, feed.last_modified
        if is_asked_in_full(feed.pk, feed.last_success_at, started_at):
            etag = last_modified = ""
        try:
            response = self._fetcher.fetch(feed.url, etag=etag, last_modified=last_modified)
        except FetchError as error:
            return _Fetched(feed, None, error, started_at, perf_counter() - started)
        seconds = perf_counter() - started
        return _Fetched(feed, response, None, started_at, seconds, self._fetch_announced(feed, response))

    def _fetch_announced(self, feed: Feed, response: FetchResult) -> FetchResult | None:
        address = announced_address(feed, response)
        if not address or body_hash(response.body) == feed.body_hash:
            return None
        try:
            return as_redirected(feed, address, self._fetcher.fetch(address))
        except FetchError:
            return None

    def _process_finished(self) -> None:
        started = perf_counter()
        patience = GATHER if self._group.answers else TICK
        finished, _running = wait(self._futures, timeout=patience, return_when=FIRST_COMPLETED)
        self.report.stages["fetch"] += perf_counter() - started
        for future in finished:
            feed, source = self._futures.pop(future)
            self._finish(future.result(), source)
            self._lanes.end(feed.pk)  # not before: storing a group releases the leases that aren't in use
            if self._n_hanging >= MAX_HANGING:
                break
        if self._group.is_full or not finished:
            self._store_group()

    def _finish(self, fetched: _Fetched, source: int) -> None:
        """Read the response and add it to the group; one that limits its domain is stored at once, before any other
        feed there is claimed."""
        if self._skip_timeouts and isinstance(fetched.error, FetchTimeout):
            self._skipped.add(fetched.feed.pk)
            return
        now, n_hanging = self._clock(), self._n_hanging
        result = replace(self._read(fetched, now), started_at=fetched.started_at)
        if result.response is not None and result.response.body:
            result = replace(result, response=replace(result.response, body=b""))
        answer = Answer(fetched.feed, result, now)
        if self._group.is_full or not self._group.add(answer):
            self._store_group()
            self._group.add(answer)
        if result.retry_after is not None:
            self._lanes.drop(source)  # its other feeds stay due
        if result.retry_after is not None or self._n_hanging > n_hanging:
            self._store_group()

    def _store_group(self) -> None:
        started, group, self._group = perf_counter(), self._group, Group()
        polls = self._storer.store(group.answers)
        self.report.stages["store"] += perf_counter() - started
        self._release_idle()
        for answer, poll in zip(group.answers, polls, strict=True):
            if poll is not None:
                self.report.add(poll)
                self._on_poll(answer.feed, poll)

    def _read(self, fetched: _Fetched, now: datetime) -> PollResult:
        if fetched.response is None:
            return _fetch_failure(fetched)
        feed, response = fetched.feed, fetched.response
        verdict = interpret(
            response,
            now=now,
            last_success_at=feed.last_success_at,
            refused_at=lambda: list(
                feed.polls.filter(status=403, started_at__gt=now - RECENT_SUCCESS).values_list("started_at", flat=True)
            ),
        )
        if verdict.outcome != "read":
            return PollResult(
                verdict.outcome,
                verdict.message,
                response,
                retry_after=verdict.retry_after,
                slows_down=verdict.slows_down,
                is_transient=response.status >= 500,
                seconds=fetched.seconds,
            )
        digest = body_hash(response.body)
        if digest == feed.body_hash:
            message = "; ".join((*_notes_on(response), _("same document as last time")))
            return PollResult(PollOutcome.UNCHANGED, message, response, digest=digest, seconds=fetched.seconds)
        try:
            return self._moved(fetched, self._parsed(feed, response, now, fetched.seconds), now)
        except ParseError as error:
            return _parse_failure(response, error, fetched.seconds)
        except TimeLimitExceeded as error:
            logger.error("Reading feed %s took longer than %g s", feed.pk, error.seconds, exc_info=True)
            self._n_hanging += 1
            message = _("reading this feed took too long")
            return PollResult(PollOutcome.INTERNAL, message, response, seconds=fetched.seconds)
        except Exception as error:  # a bug that one feed triggers must not stop the others from being polled
            logger.exception("Feed %s could not be read", feed.pk)
            return internal_error(error, response, fetched.seconds)

    def _parsed(self, feed: Feed, response: FetchResult, now: datetime, seconds: float) -> PollResult:
        wanted = ReadOptions(
            url=response.url,
            content_type=response.headers.get("content-type", ""),
            known=unpack_marks(bytes(feed.raw_hashes)),
            set_language=feed.language if feed.language_is_fixed else "",
            now=now,
            max_items=feed.max_items,
            rules=self._rules,
            owner=feed.owner,
            since=feed.last_success_at,
            clock_ahead=timedelta(minutes=feed.clock_ahead_minutes),
        )
        started_at = parsed_at = perf_counter()

        def on_parsed() -> None:
            nonlocal parsed_at
            parsed_at = perf_counter()

        self._set_feed(feed.pk)
        try:
            with time_limit(READ_SECONDS):
                document = read_document(response.body, wanted=wanted, on_parsed=on_parsed)
        finally:
            self._set_feed(0)
        self.report.stages["parse"] += parsed_at - started_at
        self.report.stages["normalize"] += perf_counter() - parsed_at
        notes, digest = "; ".join((*_notes_on(response), *document.notes)), body_hash(response.body)
        return PollResult(PollOutcome.UNCHANGED, notes, response, document, digest, seconds=seconds)

    def _moved(self, fetched: _Fetched, result: PollResult, now: datetime) -> PollResult:
        """The result of the address to which the document says it moved, if the same feed is there."""
        there = fetched.announced
        if there is None or result.document is None:
            return result
        try:
            moved = self._parsed(fetched.feed, there, now, fetched.seconds)
        except (ParseError, TimeLimitExceeded):
            return result
        address = there.hops[0].to_url
        is_same = moved.document is not None and is_same_feed(result.document, moved.document, address=address)
        return moved if is_same else result


def _notes_on(response: FetchResult) -> tuple[str, ...]:
    return (_("the response ended early"),) if response.is_partial else ()


def body_hash(body: bytes) -> int:
    """Return a signed 64-bit hash of a document."""
    return int.from_bytes(blake2b(body, digest_size=8).digest(), "big", signed=True)


def _fetch_failure(fetched: _Fetched) -> PollResult:
    error = fetched.error
    timed_out = isinstance(error, FetchTimeout)
    outcome = PollOutcome.TIMEOUT if timed_out else PollOutcome.UNREACHABLE
    if isinstance(error, ForbiddenAddress):
        outcome = PollOutcome.REFUSED
    is_transient = error is not None and error.retryable
    return PollResult(outcome, str(error), is_timeout=timed_out, is_transient=is_transient, seconds=fetched.seconds)


def _parse_failure(response: FetchResult, error: ParseError, seconds: float) -> PollResult:
    message = str(error)
    discovered: tuple[Candidate, ...] = ()
    if error.reason == "html" and (service := challenge_of(response)):
        return PollResult(PollOutcome.CHALLENGE, challenge_message(service), response, seconds=seconds)
    if error.reason == "html":
        content_type = response.headers.get("content-type", "")
        in_headers = link_urls(response.headers, "alternate", base=response.url, types=FEED_TYPES)
        found = discover(response.body, url=response.url, content_type=content_type, in_headers=in_headers)
        discovered = found[:MAX_DISCOVERED]
        message = _with_links(message, [candidate.url for candidate in discovered])
    return PollResult(PollOutcome.PARSE_ERROR, message, response, discovered=discovered, seconds=seconds)


def _with_links(message: str, urls: list[str]) -> str:
    if not urls:
        return _("%(message)s It links to no feed.") % {"message": message}
    text = ngettext(
        "%(message)s It links to %(n)s feed: %(urls)s",
        "%(message)s It links to %(n)s feeds: %(urls)s",
        len(urls),
    )
    return text % {"message": message, "n": len(urls), "urls": ", ".join(urls[:5])}
