"""Inserting rows with one prepared statement."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from feeds.models import Article, Item
from feeds.storage.insert import insert, row_of
from tests import make
from tests.make import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def article(key: bytes) -> dict[str, Any]:
    return {
        "url_key": key,
        "feed_id": make.feed().pk,
        "url": "https://paper.example/a?b=%20c",
        "title": '100% "new" \\ Küste 港 🚢',
        "published_at": NOW - timedelta(hours=3),
        "date_uncertain": True,
        "first_seen_at": NOW,
        "markup": "<p>Küste</p>" * 500,
        "text": "",
        "summary": "%s",
        "word_count": 500,
        "categories": ["Küste", 'a "b"'],
        "media": [{"url": "https://paper.example/a.jpg", "width": None}],
        "content_hash": -(2**63),
    }


def values(row: Article) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name not in ("_state", "id", "url_key", "feed_id")}


def test_rows_are_as_models_save_them() -> None:
    Article.objects.create(**article(b"1" * 16))
    inserted = article(b"2" * 16)
    insert(Article, [row_of(Article, inserted)])
    rows = list(Article.objects.order_by("url_key"))
    assert values(rows[1]) == values(rows[0])
    assert [getattr(rows[1], name) for name in ("title", "markup", "media")] == [
        inserted[name] for name in ("title", "markup", "media")
    ]
    assert bytes(rows[1].url_key) == b"2" * 16


def test_no_rows_are_no_statement(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        insert(Article, [])


def test_conflicts_are_left_out_only_on_request() -> None:
    first, again, other = article(b"1" * 16), article(b"1" * 16), article(b"2" * 16)
    insert(Article, [row_of(Article, first)])
    insert(Article, [row_of(Article, again), row_of(Article, other)], ignore_conflicts=True)
    kept = Article.objects.order_by("url_key").values_list("feed", flat=True)
    assert list(kept) == [first["feed_id"], other["feed_id"]]
    item = row_of(Item, {"feed_id": first["feed_id"], "article_id": Article.objects.earliest("pk").pk, "guid": "a",
                         "published_at": NOW, "first_seen_at": NOW, "content_hash": 1})  # fmt: skip
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Item, [item, item])
    assert Item.objects.count() == 0
