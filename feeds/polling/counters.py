"""Counts all polls by outcome: a run of the poller adds them up in memory and writes the totals at its end.

A run that is killed loses its counts, but its polls are recorded.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F

from feeds.models import Feed, Poll, PollTally

_N_BUCKETS = len(PollTally.SECONDS) + 1


@dataclass(slots=True)
class _Sums:
    n: int = 0
    seconds: float = 0.0
    n_new: int = 0
    n_duplicates: int = 0
    within: list[int] = field(default_factory=lambda: [0] * _N_BUCKETS)


class PollCounter:
    """Adds up the polls of one run until `write` adds them to the table."""

    def __init__(self) -> None:
        self._sums: dict[str, _Sums] = defaultdict(_Sums)

    def on_poll(self, then: Callable[[Feed, Poll], None]) -> Callable[[Feed, Poll], None]:
        """Return a callback that counts a poll and calls `then`."""

        def count(feed: Feed, poll: Poll) -> None:
            self._add(poll)
            then(feed, poll)

        return count

    def write(self) -> None:
        sums, self._sums = self._sums, defaultdict(_Sums)
        if not sums:
            return
        with transaction.atomic():
            PollTally.objects.bulk_create(
                [PollTally(outcome=outcome, within=[0] * _N_BUCKETS) for outcome in sums], ignore_conflicts=True
            )
            for row in PollTally.objects.select_for_update().filter(outcome__in=sums).order_by("outcome"):
                _increase(row, sums[row.outcome])

    def _add(self, poll: Poll) -> None:
        sums = self._sums[poll.outcome]
        sums.n += 1
        sums.seconds += poll.seconds
        sums.n_new += poll.n_new
        sums.n_duplicates += poll.n_duplicates
        sums.within[bisect_left(PollTally.SECONDS, poll.seconds)] += 1


def _increase(row: PollTally, by: _Sums) -> None:
    PollTally.objects.filter(pk=row.pk).update(
        n=F("n") + by.n,
        seconds=F("seconds") + by.seconds,
        n_new=F("n_new") + by.n_new,
        n_duplicates=F("n_duplicates") + by.n_duplicates,
        within=[one + other for one, other in zip(row.within, by.within, strict=True)],
    )
