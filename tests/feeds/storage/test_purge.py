"""Which items a feed's retention rule deletes, what is deleted with them, and that they don't come back."""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin import site
from django.db import transaction
from django.http import HttpRequest

from feeds.admin.feeds import ArticleAdmin
from feeds.models import Article, Feed, Item, Link, Story, StoryChange, Tombstone
from feeds.normalizing.draft import Draft
from feeds.storage.ingest import Stored
from feeds.storage.purge import (
    EVERY,
    expired_items,
    lock_articles,
    next_to_purge,
    remove_articles,
    remove_items,
    sole_articles,
    stale_stories,
)
from feeds.storage.retention import RetentionRule
from feeds.tasks import polling, stories
from tests import make
from tests.at_once import apart, at_once, until_it_waits
from tests.feeds.storing import store as store_drafts
from tests.make_draft import LIBRARY, NOW, draft

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

LONG_AGO = NOW - timedelta(days=40)
MONTH = RetentionRule(days=30)


@pytest.fixture
def paper() -> Feed:
    return make.feed("https://paper.example/feed.xml", last_success_at=LONG_AGO)


def store(feed: Feed, *drafts: Draft, now: object = NOW) -> Stored:
    return store_drafts(feed, drafts, now=now)  # type: ignore[arg-type]


def purge(feed: Feed, keeping: RetentionRule = MONTH) -> None:
    for items in expired_items(feed.pk, keeping, now=NOW):
        sole = sole_articles(items)
        remove_items(feed.pk, items)
        remove_articles(sole)


def came(feed: Feed, days_ago: int, published: int = 0) -> Item:
    published_at = NOW - timedelta(days=published)
    return make.item(feed, make.article(), first_seen_at=NOW - timedelta(days=days_ago), published_at=published_at)


def expired_ids(feed: Feed, keeping: RetentionRule) -> set[int]:
    return {item.pk for items in expired_items(feed.pk, keeping, now=NOW) for item in items}


def test_age_counts_from_arrival(paper: Feed) -> None:
    items = [came(paper, 31, published=400), came(paper, 30), came(paper, 1, published=400)]
    assert expired_ids(paper, MONTH) == {items[0].pk}
    assert expired_ids(paper, RetentionRule()) == set()


def test_keeps_the_newest_by_arrival_then_date(paper: Feed) -> None:
    first_poll = [came(paper, 5, published=n) for n in (5, 7, 6)]  # the document's order doesn't matter
    later = came(paper, 1, published=90)
    assert expired_ids(paper, RetentionRule(n_items=2)) == {first_poll[1].pk, first_poll[2].pk}
    assert expired_ids(paper, RetentionRule(n_items=4)) == set()
    assert expired_ids(paper, RetentionRule(n_items=1)) == {item.pk for item in first_poll}
    assert later.pk not in expired_ids(paper, RetentionRule(n_items=1))


def test_either_limit_is_enough(paper: Feed) -> None:
    items = [came(paper, 40), came(paper, 20), came(paper, 1)]
    assert expired_ids(paper, RetentionRule(days=30, n_items=1)) == {items[0].pk, items[1].pk}
    assert expired_ids(paper, RetentionRule(days=30, n_items=3)) == {items[0].pk}


