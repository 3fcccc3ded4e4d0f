"""One label per article, from all of a user's actions on it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from reader.interests.engagement import record_action, undo
from reader.interests.training_labels import Label, load_labels
from reader.models import Engagement
from tests import make

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
YEAR = timedelta(days=365)


@pytest.fixture
def user() -> User:
    return make.user()


JUDGED = {
    "nothing": ([], None),
    "unread": (["unread"], None),
    "opened": (["opened"], (True, 1.0, 0)),
    "liked": (["liked"], (True, 2.0, 0)),
    "starred": (["starred"], (True, 2.0, 0)),
    "skipped": (["skipped"], (False, 1.0, 0)),
    "disliked": (["disliked"], (False, 2.0, 0)),
    "passed over": (["passed"], (False, 0.2, 0)),
    "passed over, then opened": (["passed", "opened"], (True, 1.0, 1)),
    "opened, then passed over": (["opened", "passed"], (True, 1.0, 0)),
    "opened and liked": (["opened", "liked"], (True, 2.0, 1)),
    "opened, then disliked": (["opened", "disliked"], (False, 2.0, 1)),
    "liked, then disliked": (["liked", "disliked"], (False, 2.0, 1)),
    "disliked, then liked": (["disliked", "liked"], (True, 2.0, 1)),
    "disliked, then opened again": (["disliked", "opened"], (False, 2.0, 0)),
    "opened, then skipped": (["opened", "skipped"], (False, 1.0, 1)),
    "skipped, then opened": (["skipped", "opened"], (True, 1.0, 1)),
    "starred, then skipped": (["starred", "skipped"], (True, 2.0, 0)),
}


@pytest.mark.parametrize(("kinds", "judged"), JUDGED.values(), ids=JUDGED)
def test_labels_by_strongest_action(user: User, kinds: list[str], judged: tuple[bool, float, int] | None) -> None:
    article = make.article()
    for number, kind in enumerate(kinds):
        record_action(user, article, kind, now=make.NOW + number * HOUR)

    labels = load_labels(user, since=make.NOW - YEAR)

    expected = [Label(article.pk, judged[0], judged[1], make.NOW + judged[2] * HOUR)] if judged else []
    assert labels == expected


def test_ignores_undone_actions(user: User) -> None:
    gone, kept = make.article(), make.article()
    undo(user, record_action(user, gone, "liked", now=make.NOW).pk, now=make.NOW + HOUR)
    record_action(user, kept, "opened", now=make.NOW)
    undo(user, record_action(user, kept, "disliked", now=make.NOW).pk, now=make.NOW + HOUR)

    assert load_labels(user, since=make.NOW - YEAR) == [Label(kept.pk, True, 1.0, make.NOW)]


def test_are_sorted_and_limited_by_date(user: User) -> None:
    articles = [make.article() for _ in range(3)]
    for days, article in zip((3, 2, 400), articles, strict=True):
        record_action(user, article, "opened", now=make.NOW - timedelta(days=days))

    labels = load_labels(user, since=make.NOW - YEAR)

    assert [label.article_id for label in labels] == [articles[0].pk, articles[1].pk]


def test_includes_actions_on_the_limit(user: User) -> None:
    record_action(user, make.article(), "opened", now=make.NOW)

    assert len(load_labels(user, since=make.NOW)) == 1
    assert load_labels(user, since=make.NOW + HOUR) == []


def test_ignores_other_users(user: User) -> None:
    article = make.article()
    record_action(make.user(), article, "liked", now=make.NOW)

    assert load_labels(user, since=make.NOW - YEAR) == []
    assert Engagement.objects.count() == 1


def test_takes_one_query(user: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(5):
        record_action(user, make.article(), "opened", now=make.NOW)

    with django_assert_num_queries(1):
        assert len(load_labels(user, since=make.NOW - YEAR)) == 5
