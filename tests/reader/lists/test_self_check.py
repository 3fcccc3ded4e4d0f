"""The self-check over a person's list: it speaks when an unverified source stands on top, and only then."""

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


def brought(user: User, tier: int, **values: object) -> Article:
    feed = make.feed(source=make.source(tier=tier))
    article = make.article(feed=feed, source=feed.source, **{"published_at": make.NOW, **values})
    make.delivery(make.subscription(user, feed), article)
    return article


def test_an_empty_list_is_in_order(reader: User) -> None:
    assert check_most_important(reader, now=make.NOW) is None


def test_a_better_source_on_top_is_in_order(reader: User) -> None:
    brought(reader, 2)
    brought(reader, 5)
    rate_waiting()
    assert check_most_important(reader, now=make.NOW) is None


def test_says_which_parts_carried_an_unverified_source(reader: User) -> None:
    farm = brought(reader, 5, word_count=2000)
    for _ in range(3):
        brought(reader, 4)
    rate_waiting()
    found = check_most_important(reader, now=make.NOW)
    assert found is not None
    assert (found.top.article_id, found.n_others) == (farm.pk, 3)
    assert [(carrier.name, carrier.points, carrier.above) for carrier in found.drivers] == [("depth", 15, 12)]


def test_compares_no_more_than_the_top_of_the_list(reader: User) -> None:
    brought(reader, 5, word_count=2000)
    for _ in range(COMPARED + 5):
        brought(reader, 4)
    rate_waiting()
    found = check_most_important(reader, now=make.NOW)
    assert found is not None
    assert found.n_others == COMPARED - 1


def test_what_is_read_or_not_rated_is_not_compared(reader: User) -> None:
    farm = brought(reader, 5, word_count=2000)
    brought(reader, 4)
    rate_waiting()
    Delivery.objects.filter(article=farm).update(is_read=True)
    brought(reader, 5, word_count=2000)  # not rated yet
    assert check_most_important(reader, now=make.NOW) is None
