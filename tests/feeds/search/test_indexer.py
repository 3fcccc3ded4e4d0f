"""The index follows the articles, even if they change or the indexer stops in the meantime."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.utils import timezone

from feeds.models import Article, Unindexed
from feeds.search import index, indexer
from feeds.search.index import matching
from feeds.search.query_tree import Phrase
from feeds.search.tokenizer import folded_runs, query_words
from tests import make
from tests.feeds.storing import store
from tests.make_draft import draft

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def found(query: str, field: str = "") -> list[str]:
    words, is_prefix = query_words(folded_runs(query))
    text = Phrase(words, field, is_prefix)
    return list(Article.objects.filter(pk__in=matching(text)).order_by("pk").values_list("title", flat=True))


def indexed(**values: str) -> Article:
    article = make.article(**values)
    indexer.queue_articles([article.pk])
    indexer.index_waiting()
    return article


def n_rows() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM feeds_search")
        return int(cursor.fetchone()[0])


def test_stored_and_changed_articles_are_found() -> None:
    paper = make.feed()
    drafts = [draft("1", title="A whale", text="It swims far.")]
    store(paper, drafts, now=make.NOW)
    assert indexer.n_waiting() == 1
    assert indexer.index_waiting() == 1
    assert (found("whale"), indexer.n_waiting()) == (["A whale"], 0)
    drafts = [draft("1", title="A whale", text="It swims near now.", content_hash=77)]
    store(paper, drafts, now=make.NOW)
    indexer.index_waiting()
    assert (found("near"), found("far"), n_rows()) == (["A whale"], [], 1)


@pytest.mark.parametrize("query", ["人工智能", "工智", "智", "東京", "election", "ÉLECTION", "l'election", "smith"])
def test_words_are_found_whatever_the_script(query: str) -> None:
    indexed(title="Élection", text="今年人工智能在東京。L'élection", author="Jane Smith")
    indexed(title="Another", text="今年人工 智能京東")
    assert found(query)[:1] == ["Élection"]


def test_a_phrase_is_consecutive_words_of_one_field() -> None:
    indexed(title="red fox", text="quick brown dog")
    assert found("quick brown") == ["red fox"]
    assert found("brown quick") == found("fox quick") == []


def test_fields_are_distinguished() -> None:
    indexed(title="red", text="brown", author="grey")
    assert [found(word, "title") for word in ("red", "brown", "grey")] == [["red"], [], []]
    assert [found(word, "author") for word in ("red", "brown", "grey")] == [[], [], ["red"]]


@pytest.mark.parametrize("text", ["", "'\"\\ (*) AND", "\U0001f600", "𠀀𠀁 " * 40_000, "é" * 3000, "'a':1A"])
def test_any_text_can_be_indexed(text: str) -> None:
    indexed(title="Odd", text=text)
    assert found("odd") == ["Odd"]


def test_deleting_an_article_deletes_its_row() -> None:
    article = indexed(title="Gone")
    article.delete()
    assert n_rows() == 0


def test_article_changed_while_indexing_is_reindexed(monkeypatch: pytest.MonkeyPatch) -> None:
    article = make.article(title="Old")
    indexer.queue_articles([article.pk])
    rounds: list[list[int]] = []

    @contextmanager
    def atomic() -> Iterator[None]:
        """The second time to write comes after the article was read."""
        if len(rounds) == 1:
            Article.objects.filter(pk=article.pk).update(title="New")
            indexer.queue_articles([article.pk])
        rounds.append(list(Unindexed.objects.values_list("n_requests", flat=True)))
        with transaction.atomic():
            yield

    monkeypatch.setattr(indexer, "transaction", SimpleNamespace(atomic=atomic))
    indexer.index_waiting()
    assert (rounds, found("old"), found("new"), n_rows()) == ([[1], [2], [2], [2], []], [], ["New"], 1)


def test_interrupted_indexing_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    article = make.article(title="Kept")
    indexer.queue_articles([article.pk])

    def fail(rows: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(index, "write", fail)
        with pytest.raises(KeyboardInterrupt):
            indexer.index_waiting()
    assert indexer.n_waiting() == 1
    indexer.index_waiting()
    assert found("kept") == ["Kept"]


def test_starts_nothing_new_after_the_time_limit() -> None:
    indexer.queue_articles([make.article().pk])
    assert indexer.index_waiting(until=timezone.now()) == 0
    assert Unindexed.objects.count() == 1


def test_a_batch_costs_a_fixed_number_of_statements(django_assert_num_queries: object) -> None:
    for n in (1, 30):
        indexer.queue_articles([make.article().pk for _ in range(n)])
        with django_assert_num_queries(16):  # type: ignore[operator]
            indexer.index_waiting()


def test_a_bad_article_does_not_stop_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = make.article(title="Bad")
    others = [make.article(title=f"Good {number}") for number in range(3)]
    indexer.queue_articles([bad.pk, *(other.pk for other in others)])
    write = index.write

    def refuse(rows: Iterable[index.Row]) -> None:
        several = list(rows)
        if any(row[0] == bad.pk for row in several):
            raise ValueError("bad")
        write(several)

    with monkeypatch.context() as patched:
        patched.setattr(index, "write", refuse)
        for _ in range(indexer.MAX_TRIES + 1):
            with suppress(ValueError):
                indexer.index_waiting()
        assert (found("good"), indexer.n_waiting(), indexer.n_given_up()) == (["Good 0", "Good 1", "Good 2"], 0, 1)
        assert indexer.index_waiting() == 0
    indexer.retry_given_up()
    assert (indexer.index_waiting(), found("bad"), indexer.n_given_up()) == (1, ["Bad"], 0)


def test_skipped_article_is_retried_when_it_changes() -> None:
    article = make.article(title="Bad")
    indexer.queue_articles([article.pk])
    Unindexed.objects.update(n_tries=indexer.MAX_TRIES)
    indexer.queue_articles([article.pk])
    assert (indexer.n_waiting(), indexer.index_waiting(), found("bad")) == (1, 1, ["Bad"])


def test_upgrade_indexes_articles_with_hangul_again() -> None:
    migration = import_module("feeds.migrations.0002_entries")
    korean = [make.article(title="서울"), make.article(text="In 서울"), make.article(author="김서울")]
    make.article(title="東京", text="Paper")
    for _ in range(2):
        migration.queue_korean(None, SimpleNamespace(connection=connection))
    assert list(Unindexed.objects.order_by("article").values_list("article", "n_requests")) == [
        (article.pk, 1) for article in korean
    ]
