"""Records a poll: the feed's counters, condition and schedule, and the poll's own row.

Called within the poll's transaction, with the feed's row locked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Count, Field, Q
from django.utils.translation import gettext as _

from feeds.discovery.find import Candidate
from feeds.fetching.credentials import split_credentials, without_credentials
from feeds.fetching.headers import http_minimum_interval, validators
from feeds.fetching.result import FetchResult
from feeds.models import Condition, Feed, FeedStatus, Poll, PollOutcome
from feeds.models.feed import SUCCESSES
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.domains import host_of, registrable_domain
from feeds.normalizing.identity import pack_marks
from feeds.normalizing.language import primary_language
from feeds.normalizing.text import clean_title
from feeds.polling import health, schedule
from feeds.polling.lanes import SLOW_AFTER
from feeds.polling.merge_feeds import can_update_url, get_successor
from feeds.polling.rate_limits import limit_domain
from feeds.publishers.hosts import origin_of
from feeds.publishers.names import distinct_title, name_key, name_without_domain
from feeds.push import answers
from feeds.push.discovery import find_hub
from feeds.storage.drafts import Document
from feeds.storage.ingest import Stored
from feeds.storage.insert import to_database

_REFUSALS = frozenset({401, 403})
_PASSING = frozenset({403, 404})
AVERAGE_WEIGHT = 0.2  # of the latest poll in the moving average of new entries
POLL_LASTS = timedelta(hours=1)  # at most; entries without a date have that of their poll


@dataclass(frozen=True, slots=True)
class PollResult:
    """How a poll ended.

    `document` is None unless one was parsed; `digest` is the hash of a readable document, parsed or known; `discovered`
    are feeds linked on a page that was returned instead. `moved_to` is the new URL after a permanent redirect, without
    credentials, or one that the user has to confirm. `retry_after` is the pause that the publisher requested.
    `is_transient`: the poll failed with a connection error, a timeout or a 5xx. `started_at`: when fetching began.
    """

    outcome: str
    message: str = ""
    response: FetchResult | None = None
    document: Document | None = None
    digest: int | None = None
    discovered: tuple[Candidate, ...] = ()
    moved_to: str = ""
    stored: Stored = field(default_factory=Stored)
    retry_after: timedelta | None = None
    slows_down: bool = False
    is_timeout: bool = False
    is_transient: bool = False
    seconds: float = 0.0
    started_at: datetime | None = None


def record(feed: Feed, result: PollResult, *, now: datetime, jitter: float) -> Poll:
    """Update `feed` and its source, and return the poll; the caller saves feed and poll. `jitter` is in [-1, 1]."""
    succeeded = result.outcome in SUCCESSES
    if withheld_from := _withheld_from(feed, result.response):
        note = _("redirects to %(url)s; the feed's password isn't sent there") % {"url": withheld_from}
        result = replace(result, message=_joined(result.message, note), moved_to=withheld_from)
        feed.final_url = withheld_from
    first_poll = feed.last_success_at is None
    feed.last_polled_at = now
    feed.is_slow = result.is_timeout or result.seconds >= SLOW_AFTER
    pings = answers.answer(
        feed,
        started_at=result.started_at or now,
        now=now,
        succeeded=succeeded,
        n_found=result.stored.n_added,
        has_changed=result.outcome == PollOutcome.NEW,
    )
    if succeeded:
        _count_success(feed, result, now=now, adapts=not (pings.is_pushed or pings.has_hub))
    else:
        _count_failure(feed, result)
        feed.discovered_feeds = [{"url": candidate.url, "title": candidate.title} for candidate in result.discovered]
    if result.document is not None:
        answered_at = result.response.url if result.response else ""
        origin = origin_of(feed.url, answered_at)
        if feed.publisher is not None and not feed.via:
            origin = feed.publisher.domain
        classify = first_poll or not feed.interval_seconds
        describe(feed, result.document, response=result.response, origin=origin, now=now, classify=classify)
    _schedule(feed, result, pings, now=now, jitter=jitter)
    poll = Poll(feed=feed, started_at=now, is_pushed=pings.is_pushed, **_poll_values(result))
    if result.outcome != PollOutcome.OUTAGE:
        _update_condition(feed, result, withheld_from=withheld_from, now=now)
    if result.retry_after is not None and result.response is not None:
        limit_domain(registrable_domain(result.response.url), now + result.retry_after)
    return poll


def _count_success(feed: Feed, result: PollResult, *, now: datetime, adapts: bool) -> None:
    """`adapts`: the poll says something about the right interval."""
    n_new = result.stored.n_added
    feed.consecutive_failures = feed.consecutive_parse_failures = feed.consecutive_timeouts = 0
    first = feed.last_success_at is None
    feed.last_success_at = now
    feed.discovered_feeds = []
    if not first and adapts:  # the first poll finds the whole window, which says nothing about the rate
        feed.average_new = (1 - AVERAGE_WEIGHT) * feed.average_new + AVERAGE_WEIGHT * n_new
        feed.consecutive_unchanged = 0 if n_new else feed.consecutive_unchanged + 1
        feed.consecutive_new = feed.consecutive_new + 1 if n_new else 0
    if not first and n_new:
        feed.last_new_at = now
    feed.newest_item_id = max(feed.newest_item_id, result.stored.newest_item_id)


def _count_failure(feed: Feed, result: PollResult) -> None:
    if result.outcome == PollOutcome.OUTAGE and feed.condition != Condition.UNHEALTHY:
        feed.consecutive_failures = feed.consecutive_parse_failures = feed.consecutive_timeouts = 0
    if result.outcome == PollOutcome.OUTAGE or (result.outcome == PollOutcome.LIMITED and not result.is_transient):
        return
    feed.consecutive_failures += 1
    feed.consecutive_parse_failures = (
        feed.consecutive_parse_failures + 1 if result.outcome == PollOutcome.PARSE_ERROR else 0
    )
    feed.consecutive_timeouts = feed.consecutive_timeouts + 1 if result.is_timeout else 0


def _is_passing(feed: Feed, result: PollResult) -> bool:
    """Whether servers usually fail in this way for a few hours only: a feed that worked is forbidden, not found, …"""
    if feed.last_success_at is None or result.outcome in SUCCESSES:
        return False
    status = result.response.status if result.response else 0
    refused = result.outcome in (PollOutcome.HTTP_ERROR, PollOutcome.LIMITED) and not result.slows_down
    return result.outcome == PollOutcome.OUTAGE or (refused and (status in _PASSING or status >= 500))


def describe(
    feed: Feed, document: Document, *, response: FetchResult | None, origin: str, now: datetime, classify: bool
) -> None:
    """Update the feed's description from the document. `origin` is its publisher, or the host it came from."""
    parsed = document.parsed
    feed.title = distinct_title(feed, parsed.title, origin=origin) or feed.title
    feed.name_key = name_key(name_without_domain(feed.title))
    feed.site_url = absolute(feed.url, parsed.link) or feed.site_url
    feed.description = clean_title(parsed.description)
    feed.icon_url = absolute(feed.url, parsed.icon) if parsed.icon else ""
    feed.hub_url, feed.topic_url = find_hub(feed.url, parsed, response)
    if not feed.language_is_fixed:
        feed.language = primary_language(parsed.language)
    feed.format = parsed.format[:12]
    feed.clock_ahead_minutes = document.clock_ahead // timedelta(minutes=1)
    feed.skip_hours = sum(1 << hour for hour in parsed.skip_hours)
    feed.skip_days = sum(1 << day for day in parsed.skip_days)
    feed.raw_hashes = pack_marks(document.marks.items())
    dated = [draft for draft in document.drafts if not draft.date_uncertain or _is_published(draft.published_at, now)]
    if dated:
        newest = max(draft.published_at for draft in dated)
        feed.newest_entry_at = max(newest, feed.newest_entry_at or newest)
    if classify and not feed.kind_is_fixed:
        published = [draft.published_at for draft in dated if not draft.date_uncertain]
        feed.kind = schedule.classify(published, now=now)
        feed.average_new = 1.0


