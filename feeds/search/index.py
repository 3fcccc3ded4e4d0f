"""The full-text index: one row per article in the table `feeds_search`, which each database searches in its own way.

SQLite: FTS5 over the words of `feeds.search.tokenizer`, separated by spaces, so that its own tokenizer has nothing to
do. It stores the words beside the index, because SQLite before 3.43 can't delete a row without them. PostgreSQL: a
tsvector with a GIN index. A trigger deletes a row with its article.
"""

from collections.abc import Collection, Iterable, Sequence

from django.db import connection
from django.db.models.expressions import RawSQL

from feeds.search.inflections import Form, forms_in, save_forms
from feeds.search.query_tree import AnyOf, Phrase, Text, as_fts5, as_tsquery, as_tsvector
from feeds.search.sqlite_rank import Scorer
from feeds.search.tokenizer import MAX_CHARACTERS, words_of

Row = tuple[int, str, str, str, str]  # article, title, author, text, language

READ_CHARACTERS = 6000  # of a text's words, for scoring; the rest says little about its subject
POSTGRESQL_WEIGHTS = [0.15, 0.15, 0.5, 1.0]  # of the text, nothing, the author and the title


def write(rows: Iterable[Row]) -> None:
    """Index these articles, replacing their present rows."""
    words: list[tuple[int, list[str], list[str], list[str]]] = []
    forms: set[Form] = set()
    for pk, title, author, text, language in rows:
        words.append((pk, words_of(title), words_of(author), words_of(text)))
        forms.update(forms_in(f"{title}\n{text[:MAX_CHARACTERS]}", language))
    save_forms(forms)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.executemany(
                "INSERT OR REPLACE INTO feeds_search (rowid, title, author, body) VALUES (%s, %s, %s, %s)",
                [(pk, *(" ".join(field) for field in fields)) for pk, *fields in words],
            )
        else:
            cursor.executemany(
                "INSERT INTO feeds_search (article_id, words) VALUES (%s, %s::tsvector)"
                " ON CONFLICT (article_id) DO UPDATE SET words = excluded.words",
                [(pk, as_tsvector(*fields)) for pk, *fields in words],
            )


def matching(text: Text, *, since: int = 0) -> RawSQL:
    """The ids of matching articles from the id `since` on, as a subquery: `filter(article__in=matching(text))`."""
    if connection.vendor == "sqlite":
        return RawSQL(
            "SELECT rowid FROM feeds_search WHERE feeds_search MATCH %s AND rowid >= %s", [as_fts5(text), since]
        )
    return RawSQL(
        "SELECT article_id FROM feeds_search WHERE words @@ %s::tsquery AND article_id >= %s", [as_tsquery(text), since]
    )


def scores(article_ids: Collection[int], phrases: Sequence[Phrase]) -> dict[int, float]:
    """How well each of these articles matches the phrases, 0.0 for no match. One query.

    SQLite's bm25() counts all rows with each word every time, which is too slow for common words: there the stored
    words are read and scored here. PostgreSQL weighs words by their field, the title above all.
    """
    if not article_ids or not phrases:
        return {}
    marks = ", ".join(["%s"] * len(article_ids))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            scorer = Scorer(phrases)
            cursor.execute(
                f"SELECT id, c0, c1, SUBSTR(c2, 1, {READ_CHARACTERS}) FROM feeds_search_content"  # noqa: S608
                f" WHERE id IN ({marks})",
                list(article_ids),
            )
            return {pk: scorer.score(title, author, body) for pk, title, author, body in cursor.fetchall()}
        cursor.execute(
            f"SELECT article_id, ts_rank(%s::float4[], words, %s::tsquery, 1) FROM feeds_search"  # noqa: S608
            f" WHERE article_id IN ({marks})",
            [POSTGRESQL_WEIGHTS, as_tsquery(AnyOf(tuple(phrases))), *article_ids],
        )
        return {pk: float(score) for pk, score in cursor.fetchall()}
