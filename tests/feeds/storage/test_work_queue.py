"""Pending articles: claiming, expired claims, retries and stages."""

from datetime import UTC, datetime

import pytest

from feeds.models import Pending, Stage
from feeds.storage import work_queue
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def three() -> list[int]:
    ids = [make.article().pk for _ in range(3)]
    work_queue.enqueue(ids)
    return ids


def claim(limit: int = 10, *, at: datetime = NOW) -> tuple[int, ...]:
    return work_queue.claim(Stage.MATCH, now=at, limit=limit).article_ids


def test_first_come_first_claimed_and_nothing_twice() -> None:
    first, second, third = three()
    assert claim(2) == (first, second)
    assert claim(2) == (third,)
    assert claim(2) == ()


def test_a_claim_that_expires_is_tried_again_one_by_one() -> None:
    first, second, third = three()
    claim()
    later = NOW + work_queue.LEASE
    assert [claim(at=later), claim(at=later), claim(at=later), claim(at=later)] == [(first,), (second,), (third,), ()]


def test_new_ones_go_before_unfinished_ones() -> None:
    three()
    claim()
    new = make.article().pk
    work_queue.enqueue([new])
    assert claim(at=NOW + work_queue.LEASE) == (new,)


def test_gives_up_after_most_tries_and_counts_it() -> None:
    work_queue.enqueue([make.article().pk])
    for n in range(work_queue.MAX_TRIES):
        assert len(claim(at=NOW + n * work_queue.LEASE)) == 1
    assert claim(at=NOW + 99 * work_queue.LEASE) == ()
    assert (work_queue.n_given_up(), work_queue.n_waiting(Stage.MATCH)) == (1, 0)


def test_moves_to_the_next_stage_or_finishes() -> None:
    three()
    batch = work_queue.claim(Stage.MATCH, now=NOW, limit=10)
    work_queue.pass_on(batch, Stage.ENRICH, batch.article_ids[:2])
    work_queue.finish(batch)
    assert (work_queue.n_waiting(Stage.MATCH), work_queue.n_waiting(Stage.ENRICH)) == (0, 2)
    work_queue.finish(work_queue.claim(Stage.ENRICH, now=NOW, limit=10))
    assert not Pending.objects.exists()


def test_requeued_during_processing_stays() -> None:
    first, *_ = three()
    batch = work_queue.claim(Stage.MATCH, now=NOW, limit=10)
    work_queue.enqueue([first])
    work_queue.pass_on(batch, Stage.ENRICH, batch.article_ids)
    assert claim() == (first,)
    assert work_queue.n_waiting(Stage.ENRICH) == 2
