"""Authority follows the feeds that deliver an article; corroboration what each user follows."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Feed, Story, Tier
from feeds.stories.splits import split_off
from feeds.tasks.stories import apply_splits
from reader.models import Assessment, Delivery, Subscription
from reader.scoring.assess import assess
from reader.scoring.explain import explain
from reader.scoring.importance import corroboration
from reader.scoring.rate import rate_waiting
from reader.scoring.source_signals import (
    CHUNK,
    KEPT_FRESH,
    Coverage,
    SourceSignals,
    coverage_of,
    load_signals,
    refresh,
    refresh_recent,
    refresh_stories,
)
from reader.stories import collapse
from reader.stories.collapse import fold_queued, queue_fold
from reader.subscriptions.delivery import deliver
from reader.subscriptions.unfollow import unfollow
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

DAY = timedelta(days=1)


@pytest.fixture
def reader() -> User:
    return make.user()


def make_published(by: Feed, **values: object) -> Article:
    """An article delivered by a feed, whose version is the stored one."""
    article = make.article(feed=by, source=by.source, **values)
    make.item(by, article)
    return article


def authority_of(article: Article) -> float:
    """As stored."""
    return Assessment.objects.get(article=article).authority


def followed(reader: User, *articles: Article) -> list[Coverage]:
    """The coverage of these articles for a user who follows all their feeds."""
    for feed in Feed.objects.exclude(subscriptions__user=reader):
        make.subscription(reader, feed)
    deliver()
    coverage = coverage_of([(reader.pk, article.pk) for article in articles])
    return [coverage[reader.pk, article.pk] for article in articles]


def assessed(*articles: Article) -> None:
    """Assess articles, and rate the deliveries of all users."""
    assess([article.pk for article in articles], now=make.NOW)
    rate_waiting()
    Delivery.objects.update(is_rated=True)


def followed_by(reader: User, article: Article) -> Coverage:
    return coverage_of([(reader.pk, article.pk)])[reader.pk, article.pk]


def static_importance_of(reader: User, article: Article) -> float | None:
    """As stored."""
    return Delivery.objects.get(user=reader, article=article).static_importance


def not_rated() -> set[int]:
    return set(Delivery.objects.filter(is_rated=False).values_list("article_id", flat=True))


def tiered(*tiers: int) -> list[Feed]:
    return [make.feed(source=make.source(f"tier{number}.example", tier=tier)) for number, tier in enumerate(tiers)]


TIERS = {
    "the feed's own": ((2, 4, 5), 2),
    "that of who vouches for the article": ((None, 4, 1), 1),
    "the feed's own, though worse": ((5, 1, 1), 5),
}


@pytest.mark.parametrize(("tiers", "expected"), TIERS.values(), ids=TIERS)
def test_tier_of_feed_overrides_tier_of_source(tiers: tuple[int | None, int, int], expected: int) -> None:
    own, feeds, articles = tiers
    feed = make.feed(tier=own, source=make.source("paper.example", tier=feeds), health_score=0.5)
    article = make.article(feed=feed, source=make.source("other.example", tier=articles))
    make.item(feed, article)
    assert load_signals([article.pk]) == {article.pk: SourceSignals(expected, 0.5)}


def test_article_of_deleted_feed_uses_its_source() -> None:
    article = make.article(source=make.source("paper.example", tier=2))
    assert load_signals([article.pk]) == {article.pk: SourceSignals(Tier.T2, 1.0)}


def test_article_of_unknown_source_has_the_last_tier() -> None:
    article = make.article()
    assert load_signals([article.pk]) == {article.pk: SourceSignals(Tier.T5, 1.0)}


def test_feeds_of_one_publisher_count_once(reader: User) -> None:
    paper = make.source("paper.example", tier=2)
    articles = [make_published(make.feed(source=paper)) for _ in range(4)]
    make.story(*articles, make_published(make.feed(source=make.source("other.example", tier=2))))
    assert followed(reader, *articles) == [Coverage(2, 1)] * 4


def test_article_of_unknown_source_counts_for_nobody(reader: User) -> None:
    article = make.article()
    assert coverage_of([(reader.pk, article.pk)]) == {(reader.pk, article.pk): Coverage(0, 0)}


def test_feed_that_links_to_a_report_does_not_corroborate_it(reader: User) -> None:
    feed, *aggregators = tiered(1, 2, 3)
    article = make_published(feed)
    for aggregator in aggregators:
        make.item(aggregator, article)
    assert followed(reader, article) == [Coverage(1, 1)]


def test_accounts_of_a_platform_are_different_publishers(reader: User) -> None:
    medium = make.source("medium.com")
    articles = [make_published(make.feed(source=medium)) for _ in range(3)]
    make.story(*articles)
    assert followed(reader, *articles) == [Coverage(3, 1)] * 3


def test_what_others_follow_moves_no_score(reader: User) -> None:
    """Seven throwaway feeds of another user report the reader's story."""
    feed, *throwaway = tiered(3, 1, 1, 2, 2, 4, 5, 5)
    articles = [make_published(each) for each in (feed, *throwaway)]
    make.subscription(reader, feed)
    deliver()
    assessed(*articles)
    [before] = Delivery.objects.filter(user=reader).values()
    story, other = make.story(*articles), make.user()
    for each in throwaway:
        make.subscription(other, each)
    deliver()
    queue_fold(Article.objects.filter(story=story))
    fold_queued()
    rate_waiting()
    [after] = Delivery.objects.filter(user=reader).values()
    assert after == before
    assert (after["n_publishers"], after["n_tiers"]) == (1, 1)
    explanation = explain(reader, articles[0], now=make.NOW)
    assert explanation is not None
    assert [part.points for part in explanation.parts if part.name == "corroboration"] == [25]
    assert {row.n_publishers for row in Delivery.objects.filter(user=other)} == {7}


