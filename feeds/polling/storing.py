"""Stores polls in groups, each in one transaction, because a transaction and its statements cost more than a row.

A group is small enough not to keep other writers waiting. Two feeds that deliver the same page are never in one group,
so the second one finds what the first one stored. If the database rejects a group, or comparing it hangs, its polls are
stored one by one.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import DataError, IntegrityError, transaction
from django.db.models import QuerySet

from feeds.errors import TimeLimitExceeded
from feeds.fetching import FetchResult
from feeds.models import Feed, FeedStatus, Poll, PollOutcome, Source
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.draft import Draft
from feeds.polling import record
from feeds.polling.outages import Polled, with_outages
from feeds.polling.record import PollResult
from feeds.storage import ingest
from feeds.storage.compiled import compiled
from feeds.storage.ingest import Arrival, Plan, Stored
from feeds.storage.insert import insert, row_of
from feeds.storage.work_limit import work_limit

logger = logging.getLogger(__name__)

MAX_POLLS = 64  # in a group
MAX_ENTRIES = 100  # which take some 30 ms
MAX_CHARACTERS = 1_000_000  # of markup
STORE_SECONDS = 10.0  # of CPU time for a group

_CHANGED_BY_USERS = ("kind", "kind_is_fixed", "language", "language_is_fixed", "tier", "max_items")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a feed answered at `now`, read but not stored."""

    feed: Feed
    result: PollResult
    now: datetime

    @property
    def drafts(self) -> tuple[Draft, ...]:
        return self.result.document.drafts if self.result.document else ()