def _is_published(published_at: datetime, now: datetime) -> bool:
    """Whether an uncertain date is that of the publisher, only without a zone or a time, and not that of a poll."""
    return published_at < now - POLL_LASTS


def _withheld_from(feed: Feed, response: FetchResult | None) -> str:
    """Where a feed with a password redirects to without it, if the user has to decide: permanently, or in vain."""
    if response is None or not response.hops or response.credentials or not split_credentials(feed.url)[1]:
        return ""
    return response.url if response.moved_permanently_to or response.status in _REFUSALS else ""


def _schedule(feed: Feed, result: PollResult, pings: answers.Answer, *, now: datetime, jitter: float) -> None:
    if result.outcome == PollOutcome.GONE:
        feed.status, feed.next_poll_at, feed.interval_reason = FeedStatus.DEAD, None, _("gone for good (410)")
        return
    if feed.status == FeedStatus.MERGED:
        feed.next_poll_at, feed.interval_reason = None, _("merged into another feed")
        return
    if feed.status == FeedStatus.SAMPLE:
        feed.next_poll_at, feed.interval_reason = None, _("a sample, never polled")
        return
    if result.response is not None and result.outcome in SUCCESSES:
        hint = _publisher_hint(feed, result, now)
        feed.publisher_minimum_seconds, feed.publisher_minimum_by = round(hint.interval.total_seconds()), hint.name
    minimum = timedelta(seconds=feed.publisher_minimum_seconds)
    newest, is_passing = feed.last_published_at, _is_passing(feed, result)
    n_failures = 1 if result.outcome == PollOutcome.OUTAGE else feed.consecutive_failures or int(is_passing)
    interval = schedule.next_interval(
        schedule.PollHistory(
            kind=feed.kind,
            interval=timedelta(seconds=feed.interval_seconds) if feed.interval_seconds else None,
            publisher_minimum=minimum,
            consecutive_failures=n_failures,
            is_transient=result.is_transient,
            is_passing=is_passing,
            consecutive_unchanged=feed.consecutive_unchanged,
            consecutive_new=feed.consecutive_new,
            average_new=feed.average_new,
            silence=max(now - newest, timedelta(0)) if newest else None,
            limited=result.slows_down,
            has_hub=pings.has_hub,
            is_extra=pings.is_pushed,
        )
    )
    feed.interval_seconds = round(interval.base.total_seconds())
    feed.interval_reason = interval.reason[:300] or feed.interval_reason
    at_least = timedelta(0) if n_failures else minimum
    when = schedule.poll_at(now, interval, jitter=jitter, minimum=at_least)
    if result.retry_after is not None:
        when = max(when, now + result.retry_after)
    when = schedule.avoid_skipped(when, skip_hours=feed.skip_hours, skip_days=feed.skip_days)
    feed.next_poll_at = when if pings.again_at is None else min(when, pings.again_at)


