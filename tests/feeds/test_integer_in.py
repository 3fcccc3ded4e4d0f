"""`IN` of integers: the same rows as with Django's own lookup, whatever is asked for."""

from collections.abc import Callable, Collection
from typing import Any

import pytest
from django.db.models import F, QuerySet
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In

from feeds.models import Article, BlockingKey, Item, Pending
from feeds.models.integer_in import IntegerIn, RelatedIntegerIn
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def test_it_replaces_djangos_lookups_of_integers_and_foreign_keys_only() -> None:
    assert Article._meta.get_field("id").get_lookup("in") is IntegerIn
    assert BlockingKey._meta.get_field("value").get_lookup("in") is IntegerIn
    assert Item._meta.get_field("article").get_lookup("in") is RelatedIntegerIn
    assert Pending._meta.get_field("article").get_lookup("in") is RelatedIntegerIn
    assert Article._meta.get_field("title").get_lookup("in") is In
    assert (issubclass(IntegerIn, In), issubclass(RelatedIntegerIn, RelatedIn)) == (True, True)


@pytest.mark.parametrize("of", [list, tuple, set, frozenset, dict.fromkeys], ids=lambda of: of.__name__)
def test_any_collection_of_integers(of: Callable[[list[int]], Collection[int]]) -> None:
    feed, articles = make.feed(), [make.article() for _ in range(3)]
    items = [make.item(feed, article) for article in articles]
    wanted = of([articles[2].pk, articles[0].pk])
    assert ids(Article.objects.filter(pk__in=wanted)) == [articles[0].pk, articles[2].pk]
    assert ids(Article.objects.exclude(pk__in=wanted)) == [articles[1].pk]
    assert ids(Item.objects.filter(article__in=wanted)) == [items[0].pk, items[2].pk]


def test_other_values_are_prepared_by_django() -> None:
    one, other = make.article(), make.article()
    item = make.item(make.feed(), one)
    make.item(make.feed(), other)
    in_many_forms: tuple[Any, ...] = (
        [str(one.pk), None],
        [F("pk") * 0 + one.pk],
        [one.pk, F("pk") * 0 + one.pk],
        range(one.pk, one.pk + 1),
        Article.objects.filter(pk=one.pk),
    )
    for values in in_many_forms:
        assert ids(Article.objects.filter(pk__in=values)) == [one.pk]
    as_articles: tuple[Any, ...] = ([one, one.pk], [one], Article.objects.filter(pk=one.pk))
    for articles in as_articles:
        assert ids(Item.objects.filter(article__in=articles)) == [item.pk]
    assert not Article.objects.filter(pk__in=[]).exists()
    assert not Article.objects.filter(pk__in=[None]).exists()


def test_text_for_an_integer_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected a number"):
        Article.objects.filter(pk__in=["one"])
    with pytest.raises(ValueError, match="expected a number"):
        Item.objects.filter(article__in=["one"])


def ids(rows: QuerySet[Any]) -> list[int]:
    return sorted(row.pk for row in rows)
