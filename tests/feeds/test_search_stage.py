"""The index follows the articles, whatever is stopped, changed or deleted meanwhile."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.utils import timezone

from feeds.ingest import plan, write
from feeds.models import Article, Unindexed
from feeds.search import index, stage
from feeds.search.index import matching
from feeds.search.match import Phrase
from feeds.search.words import folded_runs, words_asked
from tests import make
from tests.make_draft import draft

pytestmark = pytest.mark.django_db


def found(asked: str, field: str = "") -> list[str]:
    words, is_prefix = words_asked(folded_runs(asked))
    text = Phrase(words, (), field, is_prefix)
    return list(Article.objects.filter(pk__in=matching(text)).order_by("pk").values_list("title", flat=True))


def indexed(**values: str) -> Article:
    article = make.article(**values)
    stage.note([article.pk])
    stage.index_waiting()
    return article


def n_rows() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM feeds_search")
        return int(cursor.fetchone()[0])


def test_what_a_poll_stores_and_changes_is_found() -> None:
    paper = make.feed()
    drafts = [draft("1", title="A whale", text="It swims far.")]
    write(paper, plan(paper, drafts, now=make.NOW), now=make.NOW)
    assert stage.n_waiting() == 1
    assert stage.index_waiting() == 1
    assert (found("whale"), stage.n_waiting()) == (["A whale"], 0)
    drafts = [draft("1", title="A whale", text="It swims near now.", content_hash=77)]
    write(paper, plan(paper, drafts, now=make.NOW), now=make.NOW)
    stage.index_waiting()
    assert (found("near"), found("far"), n_rows()) == (["A whale"], [], 1)


@pytest.mark.parametrize("asked", ["人工智能", "工智", "智", "東京", "election", "ÉLECTION", "l'election", "smith"])
def test_words_are_found_whatever_the_script(asked: str) -> None:
    indexed(title="Élection", text="今年人工智能在東京。L'élection", author="Jane Smith")
    indexed(title="Another", text="今年人工 智能京東")
    assert found(asked)[:1] == ["Élection"]


def test_a_phrase_is_words_in_a_row_of_one_field() -> None:
    indexed(title="red fox", text="quick brown dog")
    assert found("quick brown") == ["red fox"]
    assert found("brown quick") == found("fox quick") == []


def test_fields_are_told_apart() -> None:
    indexed(title="red", text="brown", author="grey")
    assert [found(word, "title") for word in ("red", "brown", "grey")] == [["red"], [], []]
    assert [found(word, "author") for word in ("red", "brown", "grey")] == [[], [], ["red"]]


@pytest.mark.parametrize("text", ["", "'\"\\ (*) AND", "\U0001f600", "𠀀𠀁 " * 40_000, "é" * 3000, "'a':1A"])
def test_any_text_can_be_indexed(text: str) -> None:
    indexed(title="Odd", text=text)
    assert found("odd") == ["Odd"]


def test_a_row_goes_with_its_article() -> None:
    article = indexed(title="Gone")
    article.delete()
    assert n_rows() == 0


def test_what_changes_while_it_is_indexed_is_indexed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    article = make.article(title="Old")
    stage.note([article.pk])
    rounds: list[list[int]] = []

    @contextmanager
    def atomic() -> Iterator[None]:
        """The second time to write comes after the article was read."""
        if len(rounds) == 1:
            Article.objects.filter(pk=article.pk).update(title="New")
            stage.note([article.pk])
        rounds.append(list(Unindexed.objects.values_list("n_asked", flat=True)))
        with transaction.atomic():
            yield

    monkeypatch.setattr(stage, "transaction", SimpleNamespace(atomic=atomic))
    stage.index_waiting()
    assert (rounds, found("old"), found("new"), n_rows()) == ([[1], [2], [2], [2], []], [], ["New"], 1)


def test_an_interruption_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    article = make.article(title="Kept")
    stage.note([article.pk])

    def fail(rows: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(index, "write", fail)
        with pytest.raises(KeyboardInterrupt):
            stage.index_waiting()
    assert stage.n_waiting() == 1
    stage.index_waiting()
    assert found("kept") == ["Kept"]


def test_takes_nothing_new_when_time_is_up() -> None:
    stage.note([make.article().pk])
    assert stage.index_waiting(until=timezone.now()) == 0
    assert Unindexed.objects.count() == 1


def test_a_batch_costs_a_fixed_number_of_statements(django_assert_num_queries: object) -> None:
    for n in (1, 30):
        stage.note([make.article().pk for _ in range(n)])
        with django_assert_num_queries(15):  # type: ignore[operator]
            stage.index_waiting()


def test_a_bad_article_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = make.article(title="Bad")
    others = [make.article(title=f"Good {number}") for number in range(3)]
    stage.note([bad.pk, *(each.pk for each in others)])
    write = index.write

    def refuse(rows: Iterable[index.Row]) -> None:
        several = list(rows)
        if any(row[0] == bad.pk for row in several):
            raise ValueError("bad")
        write(several)

    with monkeypatch.context() as patched:
        patched.setattr(index, "write", refuse)
        for _ in range(stage.MOST_TRIES + 1):
            with suppress(ValueError):
                stage.index_waiting()
        assert (found("good"), stage.n_waiting(), stage.n_given_up()) == (["Good 0", "Good 1", "Good 2"], 0, 1)
        assert stage.index_waiting() == 0
    stage.try_again()
    assert (stage.index_waiting(), found("bad"), stage.n_given_up()) == (1, ["Bad"], 0)


def test_what_was_given_up_is_tried_again_when_it_changes() -> None:
    article = make.article(title="Bad")
    stage.note([article.pk])
    Unindexed.objects.update(n_tries=stage.MOST_TRIES)
    stage.note([article.pk])
    assert (stage.n_waiting(), stage.index_waiting(), found("bad")) == (1, 1, ["Bad"])
