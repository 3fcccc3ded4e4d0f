"""Who waits, who works on it, and what an interruption leaves."""

from datetime import UTC, datetime

import pytest

from feeds import pending
from feeds.models import Pending, Stage
from tests import make

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def three() -> list[int]:
    ids = [make.article().pk for _ in range(3)]
    pending.enqueue(ids)
    return ids


def claim(limit: int = 10, *, at: datetime = NOW) -> tuple[int, ...]:
    return pending.claim(Stage.MATCH, now=at, limit=limit).article_ids


def test_first_come_first_claimed_and_nothing_twice() -> None:
    first, second, third = three()
    assert claim(2) == (first, second)
    assert claim(2) == (third,)
    assert claim(2) == ()


def test_a_claim_that_expires_is_tried_again_one_by_one() -> None:
    first, second, third = three()
    claim()
    later = NOW + pending.LEASE
    assert [claim(at=later), claim(at=later), claim(at=later), claim(at=later)] == [(first,), (second,), (third,), ()]


def test_new_ones_go_before_unfinished_ones() -> None:
    three()
    claim()
    new = make.article().pk
    pending.enqueue([new])
    assert claim(at=NOW + pending.LEASE) == (new,)


def test_gives_up_after_so_many_tries_and_says_so() -> None:
    pending.enqueue([make.article().pk])
    for n in range(pending.MOST_TRIES):
        assert len(claim(at=NOW + n * pending.LEASE)) == 1
    assert claim(at=NOW + 99 * pending.LEASE) == ()
    assert (pending.n_given_up(), pending.n_waiting(Stage.MATCH)) == (1, 0)


def test_goes_on_to_the_next_stage_or_is_done() -> None:
    three()
    batch = pending.claim(Stage.MATCH, now=NOW, limit=10)
    pending.finish(batch, following=Stage.ENRICH)
    assert pending.n_waiting(Stage.ENRICH) == 3
    pending.finish(pending.claim(Stage.ENRICH, now=NOW, limit=10))
    assert not Pending.objects.exists()


def test_what_is_enqueued_anew_while_it_is_worked_on_stays() -> None:
    first, *_ = three()
    batch = pending.claim(Stage.MATCH, now=NOW, limit=10)
    pending.enqueue([first])
    pending.finish(batch, following=Stage.ENRICH)
    assert claim() == (first,)
    assert pending.n_waiting(Stage.ENRICH) == 2
