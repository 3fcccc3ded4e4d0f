"""Actions are logged once, learned at once, and can be undone exactly."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.interests.engagement import MAX_PASSED, mark_seen, record_action, record_passed, undo, undo_latest
from reader.interests.learning.embedding_profile import parse_profile
from reader.interests.learning.engagement_weights import GAINS
from reader.models import (
    ArticleFeatures,
    Delivery,
    Engagement,
    EngagementKind,
    EngagementSource,
    InterestProfile,
    InterestTerm,
)
from tests import make

pytestmark = pytest.mark.django_db

WEEK = timedelta(weeks=1)
KIND = EngagementKind
VECTOR = bytes([100, 50, 156] + [0] * 509)


@pytest.fixture
def user() -> User:
    return make.user()


@pytest.fixture
def article() -> Article:
    article = make.article(title="Glacier melts faster", text="The glacier above the valley lost ice.", language="en")
    ArticleFeatures.objects.create(article=article, terms=b"", attributes=b"", vector=VECTOR)
    return article


@pytest.fixture
def opened_article(user: User, article: Article) -> Article:
    """Another article, of the same words and some others, that the user opened."""
    known_article = make.article(title="Glacier tourism grows", text="Hikers visit the valley.", language="en")
    record_action(user, known_article, KIND.OPENED, now=make.NOW - 3 * WEEK)
    return known_article


def weights(user: User) -> dict[str, float]:
    return dict(InterestTerm.objects.filter(user=user).values_list("term", "weight"))


def weights_at(user: User, at: object) -> dict[str, float]:
    """The weights of all terms, faded to one time."""
    rows = InterestTerm.objects.filter(user=user)
    return {row.term: row.weight * 0.9 ** ((at - row.engaged_at) / WEEK) for row in rows}  # type: ignore[operator]


def profile(user: User) -> InterestProfile:
    return InterestProfile.objects.get(user=user)


def test_logs_and_learns_action(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.OPENED, now=make.NOW, source=EngagementSource.EMAIL)

    assert Engagement.objects.get() == action
    assert (action.user, action.article, action.kind, action.source) == (user, article, "opened", "email")
    learned = weights(user)
    assert learned.keys() == {"glacier", "melts", "faster", "valley", "lost", "ice"}
    assert learned["glacier"] == max(learned.values())
    assert sum(weight**2 for weight in learned.values()) == pytest.approx(1.0)
    assert profile(user).evidence == 1.0
    assert profile(user).changed_at == make.NOW
    assert parse_profile(bytes(profile(user).vector)).liked_sum[:4] == pytest.approx(
        [0.6667, 0.3333, -0.6667, 0], abs=1e-4
    )


@pytest.mark.parametrize(("kind", "gain"), GAINS.items(), ids=GAINS)
def test_learns_by_the_gain_of_the_action(user: User, article: Article, kind: str, gain: float) -> None:
    record_action(user, article, kind, now=make.NOW)

    assert sum(weight**2 for weight in weights(user).values()) == pytest.approx(gain**2)
    assert all(weight * gain > 0 for weight in weights(user).values())
    assert profile(user).evidence == pytest.approx(abs(gain))


def test_keeping_unread_is_logged_but_not_learned(user: User, article: Article) -> None:
    record_action(user, article, KIND.UNREAD, now=make.NOW)

    assert Engagement.objects.get().kind == KIND.UNREAD
    assert weights(user) == {}
    assert profile(user).changed_at is None


def test_ten_openings_count_once(user: User, article: Article) -> None:
    first = record_action(user, article, KIND.OPENED, now=make.NOW)
    once = weights(user)

    repeated = [record_action(user, article, KIND.OPENED, now=make.NOW + n * WEEK) for n in range(9)]

    assert set(repeated) == {first}
    assert weights(user) == once
    assert Engagement.objects.count() == 1


def test_opening_counts_again_after_undo(user: User, article: Article) -> None:
    first = record_action(user, article, KIND.OPENED, now=make.NOW)
    undo(user, first.pk, now=make.NOW)

    second = record_action(user, article, KIND.OPENED, now=make.NOW)

    assert second != first
    assert sum(weight**2 for weight in weights(user).values()) == pytest.approx(1.0)


SEQUENCES = {
    "opening undoes a skip": (["skipped", "opened"], ["opened"]),
    "opening undoes what was passed over": (["passed", "opened"], ["opened"]),
    "a skip undoes an opening": (["opened", "skipped"], ["skipped"]),
    "a like undoes a dislike": (["disliked", "liked"], ["liked"]),
    "a dislike undoes everything said for it": (["opened", "starred", "liked", "disliked"], ["disliked"]),
    "a star undoes a dislike": (["disliked", "starred"], ["starred"]),
    "opening after a dislike says nothing": (["disliked", "opened"], ["disliked"]),
    "skipping after a like says nothing": (["liked", "skipped"], ["liked"]),
    "a like after an opening adds": (["opened", "liked"], ["liked", "opened"]),
    "unread changes nothing": (["opened", "unread", "opened"], ["opened"]),
}


@pytest.mark.parametrize(("done", "counting"), SEQUENCES.values(), ids=SEQUENCES)
def test_only_effective_actions_count(article: Article, done: list[str], counting: list[str]) -> None:
    one, other = make.user(), make.user()
    for kind in done:
        record_action(one, article, kind, now=make.NOW)
    for kind in counting:
        record_action(other, article, kind, now=make.NOW)

    assert weights(one) == pytest.approx(weights(other))
    assert profile(one).evidence == pytest.approx(profile(other).evidence)
    assert parse_profile(bytes(profile(one).vector)).direction == pytest.approx(
        parse_profile(bytes(profile(other).vector)).direction, abs=1e-6
    )


@pytest.mark.parametrize("kind", [kind for kind in KIND if kind != KIND.OPENED])
@pytest.mark.parametrize("weeks", [0, 0.01, 5])
def test_undoing_restores_everything(
    user: User, opened_article: Article, article: Article, kind: str, weeks: float
) -> None:
    record_action(user, article, KIND.OPENED, now=make.NOW - WEEK)
    later = make.NOW + weeks * WEEK
    expected = weights_at(user, later)
    evidence = profile(user).evidence * 0.9 ** ((later - (make.NOW - WEEK)) / WEEK)
    action = record_action(user, article, kind, now=make.NOW)

    assert undo(user, action.pk, now=later)

    assert weights_at(user, later) == pytest.approx(expected, abs=1e-9)
    now = profile(user)
    assert now.evidence_at is not None
    assert now.evidence * 0.9 ** ((later - now.evidence_at) / WEEK) == pytest.approx(evidence, abs=1e-9)


def test_undoing_the_only_action_leaves_no_terms(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.LIKED, now=make.NOW)

    undo(user, action.pk, now=make.NOW + 2 * WEEK)

    assert weights(user) == {}
    assert profile(user).evidence == pytest.approx(0, abs=1e-9)
    assert parse_profile(bytes(profile(user).vector)).direction == pytest.approx([0] * 512, abs=1e-6)


def test_undoing_adds_a_row_and_changes_none(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.LIKED, now=make.NOW)

    undo(user, action.pk, now=make.NOW + WEEK)

    log = Engagement.objects.order_by("pk").values_list("kind", "undoes", "happened_at")
    assert list(log) == [("liked", None, make.NOW), ("liked", action.pk, make.NOW + WEEK)]


def test_cannot_undo_twice_or_undo_an_undo(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.LIKED, now=make.NOW)
    assert undo(user, action.pk, now=make.NOW)
    undoing = Engagement.objects.get(undoes=action)

    assert not undo(user, action.pk, now=make.NOW)
    assert not undo(user, undoing.pk, now=make.NOW)
    assert not undo(user, 10**6, now=make.NOW)
    assert Engagement.objects.count() == 2


def test_cannot_undo_actions_of_others(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.LIKED, now=make.NOW)
    before = weights(user)

    assert not undo(make.user(), action.pk, now=make.NOW)
    assert weights(user) == before
    assert Engagement.objects.count() == 1


def test_undoing_does_not_restore_removed_terms(user: User, article: Article) -> None:
    action = record_action(user, article, KIND.LIKED, now=make.NOW)
    InterestTerm.objects.filter(user=user, term="glacier").delete()

    undo(user, action.pk, now=make.NOW + WEEK)

    assert weights(user) == {}


def test_undoes_the_newest_of_a_kind(user: User, article: Article) -> None:
    record_action(user, article, KIND.OPENED, now=make.NOW)
    opened = weights(user)
    record_action(user, article, KIND.STARRED, now=make.NOW)

    assert undo_latest(user, article, KIND.STARRED, now=make.NOW)
    assert weights(user) == pytest.approx(opened)
    assert not undo_latest(user, article, KIND.STARRED, now=make.NOW)


def test_does_not_learn_pinned_or_muted_terms(user: User, article: Article) -> None:
    terms = [("glacier", True, False), ("ice", False, True)]
    for term, is_pinned, is_muted in terms:
        InterestTerm.objects.create(
            user=user, term=term, weight=2, engaged_at=make.NOW - WEEK, is_pinned=is_pinned, is_muted=is_muted
        )

    record_action(user, article, KIND.OPENED, now=make.NOW)

    learned = weights(user)
    assert (learned["glacier"], learned["ice"]) == (2, 2)
    assert learned["melts"] > 0


def test_fades_term_before_adding_gain(user: User, article: Article) -> None:
    term = InterestTerm.objects.create(user=user, term="glacier", weight=2, engaged_at=make.NOW - 2 * WEEK)
    fresh = make.user()
    record_action(fresh, article, KIND.OPENED, now=make.NOW)

    record_action(user, article, KIND.OPENED, now=make.NOW)

    term.refresh_from_db()
    assert term.weight == pytest.approx(2 * 0.81 + weights(fresh)["glacier"])
    assert term.engaged_at == make.NOW


def test_learns_nothing_if_learning_is_off(user: User, article: Article) -> None:
    InterestProfile.objects.create(user=user, is_learning=False)

    action = record_action(user, article, KIND.LIKED, now=make.NOW)

    assert Engagement.objects.get() == action
    assert weights(user) == {}
    assert profile(user).changed_at is None


def test_handles_article_without_features_or_text(user: User) -> None:
    record_action(user, make.article(title="…", text=""), KIND.OPENED, now=make.NOW)

    assert weights(user) == {}
    assert profile(user).evidence == 1.0


def test_learns_character_pairs_without_word_boundaries(user: User) -> None:
    record_action(user, make.article(title="冰川融化", text="", language="zh"), KIND.OPENED, now=make.NOW)

    assert weights(user).keys() == {"冰川", "川融", "融化"}


class TestPassedOver:
    @pytest.fixture
    def screen(self, user: User) -> list[Article]:
        subscription = make.subscription(user)
        articles = [make.article(title=f"Subject{n} alone", text="") for n in range(4)]
        for article in articles:
            make.delivery(subscription, article)
        return articles

    def test_learns_a_little_from_articles_above(self, user: User, screen: list[Article]) -> None:
        ids = [article.pk for article in screen]

        assert record_passed(user, ids, ids[2], now=make.NOW) == 2

        assert list(Engagement.objects.values_list("article", "kind")) == [(ids[0], "passed"), (ids[1], "passed")]
        assert max(weights(user)["subject0"], weights(user)["subject1"]) < 0
        assert "subject3" not in weights(user)
        assert profile(user).evidence == pytest.approx(0.2)

    def test_counts_once_and_ignores_engaged_articles(self, user: User, screen: list[Article]) -> None:
        ids = [article.pk for article in screen]
        record_action(user, screen[0], KIND.SKIPPED, now=make.NOW)
        assert record_passed(user, ids, ids[3], now=make.NOW) == 2
        before = weights(user)

        assert record_passed(user, ids, ids[3], now=make.NOW) == 0
        assert weights(user) == before

    def test_opening_afterwards_reverts_it(self, user: User, screen: list[Article]) -> None:
        ids = [article.pk for article in screen]
        record_passed(user, ids, ids[1], now=make.NOW - WEEK)

        record_action(user, screen[0], KIND.OPENED, now=make.NOW)

        assert sum(weight**2 for weight in weights(user).values()) == pytest.approx(1.0)
        assert profile(user).evidence == pytest.approx(1.0)

    def test_ignores_articles_of_other_users(self, user: User, screen: list[Article]) -> None:
        other = make.user()
        ids = [article.pk for article in screen]

        assert record_passed(other, ids, ids[3], now=make.NOW) == 0
        assert not Engagement.objects.exists()

    def test_only_the_nearest(self, user: User) -> None:
        subscription = make.subscription(user)
        ids = [make.delivery(subscription, make.article()).article_id for _ in range(MAX_PASSED + 3)]

        assert record_passed(user, ids, ids[-1], now=make.NOW) == MAX_PASSED
        assert Engagement.objects.order_by("article").first().article_id == ids[2]  # type: ignore[union-attr]


def test_articles_on_screen_are_seen_but_not_learned(user: User) -> None:
    mine = make.delivery(make.subscription(user), make.article())
    theirs = make.delivery(make.subscription(make.user()), mine.article)

    assert mark_seen(user, [mine.article_id]) == 1
    assert mark_seen(user, [mine.article_id]) == 0

    assert set(Delivery.objects.filter(is_seen=True)) == {mine}
    assert theirs.is_seen is False
    assert not Engagement.objects.exists()
    assert not InterestProfile.objects.exists()


def test_keeps_rows_of_other_users(user: User, article: Article) -> None:
    other = make.user()
    record_action(other, article, KIND.DISLIKED, now=make.NOW)
    before = weights(other), profile(other).evidence, bytes(profile(other).vector), profile(other).changed_at

    undo(user, record_action(user, article, KIND.LIKED, now=make.NOW).pk, now=make.NOW + WEEK)

    assert (weights(other), profile(other).evidence, bytes(profile(other).vector), profile(other).changed_at) == before
    assert Engagement.objects.filter(user=other).count() == 1


@pytest.mark.parametrize("n_terms", [0, 300], ids=["a new profile", "300 terms"])
def test_takes_constant_queries(
    user: User, article: Article, django_assert_num_queries: DjangoAssertNumQueries, n_terms: int
) -> None:
    article.text = " ".join(f"word{n}" for n in range(200))
    article.save()
    InterestProfile.objects.create(user=user)
    InterestTerm.objects.bulk_create(
        InterestTerm(user=user, term=f"word{n}", weight=1, engaged_at=make.NOW) for n in range(n_terms)
    )
    savepoints = 2

    # The profile, the log, the action; the IDF table, the vector, the article; the terms, twice; the profile.
    with django_assert_num_queries(savepoints + 9):
        action = record_action(user, article, KIND.OPENED, now=make.NOW)
    # The profile's row, the log, the action in effect.
    with django_assert_num_queries(savepoints + 3):
        assert record_action(user, article, KIND.OPENED, now=make.NOW) == action
    # As the first, with the row to undo; terms without weight are deleted, the others updated.
    with django_assert_num_queries(savepoints + 10 + (n_terms > 0)):
        undo(user, action.pk, now=make.NOW + WEEK)


@pytest.mark.vendor
@pytest.mark.django_db(transaction=True)
def test_learns_concurrent_actions() -> None:
    if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
        pytest.skip("threads share one connection to a database in memory")
    user = make.user()
    articles = [make.article(title=f"Subject{n} alone", text="") for n in range(6)]
    start = threading.Barrier(len(articles))

    def act(article: Article) -> None:
        start.wait()
        record_action(user, article, KIND.OPENED, now=make.NOW)
        connections.close_all()

    threads = [threading.Thread(target=act, args=(article,)) for article in articles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert profile(user).evidence == 6.0
    assert weights(user)["alone"] == pytest.approx(6 * weights(user)["subject0"] * 0.9, rel=0.5)
    assert weights(user).keys() == {"alone", *(f"subject{n}" for n in range(6))}
