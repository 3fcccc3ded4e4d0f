"""Inserting rows with one prepared statement."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from feeds.models import Article, Item
from feeds.storage.insert import insert
from tests import make
from tests.make import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def article(key: bytes) -> Article:
    return Article(
        url_key=key,
        feed=make.feed(),
        url="https://paper.example/a?b=%20c",
        title='100% "new" \\ Küste 港 🚢',
        published_at=NOW - timedelta(hours=3),
        date_uncertain=True,
        first_seen_at=NOW,
        markup="<p>Küste</p>" * 500,
        text="",
        summary="%s",
        word_count=500,
        categories=["Küste", 'a "b"'],
        media=[{"url": "https://paper.example/a.jpg", "width": None}],
        content_hash=-(2**63),
    )


def values(row: Article) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name not in ("_state", "id", "url_key", "feed_id")}


def test_rows_are_as_models_save_them() -> None:
    saved, inserted = article(b"1" * 16), article(b"2" * 16)
    saved.save()
    insert([inserted])
    rows = list(Article.objects.order_by("url_key"))
    assert values(rows[1]) == values(rows[0])
    assert (rows[1].title, rows[1].markup, rows[1].media) == (inserted.title, inserted.markup, inserted.media)
    assert bytes(rows[1].url_key) == b"2" * 16


def test_no_rows_are_no_statement(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        insert([])


def test_conflicts_are_left_out_only_on_request() -> None:
    first, again, other = article(b"1" * 16), article(b"1" * 16), article(b"2" * 16)
    insert([first])
    insert([again, other], ignore_conflicts=True)
    assert list(Article.objects.order_by("url_key").values_list("feed", flat=True)) == [first.feed_id, other.feed_id]
    item = Item(feed=first.feed, article=Article.objects.earliest("pk"), guid="a", published_at=NOW, first_seen_at=NOW,
                content_hash=1)  # fmt: skip
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([item, item])
    assert Item.objects.count() == 0
