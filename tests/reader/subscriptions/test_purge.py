"""Purged articles leave every list and count, and articles that a user values are kept."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from json import loads

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from digests.models import Digest, DigestArticle, DigestTopic
from feeds.models import Article, Feed, Item, Tombstone
from reader.articles.highlights import add_highlight
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    PendingState,
    Quiet,
    SensitivityLabel,
    SensitivitySource,
    Subscription,
)
from reader.stories.collapse import fold, fold_queued
from reader.subscriptions.purge import LEARNED_FROM_FOR, Purged, purge, purge_due, would_purge
from reader.subscriptions.unfollow import restore, unfollow
from reader.tasks import recurring
from tests import make
from tests.make import NOW
from tests.reader.purgeable import LONG_AGO, old_article, starred, unread_counts

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def paper() -> Feed:
    return make.feed(keep_days=30)


def test_removes_articles_from_lists_and_counts(reader: User, paper: Feed) -> None:
    mine, others = make.subscription(reader, paper), make.subscription(make.user(), paper)
    for subscription in (mine, others):
        old_article(subscription), old_article(subscription, is_read=True)
    young = make.article()
    make.delivery(mine, young)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=4, n_articles=4)
    assert list(Article.objects.all()) == [young]
    assert unread_counts() == {mine.pk: (1, 1), others.pk: (0, 0)}
    assert purge(paper, now=NOW) == Purged(n_feeds=1)


def test_ignores_quiet_articles_in_counts(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    quiet = old_article(mine)
    old_article(mine)
    Delivery.objects.filter(article=quiet).update(quiet=Quiet.OWN_LIST)
    Subscription.objects.filter(pk=mine.pk).update(unread_count=1)
    purge(paper, now=NOW)
    assert unread_counts() == {mine.pk: (0, 0)}


def test_keeps_article_that_another_feed_keeps(reader: User, paper: Feed) -> None:
    mine, other = make.subscription(reader, paper), make.subscription(reader)
    article = old_article(mine)
    make.delivery(other, article)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=0)
    assert [delivery.subscription for delivery in Delivery.objects.filter(article=article)] == [other]
    assert unread_counts() == {mine.pk: (0, 0), other.pk: (1, 1)}


def test_keeps_article_with_newer_item_in_same_feed(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    article = old_article(mine)
    young = make.item(paper, article)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=0)
    assert (list(Item.objects.all()), unread_counts()) == ([young], {mine.pk: (1, 1)})
    Item.objects.update(first_seen_at=LONG_AGO)
    make.item(paper, article, first_seen_at=LONG_AGO)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=2, n_articles=1)
    assert unread_counts() == {mine.pk: (0, 0)}


def test_unfolds_what_was_folded_under_purged_article(reader: User, paper: Feed) -> None:
    mine, other = make.subscription(reader, paper), make.subscription(reader)
    leading, folded = old_article(mine), make.article()
    make.delivery(other, folded)
    make.item(make.feed(), leading)  # not followed by the reader
    make.story(leading, folded, lead=leading)
    fold([folded.pk])
    assert list(Delivery.objects.filter(is_folded=True).values_list("article", flat=True)) == [folded.pk]
    purge(paper, now=NOW)
    while fold_queued():
        pass
    assert list(Delivery.objects.values_list("article", "is_folded")) == [(folded.pk, False)]


def test_purges_articles_moved_from_a_merged_feed(reader: User, paper: Feed) -> None:
    other = make.subscription(reader)
    article = make.article()
    make.delivery(other, article)
    Item.objects.filter(article=article).update(feed=paper, first_seen_at=LONG_AGO)
    purge(paper, now=NOW)
    assert (Article.objects.count(), unread_counts()) == (0, {other.pk: (0, 0)})


def tagged(user: User, article: Article) -> None:
    make.tag(user, "Keep", article)


def highlighted(user: User, article: Article) -> None:
    add_highlight(user, article, quote="A line", now=LONG_AGO)


def set_sensitivity(user: User, article: Article) -> None:
    SensitivityLabel.objects.create(
        article=article, user=user, source=SensitivitySource.USER, score=1, confidence="high", made_at=LONG_AGO
    )


def opened(user: User, article: Article) -> None:
    make.engagement(user, article, "opened", happened_at=NOW - LEARNED_FROM_FOR + timedelta(days=1))


def skipped(user: User, article: Article) -> None:
    make.engagement(user, article, "skipped", happened_at=LONG_AGO)


def brought_along(user: User, article: Article) -> None:
    PendingState.objects.create(user=user, key=b"k" * 16, data={}, arrived=article)


@pytest.mark.parametrize("hold", [starred, tagged, highlighted, set_sensitivity, opened, skipped, brought_along])
def test_keeps_articles_valued_by_any_user(reader: User, paper: Feed, hold: Callable[[User, Article], None]) -> None:
    mine, others = make.subscription(reader, paper), make.subscription(make.user(), paper)
    article = old_article(mine, is_read=True)
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
    SensitivityLabel.objects.create(
        article=article, source=SensitivitySource.LLM, score=1, confidence="low", made_at=LONG_AGO
    )


@pytest.mark.parametrize("act", [long_opened, passed_over, star_taken_back, judged_by_the_model])
def test_passive_actions_do_not_protect(reader: User, paper: Feed, act: Callable[[User, Article], None]) -> None:
    act(reader, old_article(make.subscription(reader, paper)))
    assert purge(paper, now=NOW).n_articles == 1
    assert Engagement.objects.count() == 0


def test_keeps_unread_articles_if_configured(reader: User, paper: Feed, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, RETENTION_KEEP_UNREAD=True)
    mine = make.subscription(reader, paper)
    unread = old_article(mine)
    old_article(mine, is_read=True)
    assert purge(paper, now=NOW) == Purged(n_feeds=1, n_items=1, n_articles=1, n_held=1)
    assert list(Article.objects.all()) == [unread]


def test_purging_leaves_digests_unchanged(reader: User, paper: Feed) -> None:
    article = old_article(make.subscription(reader, paper))
    digest = Digest.objects.create(
        user=reader, kind="morning", day=LONG_AGO, time_zone="UTC", begins_at=LONG_AGO, ends_at=NOW, made_at=NOW
    )
    topic = DigestTopic.objects.create(digest=digest, position=0, section="top", label="Cranes", importance=80)
    DigestArticle.objects.create(
        topic=topic, position=0, article=article, title="Cranes", source="P", tier=2, published_at=NOW, importance=80
    )
    purge(paper, now=NOW)
    assert [(digest_article.article, digest_article.title) for digest_article in DigestArticle.objects.all()] == [
        (None, "Cranes")
    ]


def test_restores_feed_purged_in_the_meantime(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    old_article(mine), old_article(mine, is_read=True)
    young = make.article()
    make.delivery(mine, young)
    unfollow(reader, [mine.pk], now=NOW)
    purge(paper, now=NOW)
    restore(reader, [mine.pk])
    assert [delivery.article for delivery in Delivery.objects.all()] == [young]
    assert unread_counts() == {mine.pk: (1, 1)}


def test_purges_every_feed(reader: User, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, RETENTION_DAYS=30)
    for _ in range(3):
        old_article(make.subscription(reader))
    kept_article = old_article(make.subscription(reader, make.feed(keep_days=0)))
    assert purge_due(now=NOW, is_time_left=lambda: True) == Purged(n_feeds=4, n_items=3, n_articles=3)
    assert list(Article.objects.all()) == [kept_article]
    assert purge_due(now=NOW, is_time_left=lambda: True) == Purged()


def test_task_refreshes_purged_stories(reader: User, paper: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    refreshed: list[str] = []
    monkeypatch.setattr(recurring, "call_worker", refreshed.append)
    recurring.purge()
    assert refreshed == []
    Feed.objects.update(purged_at=None)
    old_article(make.subscription(reader, paper))
    recurring.purge()
    assert refreshed == ["feeds.tasks.stories.refresh_purged_stories"]
    assert Article.objects.count() == 0


def command_output(*arguments: str) -> str:
    out = StringIO()
    call_command("purge", *arguments, stdout=out)
    return out.getvalue()


def test_command_dry_run_matches_purge(reader: User, paper: Feed) -> None:
    mine = make.subscription(reader, paper)
    old_article(mine)
    starred(reader, old_article(mine))
    expected = {"n_feeds": 1, "n_items": 1, "n_articles": 1, "n_held": 1}
    assert loads(command_output("--dry-run", "--json")) == expected
    assert Article.objects.count() == 2
    assert would_purge(paper, now=NOW).n_articles == 1
    assert loads(command_output("--feed", paper.url, "--json")) == expected
    assert Article.objects.count() == 1
    assert (
        command_output()
        == "0 articles of 1 feeds deleted, as 0 deliveries; 1 are kept because of stars, tags or recent actions.\n"
    )


def test_command_requires_limit_and_known_feed() -> None:
    feed = make.feed()
    assert (
        command_output() == "No retention limit is set: neither RETENTION_DAYS, RETENTION_ITEMS nor the feeds' own.\n"
    )
    with pytest.raises(CommandError, match="no such feed"):
        command_output("--feed", f"{feed.url}/other")
    with pytest.raises(CommandError, match="only http and https"):
        command_output("--feed", "ftp://paper.example/")


def test_foreign_keys_to_articles_have_indexes() -> None:
    """Without an index, each purged article would cause a scan of the whole table."""
    with connection.cursor() as cursor:
        for model in (*Article._meta.related_objects, *Item._meta.related_objects):
            table, column = model.field.model._meta.db_table, model.field.column
            if not model.field.db_constraint:
                continue
            constraints = connection.introspection.get_constraints(cursor, table).values()
            leading = {
                constraint["columns"][0]
                for constraint in constraints
                if constraint["index"] or constraint["primary_key"]
            }
            unique = {constraint["columns"][0] for constraint in constraints if constraint["unique"]}
            assert column in leading | unique, f"{table}.{column}"
