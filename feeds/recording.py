"""What a poll leaves on its feed: counters, condition, next poll and why, and the poll's own row.

Called inside the poll's transaction with the feed's row held.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from feeds import health, scheduling
from feeds.credentials import split_credentials, with_credentials
from feeds.discovery import Candidate
from feeds.fetching.freshness import http_minimum_interval
from feeds.fetching.result import FetchResult
from feeds.ingest import Stored
from feeds.intake import Document
from feeds.models import Condition, Feed, FeedStatus, Poll, PollOutcome
from feeds.models.feed import SUCCESSES
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.language_tag import primary_language
from feeds.normalizing.text import clean_title

AVERAGE_WEIGHT = 0.2  # of the latest poll in the moving average of new entries


@dataclass(frozen=True, slots=True)
class Answered:
    """How a poll ended. `document` is None unless one was read; `digest` is that of a document that
    was readable, parsed or known; `found` are feeds that a page links to instead. `moved_to` is where the feed moved
    for good, without credentials.
    """

    outcome: str
    message: str = ""
    result: FetchResult | None = None
    document: Document | None = None
    digest: int | None = None
    found: tuple[Candidate, ...] = ()
    moved_to: str = ""
    stored: Stored = field(default_factory=Stored)
    rest: timedelta | None = None
    slows_down: bool = False
    is_timeout: bool = False
    seconds: float = 0.0


def record(feed: Feed, answered: Answered, *, now: datetime, jitter: float) -> Poll:
    """Set what the poll changes on `feed` (the caller saves it) and its source; return the stored poll.

    `jitter` in [-1, 1].
    """
    succeeded = answered.outcome in SUCCESSES
    first_poll = feed.last_success_at is None
    feed.last_polled_at = now
    if succeeded:
        _count_success(feed, answered, now=now)
    else:
        _count_failure(feed, answered)
        feed.found_feeds = [{"url": each.url, "title": each.title} for each in answered.found]
    if answered.document is not None:
        describe(feed, answered.document, now=now, classify=first_poll or not feed.interval_seconds)
    _schedule(feed, answered, now=now, jitter=jitter)
    poll = Poll.objects.create(feed=feed, started_at=now, **_poll_values(answered))
    _examine(feed, succeeded=succeeded, now=now)
    if answered.rest is not None:
        feed.source.resting_until = now + answered.rest
        feed.source.save(update_fields=["resting_until"])
    return poll


def _count_success(feed: Feed, answered: Answered, *, now: datetime) -> None:
    n_new = answered.stored.n_new + answered.stored.n_duplicates
    feed.failures_running = feed.parse_failures_running = feed.timeouts_running = 0
    first = feed.last_success_at is None
    feed.last_success_at = now
    feed.found_feeds = []
    if not first:  # the first poll brings the whole window and says nothing about the rate
        feed.average_new = (1 - AVERAGE_WEIGHT) * feed.average_new + AVERAGE_WEIGHT * n_new
        feed.unchanged_running = 0 if n_new else feed.unchanged_running + 1
        feed.new_running = feed.new_running + 1 if n_new else 0
        if n_new:
            feed.last_new_at = now
    feed.newest_item_id = max(feed.newest_item_id, answered.stored.newest_item_id)


def _count_failure(feed: Feed, answered: Answered) -> None:
    if answered.outcome == PollOutcome.LIMITED and answered.slows_down:
        return
    feed.failures_running += 1
    feed.parse_failures_running = feed.parse_failures_running + 1 if answered.outcome == PollOutcome.PARSE_ERROR else 0
    feed.timeouts_running = feed.timeouts_running + 1 if answered.is_timeout else 0


def describe(feed: Feed, document: Document, *, now: datetime, classify: bool) -> None:
    """Take over what the document says about the feed itself."""
    parsed = document.parsed
    feed.title = clean_title(parsed.title)[:300] or feed.title
    feed.site_url = absolute(feed.url, parsed.link) or feed.site_url
    feed.description = clean_title(parsed.description)
    feed.icon_url = absolute(feed.url, parsed.icon)
    feed.language = primary_language(parsed.language)
    feed.format = parsed.format[:12]
    feed.skip_hours = sum(1 << hour for hour in parsed.skip_hours)
    feed.skip_days = sum(1 << day for day in parsed.skip_days)
    feed.raw_hashes = b"".join(digest.to_bytes(8, "big") for digest in parsed.raw_hashes)
    published = [draft.published_at for draft in document.drafts if not draft.date_uncertain]
    if published:
        feed.newest_entry_at = max(max(published), feed.newest_entry_at or max(published))
    if classify and not feed.kind_is_fixed:
        feed.kind = scheduling.classify(published, now=now)
        feed.average_new = 1.0


def _schedule(feed: Feed, answered: Answered, *, now: datetime, jitter: float) -> None:
    if answered.outcome == PollOutcome.GONE:
        feed.status, feed.next_poll_at, feed.interval_reason = FeedStatus.DEAD, None, _("gone for good (410)")
        return
    if feed.status == FeedStatus.MERGED:
        feed.next_poll_at, feed.interval_reason = None, _("merged into another feed")
        return
    if feed.status == FeedStatus.SAMPLE:
        feed.next_poll_at, feed.interval_reason = None, _("a sample that came with this reader")
        return
    if answered.result is not None and answered.outcome in SUCCESSES:
        hint = _publisher_hint(feed, answered, now)
        feed.publisher_minimum_seconds, feed.publisher_minimum_by = round(hint.interval.total_seconds()), hint.name
    minimum = timedelta(seconds=feed.publisher_minimum_seconds)
    newest = _sign_of_life(feed)
    following = scheduling.next_interval(
        scheduling.PollHistory(
            kind=feed.kind,
            interval=timedelta(seconds=feed.interval_seconds) if feed.interval_seconds else None,
            publisher_minimum=minimum,
            failures_running=feed.failures_running,
            unchanged_running=feed.unchanged_running,
            new_running=feed.new_running,
            average_new=feed.average_new,
            silence=max(now - newest, timedelta(0)) if newest else None,
            limited=answered.slows_down,
        )
    )
    feed.interval_seconds = round(following.kept.total_seconds())
    feed.interval_reason = following.reason[:300]
    at_least = timedelta(0) if feed.failures_running else minimum
    when = scheduling.poll_at(now, following, jitter=jitter, minimum=at_least)
    if answered.rest is not None:
        when = max(when, now + answered.rest)
    feed.next_poll_at = scheduling.outside_skipped(when, skip_hours=feed.skip_hours, skip_days=feed.skip_days)


def _sign_of_life(feed: Feed) -> datetime | None:
    """When the feed last published: the date of its newest entry, or the poll that brought one, whichever is later."""
    return max(filter(None, (feed.last_new_at, feed.newest_entry_at)), default=None)


def _publisher_hint(feed: Feed, answered: Answered, now: datetime) -> scheduling.Hint:
    headers = answered.result.headers if answered.result else {}
    http = http_minimum_interval(headers, now=now)
    if answered.document is None:  # a 304 or an unchanged body: what the document asked for still holds
        known = scheduling.Hint(timedelta(seconds=feed.publisher_minimum_seconds), feed.publisher_minimum_by)
        return max(known, scheduling.http_hint(http), key=lambda each: each.interval)
    parsed = answered.document.parsed
    return scheduling.publisher_hint(
        ttl_minutes=parsed.ttl_minutes,
        update_period=parsed.update_period,
        update_frequency=parsed.update_frequency,
        http_minimum=http,
    )


def _poll_values(answered: Answered) -> dict[str, object]:
    values: dict[str, object] = {
        "outcome": answered.outcome,
        "message": answered.message[:2000],
        "moved_to": answered.moved_to,
        "seconds": answered.seconds,
    }
    if answered.result is not None:
        values |= {"status": answered.result.status, "n_bytes": answered.result.n_bytes}
    if answered.document is not None:
        values |= {
            "n_entries": len(answered.document.parsed.entries) + answered.document.parsed.n_known,
            "n_new": answered.stored.n_new,
            "n_duplicates": answered.stored.n_duplicates,
            "n_revised": answered.stored.n_revised,
            "n_malformed": answered.document.n_malformed,
            "n_uncertain_dates": answered.document.n_uncertain_dates,
            "well_formed": answered.document.parsed.well_formed,
        }
    return values


def _examine(feed: Feed, *, succeeded: bool, now: datetime) -> None:
    if feed.status == FeedStatus.DEAD:
        diagnosis = health.Diagnosis(Condition.DEAD, _("the publisher says it is gone for good (410)"))
    else:
        diagnosis = health.diagnose(
            last_succeeded=succeeded,
            failures_running=feed.failures_running,
            parse_failures_running=feed.parse_failures_running,
            timeouts_running=feed.timeouts_running,
            week=health.PollCounts() if succeeded else _counts_of_week(feed, now),
            silent_since=_sign_of_life(feed),
            now=now,
        )
    if diagnosis.condition != feed.condition:
        feed.condition_changed_at = now
    feed.condition, feed.condition_reason = diagnosis.condition, diagnosis.reason[:300]


def _counts_of_week(feed: Feed, now: datetime) -> health.PollCounts:
    counts = Poll.objects.filter(feed=feed, started_at__gt=now - health.FAILING_WINDOW).aggregate(
        n_polls=Count("id"), n_successful=Count("id", filter=Q(outcome__in=SUCCESSES))
    )
    return health.PollCounts(n_polls=counts["n_polls"], n_successful=counts["n_successful"])


def save_changes(feed: Feed, before: dict[str, object]) -> None:
    """Write the columns that differ; most polls change ten of forty."""
    names = [each.attname for each in Feed._meta.concrete_fields]
    changed = [name for name in names if vars(feed)[name] != before[name]]
    if changed:
        feed.save(update_fields=changed)


def take_over(feed: Feed, answered: Answered) -> Answered:
    """Keep the validators and the hash of a document that was read, and its new URL when it has moved for good."""
    result = answered.result
    if result is None:
        return answered
    feed.etag = result.headers.get("etag", "")[:1000]
    feed.last_modified = result.headers.get("last-modified", "")[:200]
    feed.body_hash = answered.digest
    feed.answered_url = result.url if result.hops else ""
    words, moved_to = _move_if_moved(feed, result)
    return replace(answered, message="; ".join(filter(None, (answered.message, words))), moved_to=moved_to)


def _move_if_moved(feed: Feed, result: FetchResult) -> tuple[str, str]:
    """Take over the URL to which every hop was permanent; or mark the feed as merged when another feed has it already.

    Returns what there is to say besides and the new URL without credentials, both "" when the feed stays. Subscriptions
    and items of a merged feed are moved by `feeds.merging`, which the reader calls together with its own rows.
    """
    target = moved_to = result.moved_permanently_to
    bare, credentials = split_credentials(feed.url)
    if not target or target == bare:
        return "", ""
    if credentials is not None:
        if registrable_domain(target) != registrable_domain(bare):
            told = _("moved to %(url)s; it stays here, since its password is not for another domain")
            return told % {"url": target}, ""
        target = with_credentials(target, credentials)
    key = Feed.key_of(target)
    other = Feed.objects.filter(url_key=key).exclude(pk=feed.pk).first()
    if other is not None:
        feed.status, feed.merged_into = FeedStatus.MERGED, other
        return _("there is a feed at its new address already; merged into that"), moved_to
    feed.url, feed.url_key, feed.answered_url = target, key, ""
    domain = registrable_domain(target)
    if domain != feed.source.domain:
        feed.source = type(feed.source).objects.get_or_create(domain=domain)[0]
    return "", moved_to
