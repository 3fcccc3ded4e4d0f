"""A worker finds out how a person's subscriptions are spread, out of what came to them in seven days."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from digests import diversity_making
from digests.diversity import Spread
from digests.diversity_making import WINDOW, found, make
from digests.making_tasks import make_diversity
from digests.models import DiversityReport
from feeds.models import Article
from reader.models import Delivery, Separation, Subscription
from tests import make as rows
from tests.make import NOW

pytestmark = pytest.mark.django_db

OCEAN = ("coral reef", "ocean currents", "coral bleaching", "ocean plankton")
TALKS = ("Geneva talks", "talks of ministers", "Geneva summit", "summit of ministers")


@pytest.fixture
def user() -> User:
    return rows.user()


@pytest.fixture
def news(user: User) -> Subscription:
    return rows.subscription(user, rows.feed("https://wire.example/feed", title="The Wire"))


@pytest.fixture
def science(user: User) -> Subscription:
    feed = rows.feed("https://tidepool.example/feed", title="Tidepool Science")
    return rows.subscription(user, feed, folder=rows.folder(user, "Science"))


def bring(*subscriptions: Subscription, words: str = "", hours_old: float = 1.0, **values: Any) -> Article:
    first = subscriptions[0]
    values = {"title": words, "text": f"{words}. {words} again.", "language": "en", **values}
    article = rows.article(
        published_at=NOW - timedelta(hours=hours_old), source=first.feed.source, feed=first.feed, **values
    )
    for each in subscriptions:
        rows.delivery(each, article)
    return article


def two_topics(news: Subscription, science: Subscription, n: int = 6) -> None:
    for number in range(n):
        bring(news, words=f"{TALKS[number % 4]} {TALKS[(number + 1) % 4]}", hours_old=number + 1)
        bring(science, words=f"{OCEAN[number % 4]} {OCEAN[(number + 1) % 4]}", hours_old=number + 1)


def test_topics_of_two_kinds_are_told_apart_and_named(
    user: User, news: Subscription, science: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diversity_making, "N_TOPICS", 2)
    two_topics(news, science)
    spread = found(user, now=NOW)
    assert (spread.n_articles, spread.n_feeds, spread.n_publishers, spread.n_left_out) == (12, 2, 2, 0)
    assert spread.effective_topics == pytest.approx(2.0)
    labels = {each.feeds[0].name: each.label.lower() for each in spread.topics}
    assert "geneva" in labels["The Wire"] or "talks" in labels["The Wire"]
    assert "ocean" in labels["Tidepool Science"] or "coral" in labels["Tidepool Science"]
    assert {(each.name, each.n_articles, each.is_all) for each in spread.soles} == {
        ("The Wire", 6, True),
        ("Tidepool Science", 6, True),
    }
    assert [each.name for each in spread.groups] == ["No folder", "Science"]


def test_it_is_stored_in_place_of_the_one_before(user: User, news: Subscription, science: Subscription) -> None:
    two_topics(news, science)
    DiversityReport.objects.create(user=user, made_at=NOW - timedelta(days=9), asked_at=NOW, content={"version": 0})
    stored = make(user, now=NOW)
    kept = DiversityReport.objects.get()
    assert (kept, kept.user, kept.made_at, kept.asked_at) == (stored, user, NOW, None)
    assert Spread.from_json(kept.content) == found(user, now=NOW)


def test_articles_of_seven_days_count_and_no_others(user: User, news: Subscription) -> None:
    inside = WINDOW / timedelta(hours=1)
    bring(news, words=TALKS[0], hours_old=inside)
    bring(news, words=TALKS[1], hours_old=inside + 0.01)
    bring(news, words=TALKS[2], hours_old=-23.9)
    bring(news, words=TALKS[3], hours_old=-24)
    Delivery.objects.update(is_read=True)
    assert found(user, now=NOW).n_articles == 2


def test_of_very_many_the_newest_count(user: User, news: Subscription, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diversity_making, "MOST_ARTICLES", 3)
    for number in range(5):
        bring(news, words="about talks" if number < 3 else "about nothing", hours_old=number)
    spread = found(user, now=NOW)
    assert (spread.n_articles, spread.n_left_out) == (3, 2)
    assert not [each for each in spread.topics if "nothing" in each.label]


def test_stories_tie_feeds_unless_the_person_took_an_article_out(
    user: User, news: Subscription, science: Subscription
) -> None:
    for number in range(5):
        story = rows.story(
            bring(news, words=TALKS[number % 4]), bring(science, words=TALKS[(number + 1) % 4] + " in short")
        )
    assert found(user, now=NOW).twins == (("The Wire", "Tidepool Science"),)
    for article in Article.objects.filter(story__isnull=False, feed=science.feed):
        Separation.objects.create(user=user, article=article, made_at=NOW)
    assert found(user, now=NOW).twins == ()
    assert story.articles.count() == 2


def test_an_article_of_two_feeds_is_of_both(user: User, news: Subscription, science: Subscription) -> None:
    for number in range(5):
        bring(news, science, words=f"{TALKS[number % 4]} {number}")
    spread = found(user, now=NOW)
    assert spread.n_articles == 5
    assert {each.name for each in spread.repeaters} == {"The Wire", "Tidepool Science"}


def test_feeds_are_called_as_the_person_does(user: User, news: Subscription) -> None:
    news.title = "My wire"
    news.save()
    bring(news, words=TALKS[0])
    assert found(user, now=NOW).topics[0].feeds[0].name == "My wire"


def test_nobody_elses_articles_count(user: User, news: Subscription) -> None:
    bring(rows.subscription(rows.user()), words=TALKS[0])
    assert found(user, now=NOW).n_articles == 0
    bring(news, words=TALKS[0])
    assert found(user, now=NOW).n_articles == 1


def test_nothing_and_a_single_article_are_spread_too(user: User, news: Subscription) -> None:
    assert not make(user, now=NOW).content["topics"]
    bring(news, words="", title="Untitled", text="", language="")
    spread = Spread.from_json(make(user, now=NOW).content)
    assert spread
    assert [(each.n_articles, each.share) for each in spread.topics] == [(1, 1.0)]
    assert spread.topics[0].label


def test_articles_of_many_languages_and_of_none_have_labels(user: User, news: Subscription) -> None:
    for language, words in (
        ("ja", "日銀が政策金利を据え置き"),
        ("ar", "مجلس الأمن يبحث الوضع"),
        ("", "🎉🎉"),
        ("th", "ฝนตกหนักภาคใต้"),
    ):
        for number in range(4):
            bring(news, words=f"{words} {number}", language=language)
    spread = found(user, now=NOW)
    assert sum(each.n_articles for each in spread.topics) == 16
    assert all(each.label for each in spread.topics)
    assert len({each.label for each in spread.topics}) == len(spread.topics)


@pytest.mark.parametrize("n", [2, 25])
def test_queries_do_not_grow_with_articles(
    user: User, news: Subscription, science: Subscription, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    two_topics(news, science, n)
    with django_assert_num_queries(5):
        assert found(user, now=NOW).n_articles == 2 * n


def test_the_task_makes_it_for_whom_it_is_told(user: User, news: Subscription) -> None:
    rows.delivery(news, rows.article(published_at=timezone.now() - timedelta(hours=1), title="Coral reef"))
    other = rows.user()
    make_diversity(user.pk)
    [kept] = DiversityReport.objects.all()
    assert kept.user == user
    assert kept.user != other
    assert kept.content["n_articles"] == 1
