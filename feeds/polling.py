"""Claim due feeds, fetch them concurrently, and store each in one transaction.

Threads fetch (they wait for the network); the calling thread parses, normalizes and stores one document after another.
No more documents than `concurrency` are in memory, and no more than `per_domain` of a domain are in flight, so a large
domain never occupies all threads. Killed at any point, everything stored is whole and the rest is still due.
"""

import logging
import random
from collections import Counter, deque
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from time import perf_counter
from typing import Protocol
from uuid import UUID, uuid4

from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds import claiming, ingest, recording
from feeds.answers import judge
from feeds.discovery import Candidate, discover
from feeds.errors import FetchError, FetchTimeout, ForbiddenAddress, ParseError
from feeds.fetching import FetchResult
from feeds.ingest import Stored
from feeds.intake import NormalizingRules, normalize_document, read_document
from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from feeds.recording import Answered

logger = logging.getLogger(__name__)

BATCH = 64  # feeds claimed at a time
LEASE_RESERVE = timedelta(minutes=3)  # no fetch begins when its lease has less left
STAGES = ("fetch", "parse", "normalize", "store")  # seconds that the calling thread spends in each
MOST_FOUND = 20  # feeds shown of a page that came instead of a feed


class Answering(Protocol):
    """Whoever is asked for documents: the network by a `Fetcher`, or what stands in for it. Raises FetchError."""

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult: ...


class LeaseLost(Exception):
    """The feed is no longer ours to store; whoever has it now polls it."""


@dataclass(slots=True)
class PollReport:
    """What a run of the poller did: polls by outcome, sums of their counts, and seconds spent by stage."""

    n_feeds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    n_new: int = 0
    n_duplicates: int = 0
    n_revised: int = 0
    n_malformed: int = 0
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    def add(self, poll: Poll) -> None:
        self.n_feeds += 1
        self.outcomes[poll.outcome] += 1
        self.n_new += poll.n_new
        self.n_duplicates += poll.n_duplicates
        self.n_revised += poll.n_revised
        self.n_malformed += poll.n_malformed


@dataclass(frozen=True, slots=True)
class _Fetched:
    feed: Feed
    result: FetchResult | None
    error: FetchError | None
    seconds: float