class Group:
    """Answers that wait to be stored together."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self._pages: set[bytes] = set()
        self._n_entries = self._n_characters = 0

    @property
    def is_full(self) -> bool:
        return len(self.answers) >= MAX_POLLS or self._n_entries >= MAX_ENTRIES or self._n_characters >= MAX_CHARACTERS

    def add(self, answer: Answer) -> bool:
        """Add the answer; False if it shares a page with another one, so that it must be stored later."""
        pages = ingest.pages_of(answer.drafts)
        if not self._pages.isdisjoint(pages):
            return False
        self.answers.append(answer)
        self._pages |= pages
        self._n_entries += len(answer.drafts)
        self._n_characters += sum(len(draft.markup) for draft in answer.drafts)
        return True


@dataclass(frozen=True, slots=True)
class Storer:
    """Stores answers of feeds with this status, whose leases have this token.

    `jitter` returns a number in [-1, 1] for each next poll; `set_feed` is called with the feed that is compared next,
    and with 0 after it.
    """

    token: UUID
    status: FeedStatus
    jitter: Callable[[], float]
    set_feed: Callable[[int], None]

    def store(self, answers: Sequence[Answer]) -> list[Poll | None]:
        """Store the answers and return their polls; None for a feed whose lease was lost, which stays as it is."""
        try:
            with work_limit(STORE_SECONDS):
                return self._store(answers)
        except (DataError, IntegrityError, TimeLimitExceeded) as error:
            self.set_feed(0)
            for answer in answers:
                _reload(answer.feed)
            if len(answers) > 1:
                return [poll for answer in answers for poll in self.store([answer])]
            return [self._store_again(answers[0], error)]

    def _store_again(self, answer: Answer, error: Exception) -> Poll | None:
        """Store an answer that was rejected: again if one of its articles was purged in the meantime; if the database
        still rejects it, as an internal error."""
        if isinstance(error, IntegrityError):
            try:
                return self._store([answer])[0]
            except (DataError, IntegrityError) as second:
                error = second
                _reload(answer.feed)
        logger.error("Feed %s has content that can't be stored", answer.feed.pk, exc_info=error)
        return self._store(
            [replace(answer, result=internal_error(error, answer.result.response, answer.result.seconds))]
        )[0]

    def _store(self, answers: Sequence[Answer]) -> list[Poll | None]:
        plans = self._plan(answers)
        with transaction.atomic():
            held = self._lock([answer.feed for answer in answers])
            ours = _with_outages([answer for answer in answers if answer.feed.pk in held], held)
            before = [vars(answer.feed).copy() for answer in ours]
            stored = ingest.write([plans[answer.feed.pk] for answer in ours])
            polls = {
                answer.feed.pk: self._record(answer, its, was)
                for answer, its, was in zip(ours, stored, before, strict=True)
            }
            insert(Poll, [row_of(Poll, vars(poll)) for poll in polls.values()])
        return [polls.get(answer.feed.pk) for answer in answers]

    def _plan(self, answers: Sequence[Answer]) -> dict[int, Plan]:
        _load_sources([answer.feed for answer in answers if answer.result.document is not None])
        arrivals = [_arrival(answer) for answer in answers]
        known, plans = ingest.look_up(arrivals), {}
        for arrival in arrivals:
            if arrival.drafts:
                self.set_feed(arrival.feed.pk)
            plans[arrival.feed.pk] = ingest.plan(arrival, known)
        self.set_feed(0)
        return plans

    def _lock(self, feeds: Sequence[Feed]) -> dict[int, bool]:
        """Lock the feeds' rows and reload the fields that users can change; returns the ids of those still leased, and
        whether their host was down."""
        by_id = {feed.pk: feed for feed in feeds}
        held = {}
        for pk, url, is_private, down_since, *values in _lock(list(by_id), self.status, self.token):
            feed = by_id[pk]
            if url == feed.url and is_private == feed.is_private:
                held[pk] = down_since is not None
                vars(feed).update(zip(_CHANGED_BY_USERS, values, strict=True))
        for pk in by_id.keys() - held.keys():
            logger.warning(
                "Feed %s lost its lease, or was paused, moved, deleted or made private while being fetched; its "
                "response is dropped",
                pk,
            )
        return held

    def _record(self, answer: Answer, stored: Stored, before: dict[str, object]) -> Poll:
        """Save what the poll changes in its feed, and return its record."""
        result = answer.result
        if result.document is not None:
            result = _with_stored(result, stored)
        if result.digest is not None:
            result = record.apply_response(answer.feed, result, now=answer.now)
        poll = record.record(answer.feed, result, now=answer.now, jitter=self.jitter())
        record.save_changes(answer.feed, before)
        return poll


def _load_sources(feeds: Sequence[Feed]) -> None:
    """Load the sources and publishers of feeds whose documents were read; most polls find nothing new."""
    wanted = {pk for feed in feeds for pk in (feed.source_id, feed.publisher_id) if pk is not None}
    sources = {source.pk: source for source in _sources(wanted)}
    for feed in feeds:
        feed.source = sources[feed.source_id]
        feed.publisher = sources.get(feed.publisher_id or 0)


@compiled
def _sources(ids: Collection[int]) -> QuerySet[Source]:
    return Source.objects.filter(pk__in=ids)


@compiled
def _lock(feeds: Collection[int], status: str, token: UUID) -> QuerySet[Feed, tuple[Any, ...]]:
    leased = Feed.objects.filter(pk__in=feeds, status=status, source__lease_token=token).order_by("pk")
    columns = ("pk", "url", "is_private", "source__down_since", *_CHANGED_BY_USERS)
    return leased.select_for_update(of=("self",)).values_list(*columns)


def _reload(feed: Feed) -> None:
    """Undo the changes to a feed that were rolled back; one that was deleted has lost its lease, too."""
    with suppress(Feed.DoesNotExist):
        feed.refresh_from_db()


def internal_error(error: Exception, response: FetchResult | None, seconds: float) -> PollResult:
    """The result of a poll that failed because of a bug."""
    return PollResult(PollOutcome.INTERNAL, f"{type(error).__name__}: {error}", response, seconds=seconds)


def _with_outages(answers: list[Answer], was_down: Mapping[int, bool]) -> list[Answer]:
    """The answers, with those as outages that are their host's fault."""
    if not answers:
        return []
    polled = [Polled(answer.feed, answer.result, was_down[answer.feed.pk]) for answer in answers]
    results = with_outages(polled, max(answer.now for answer in answers))
    return [replace(answer, result=result) for answer, result in zip(answers, results, strict=True)]


def _arrival(answer: Answer) -> Arrival:
    feed, result = answer.feed, answer.result
    return Arrival(
        feed,
        answer.drafts,
        answer.now,
        document_url=result.response.url if result.response else "",
        site_url=absolute(feed.url, result.document.parsed.link) if result.document else "",
        present=result.document.present if result.document else frozenset(),
    )


def _with_stored(result: PollResult, stored: Stored) -> PollResult:
    changed = stored.n_added + stored.n_revised
    return replace(result, stored=stored, outcome=PollOutcome.NEW if changed else PollOutcome.UNCHANGED)
