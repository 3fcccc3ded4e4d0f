"""The self-check of a user's list warns only if an unverified source is on top."""

import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.lists.self_check import COMPARED, check_most_important
from reader.models import Delivery
from reader.scoring.rate import rate_waiting
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def make_rated(user: User, tier: int, **values: object) -> Article:
    feed = make.feed(source=make.source(tier=tier))
    article = make.article(feed=feed, source=feed.source, **{"published_at": make.NOW, **values})
    make.delivery(make.subscription(user, feed), article)
    return article


def test_accepts_empty_list(reader: User) -> None:
    assert check_most_important(reader, now=make.NOW) is None


def test_accepts_better_source_on_top(reader: User) -> None:
    make_rated(reader, 2)
    make_rated(reader, 5)
    rate_waiting()
    assert check_most_important(reader, now=make.NOW) is None


def test_names_parts_that_raised_an_unverified_source(reader: User) -> None:
    farm = make_rated(reader, 5, word_count=2000)
    for _ in range(3):
        make_rated(reader, 4)
    rate_waiting()
    findings = check_most_important(reader, now=make.NOW)
    assert findings is not None
    assert (findings.top.article_id, findings.n_others) == (farm.pk, 3)
    assert [(carrier.name, carrier.points, carrier.above) for carrier in findings.drivers] == [("depth", 15, 9)]


def test_compares_only_the_top_of_the_list(reader: User) -> None:
    make_rated(reader, 5, word_count=2000)
    for _ in range(COMPARED + 5):
        make_rated(reader, 4)
    rate_waiting()
    findings = check_most_important(reader, now=make.NOW)
    assert findings is not None
    assert findings.n_others == COMPARED - 1


def test_ignores_read_and_unrated_articles(reader: User) -> None:
    farm = make_rated(reader, 5, word_count=2000)
    make_rated(reader, 4)
    rate_waiting()
    Delivery.objects.filter(article=farm).update(is_read=True)
    make_rated(reader, 5, word_count=2000)  # not rated yet
    assert check_most_important(reader, now=make.NOW) is None
