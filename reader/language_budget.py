"""How often all workers together may ask the language model, and when they leave it alone.

The limit holds for any minute, not only for those of the clock: the moments of the last minute's requests are kept, and
leave for another one is given under a lock. A second try counts like a first.

After `MOST_FAILURES` failures running everybody rests; then a single question is tried, and if it fails as well, they
rest again. A server that says when to come back is left alone until then.
"""

from datetime import datetime, timedelta

from django.db import transaction

from reader.models import LanguageModelUse

WINDOW = timedelta(minutes=1)
MOST_FAILURES = 5  # running
REST = timedelta(minutes=10)


def may_send(*, now: datetime, limit: int) -> bool:
    """Take leave for one request at `now`; False when `limit` were sent within the minute before."""
    with transaction.atomic():
        use = _locked()
        sent_at = now.timestamp()
        # What lies ahead, because a clock was set back, must not count until that time comes.
        recent = [each for each in use.sent_at if abs(sent_at - each) < WINDOW.total_seconds()]
        if len(recent) >= limit:
            return False
        use.sent_at = [*recent, sent_at]
        use.save(update_fields=["sent_at"])
    return True


def is_resting(*, now: datetime) -> bool:
    """Whether the server is to be left alone at `now`."""
    return LanguageModelUse.objects.filter(rests_until__gt=now).exists()


def note_answer(*, now: datetime) -> None:
    """It answered: all is well again."""
    with transaction.atomic():
        _locked()
        LanguageModelUse.objects.update(n_failures=0, rests_until=None, answered_at=now)


def note_failure(reason: str, *, now: datetime, rest: timedelta | None = None) -> None:
    """It failed, for a reason in a sentence; `rest` is how long it asked to be left alone."""
    with transaction.atomic():
        use = _locked()
        n_failures = use.n_failures + 1
        rests = [now + REST] if n_failures >= MOST_FAILURES else []
        if rest is not None:
            rests.append(now + rest)
        if use.rests_until is not None:
            rests.append(use.rests_until)
        LanguageModelUse.objects.update(
            n_failures=n_failures, rests_until=max(rests, default=None), failed_at=now, failure=reason[:300]
        )


def _locked() -> LanguageModelUse:
    LanguageModelUse.objects.get_or_create(pk=1)
    return LanguageModelUse.objects.select_for_update().get(pk=1)
