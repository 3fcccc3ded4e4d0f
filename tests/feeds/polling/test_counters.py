"""Totals of polls by outcome and duration."""

import pytest

from feeds.models import Feed, Poll, PollTally
from feeds.polling.counters import PollCounter

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def count_polls(counter: PollCounter, *polls: Poll) -> list[Poll]:
    counted: list[Poll] = []
    count = counter.on_poll(lambda feed, poll: counted.append(poll))
    for poll in polls:
        count(Feed(), poll)
    return counted


def test_runs_add_up() -> None:
    for _ in range(2):
        counter = PollCounter()
        polls = [
            Poll(outcome="new", seconds=0.3, n_new=3, n_duplicates=1),
            Poll(outcome="new", seconds=2.0, n_new=1),
            Poll(outcome="timeout", seconds=31.0),
        ]
        assert count_polls(counter, *polls) == polls
        counter.write()
    new, timeout = PollTally.objects.order_by("outcome")
    assert (new.n, new.seconds, new.n_new, new.n_duplicates) == (4, 4.6, 8, 2)
    assert (new.within, timeout.within) == ([2, 0, 2, 0, 0, 0], [0, 0, 0, 0, 0, 2])


def test_a_run_is_written_once() -> None:
    counter = PollCounter()
    count_polls(counter, Poll(outcome="new", seconds=1.0))
    counter.write()
    counter.write()
    assert PollTally.objects.get().n == 1


def test_a_run_without_polls_writes_nothing() -> None:
    PollCounter().write()
    assert PollTally.objects.count() == 0