def _publisher_hint(feed: Feed, result: PollResult, now: datetime) -> schedule.Hint:
    headers = result.response.headers if result.response else {}
    http = http_minimum_interval(headers, now=now)
    if result.document is None:  # a 304 or an unchanged body: the hints in the document still apply
        known = schedule.Hint(timedelta(seconds=feed.publisher_minimum_seconds), feed.publisher_minimum_by)
        return max(known, schedule.http_hint(http), key=lambda hint: hint.interval)
    parsed = result.document.parsed
    return schedule.publisher_hint(
        ttl_minutes=parsed.ttl_minutes,
        update_period=parsed.update_period,
        update_frequency=parsed.update_frequency,
        http_minimum=http,
    )


def _poll_values(result: PollResult) -> dict[str, object]:
    values: dict[str, object] = {
        "outcome": result.outcome,
        "message": result.message[:2000],
        "moved_to": result.moved_to,
        "seconds": result.seconds,
    }
    if result.response is not None:
        values |= {"status": result.response.status, "n_bytes": result.response.n_bytes}
    if result.document is not None:
        values |= {
            "n_entries": result.document.n_entries,
            "n_read": len(result.document.drafts),
            "n_new": result.stored.n_new,
            "n_duplicates": result.stored.n_duplicates + result.document.n_repeated,
            "n_left_out": result.stored.n_left_out + result.document.n_beyond,
            "n_revised": result.stored.n_revised,
            "n_malformed": result.document.n_malformed,
            "n_uncertain_dates": result.document.n_uncertain_dates,
            "well_formed": result.document.parsed.well_formed,
        }
    return values


