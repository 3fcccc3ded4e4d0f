"""The steps of purging: their cost, interruptions, and concurrent changes."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Feed, Item, Tombstone
from feeds.storage.purge import expired_items, remove_items
from reader.articles.read_state import star
from reader.models import ArticleState
from reader.subscriptions import purge as purging
from reader.subscriptions.purge import Purged, purge, purge_chunk, purge_due, retention_rule
from tests import make
from tests.at_once import apart, at_once, until_it_waits
from tests.make import NOW
from tests.reader.purgeable import LONG_AGO, old_article, starred, unread_counts

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def paper() -> Feed:
    return make.feed(keep_days=30)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts what SQLite's machine does")
def test_cost_of_a_step_is_independent_of_feed_size(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    took = []
    for n_young in (20, 300):
        Item.objects.all().delete()  # ids ascend in order of arrival
        for _ in range(10):
            old_article(mine)
        for _ in range(n_young):
            make.item(paper, make.article())
        [items] = expired_items(paper.pk, retention_rule(paper), now=NOW)
        with sqlite_work() as spent:
            assert purge_chunk(paper.pk, items, now=NOW).n_articles == 10
        took.append(len(spent))
    assert took[1] < 1.1 * took[0]


@contextmanager
def sqlite_work() -> Iterator[list[None]]:
    """A list with one entry per batch of SQLite instructions."""
    instructions: list[None] = []
    connection.connection.set_progress_handler(lambda: instructions.append(None), 1)
    try:
        yield instructions
    finally:
        connection.connection.set_progress_handler(None, 0)


def test_resumes_after_interruption(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.storage.purge.CHUNK", 2)
    mine = make.subscription(reader, paper)
    for _ in range(5):
        old_article(mine)
    assert purge(paper, now=NOW, is_time_left=lambda: False).n_articles == 2
    assert unread_counts() == {mine.pk: (3, 3)}
    assert purge(paper, now=NOW).n_articles == 3
    assert unread_counts() == {mine.pk: (0, 0)}


def test_continues_after_protected_items(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.storage.purge.CHUNK", 1)
    mine = make.subscription(reader, paper)
    first, _, third = [old_article(mine) for _ in range(3)]
    starred(reader, first)
    day = timedelta(days=1)
    assert purge_due(now=NOW, is_time_left=iter([True, False, False]).__next__) == Purged(n_feeds=1, n_held=1)
    assert purge_due(now=NOW + day, is_time_left=iter([True, False, False]).__next__).n_articles == 1
    assert set(Article.objects.all()) == {first, third}
    starred(reader, third)
    star(reader, first.pk, is_starred=False, now=NOW)
    assert purge_due(now=NOW + 2 * day, is_time_left=lambda: True) == Purged(n_feeds=1, n_held=1)
    assert purge_due(now=NOW + 3 * day, is_time_left=lambda: True) == Purged(
        n_feeds=1, n_articles=1, n_items=1, n_held=1
    )


def test_command_starts_from_the_beginning(reader: User, paper: Feed) -> None:
    """The command promises to purge everything."""
    old_article(make.subscription(reader, paper))
    Feed.objects.update(purged_up_to=Item.objects.get().pk)
    paper.refresh_from_db()
    assert purge(paper, now=NOW).n_articles == 1
    paper.refresh_from_db()
    assert paper.purged_up_to == 0


def test_locks_nothing_if_everything_is_protected(
    reader: User, paper: Feed, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    mine = make.subscription(reader, paper)
    for _ in range(3):
        starred(reader, old_article(mine))
    [items] = expired_items(paper.pk, retention_rule(paper), now=NOW)
    with django_assert_num_queries(6):  # stars, tags, votes, highlights, the log, and pending articles
        assert purge_chunk(paper.pk, items, now=NOW) == Purged(n_held=3)


def test_killed_within_a_chunk_rolls_it_back(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = make.subscription(reader, paper)
    old_article(mine)

    def killed(article_ids: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("reader.subscriptions.purge.remove_articles", killed)
    with pytest.raises(KeyboardInterrupt):
        purge(paper, now=NOW)
    assert (Item.objects.count(), Tombstone.objects.count(), unread_counts()) == (1, 0, {mine.pk: (1, 1)})


@at_once
@pytest.mark.parametrize("is_known", [False, True], ids=["first touched", "touched before"])
@pytest.mark.parametrize(
    "step", ["_deletable", "_lock", "sole_articles", "_remove_deliveries", "remove_items", "remove_articles"]
)
def test_concurrent_star_protects_or_fails(
    reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch, step: str, is_known: bool
) -> None:
    article = old_article(make.subscription(reader, paper))
    if is_known:
        ArticleState.objects.create(user=reader, article=article)
    acts: list[Future[None]] = []
    original = getattr(purging, step)

    def done_and_starred(*arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        if not acts:
            acts.append(pool.submit(apart(lambda: starred(reader, article))))
            until_it_waits(acts[0])
        return result

    monkeypatch.setattr(purging, step, done_and_starred)
    with ThreadPoolExecutor(1) as pool:
        purge(paper, now=NOW)
        is_refused = acts[0].exception() is not None
    is_starred = ArticleState.objects.filter(is_starred=True).exists()
    assert (is_starred, Article.objects.exists()) == (not is_refused, not is_refused)


@at_once
@pytest.mark.parametrize("is_known", [False, True], ids=["first touched", "touched before"])
def test_skips_article_being_starred(reader: User, paper: Feed, is_known: bool) -> None:
    article = old_article(make.subscription(reader, paper))
    if is_known:
        ArticleState.objects.create(user=reader, article=article)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            starred(reader, article)
            purged = pool.submit(apart(lambda: purge(paper, now=NOW)))
            until_it_waits(purged)
        assert purged.result() == Purged(n_feeds=1, n_held=1)
    assert ArticleState.objects.get().is_starred


@at_once
def test_keeps_article_another_feed_is_storing(reader: User, paper: Feed) -> None:
    article = old_article(make.subscription(reader, paper))
    other = make.feed()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Article.objects.select_for_update().get(pk=article.pk)  # it has the fuller version
            make.item(other, article)
            purged = pool.submit(apart(lambda: purge(paper, now=NOW)))
            until_it_waits(purged)
        assert purged.result() == Purged(n_feeds=1, n_items=1)
    assert Item.objects.get().feed == other


@at_once
def test_deletes_article_purged_by_two_feeds_at_once(
    reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = old_article(make.subscription(reader, paper))
    other = make.feed(keep_days=30)
    make.item(other, article, first_seen_at=LONG_AGO)
    acts: list[Future[Purged]] = []

    def removed_and_other_purged(*arguments: Any) -> None:
        remove_items(*arguments)
        if not acts:
            acts.append(pool.submit(apart(lambda: purge(other, now=NOW))))
            until_it_waits(acts[0])

    monkeypatch.setattr(purging, "remove_items", removed_and_other_purged)
    with ThreadPoolExecutor(1) as pool:
        purge(paper, now=NOW)
        assert acts[0].result() == Purged(n_feeds=1, n_items=1, n_articles=1)
    assert not Article.objects.exists()


def test_queries_do_not_grow_with_number_of_articles(reader: User, paper: Feed) -> None:
    n_queries = []
    for n_articles in (1, 20):
        mine = make.subscription(reader, make.feed(keep_days=30))
        for _ in range(n_articles):
            old_article(mine)
        with CaptureQueriesContext(connection) as captured:
            purge(mine.feed, now=NOW)
        n_queries.append(len(captured))
    assert n_queries[0] <= n_queries[1] <= n_queries[0] + 6  # a few more bisection steps over the ids
