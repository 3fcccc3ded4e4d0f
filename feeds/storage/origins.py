"""Reads the dates, feeds and publishers of articles."""

from collections.abc import Collection, Iterator

from feeds.dedup.budgets import Origin
from feeds.dedup.comparable import publisher_of
from feeds.models import Article
from feeds.publishers.hosts import publisher_of_link

PUBLISHER_COLUMNS = ("url", "canonical_url", "source__domain", "source__name", "feed__title")
MAX_IDS = 5_000  # in one statement; SQLite may take no more than 32,766


def origins_of(article_ids: Collection[int]) -> dict[int, Origin]:
    """Origins by article id, without articles that are deleted or not compared."""
    columns = ("pk", "published_at", "feed_id", *PUBLISHER_COLUMNS)
    return {
        pk: Origin(published_at, feed_id, publisher(*published_by))
        for some in _slices(article_ids)
        for pk, published_at, feed_id, *published_by in Article.objects.filter(
            pk__in=some, is_unmatched=False
        ).values_list(*columns)
    }


def comparable_ids(article_ids: Collection[int]) -> list[int]:
    """The ids of articles that are compared with others: their feed was within its rate."""
    chosen = Article.objects.filter(pk__in=article_ids, is_unmatched=False)
    return list(chosen.order_by("pk").values_list("pk", flat=True))


def publishers_of(article_ids: Collection[int]) -> dict[int, str]:
    """Publishers by article id, as returned by `publisher_of`."""
    return {
        pk: publisher(*published_by)
        for some in _slices(article_ids)
        for pk, *published_by in Article.objects.filter(pk__in=some).values_list("pk", *PUBLISHER_COLUMNS)
    }


def publisher(
    url: str, canonical_url: str, source_domain: str | None, source_name: str | None, feed_title: str | None
) -> str:
    """The publisher of an article from its `PUBLISHER_COLUMNS`: the site it links to, not the delivering feed."""
    name = feed_title or source_name or source_domain or ""
    return publisher_of(url=url, domain=publisher_of_link(url, canonical_url), name=name)


def _slices(article_ids: Collection[int]) -> Iterator[list[int]]:
    ids = sorted(article_ids)
    return (ids[start : start + MAX_IDS] for start in range(0, len(ids), MAX_IDS))
