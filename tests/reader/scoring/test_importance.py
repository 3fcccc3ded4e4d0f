import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.scoring.importance import (
    NEUTRAL_RELEVANCE,
    WEIGHTS,
    Parts,
    importance_at,
    shared_importance,
    static_importance,
)

POINTS = st.floats(0, 100)
PARTS = st.builds(Parts, authority=POINTS, recency=POINTS, corroboration=POINTS, relevance=POINTS, depth=POINTS)


def test_uses_published_weights() -> None:
    assert WEIGHTS == {"authority": 0.25, "recency": 0.2, "corroboration": 0.2, "relevance": 0.2, "depth": 0.15}
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert NEUTRAL_RELEVANCE == 50


@pytest.mark.parametrize(
    ("parts", "importance"),
    [
        pytest.param(Parts(0, 0, 0, 0, 0), 0.0, id="nothing"),
        pytest.param(Parts(100, 100, 100, 100, 100), 100.0, id="everything"),
        pytest.param(Parts(100, 0, 0, 0, 0), 25.0, id="authority alone"),
        pytest.param(Parts(0, 100, 0, 0, 0), 20.0, id="recency alone"),
        pytest.param(Parts(0, 0, 100, 0, 0), 20.0, id="corroboration alone"),
        pytest.param(Parts(0, 0, 0, 100, 0), 20.0, id="relevance alone"),
        pytest.param(Parts(0, 0, 0, 0, 100), 15.0, id="depth alone"),
        pytest.param(Parts(80, 84, 25, 50, 75), 63.05, id="a new article of an established outlet"),
    ],
)
def test_sums_the_weighted_parts(parts: Parts, importance: float) -> None:
    assert parts.importance == pytest.approx(importance)


def test_computes_contribution_of_each_part() -> None:
    contributions = Parts(authority=80, recency=50, corroboration=25, relevance=10, depth=100).contributions()
    assert contributions == pytest.approx(
        {"authority": 20, "recency": 10, "corroboration": 5, "relevance": 2, "depth": 15}
    )
    assert list(contributions) == list(WEIGHTS)


def test_shared_importance_is_at_most_40_and_static_80() -> None:
    assert shared_importance(100, 100) == pytest.approx(40)
    assert static_importance(40, 100, 100) == pytest.approx(80)
    assert importance_at(80, 100) == pytest.approx(100)


@given(PARTS)
def test_stored_importance_plus_recency_is_importance(parts: Parts) -> None:
    stored = static_importance(shared_importance(parts.authority, parts.depth), parts.corroboration, parts.relevance)
    assert importance_at(stored, parts.recency) == pytest.approx(parts.importance, abs=1e-9)


@given(PARTS)
def test_importance_is_between_lowest_and_highest_part(parts: Parts) -> None:
    values = [parts.authority, parts.recency, parts.corroboration, parts.relevance, parts.depth]
    assert min(values) - 1e-9 <= parts.importance <= max(values) + 1e-9


@given(PARTS, st.sampled_from(sorted(WEIGHTS)), POINTS)
def test_importance_rises_with_each_part(parts: Parts, name: str, points: float) -> None:
    values = {weight: getattr(parts, weight) for weight in WEIGHTS}
    changed = Parts(**(values | {name: points}))
    difference = WEIGHTS[name] * (points - values[name])
    assert changed.importance - parts.importance == pytest.approx(difference, abs=1e-9)