class Poller:
    """Polls due feeds until none is left that this worker may take.

    `clock` gives aware UTC; `on_poll` is called after each stored poll (progress). `status` is that of the feeds it is
    for, `token` that of its leases. `at` is told which feed is read next, and 0 when that is done. Not for use by
    several threads.
    """

    def __init__(
        self,
        fetcher: Answering,
        *,
        rules: NormalizingRules,
        concurrency: int,
        per_domain: int,
        clock: Callable[[], datetime],
        on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None,
        status: FeedStatus = FeedStatus.ACTIVE,
        token: UUID | None = None,
        at: Callable[[int], None] = lambda feed_id: None,
    ) -> None:
        self._status, self._at = status, at
        self._fetcher, self._rules, self._clock, self._on_poll = fetcher, rules, clock, on_poll
        self._concurrency, self._per_domain = concurrency, per_domain
        self._token = token or uuid4()
        self._random = random.Random()  # noqa: S311 - spreads polls, guards nothing
        self._waiting: dict[int, deque[tuple[Feed, datetime]]] = {}
        self._flying: Counter[int] = Counter()
        self._futures: dict[Future[_Fetched], Feed] = {}
        self._drained = False  # nothing to claim until one of our sources is free again
        self.report = PollReport()

    def run(self, *, only: Collection[int] | None = None, until: datetime | None = None) -> PollReport:
        """Poll what is due (of the ids `only`), taking nothing new after `until`. Raises what the database raises."""
        began = perf_counter()
        with ThreadPoolExecutor(self._concurrency, thread_name_prefix="fetch") as threads:
            try:
                while True:
                    if not self._drained and len(self._futures) + self._n_waiting() <= self._concurrency:
                        self._claim(only, until)
                    self._dispatch(threads)
                    if self._futures:
                        self._process_finished()
                    elif self._drained:
                        break
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
                claiming.release(list(self._waiting), token=self._token)
                self._waiting.clear()
        self.report.seconds += perf_counter() - began
        return self.report

    def _n_waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def _claim(self, only: Collection[int] | None, until: datetime | None) -> None:
        now = self._clock()
        idle = [source for source, queue in self._waiting.items() if not queue and not self._flying[source]]
        if idle:
            claiming.release(idle, token=self._token)
            for source in idle:
                del self._waiting[source]
        if until is not None and now >= until:
            self._drained = True
            return
        claimed = claiming.claim(now, token=self._token, limit=BATCH, only=only, status=self._status)
        self._drained = not claimed.feeds
        for feed in claimed.feeds:
            self._waiting.setdefault(feed.source_id, deque()).append((feed, claimed.expires_at))

    def _dispatch(self, threads: ThreadPoolExecutor) -> None:
        for source, queue in self._waiting.items():
            while queue and self._flying[source] < self._per_domain and len(self._futures) < self._concurrency:
                feed, expires_at = queue.popleft()
                if self._clock() > expires_at - LEASE_RESERVE:
                    queue.clear()  # still due; whoever claims it next polls it
                    break
                self._flying[source] += 1
                self._futures[threads.submit(self._fetch, feed)] = feed

    def _fetch(self, feed: Feed) -> _Fetched:
        began = perf_counter()
        try:
            result = self._fetcher.fetch(feed.url, etag=feed.etag, last_modified=feed.last_modified)
        except FetchError as error:
            return _Fetched(feed, None, error, perf_counter() - began)
        return _Fetched(feed, result, None, perf_counter() - began)

    def _process_finished(self) -> None:
        began = perf_counter()
        finished, _running = wait(self._futures, return_when=FIRST_COMPLETED)
        self.report.stages["fetch"] += perf_counter() - began
        for future in finished:
            feed = self._futures.pop(future)
            source = feed.source_id
            self._flying[source] -= 1
            self._at(feed.pk)
            self._conclude(future.result(), source)
            self._at(0)
            if not self._waiting[source] and not self._flying[source]:
                self._drained = False

    def _conclude(self, fetched: _Fetched, source: int) -> None:
        feed, now = fetched.feed, self._clock()
        answered = self._read(fetched, now)
        try:
            poll = self._store_somehow(fetched, answered, now)
        except LeaseLost as reason:
            logger.warning("Feed %s: %s; this answer is dropped", feed.pk, reason)
            return
        if answered.rest is not None:
            self._waiting[source].clear()  # the whole domain rests; its other feeds stay due
        self.report.add(poll)
        self._on_poll(feed, poll)

    def _store_somehow(self, fetched: _Fetched, answered: Answered, now: datetime) -> Poll:
        """Store it; planned anew where an article that it was to join was purged meanwhile. What the database still
        refuses is stored as a fault."""
        try:
            return self._store(fetched, answered, now)
        except IntegrityError:
            fetched.feed.refresh_from_db()  # what was set on it has been rolled back
        except DataError as error:
            return self._store_fault(fetched, error, now)
        try:
            return self._store(fetched, answered, now)
        except (DataError, IntegrityError) as error:
            return self._store_fault(fetched, error, now)

    def _store_fault(self, fetched: _Fetched, error: Exception, now: datetime) -> Poll:
        logger.error("Feed %s has content that the database refuses", fetched.feed.pk, exc_info=error)
        fetched.feed.refresh_from_db()
        return self._store(fetched, _faulty(fetched, error), now)

    def _read(self, fetched: _Fetched, now: datetime) -> Answered:
        if fetched.result is None:
            return _unanswered(fetched)
        feed, result = fetched.feed, fetched.result
        verdict = judge(result, now=now, last_success_at=feed.last_success_at)
        if verdict.outcome != "read":
            return Answered(
                verdict.outcome,
                verdict.message,
                result,
                rest=verdict.rest,
                slows_down=verdict.slows_down,
                seconds=fetched.seconds,
            )
        digest = body_hash(result.body)
        if digest == feed.body_hash:
            message = _("same document as last time")
            return Answered(PollOutcome.UNCHANGED, message, result, digest=digest, seconds=fetched.seconds)
        try:
            return replace(self._parsed(feed, result, now, fetched.seconds), digest=digest)
        except ParseError as error:
            return _unreadable(result, error, fetched.seconds)
        except Exception as error:  # a fault of ours in one feed must not keep the others from being polled
            logger.exception("Feed %s could not be read", feed.pk)
            return _faulty(fetched, error)

    def _parsed(self, feed: Feed, result: FetchResult, now: datetime, seconds: float) -> Answered:
        began = perf_counter()
        known = {int.from_bytes(feed.raw_hashes[i : i + 8], "big") for i in range(0, len(feed.raw_hashes), 8)}
        parsed = read_document(
            result.body, url=result.url, content_type=result.headers.get("content-type", ""), known_hashes=known
        )
        self.report.stages["parse"] += (parsed_at := perf_counter()) - began
        document = normalize_document(
            parsed,
            url=result.url,
            declared_language=feed.language,
            now=now,
            max_items=feed.max_items,
            rules=self._rules,
        )
        self.report.stages["normalize"] += perf_counter() - parsed_at
        return Answered(PollOutcome.UNCHANGED, "; ".join(parsed.notes), result, document, seconds=seconds)

    def _store(self, fetched: _Fetched, answered: Answered, now: datetime) -> Poll:
        began = perf_counter()
        feed = fetched.feed
        planned = ingest.plan(feed, answered.document.drafts if answered.document else (), now=now)
        with transaction.atomic():
            self._hold(feed)
            before = vars(feed).copy()
            if answered.document is not None:
                answered = _with_stored(answered, ingest.write(feed, planned, now=now))
            if answered.digest is not None:
                answered = recording.take_over(feed, answered)
            poll = recording.record(feed, answered, now=now, jitter=self._random.uniform(-1, 1))
            recording.save_changes(feed, before)
        self.report.stages["store"] += perf_counter() - began
        return poll

    def _hold(self, feed: Feed) -> None:
        """Lock the feed's row and take what a person may have changed. Raises LeaseLost if it is not ours now."""
        held = Feed.objects.select_for_update(of=("self",)).filter(
            pk=feed.pk, status=self._status, url=feed.url, source__lease_token=self._token
        )
        for values in held.values("kind", "kind_is_fixed", "tier", "max_items"):
            for name, value in values.items():
                setattr(feed, name, value)
            return
        raise LeaseLost("its lease was lost, or it was paused, moved or deleted while it was fetched")