def _update_condition(feed: Feed, result: PollResult, *, withheld_from: str, now: datetime) -> None:
    succeeded, is_passing = result.outcome in SUCCESSES, _is_passing(feed, result)
    if feed.status == FeedStatus.DEAD:
        diagnosis = health.Diagnosis(Condition.DEAD, _("the publisher says it is gone for good (410)"))
    else:
        diagnosis = health.diagnose(
            last_succeeded=succeeded,
            consecutive_failures=feed.consecutive_failures,
            consecutive_parse_failures=feed.consecutive_parse_failures,
            consecutive_timeouts=feed.consecutive_timeouts,
            is_passing=is_passing,
            is_challenged=result.outcome == PollOutcome.CHALLENGE,
            week=health.PollCounts() if succeeded else _counts_with_failure(feed, now, is_passing=is_passing),
            silent_since=feed.last_published_at,
            withheld_from=host_of(withheld_from),
            now=now,
        )
    if not succeeded and feed.condition == Condition.UNHEALTHY != diagnosis.condition:
        return  # only a success heals
    if diagnosis.condition != feed.condition:
        feed.condition_changed_at = now
    feed.condition, feed.condition_reason = diagnosis.condition, diagnosis.reason[:300]


def _counts_with_failure(feed: Feed, now: datetime, *, is_passing: bool) -> health.PollCounts:
    """The stored polls of the last 7 days, and the one that has just failed; up to the last success if it may pass.
    Outages of the host don't count."""
    polls = Poll.objects.filter(feed=feed, started_at__gt=now - health.FAILING_WINDOW)
    if is_passing:
        polls = polls.filter(started_at__lte=feed.last_success_at)
    counts = polls.exclude(outcome=PollOutcome.OUTAGE).aggregate(
        n_polls=Count("id"), n_successful=Count("id", filter=Q(outcome__in=SUCCESSES))
    )
    return health.PollCounts(n_polls=counts["n_polls"] + (not is_passing), n_successful=counts["n_successful"])


@cache
def _columns() -> Mapping[str, "Field[Any, Any]"]:
    return {column.attname: column for column in Feed._meta.concrete_fields}


def save_changes(feed: Feed, before: dict[str, object]) -> None:
    """Write the columns that differ; most polls change ten of forty."""
    state, columns = vars(feed), _columns()
    differing = [name for name, value in state.items() if value is not before.get(name) and value != before.get(name)]
    changed = [columns[name] for name in differing if name in columns]
    if not changed:
        return
    values = [to_database(column, state[column.attname]) for column in changed]
    assignments = ", ".join(f"{connection.ops.quote_name(str(column.column))} = %s" for column in changed)
    with connection.cursor() as cursor:  # every poll does this; five times as fast as models
        cursor.execute(f"UPDATE feeds_feed SET {assignments} WHERE id = %s", [*values, feed.pk])  # noqa: S608


def apply_response(feed: Feed, result: PollResult, *, now: datetime) -> PollResult:
    """Store the validators and the hash of a document that was read, and the new URL after a permanent redirect.

    A document that was read in part, or arrived in part, keeps no validators, so that the next poll fetches it again.
    """
    response = result.response
    if response is None:
        return result
    document = result.document
    is_whole = document is None or (document.is_whole and not (response.is_partial and not document.parsed.well_formed))
    feed.etag, feed.last_modified = validators(response.headers, now=now) if is_whole else ("", "")
    feed.body_hash = result.digest if is_whole else None
    feed.final_url = response.url if response.hops else ""
    note, moved_to = _follow_move(feed, response, now)
    return replace(result, message=_joined(result.message, note), moved_to=moved_to)


def _joined(*messages: str) -> str:
    return "; ".join(filter(None, messages))


def _follow_move(feed: Feed, response: FetchResult, now: datetime) -> tuple[str, str]:
    """After a permanent redirect, change the feed's URL or mark it as merged into the feed at the new URL.

    Returns a note and the new URL without credentials, both "" without a move. The followers of a merged feed are moved
    by `reader.subscriptions.follow`.
    """
    target = response.url_to_store(feed.url)
    if target == feed.url:
        return "", ""
    key, moved_to = Feed.key_of(target), without_credentials(target)
    if can_update_url(feed, target) and not Feed.objects.filter(url_key=key).exclude(pk=feed.pk).exists():
        feed.url, feed.url_key, feed.final_url = target, key, ""
        return "", moved_to
    other = get_successor(feed, target, now=now)
    if other is None:
        return _("moved to %(url)s; not followed, because that feed is paused") % {"url": moved_to}, ""
    feed.status, feed.merged_into, feed.followers_moved_at = FeedStatus.MERGED, other, None
    return _("merged into the existing feed at its new URL"), moved_to
