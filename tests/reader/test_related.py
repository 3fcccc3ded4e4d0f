"""Related articles."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from feeds.search import indexer
from reader.models import Subscription
from reader.search.related import MAX_RELATED, related_to
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

TITLE = "Ferry with 312 aboard evacuated off Naxos"


@pytest.fixture
def reader() -> User:
    return make.user("ada")


@pytest.fixture
def paper(reader: User) -> Subscription:
    return make.subscription(reader, title="Paper")


def bring(subscription: Subscription, title: str, **values: object) -> Article:
    article = make.article(title=title, feed=subscription.feed, language="en", **values)
    make.delivery(subscription, article)
    indexer.queue_articles([article.pk])
    indexer.index_waiting()
    return article


def titles(user: User, article: Article) -> list[str]:
    return [row.article.title for row in related_to(user, article, now=make.NOW)]


def test_finds_articles_sharing_rare_words_most_similar_first(reader: User, paper: Subscription) -> None:
    about = bring(paper, TITLE)
    bring(paper, "Inquiry into evacuation of ferries begins on Naxos", summary="Nobody aboard was hurt.")
    bring(paper, "Naxos ferry back in service")
    for number in range(6):
        bring(paper, f"Market number {number} off to a slow start")
    assert titles(reader, about) == [
        "Inquiry into evacuation of ferries begins on Naxos",
        "Naxos ferry back in service",
    ]


def test_one_word_in_common_is_not_enough(reader: User, paper: Subscription) -> None:
    about = bring(paper, TITLE)
    bring(paper, "Naxos in the spring")
    assert titles(reader, about) == []


def test_omits_articles_of_the_same_story(reader: User, paper: Subscription) -> None:
    about, told = bring(paper, TITLE), bring(paper, "Ferry evacuated off Naxos, 312 aboard")
    make.story(about, told, lead=about)
    about.refresh_from_db()
    assert titles(reader, about) == []


def test_only_articles_of_the_user(reader: User, paper: Subscription) -> None:
    about = bring(paper, TITLE)
    bring(make.subscription(make.user("bob")), "Naxos ferry back in service")
    assert titles(reader, about) == []


@pytest.mark.parametrize("title", ["", "Off", "And so on", "!!!", '" OR (', "a:b -c score>9"])
def test_titles_that_say_little_or_look_like_queries_find_nothing(
    reader: User, paper: Subscription, title: str
) -> None:
    about = bring(paper, title)
    bring(paper, TITLE)
    assert titles(reader, about) == []


def test_finds_chinese_and_japanese(reader: User, paper: Subscription) -> None:
    about = bring(paper, "東京で大雪、交通に乱れ")
    bring(paper, "大雪の東京、列車が止まる")
    assert titles(reader, about) == ["大雪の東京、列車が止まる"]


@pytest.mark.parametrize("n", [3, 30])
def test_takes_constant_queries(
    reader: User,
    paper: Subscription,
    n: int,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr("reader.search.run.WINDOW", 10**12)  # ids continue from test to test on PostgreSQL
    about = bring(paper, TITLE)
    for number in range(n):
        bring(paper, f"Naxos ferry, part {number}")
    with django_assert_num_queries(11):
        assert len(titles(reader, about)) == min(n, MAX_RELATED)


def test_is_shown_below_article_and_on_its_own_page(reader: User, paper: Subscription, client: Client) -> None:
    about = bring(paper, TITLE)
    bring(paper, "Naxos ferry back in service")
    client.force_login(reader)
    assert f'href="/articles/{about.pk}/related/"' in client.get(f"/articles/{about.pk}/").content.decode()
    page = client.get(f"/articles/{about.pk}/related/").content.decode()
    assert ("Naxos ferry back in service" in page, "<html" in page) == (True, True)
    piece = client.get(f"/articles/{about.pk}/related/", headers={"HX-Request": "true"}).content.decode()
    assert ("Naxos ferry back in service" in piece, "<html" in piece) == (True, False)
