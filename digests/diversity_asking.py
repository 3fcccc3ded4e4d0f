"""A person's spread of topics is found out by a worker: who asks one to, and how far it is. Loads nothing heavy.

Whoever asks first writes down when, by a conditional update, and others see that somebody did. Storing the report
clears it; a worker that died is replaced by asking again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q

from digests.diversity import Spread
from digests.models import DiversityReport
from feeds.calling import call_worker

FRESH_FOR = timedelta(days=1)
ASK_AGAIN_AFTER = timedelta(minutes=10)  # without an answer; 5,000 articles take well under a minute
LATE_AFTER = timedelta(minutes=2)  # from which on people are told that it takes longer than it should
TASK = "digests.making_tasks.make_diversity"


@dataclass(frozen=True, slots=True)
class State:
    """What there is: `spread` and when it was `made_at`, None before the first time; `asked_at` while a worker is asked
    for a newer one."""

    spread: Spread | None = None
    made_at: datetime | None = None
    asked_at: datetime | None = None

    def is_late(self, now: datetime) -> bool:
        return self.asked_at is not None and now - self.asked_at > LATE_AFTER


def state_of(user: User, now: datetime) -> State:
    """What there is, asking for nothing; one query."""
    return _state(DiversityReport.objects.filter(user=user).first(), now)


def look(user: User, now: datetime) -> State:
    """What there is; a worker is asked for a newer one where that is older than `FRESH_FOR`, or written otherwise."""
    report = DiversityReport.objects.filter(user=user).first()
    state = _state(report, now)
    if state.asked_at is not None or (state.made_at is not None and now - state.made_at < FRESH_FOR):
        return state
    if report is None:
        DiversityReport.objects.get_or_create(user=user)
    if not DiversityReport.objects.filter(_is_free(now), user=user).update(asked_at=now):
        return state_of(user, now)
    if call_worker(TASK, user.pk):
        return State(state.spread, state.made_at, now)
    DiversityReport.objects.filter(user=user, asked_at=now).update(asked_at=None)
    return state


def _state(report: DiversityReport | None, now: datetime) -> State:
    if report is None:
        return State()
    spread = Spread.from_json(report.content)
    is_asked = report.asked_at is not None and now - report.asked_at < ASK_AGAIN_AFTER
    return State(spread, report.made_at if spread else None, report.asked_at if is_asked else None)


def _is_free(now: datetime) -> Q:
    return Q(asked_at=None) | Q(asked_at__lte=now - ASK_AGAIN_AFTER)
