"""Pending articles: claiming, expired claims, retries and stages."""

from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from feeds import time_limit
from feeds.models import Article, Pending, Stage
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


def test_claims_that_expire_are_tried_again_by_few_and_then_alone() -> None:
    first, second, third = three()
    assert claim(3) == (first, second, third)
    assert claim(3) == ()
    later = [NOW + n * work_queue.LEASE for n in range(4)]
    assert [claim(6, at=later[1]), claim(6, at=later[1])] == [(first, second), (third,)]
    assert [claim(at=later[2]) for _ in range(4)] == [(first,), (second,), (third,), ()]
    assert claim(at=later[3]) == ()


def endless() -> None:
    while True:
        pass


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch may take a tenth of a second of CPU time."""
    monkeypatch.setattr(time_limit, "ALONE_SECONDS", 0.1)
    monkeypatch.setattr(time_limit, "FULL_SECONDS", 0.0)


def process(bad: Collection[int], fail: Callable[[], None] = endless, *, full: int = 10) -> list[tuple[int, ...]]:
    """Process everything that waits; returns the batches that got through."""
    done = []
    while (batch := work_queue.claim(Stage.MATCH, now=NOW, limit=full)).article_ids:
        with suppress(RuntimeError), work_queue.processing(batch):
            if set(bad) & set(batch.article_ids):
                fail()
            work_queue.finish(batch)
            done.append(batch.article_ids)
    return done


def test_hanging_articles_are_set_aside_after_all_others(short_limits: None) -> None:
    ids = [make.article().pk for _ in range(12)]
    work_queue.enqueue(ids)
    done = process({ids[0], ids[4]})
    assert done == [(ids[10], ids[11]), tuple(ids[6:9]), (ids[9],), *((pk,) for pk in [*ids[1:4], ids[5]])]
    assert list(work_queue.given_up().values_list("article", flat=True)) == [ids[0], ids[4]]


def test_failing_articles_are_set_aside_without_waiting_for_claims() -> None:
    def fail() -> None:
        raise RuntimeError

    ids = three()
    assert process({ids[1]}, fail) == [(ids[0],), (ids[2],)]
    assert work_queue.n_given_up() == 1


def test_what_was_set_aside_is_tried_again_alone_when_it_changes(short_limits: None) -> None:
    article, other = make.article(content_hash=1), make.article()
    work_queue.enqueue([article.pk])
    process({article.pk})
    work_queue.enqueue([article.pk, other.pk])
    assert process({article.pk}) == [(other.pk,)]
    assert work_queue.n_given_up() == 1
    Article.objects.filter(pk=article.pk).update(content_hash=2)
    work_queue.enqueue([article.pk, other.pk])
    assert process({}) == [(other.pk,), (article.pk,)]
    assert work_queue.n_given_up() == 0


def test_new_ones_go_before_unfinished_ones() -> None:
    three()
    claim()
    new = make.article().pk
    work_queue.enqueue([new])
    assert claim(at=NOW + work_queue.LEASE) == (new,)


def test_gives_up_after_most_tries_and_counts_it() -> None:
    work_queue.enqueue([make.article().pk])
    for n in range(time_limit.MAX_TRIES):
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