def test_expired_items_come_in_deletable_chunks(paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.storage.purge.CHUNK", 2)
    items = [came(paper, 40) for _ in range(5)]
    chunks = []
    for chunk in expired_items(paper.pk, MONTH, now=NOW):
        chunks.append([item.pk for item in chunk])
        Item.objects.filter(pk__in=chunks[-1]).delete()
    assert chunks == [[items[0].pk, items[1].pk], [items[2].pk, items[3].pk], [items[4].pk]]


def test_young_items_are_not_checked(paper: Feed, django_assert_max_num_queries: object) -> None:
    """The end of the old items is found by bisecting the ids, however many newer ones follow."""
    first = came(paper, 40)
    for _ in range(30):
        came(paper, 1)
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        assert expired_ids(paper, MONTH) == {first.pk}


def test_an_article_stays_as_long_as_another_feed_keeps_it(paper: Feed) -> None:
    aggregator = make.feed("https://aggregator.example/feed.xml", last_success_at=LONG_AGO)
    store(paper, draft("g1"), now=LONG_AGO)
    store(aggregator, draft("other"), now=NOW)
    purge(paper)
    assert (Article.objects.count(), Item.objects.get().feed) == (1, aggregator)
    purge(aggregator, RetentionRule(n_items=1))
    assert Article.objects.count() == 1


def test_what_was_purged_does_not_come_back(paper: Feed) -> None:
    old_one = draft("g1", url="https://paper.example/a")
    store(paper, old_one, now=LONG_AGO)
    purge(paper)
    assert (Article.objects.count(), Item.objects.count(), Tombstone.objects.count()) == (0, 0, 2)
    new_one = draft("g2", url="https://paper.example/b", title="Library opens", text=LIBRARY)
    assert store(paper, old_one, new_one).n_new == 1
    assert Article.objects.get().title == "Library opens"
    assert store(paper, draft("changed guid", url="https://paper.example/a")) == Stored(n_left_out=1)


def test_another_feed_can_deliver_it_again(paper: Feed) -> None:
    """Its followers haven't seen it yet."""
    store(paper, draft("g1"), now=LONG_AGO)
    purge(paper)
    aggregator = make.feed("https://aggregator.example/feed.xml", last_success_at=LONG_AGO)
    assert store(aggregator, draft("g1")).n_new == 1


def test_purged_twice_leaves_one_tombstone(paper: Feed) -> None:
    """One guid for all entries: the last purged one counts."""
    first = draft("same", url="https://paper.example/a", published_at=LONG_AGO - timedelta(days=10))
    second = draft("same", url="https://paper.example/b", text=LIBRARY, title="Library", published_at=LONG_AGO)
    store(paper, first, now=LONG_AGO)
    purge(paper)
    assert store(paper, second, now=LONG_AGO).n_new == 1
    purge(paper)
    assert (Tombstone.objects.count(), Item.objects.count()) == (3, 0)
    assert store(paper, first, second) == Stored(n_left_out=2)


def test_a_story_is_updated_after_purging() -> None:
    feed = make.feed()
    purged, *staying = articles = [make.article(word_count=n) for n in (900, 300, 100)]
    for article in articles:
        make.item(feed, article, first_seen_at=LONG_AGO if article == purged else NOW)
    story = make.story(*articles, lead=purged)
    purge(feed)
    assert list(stale_stories()) == [story]
    stories.refresh_purged_stories()
    story.refresh_from_db()
    assert (story.lead, story.n_articles, story.is_stale) == (staying[0], 2, False)
    assert set(StoryChange.objects.values_list("article", flat=True)) == {article.pk for article in staying}


def test_a_story_of_one_article_is_dissolved(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(polling, "call_worker", asked.append)
    feed = make.feed()
    pair = [make.article(), make.article()]
    for each in pair:
        make.item(feed, each, first_seen_at=LONG_AGO if each == pair[0] else NOW)
    make.story(*pair)
    purge(feed)
    polling.sort_new()
    assert asked == ["feeds.tasks.stories.match_new"]
    stories.refresh_purged_stories()
    pair[1].refresh_from_db()
    assert (pair[1].story, Story.objects.count()) == (None, 0)


def keys_backwards() -> list[Article]:
    """Three articles whose keys are not in the order of their ids."""
    return [make.article(url_key=bytes([9 - n]) * 16) for n in range(3)]


def purge_while(others: Callable[[], Any], articles: Collection[Article]) -> None:
    """Delete the articles one by one, in locking order, while `others` writes stories."""
    ids = [article.pk for article in sorted(articles, key=lambda article: article.url_key)]
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_articles(ids[:1])
            work = pool.submit(apart(others))
            until_it_waits(work)
            lock_articles(ids)
            Item.objects.filter(article__in=ids).delete()
            remove_articles(ids)
        work.result()


@at_once
def test_refresh_while_more_is_purged() -> None:
    articles = keys_backwards()
    story = make.story(*articles, lead=articles[0])
    Story.objects.update(is_stale=True)
    purge_while(stories.refresh_purged_stories, articles[:1])
    story.refresh_from_db()
    assert (story.lead, story.n_articles, story.is_stale) == (articles[2], 2, False)


@at_once
def test_regroup_while_stories_are_purged() -> None:
    articles = keys_backwards()
    make.story(*articles)
    Link.objects.all().delete()
    purge_while(lambda: stories.regroup_articles([article.pk for article in articles]), articles[:2])
    assert (list(Article.objects.all()), Story.objects.count()) == ([articles[2]], 0)


@at_once
def test_deleting_the_lead_while_its_story_is_purged() -> None:
    articles = keys_backwards()
    make.story(*articles, lead=articles[0])
    page = ArticleAdmin(Article, site)
    purge_while(lambda: page.delete_queryset(HttpRequest(), Article.objects.filter(pk=articles[0].pk)), articles[:1])
    assert set(Article.objects.all()) == set(articles[1:])


def test_feeds_with_a_rule_are_purged_daily() -> None:
    never, yesterday, today = [make.feed(purged_at=at) for at in (None, NOW - EVERY, NOW - timedelta(hours=23))]
    assert [next_to_purge(NOW, default=MONTH) for _ in range(3)] == [never, yesterday, None]
    today.refresh_from_db()
    assert today.purged_at == NOW - timedelta(hours=23)


def test_feeds_without_a_rule_are_not_purged(paper: Feed) -> None:
    assert next_to_purge(NOW, default=RetentionRule()) is None
    own = make.feed(keep_items=5)
    make.feed(keep_days=0, keep_items=0)
    assert [next_to_purge(NOW, default=RetentionRule()) for _ in range(2)] == [own, None]
    assert next_to_purge(NOW, default=MONTH) == paper
