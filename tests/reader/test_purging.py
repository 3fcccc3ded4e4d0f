"""What is purged is gone from every list and count, what somebody holds dear is not, and no interruption doubles it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from json import loads
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from digests.models import Digest, DigestArticle, DigestTopic
from feeds.models import Article, Feed, Item, Tombstone
from feeds.purging import old_items, remove_items
from reader import purging, tasks
from reader.folding import fold, fold_changes
from reader.leaving import leave
from reader.marking import star
from reader.models import ArticleState, Delivery, Engagement, Judge, KeptState, Quiet, SensitivityLabel, Subscription
from reader.purging import LEARNED_FROM_FOR, Purged, keeping_for, purge, purge_chunk, purge_due, would_purge
from reader.returning import come_back
from tests import make
from tests.at_once import apart, at_once, until_it_waits
from tests.make import NOW

pytestmark = pytest.mark.django_db

LONG_AGO = NOW - timedelta(days=40)


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def paper() -> Feed:
    return make.feed(keep_days=30)


def brought(subscription: Subscription, *, is_read: bool = False) -> Article:
    """An article that came too long ago to be kept."""
    article = make.article()
    make.delivery(subscription, article, is_read=is_read)
    Item.objects.filter(article=article).update(first_seen_at=LONG_AGO)
    return article


def unread_counts() -> dict[int, tuple[int, int]]:
    """By subscription what it says is unread, and what is."""
    return {
        each.pk: (each.unread_count, each.deliveries.filter(is_read=False, quiet=Quiet.NOT).count())
        for each in Subscription.everything.all()
    }


def test_leaves_lists_and_counts_with_its_feed(reader: User, paper: Feed) -> None:
    mine, others = make.subscription(reader, paper), make.subscription(make.user(), paper)
    for each in (mine, others):
        brought(each), brought(each, is_read=True)
    young = make.article()
    make.delivery(mine, young)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=4, n_articles=4)
    assert list(Article.objects.all()) == [young]
    assert unread_counts() == {mine.pk: (1, 1), others.pk: (0, 0)}
    assert purge(paper, now=NOW) == Purged(n_feeds=1)


def test_quiet_ones_were_never_counted(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    quiet = brought(mine)
    brought(mine)
    Delivery.objects.filter(article=quiet).update(quiet=Quiet.OWN_LIST)
    Subscription.objects.filter(pk=mine.pk).update(unread_count=1)
    purge(paper, now=NOW)
    assert unread_counts() == {mine.pk: (0, 0)}


def test_one_that_another_feed_keeps_leaves_this_feeds_list_alone(reader: User, paper: Feed) -> None:
    mine, other = make.subscription(reader, paper), make.subscription(reader)
    article = brought(mine)
    make.delivery(other, article)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=0)
    assert [each.subscription for each in Delivery.objects.filter(article=article)] == [other]
    assert unread_counts() == {mine.pk: (0, 0), other.pk: (1, 1)}


def test_one_that_the_feed_brought_anew_under_another_guid_stays_in_its_list(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    article = brought(mine)
    young = make.item(paper, article)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=0)
    assert (list(Item.objects.all()), unread_counts()) == ([young], {mine.pk: (1, 1)})
    Item.objects.update(first_seen_at=LONG_AGO)
    make.item(paper, article, first_seen_at=LONG_AGO)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=2, n_articles=1)
    assert unread_counts() == {mine.pk: (0, 0)}


def test_what_was_folded_under_one_that_leaves_a_list_stands_there_by_itself(reader: User, paper: Feed) -> None:
    mine, other = make.subscription(reader, paper), make.subscription(reader)
    leading, folded = brought(mine), make.article()
    make.delivery(other, folded)
    make.item(make.feed(), leading)  # which the reader does not follow
    make.story(leading, folded, lead=leading)
    fold([folded.pk])
    assert list(Delivery.objects.filter(is_folded=True).values_list("article", flat=True)) == [folded.pk]
    purge(paper, now=NOW)
    while fold_changes():
        pass
    assert list(Delivery.objects.values_list("article", "is_folded")) == [(folded.pk, False)]


def test_one_that_only_came_over_from_a_feed_that_was_joined_goes_too(reader: User, paper: Feed) -> None:
    other = make.subscription(reader)
    article = make.article()
    make.delivery(other, article)
    Item.objects.filter(article=article).update(feed=paper, first_seen_at=LONG_AGO)
    purge(paper, now=NOW)
    assert (Article.objects.count(), unread_counts()) == (0, {other.pk: (0, 0)})


def starred(user: User, article: Article) -> None:
    star(user, article.pk, is_starred=True, now=LONG_AGO)


def tagged(user: User, article: Article) -> None:
    make.tag(user, "Keep", article)


def judged(user: User, article: Article) -> None:
    SensitivityLabel.objects.create(
        article=article, user=user, judge=Judge.PERSON, score=1, confidence="high", made_at=LONG_AGO
    )


def opened(user: User, article: Article) -> None:
    make.engagement(user, article, "opened", happened_at=NOW - LEARNED_FROM_FOR + timedelta(days=1))


def skipped(user: User, article: Article) -> None:
    make.engagement(user, article, "skipped", happened_at=LONG_AGO)


def brought_along(user: User, article: Article) -> None:
    KeptState.objects.create(user=user, key=b"k" * 16, data={}, arrived=article)


@pytest.mark.parametrize("hold", [starred, tagged, judged, opened, skipped, brought_along])
def test_what_somebody_holds_dear_stays_for_everybody(
    reader: User, paper: Feed, hold: Callable[[User, Article], None]
) -> None:
    mine, others = make.subscription(reader, paper), make.subscription(make.user(), paper)
    article = brought(mine, is_read=True)
    make.delivery(others, article)
    Item.objects.filter(article=article).update(first_seen_at=LONG_AGO)
    hold(reader, article)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_held=2)
    assert (Delivery.objects.count(), Item.objects.count(), Tombstone.objects.count()) == (2, 2, 0)


def long_opened(user: User, article: Article) -> None:
    make.engagement(user, article, "opened", happened_at=NOW - LEARNED_FROM_FOR)


def passed_over(user: User, article: Article) -> None:
    make.engagement(user, article, "passed", happened_at=LONG_AGO)


def star_taken_back(user: User, article: Article) -> None:
    ArticleState.objects.create(user=user, article=article, is_starred=False)


def judged_by_the_model(user: User, article: Article) -> None:
    SensitivityLabel.objects.create(article=article, judge=Judge.LLM, score=1, confidence="low", made_at=LONG_AGO)


@pytest.mark.parametrize("act", [long_opened, passed_over, star_taken_back, judged_by_the_model])
def test_what_nobody_meant_does_not_hold_it(reader: User, paper: Feed, act: Callable[[User, Article], None]) -> None:
    act(reader, brought(make.subscription(reader, paper)))
    assert purge(paper, now=NOW).n_articles == 1
    assert Engagement.objects.count() == 0


def test_unread_ones_stay_where_that_is_set(reader: User, paper: Feed, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, RETENTION_KEEP_UNREAD=True)
    mine = make.subscription(reader, paper)
    unread = brought(mine)
    brought(mine, is_read=True)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=1, n_held=1)
    assert list(Article.objects.all()) == [unread]


def test_a_digest_still_says_what_it_said(reader: User, paper: Feed) -> None:
    article = brought(make.subscription(reader, paper))
    digest = Digest.objects.create(
        user=reader, kind="morning", day=LONG_AGO, time_zone="UTC", begins_at=LONG_AGO, ends_at=NOW, made_at=NOW
    )
    topic = DigestTopic.objects.create(digest=digest, position=0, section="top", label="Cranes", importance=80)
    DigestArticle.objects.create(
        topic=topic, position=0, article=article, title="Cranes", source="P", tier=2, published_at=NOW, importance=80
    )
    purge(paper, now=NOW)
    assert [(each.article, each.title) for each in DigestArticle.objects.all()] == [(None, "Cranes")]


def test_one_may_come_back_to_a_feed_that_was_purged_meanwhile(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    brought(mine), brought(mine, is_read=True)
    young = make.article()
    make.delivery(mine, young)
    parting = leave(reader, [mine.pk], now=NOW)
    assert parting is not None
    purge(paper, now=NOW)
    come_back(reader, parting, now=NOW)
    assert [each.article for each in Delivery.objects.all()] == [young]
    assert unread_counts() == {mine.pk: (1, 1)}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts what SQLite's machine does")
def test_a_step_takes_as_much_however_much_the_feed_delivered(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    took = []
    for n_young in (20, 300):
        Item.objects.all().delete()  # ids are given in the order of coming
        for _ in range(10):
            brought(mine)
        for _ in range(n_young):
            make.item(paper, make.article())
        [items] = old_items(paper.pk, keeping_for(paper), now=NOW)
        with sqlite_work() as spent:
            assert purge_chunk(paper.pk, items, now=NOW).n_articles == 10
        took.append(len(spent))
    assert took[1] < 1.1 * took[0]


@contextmanager
def sqlite_work() -> Iterator[list[None]]:
    """An entry for every instruction that SQLite executes."""
    done: list[None] = []
    connection.connection.set_progress_handler(lambda: done.append(None), 1)
    try:
        yield done
    finally:
        connection.connection.set_progress_handler(None, 0)


def test_interrupted_it_goes_on_where_it_was(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.purging.CHUNK", 2)
    mine = make.subscription(reader, paper)
    for _ in range(5):
        brought(mine)
    assert purge(paper, now=NOW, is_time_left=lambda: False).n_articles == 2
    assert unread_counts() == {mine.pk: (3, 3)}
    assert purge(paper, now=NOW).n_articles == 3
    assert unread_counts() == {mine.pk: (0, 0)}


def test_out_of_time_it_goes_on_behind_what_is_held(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.purging.CHUNK", 1)
    mine = make.subscription(reader, paper)
    first, _, third = [brought(mine) for _ in range(3)]
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


def test_asked_for_it_begins_anew(reader: User, paper: Feed) -> None:
    """The command says that everything goes."""
    brought(make.subscription(reader, paper))
    Feed.objects.update(purged_up_to=Item.objects.get().pk)
    paper.refresh_from_db()
    assert purge(paper, now=NOW).n_articles == 1
    paper.refresh_from_db()
    assert paper.purged_up_to == 0


def test_where_all_is_held_nothing_is_locked(
    reader: User, paper: Feed, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    mine = make.subscription(reader, paper)
    for _ in range(3):
        starred(reader, brought(mine))
    [items] = old_items(paper.pk, keeping_for(paper), now=NOW)
    with django_assert_num_queries(5):  # stars, tags, judgements, the log, and what waits for an article
        assert purge_chunk(paper.pk, items, now=NOW) == Purged(n_held=3)


def test_killed_within_a_chunk_nothing_of_it_is_done(
    reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = make.subscription(reader, paper)
    brought(mine)

    def killed(article_ids: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("reader.purging.remove_articles", killed)
    with pytest.raises(KeyboardInterrupt):
        purge(paper, now=NOW)
    assert (Item.objects.count(), Tombstone.objects.count(), unread_counts()) == (1, 0, {mine.pk: (1, 1)})


@at_once
@pytest.mark.parametrize("is_known", [False, True], ids=["first touched", "touched before"])
@pytest.mark.parametrize("step", ["_free", "_lock", "last_of", "_take_from_lists", "remove_items", "remove_articles"])
def test_a_star_that_comes_meanwhile_is_kept_or_refused(
    reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch, step: str, is_known: bool
) -> None:
    article = brought(make.subscription(reader, paper))
    if is_known:
        ArticleState.objects.create(user=reader, article=article)
    acts: list[Future[None]] = []
    done = getattr(purging, step)

    def done_and_starred(*arguments: Any, **named: Any) -> Any:
        found = done(*arguments, **named)
        if not acts:
            acts.append(pool.submit(apart(lambda: starred(reader, article))))
            until_it_waits(acts[0])
        return found

    monkeypatch.setattr(purging, step, done_and_starred)
    with ThreadPoolExecutor(1) as pool:
        purge(paper, now=NOW)
        is_refused = acts[0].exception() is not None
    is_starred = ArticleState.objects.filter(is_starred=True).exists()
    assert (is_starred, Article.objects.exists()) == (not is_refused, not is_refused)


@at_once
@pytest.mark.parametrize("is_known", [False, True], ids=["first touched", "touched before"])
def test_what_somebody_is_starring_stays(reader: User, paper: Feed, is_known: bool) -> None:
    article = brought(make.subscription(reader, paper))
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
def test_what_another_feed_is_storing_stays(reader: User, paper: Feed) -> None:
    article = brought(make.subscription(reader, paper))
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
def test_what_two_feeds_let_go_at_once_goes(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    article = brought(make.subscription(reader, paper))
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


def test_queries_do_not_grow_with_the_articles(reader: User, paper: Feed) -> None:
    n_queries = []
    for n_articles in (1, 20):
        mine = make.subscription(reader, make.feed(keep_days=30))
        for _ in range(n_articles):
            brought(mine)
        with CaptureQueriesContext(connection) as captured:
            purge(mine.feed, now=NOW)
        n_queries.append(len(captured))
    assert n_queries[0] <= n_queries[1] <= n_queries[0] + 6  # the ids are halved a few times more


def test_every_feed_gets_its_turn(reader: User, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, RETENTION_DAYS=30)
    for _ in range(3):
        brought(make.subscription(reader))
    kept = brought(make.subscription(reader, make.feed(keep_days=0)))
    assert purge_due(now=NOW, is_time_left=lambda: True) == Purged(n_feeds=4, n_items=3, n_articles=3)
    assert list(Article.objects.all()) == [kept]
    assert purge_due(now=NOW, is_time_left=lambda: True) == Purged()


def test_the_task_lets_stories_know(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(tasks, "call_worker", asked.append)
    tasks.purge()
    assert asked == []
    Feed.objects.update(purged_at=None)
    brought(make.subscription(reader, paper))
    tasks.purge()
    assert asked == ["feeds.dedup_tasks.tell_of_purged"]
    assert Article.objects.count() == 0


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("purge", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_says_first_and_does_then(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    brought(mine)
    starred(reader, brought(mine))
    expected = {"n_feeds": 1, "n_items": 1, "n_articles": 1, "n_held": 1}
    assert loads(said("--dry-run", "--json")) == expected
    assert Article.objects.count() == 2
    assert would_purge(paper, now=NOW).n_articles == 1
    assert loads(said("--feed", paper.url, "--json")) == expected
    assert Article.objects.count() == 1
    assert said() == "0 articles of 1 feeds are gone, as 0 deliveries; 1 are held by somebody's star, tag or reading.\n"


def test_the_command_needs_a_rule_and_a_feed() -> None:
    feed = make.feed()
    assert said() == "No rule says how long articles are kept: RETENTION_DAYS, RETENTION_ITEMS and the feeds' own.\n"
    with pytest.raises(CommandError, match="no such feed"):
        said("--feed", f"{feed.url}/other")
    with pytest.raises(CommandError, match="only http and https"):
        said("--feed", "ftp://paper.example/")


def test_what_refers_to_an_article_is_found_by_an_index() -> None:
    """Or each purged article would have the database read such a table from end to end."""
    with connection.cursor() as cursor:
        for model in (*Article._meta.related_objects, *Item._meta.related_objects):
            table, column = model.field.model._meta.db_table, model.field.column
            if not model.field.db_constraint:
                continue
            constraints = connection.introspection.get_constraints(cursor, table).values()
            leading = {each["columns"][0] for each in constraints if each["index"] or each["primary_key"]}
            unique = {each["columns"][0] for each in constraints if each["unique"]}
            assert column in leading | unique, f"{table}.{column}"