def body_hash(body: bytes) -> int:
    """A signed 64-bit hash of a document."""
    return int.from_bytes(blake2b(body, digest_size=8).digest(), "big", signed=True)


def _unanswered(fetched: _Fetched) -> Answered:
    error = fetched.error
    timed_out = isinstance(error, FetchTimeout)
    outcome = PollOutcome.TIMEOUT if timed_out else PollOutcome.UNREACHABLE
    if isinstance(error, ForbiddenAddress):
        outcome = PollOutcome.REFUSED
    return Answered(outcome, str(error), is_timeout=timed_out, seconds=fetched.seconds)


def _unreadable(result: FetchResult, error: ParseError, seconds: float) -> Answered:
    message = str(error)
    found: tuple[Candidate, ...] = ()
    if error.reason == "html":
        found = discover(result.body, url=result.url, content_type=result.headers.get("content-type", ""))[:MOST_FOUND]
        message = _linked(message, [each.url for each in found])
    return Answered(PollOutcome.PARSE_ERROR, message, result, found=found, seconds=seconds)


def _linked(message: str, urls: list[str]) -> str:
    if not urls:
        return _("%(message)s; the page links to no feed") % {"message": message}
    told = ngettext(
        "%(message)s; the page links to %(n)s feed: %(urls)s",
        "%(message)s; the page links to %(n)s feeds: %(urls)s",
        len(urls),
    )
    return told % {"message": message, "n": len(urls), "urls": ", ".join(urls[:5])}


def _faulty(fetched: _Fetched, error: Exception) -> Answered:
    message = f"{type(error).__name__}: {error}"
    return Answered(PollOutcome.INTERNAL, message, fetched.result, seconds=fetched.seconds)


def _with_stored(answered: Answered, stored: Stored) -> Answered:
    changed = stored.n_new + stored.n_duplicates + stored.n_revised
    return replace(answered, stored=stored, outcome=PollOutcome.NEW if changed else PollOutcome.UNCHANGED)
