"""Viewing and changing a user's own interests."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from reader.interests import terms
from reader.interests.engagement import record_action, undo
from reader.interests.learning.features import hash_feature
from reader.interests.learning.profile import cosine
from reader.interests.terms import (
    CATEGORY_WEIGHT,
    STEP,
    TOPIC_WEIGHT,
    add_new_categories,
    add_starting_interests,
    delete_faded,
    interest_rows,
    load_profile,
    reset,
    set_learning,
)
from reader.models import Engagement, InterestProfile, InterestTerm, TermOrigin
from tests import make

pytestmark = pytest.mark.django_db

WEEK = timedelta(weeks=1)


@pytest.fixture
def user() -> User:
    return make.user()


def term(user: User, name: str = "glacier", weight: float = 2.0, weeks: float = 0, **values: object) -> InterestTerm:
    InterestProfile.objects.get_or_create(user=user)
    return InterestTerm.objects.create(
        user=user, term=name, weight=weight, engaged_at=make.NOW - weeks * WEEK, **values
    )


def weights(user: User) -> dict[str, float]:
    return dict(InterestTerm.objects.filter(user=user).values_list("term", "weight"))


def values(*names: str) -> list[tuple[int, float]]:
    return [(hash_feature(name), 1 / len(names) ** 0.5) for name in names]


class TestStarting:
    def test_topics_weigh_more_than_categories(self, user: User) -> None:
        assert add_starting_interests(user, ["Rust", " Machine   Learning "], ["Science"], make.NOW) == 3

        terms = InterestTerm.objects.filter(user=user).order_by("term").values_list("term", "weight", "origin")
        assert list(terms) == [
            ("machine learning", TOPIC_WEIGHT, "topic"),
            ("rust", TOPIC_WEIGHT, "topic"),
            ("science", CATEGORY_WEIGHT, "category"),
        ]
        assert InterestProfile.objects.get().changed_at == make.NOW

    @pytest.mark.parametrize("name", ["", "  ", "…", "C", "2026", "the", "\0"], ids=repr)
    def test_ignores_terms_no_article_can_match(self, user: User, name: str) -> None:
        assert add_starting_interests(user, [name], [name], make.NOW) == 0
        assert not add_starting_interests(user, [name], (), make.NOW)
        assert weights(user) == {}

    def test_topic_wins_over_category(self, user: User) -> None:
        add_starting_interests(user, ["Science"], ["science"], make.NOW)

        assert weights(user) == {"science": TOPIC_WEIGHT}

    def test_keeps_heavier_pinned_and_muted_terms(self, user: User) -> None:
        term(user, "rust", 9)
        term(user, "perl", 1, is_pinned=True)
        term(user, "zig", 1, is_muted=True)
        term(user, "ada", -1)

        assert add_starting_interests(user, ["rust", "perl", "zig", "ada"], [], make.NOW) == 1
        assert weights(user) == {"rust": 9, "perl": 1, "zig": 1, "ada": TOPIC_WEIGHT}
        assert InterestTerm.objects.get(term="ada").origin == TermOrigin.TOPIC

    def test_cuts_long_names(self, user: User) -> None:
        add_starting_interests(user, ["word " * 100], [], make.NOW)

        assert [len(name) for name in weights(user)] == [99]

    def test_uses_categories_and_folders_of_own_feeds(self, user: User) -> None:
        make.subscription(user, category="Astronomy", folder=make.folder(user, "Science / Space"))
        make.subscription(user, category="News", folder=make.folder(user, "All"))
        make.subscription(user)
        make.folder(user, "Empty")
        other = make.user()
        make.subscription(other, category="Football", folder=make.folder(other, "Sport"))

        assert add_new_categories(user, (), make.NOW) == 3
        assert weights(user) == dict.fromkeys(["astronomy", "science", "space"], CATEGORY_WEIGHT)
        assert weights(other) == {}

    def test_does_nothing_without_topics(self, user: User) -> None:
        assert add_new_categories(user, (), make.NOW) == 0
        assert not InterestProfile.objects.exists()


class TestProfile:
    def test_is_neutral_without_terms(self, user: User) -> None:
        assert cosine(load_profile(user, make.NOW), values("glacier")) == 0

    def test_prefers_named_topics(self, user: User) -> None:
        add_starting_interests(user, ["Machine Learning"], [], make.NOW)
        profile = load_profile(user, make.NOW)

        both = cosine(profile, values("machine", "learning"))
        one = cosine(profile, values("machine", "shop"))
        none = cosine(profile, values("football"))
        assert both > one > none
        assert none == 0

    def test_ignores_muted_terms(self, user: User) -> None:
        term(user, "glacier", is_muted=True)

        assert cosine(load_profile(user, make.NOW), values("glacier")) == 0

    def test_fades_learned_terms(self, user: User) -> None:
        InterestProfile.objects.create(user=user, evidence=10, evidence_at=make.NOW)
        term(user, "glacier", 2)

        assert load_profile(user, make.NOW).evidence == 10
        assert load_profile(user, make.NOW + 2 * WEEK).evidence == pytest.approx(8.1)

    def test_takes_two_queries(self, user: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        add_starting_interests(user, [f"topic{n} alone" for n in range(50)], [], make.NOW)

        with django_assert_num_queries(2):
            assert load_profile(user, make.NOW).certainty > 0


class TestRows:
    def test_are_sorted_by_weight_with_shares(self, user: User) -> None:
        term(user, "rust", 2, weeks=1)
        term(user, "golf", -3.6, is_muted=True)
        term(user, "pinned", 0.9, weeks=10, is_pinned=True)

        rows = interest_rows(user, make.NOW)

        assert [(row.term, row.weight, row.share) for row in rows] == [
            ("golf", -3.6, 1.0),
            ("rust", pytest.approx(1.8), pytest.approx(0.5)),
            ("pinned", 0.9, pytest.approx(0.25)),
        ]
        assert [row.is_muted for row in rows] == [True, False, False]
        assert [row.is_pinned for row in rows] == [False, False, True]

    def test_are_limited(self, user: User) -> None:
        for n in range(5):
            term(user, f"term{n}", n)

        assert [row.term for row in interest_rows(user, make.NOW, 2)] == ["term4", "term3"]

    @pytest.mark.parametrize("weight", [None, 0.0], ids=["no terms", "only terms of no weight"])
    def test_are_empty_without_terms(self, user: User, weight: float | None) -> None:
        if weight is not None:
            term(user, "glacier", weight)

        assert [row.share for row in interest_rows(user, make.NOW)] == ([] if weight is None else [0.0])


EDITS: dict[str, tuple[Callable[..., bool], dict[str, object]]] = {
    "raise": (terms.raise_term, {"weight": 1.8 + STEP}),
    "lower": (terms.lower_term, {"weight": 1.8 - STEP}),
    "mute": (terms.mute, {"weight": 1.8, "is_muted": True}),
    "unmute": (terms.unmute, {"weight": 1.8, "is_muted": False}),
    "pin": (terms.pin, {"weight": 1.8, "is_pinned": True}),
    "unpin": (terms.unpin, {"weight": 1.8, "is_pinned": False}),
}


@pytest.mark.parametrize(("edit", "expected"), EDITS.values(), ids=EDITS)
def test_changes_term_at_its_current_weight(user: User, edit: Callable[..., bool], expected: dict[str, object]) -> None:
    mine = term(user, weeks=1)
    theirs = term(make.user(), weeks=1)

    assert edit(user, "glacier", make.NOW)

    mine.refresh_from_db()
    assert {name: getattr(mine, name) for name in expected} == pytest.approx(expected)
    assert mine.engaged_at == make.NOW
    assert InterestProfile.objects.get(user=user).changed_at == make.NOW
    assert InterestProfile.objects.exclude(user=user).get().changed_at is None
    before = theirs.weight, theirs.engaged_at, theirs.is_muted, theirs.is_pinned
    theirs.refresh_from_db()
    assert (theirs.weight, theirs.engaged_at, theirs.is_muted, theirs.is_pinned) == before


@pytest.mark.parametrize("edit", [*(edit for edit, _ in EDITS.values()), terms.remove_term], ids=[*EDITS, "remove"])
def test_does_not_find_terms_of_others(user: User, edit: Callable[..., bool]) -> None:
    theirs = term(make.user())

    assert not edit(user, "glacier", make.NOW)

    assert InterestTerm.objects.get() == theirs
    assert InterestTerm.objects.get().weight == 2.0
    assert not InterestProfile.objects.filter(changed_at__isnull=False).exists()


def test_muting_a_pinned_term_keeps_its_weight(user: User) -> None:
    term(user, weeks=10, is_pinned=True)

    terms.mute(user, "glacier", make.NOW)

    assert weights(user) == {"glacier": 2.0}


def test_removes_only_the_given_term(user: User) -> None:
    term(user)
    term(user, "ice")
    term(make.user())

    assert terms.remove_term(user, "glacier", make.NOW)

    assert weights(user) == {"ice": 2.0}
    assert InterestTerm.objects.count() == 2
    assert InterestProfile.objects.get(user=user).changed_at == make.NOW


@pytest.mark.vendor
def test_reset_deletes_everything_of_one_user(user: User) -> None:
    other = make.user()
    article = make.article(title="Glacier melts")
    for owner in (user, other):
        record_action(owner, article, "liked", now=make.NOW)
    before = weights(other)

    reset(user, make.NOW)

    assert weights(user) == {}
    held = InterestProfile.objects.get(user=user)
    assert (held.evidence, held.changed_at) == (0.0, make.NOW)
    assert cosine(load_profile(user, make.NOW), values("glacier")) == 0
    assert weights(other) == before
    assert Engagement.objects.count() == 2


def test_undoing_actions_from_before_a_reset_changes_nothing(user: User) -> None:
    article = make.article(title="Glacier melts")
    action = record_action(user, article, "liked", now=make.NOW)
    reset(user, make.NOW)
    record_action(user, make.article(title="Glacier grows"), "opened", now=make.NOW)
    before = weights(user)

    assert undo(user, action.pk, now=make.NOW)

    assert weights(user) == before


def test_undo_does_not_unlearn_what_was_not_learned(user: User) -> None:
    article = make.article(title="Glacier melts")
    record_action(user, article, "opened", now=make.NOW)
    before = weights(user)
    set_learning(user, False, make.NOW)
    action = record_action(user, article, "liked", now=make.NOW)
    set_learning(user, True, make.NOW)

    undo(user, action.pk, now=make.NOW)

    assert weights(user) == before
    assert InterestProfile.objects.get().evidence == 1.0
    record_action(user, make.article(title="Glacier grows"), "opened", now=make.NOW)
    assert weights(user)["glacier"] > before["glacier"]


class TestForgetting:
    def test_deletes_faded_learned_terms(self, user: User) -> None:
        term(user, "faded", 0.03, weeks=5)
        term(user, "avoided", -0.03, weeks=5)
        term(user, "strong", 0.1)
        term(user, "named", 0.001, origin=TermOrigin.TOPIC)
        term(user, "pinned", 0.001, is_pinned=True)
        term(user, "muted", 0.001, is_muted=True)
        term(make.user(), "theirs", 0.001)

        assert delete_faded(user, make.NOW) == 2

        assert weights(user).keys() == {"strong", "named", "pinned", "muted"}
        assert InterestTerm.objects.filter(term="theirs").exists()

    def test_keeps_the_strongest(self, user: User) -> None:
        for n in range(6):
            term(user, f"term{n}", (-1) ** n * (n + 1))

        assert delete_faded(user, make.NOW, limit=2) == 4
        assert weights(user) == {"term4": 5, "term5": -6}
