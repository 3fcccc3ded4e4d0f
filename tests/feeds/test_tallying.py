"""Polls are counted for good, by outcome and by how long they took."""

import pytest

from feeds.models import Feed, Poll, PollTally
from feeds.tallying import Tallying

pytestmark = pytest.mark.django_db


def tell(tallying: Tallying, *polls: Poll) -> list[Poll]:
    told: list[Poll] = []
    count = tallying.on_poll(lambda feed, poll: told.append(poll))
    for poll in polls:
        count(Feed(), poll)
    return told


def test_runs_add_up() -> None:
    for _ in range(2):
        tallying = Tallying()
        polls = [
            Poll(outcome="new", seconds=0.3, n_new=3, n_duplicates=1),
            Poll(outcome="new", seconds=2.0, n_new=1),
            Poll(outcome="timeout", seconds=31.0),
        ]
        assert tell(tallying, *polls) == polls
        tallying.write()
    new, timeout = PollTally.objects.order_by("outcome")
    assert (new.n, new.seconds, new.n_new, new.n_duplicates) == (4, 4.6, 8, 2)
    assert (new.within, timeout.within) == ([2, 0, 2, 0, 0, 0], [0, 0, 0, 0, 0, 2])


def test_a_run_is_written_once() -> None:
    tallying = Tallying()
    tell(tallying, Poll(outcome="new", seconds=1.0))
    tallying.write()
    tallying.write()
    assert PollTally.objects.get().n == 1


def test_a_run_without_polls_writes_nothing() -> None:
    Tallying().write()
    assert PollTally.objects.count() == 0
