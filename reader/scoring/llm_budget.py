"""Rate limit and circuit breaker for the language model, shared by all workers.

The limit holds for any 60 seconds, not only for whole minutes of the clock: the timestamps of the last minute's
requests are stored, and each request, retries included, is admitted under a lock.

After `MAX_FAILURES` failures in a row requests pause; then a single one is tried, and if it fails, they pause again. A
server that sends Retry-After is left alone until then.
"""

from datetime import datetime, timedelta

from django.db import transaction

from reader.models import LanguageModelUsage

WINDOW = timedelta(minutes=1)
MAX_FAILURES = 5  # in a row
PAUSE = timedelta(minutes=10)


def admit_request(*, now: datetime, limit: int) -> bool:
    """Count a request at `now` and return True; False if `limit` requests were sent within the minute before."""
    with transaction.atomic():
        usage = _locked_usage()
        sent_at = now.timestamp()
        # Absolute, so that timestamps in the future, from a clock that was set back, expire as well.
        recent = [timestamp for timestamp in usage.sent_at if abs(sent_at - timestamp) < WINDOW.total_seconds()]
        if len(recent) >= limit:
            return False
        usage.sent_at = [*recent, sent_at]
        usage.save(update_fields=["sent_at"])
    return True


def is_paused(*, now: datetime) -> bool:
    """Whether requests are paused at `now`."""
    return LanguageModelUsage.objects.filter(paused_until__gt=now).exists()


def record_success(*, now: datetime) -> None:
    """Reset the failure count."""
    with transaction.atomic():
        _locked_usage()
        LanguageModelUsage.objects.update(n_failures=0, paused_until=None, answered_at=now)


def record_failure(reason: str, *, now: datetime, retry_after: timedelta | None = None) -> None:
    """Count a failure; `reason` is a sentence, `retry_after` what the server requested."""
    with transaction.atomic():
        usage = _locked_usage()
        n_failures = usage.n_failures + 1
        pauses = [now + PAUSE] if n_failures >= MAX_FAILURES else []
        if retry_after is not None:
            pauses.append(now + retry_after)
        if usage.paused_until is not None:
            pauses.append(usage.paused_until)
        LanguageModelUsage.objects.update(
            n_failures=n_failures, paused_until=max(pauses, default=None), failed_at=now, failure=reason[:300]
        )


def _locked_usage() -> LanguageModelUsage:
    LanguageModelUsage.objects.get_or_create(pk=1)
    return LanguageModelUsage.objects.select_for_update().get(pk=1)
