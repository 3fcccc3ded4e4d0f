"""Which items a feed's rule keeps no longer, what goes with them, and that nothing of it comes back."""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin import site
from django.db import transaction
from django.http import HttpRequest

from feeds import dedup_tasks, tasks
from feeds.admin import ArticleAdmin
from feeds.ingest import Stored, plan, write
from feeds.merging import move_history
from feeds.models import Article, Feed, Item, Link, Story, StoryChange, Tombstone
from feeds.normalizing.draft import Draft
from feeds.purging import (
    EVERY,
    last_of,
    lock_articles,
    next_to_purge,
    old_items,
    remove_articles,
    remove_items,
    stale_stories,
)
from feeds.retention import Keeping
from tests import make
from tests.at_once import apart, at_once, until_it_waits
from tests.make_draft import LIBRARY, NOW, draft

pytestmark = pytest.mark.django_db

LONG_AGO = NOW - timedelta(days=40)
MONTH = Keeping(days=30)


@pytest.fixture
def paper() -> Feed:
    return make.feed("https://paper.example/feed.xml", last_success_at=LONG_AGO)


def store(feed: Feed, *drafts: Draft, now: object = NOW) -> Stored:
    return write(feed, plan(feed, drafts, now=now), now=now)  # type: ignore[arg-type]


def purge(feed: Feed, keeping: Keeping = MONTH) -> None:
    for items in old_items(feed.pk, keeping, now=NOW):
        going = last_of(items)
        remove_items(feed.pk, items)
        remove_articles(going)


def came(feed: Feed, days_ago: int, published: int = 0) -> Item:
    published_at = NOW - timedelta(days=published)
    return make.item(feed, make.article(), first_seen_at=NOW - timedelta(days=days_ago), published_at=published_at)


def old(feed: Feed, keeping: Keeping) -> set[int]:
    return {each.pk for items in old_items(feed.pk, keeping, now=NOW) for each in items}


def test_age_counts_from_when_an_item_came(paper: Feed) -> None:
    items = [came(paper, 31, published=400), came(paper, 30), came(paper, 1, published=400)]
    assert old(paper, MONTH) == {items[0].pk}
    assert old(paper, Keeping()) == set()


def test_the_newest_are_kept_by_coming_and_then_by_date(paper: Feed) -> None:
    first_poll = [came(paper, 5, published=n) for n in (5, 7, 6)]  # a document's order says nothing
    later = came(paper, 1, published=90)
    assert old(paper, Keeping(n_items=2)) == {first_poll[1].pk, first_poll[2].pk}
    assert old(paper, Keeping(n_items=4)) == set()
    assert old(paper, Keeping(n_items=1)) == {each.pk for each in first_poll}
    assert later.pk not in old(paper, Keeping(n_items=1))


def test_either_limit_is_enough(paper: Feed) -> None:
    items = [came(paper, 40), came(paper, 20), came(paper, 1)]
    assert old(paper, Keeping(days=30, n_items=1)) == {items[0].pk, items[1].pk}
    assert old(paper, Keeping(days=30, n_items=3)) == {items[0].pk}