def test_unfollowed_feeds_no_longer_count(reader: User) -> None:
    articles = [make_published(feed) for feed in tiered(3, 3)]
    make.story(*articles)
    assert followed(reader, articles[0]) == [Coverage(2, 1)]
    assessed(*articles)
    unfollow(reader, [Subscription.objects.get(feed=articles[1].feed).pk], now=make.NOW)
    while fold_queued():
        pass
    assert followed_by(reader, articles[0]) == Coverage(1, 1)
    assert not_rated() == {articles[0].pk}


def test_feed_added_by_hand_has_a_better_tier_if_its_publisher_is_unknown() -> None:
    blog, known = make.source("blog.example"), make.source("known.example", tier=5)
    articles = [make_published(make.feed(source=source, is_added_by_hand=True)) for source in (blog, known)]
    articles.append(make_published(make.feed(source=make.source("listed.example"))))
    signals = load_signals([article.pk for article in articles])
    assert [signals[article.pk].tier for article in articles] == [4, 5, 5]


def test_feed_with_two_articles_of_a_story_counts_once(reader: User) -> None:
    feed, other = tiered(1, 1)
    one, two, three = make_published(feed), make_published(feed), make_published(other)
    make.item(other, one)
    make.story(one, two, three)
    assert followed(reader, one, two, three) == [Coverage(2, 1)] * 3


CORROBORATION = {
    "one feed": ((3,), 25),
    "two of one tier": ((3, 3), 50),
    "two of two tiers": ((1, 5), 50),
    "three of two tiers": ((1, 1, 5), 75),
    "three of three tiers": ((1, 2, 5), 85),
    "four": ((3, 3, 3, 3), 100),
    "five of five tiers": ((1, 2, 3, 4, 5), 100),
}


@pytest.mark.parametrize(("tiers", "points"), CORROBORATION.values(), ids=CORROBORATION)
def test_corroboration_counts_publishers_and_tiers_of_the_story(
    reader: User, tiers: tuple[int, ...], points: float
) -> None:
    articles = [make_published(feed) for feed in tiered(*tiers)]
    if len(articles) > 1:
        make.story(*articles)
    assert [corroboration(*coverage) for coverage in followed(reader, *articles)] == [points] * len(articles)


def test_another_publisher_corroborates_the_story(reader: User) -> None:
    first, second, third = tiered(1, 3, 5)
    one, other = make_published(first), make_published(second)
    apart = make_published(first)
    story = make.story(one, other)
    followed(reader, one, other, apart)
    assessed(one, other, apart)
    before = static_importance_of(reader, one)

    new = make_published(third)
    deliver()
    Article.objects.filter(pk=new.pk).update(story=story)
    queue_fold(Article.objects.filter(pk=new.pk))
    fold_queued()

    assert {one.pk, other.pk, new.pk} == not_rated()
    rate_waiting()
    assert [followed_by(reader, article) for article in (one, other, apart)] == [(3, 3), (3, 3), (1, 1)]
    assert static_importance_of(reader, one) == pytest.approx(before + 0.20 * 35)  # three tiers
    assert story.articles.count() == 3


def test_redelivery_changes_nothing(reader: User) -> None:
    article = make_published(feed := make.feed())
    make.subscription(reader, feed)
    deliver()
    assessed(article)
    assert refresh_stories([article.pk]) == 0
    assert not not_rated()