def test_what_is_old_comes_in_chunks_that_may_go_meanwhile(paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.purging.CHUNK", 2)
    items = [came(paper, 40) for _ in range(5)]
    seen = []
    for chunk in old_items(paper.pk, MONTH, now=NOW):
        seen.append([each.pk for each in chunk])
        Item.objects.filter(pk__in=seen[-1]).delete()
    assert seen == [[items[0].pk, items[1].pk], [items[2].pk, items[3].pk], [items[4].pk]]


def test_young_items_are_not_looked_at(paper: Feed, django_assert_max_num_queries: object) -> None:
    """Where the old ones end is found by halving the ids, however many young ones follow."""
    first = came(paper, 40)
    for _ in range(30):
        came(paper, 1)
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        assert old(paper, MONTH) == {first.pk}


def test_an_article_stays_as_long_as_another_feed_keeps_it(paper: Feed) -> None:
    aggregator = make.feed("https://aggregator.example/feed.xml", last_success_at=LONG_AGO)
    store(paper, draft("g1"), now=LONG_AGO)
    store(aggregator, draft("other"), now=NOW)
    purge(paper)
    assert (Article.objects.count(), Item.objects.get().feed) == (1, aggregator)
    purge(aggregator, Keeping(n_items=1))
    assert Article.objects.count() == 1


def test_what_was_purged_does_not_come_back(paper: Feed) -> None:
    old_one = draft("g1", url="https://paper.example/a")
    store(paper, old_one, now=LONG_AGO)
    purge(paper)
    assert (Article.objects.count(), Item.objects.count(), Tombstone.objects.count()) == (0, 0, 2)
    new_one = draft("g2", url="https://paper.example/b", title="Library opens", text=LIBRARY)
    assert store(paper, old_one, new_one).n_new == 1
    assert Article.objects.get().title == "Library opens"
    assert store(paper, draft("changed guid", url="https://paper.example/a")) == Stored()


def test_another_feed_may_bring_it_anew(paper: Feed) -> None:
    """Its followers have never seen it."""
    store(paper, draft("g1"), now=LONG_AGO)
    purge(paper)
    aggregator = make.feed("https://aggregator.example/feed.xml", last_success_at=LONG_AGO)
    assert store(aggregator, draft("g1")).n_new == 1


def test_purged_twice_it_is_buried_once(paper: Feed) -> None:
    """One guid for everything: the last that was purged counts."""
    first = draft("same", url="https://paper.example/a", published_at=LONG_AGO - timedelta(days=10))
    second = draft("same", url="https://paper.example/b", text=LIBRARY, title="Library", published_at=LONG_AGO)
    store(paper, first, now=LONG_AGO)
    purge(paper)
    assert store(paper, second, now=LONG_AGO).n_new == 1
    purge(paper)
    assert (Tombstone.objects.count(), Item.objects.count()) == (3, 0)
    assert store(paper, first, second) == Stored()


def test_a_merged_feed_brings_its_tombstones(paper: Feed) -> None:
    heir = make.feed("https://paper.example/atom.xml", last_success_at=LONG_AGO)
    for feed in (paper, heir):
        store(feed, draft("g1"), now=LONG_AGO)
        purge(feed)
    store(paper, draft("g2", url="https://paper.example/b", text=LIBRARY, title="Library"), now=LONG_AGO)
    purge(paper)
    move_history(paper, heir)
    assert set(Tombstone.objects.values_list("feed_id", flat=True)) >= {heir.pk}
    assert store(heir, draft("g2", url="https://paper.example/b", text=LIBRARY, title="Library")) == Stored()


def test_a_story_says_what_is_left_of_it() -> None:
    feed = make.feed()
    going, *staying = articles = [make.article(word_count=n) for n in (900, 300, 100)]
    for each in articles:
        make.item(feed, each, first_seen_at=LONG_AGO if each == going else NOW)
    story = make.story(*articles, lead=going)
    purge(feed)
    assert list(stale_stories()) == [story]
    dedup_tasks.tell_of_purged()
    story.refresh_from_db()
    assert (story.lead, story.n_articles, story.is_stale) == (staying[0], 2, False)
    assert set(StoryChange.objects.values_list("article", flat=True)) == {each.pk for each in staying}


def test_a_story_of_one_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(tasks, "call_worker", asked.append)
    feed = make.feed()
    pair = [make.article(), make.article()]
    for each in pair:
        make.item(feed, each, first_seen_at=LONG_AGO if each == pair[0] else NOW)
    make.story(*pair)
    purge(feed)
    tasks.sort_new()
    assert asked == ["feeds.dedup_tasks.match_new"]
    dedup_tasks.tell_of_purged()
    pair[1].refresh_from_db()
    assert (pair[1].story, Story.objects.count()) == (None, 0)


def keys_backwards() -> list[Article]:
    """Three articles whose keys have not the order of their ids."""
    return [make.article(url_key=bytes([9 - n]) * 16) for n in range(3)]


def purge_while(others: Callable[[], Any], going: Collection[Article]) -> None:
    """Remove articles one after the other, in the order in which they are locked, while others write stories."""
    ids = [each.pk for each in sorted(going, key=lambda each: each.url_key)]
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
def test_a_story_may_be_told_anew_while_more_of_it_is_purged() -> None:
    articles = keys_backwards()
    story = make.story(*articles, lead=articles[0])
    Story.objects.update(is_stale=True)
    purge_while(dedup_tasks.tell_of_purged, articles[:1])
    story.refresh_from_db()
    assert (story.lead, story.n_articles, story.is_stale) == (articles[2], 2, False)


@at_once
def test_stories_may_be_grouped_anew_while_they_are_purged() -> None:
    articles = keys_backwards()
    make.story(*articles)
    Link.objects.all().delete()
    purge_while(lambda: dedup_tasks.regroup_articles([each.pk for each in articles]), articles[:2])
    assert (list(Article.objects.all()), Story.objects.count()) == ([articles[2]], 0)


@at_once
def test_an_operator_may_delete_what_leads_a_story_while_it_is_purged() -> None:
    articles = keys_backwards()
    make.story(*articles, lead=articles[0])
    page = ArticleAdmin(Article, site)
    purge_while(lambda: page.delete_queryset(HttpRequest(), Article.objects.filter(pk=articles[0].pk)), articles[:1])
    assert set(Article.objects.all()) == set(articles[1:])


def test_each_feed_with_a_rule_is_purged_once_a_day() -> None:
    never, yesterday, today = [make.feed(purged_at=at) for at in (None, NOW - EVERY, NOW - timedelta(hours=23))]
    assert [next_to_purge(NOW, default=MONTH) for _ in range(3)] == [never, yesterday, None]
    today.refresh_from_db()
    assert today.purged_at == NOW - timedelta(hours=23)


def test_without_a_rule_none_is(paper: Feed) -> None:
    assert next_to_purge(NOW, default=Keeping()) is None
    own = make.feed(keep_items=5)
    make.feed(keep_days=0, keep_items=0)
    assert [next_to_purge(NOW, default=Keeping()) for _ in range(2)] == [own, None]
    assert next_to_purge(NOW, default=MONTH) == paper