def test_corroboration_follows_growing_and_split_stories(reader: User) -> None:
    articles = [make_published(feed) for feed in tiered(3, 3, 3)]
    followed(reader, *articles)
    assessed(*articles)

    story: Story = make.story(*articles)
    queue_fold(Article.objects.filter(story=story))
    assert fold_queued() == 1
    assert not_rated() == {article.pk for article in articles}
    assessed(*articles)
    assert set(Delivery.objects.values_list("n_publishers", flat=True)) == {3}

    assert split_off(story, [articles[0].pk], user=make.user(), now=make.NOW) == 1
    apply_splits()
    while fold_queued():
        pass
    assert not_rated() == {article.pk for article in articles}
    rate_waiting()
    stored = dict(Delivery.objects.values_list("article", "n_publishers"))
    assert [stored[article.pk] for article in articles] == [1, 2, 2]


def test_updates_only_articles_of_feeds_with_changed_health(reader: User) -> None:
    well, ailing = tiered(1, 1)
    one, other = make_published(well), make_published(ailing)
    for source in (well, ailing):
        make.subscription(reader, source)
    deliver()
    assessed(one, other)
    Feed.objects.filter(pk=ailing.pk).update(health_score=0.4)

    assert refresh_recent(now=make.NOW) == 1
    assert (authority_of(one), authority_of(other)) == (95, pytest.approx(38))
    assert not_rated() == {other.pk}
    assert refresh_recent(now=make.NOW) == 0


def test_finds_tier_changed_by_admin(reader: User) -> None:
    article = make_published(feed := make.feed(source=make.source("paper.example", tier=5)))
    make.subscription(reader, feed)
    deliver()
    assessed(article)
    Feed.objects.filter(pk=feed.pk).update(tier=2)
    assert refresh_recent(now=make.NOW) == 1
    assert authority_of(article) == 80


def test_older_articles_stay_unchanged(reader: User) -> None:
    feed = make.feed()
    recent = make_published(feed, published_at=make.NOW - KEPT_FRESH)
    older = make_published(feed, published_at=make.NOW - KEPT_FRESH - timedelta(seconds=1))
    assessed(recent, older)
    Feed.objects.filter(pk=feed.pk).update(health_score=0.5)
    assert refresh_recent(now=make.NOW) == 1
    assert (authority_of(recent), authority_of(older)) == (15, 30)


def test_revised_articles_are_left_to_rating(reader: User) -> None:
    feed = make.feed()
    revised, same = make_published(feed), make_published(feed)
    make.subscription(reader, feed)
    deliver()
    assessed(revised, same)
    Article.objects.filter(pk=revised.pk).update(content_hash=1)
    assert refresh_recent(now=make.NOW) == 0
    assert not_rated() == {revised.pk}


def test_unassessed_articles_are_left_to_assessing() -> None:
    assert refresh([make_published(make.feed()).pk]) == 0
    assert not Assessment.objects.exists()


@pytest.mark.parametrize("n", [1, 40], ids=["one", "forty"])
def test_takes_constant_queries(reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    feed = make.feed()
    articles = [make_published(feed) for _ in range(n)]
    make.story(*articles, make_published(feed))
    articles.append(make_published(feed))  # in no story
    followed(reader)
    assessed(*articles)
    ids = [article.pk for article in articles]
    with django_assert_num_queries(1):
        load_signals(ids)
    with django_assert_num_queries(8):  # stored values, then facts, of assessments and of deliveries
        assert refresh(ids) == 0
    Feed.objects.filter(pk=feed.pk).update(health_score=0.5)
    with django_assert_num_queries(12):  # the same again under locks, then writing both tables
        assert refresh(ids) == n + 1


def test_accepts_any_number_of_articles(reader: User) -> None:
    articles = [make_published(make.feed()) for _ in range(3)]
    make.story(*articles)
    article_ids: Iterable[int] = range(1, CHUNK * 70)  # more values than SQLite accepts in one statement
    followed(reader)
    assessed(*articles)
    Delivery.objects.update(n_publishers=9)
    assert refresh_stories(article_ids) == 3


def test_refreshing_holds_no_locks_while_stories_fold(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Assessments are locked before deliveries everywhere, and folding locks deliveries."""
    articles = [make_published(feed) for feed in tiered(3, 3)]
    make.story(*articles)
    queue_fold(Article.objects.all())
    observed: list[tuple[bool, set[int]]] = []

    def refreshed(ids: Iterable[int]) -> int:
        observed.append((connection.in_atomic_block, set(ids)))
        return 0

    monkeypatch.setattr(collapse, "refresh_stories", refreshed)
    assert fold_queued() == 1
    assert observed == [(False, {articles[0].pk})]
