from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.scoring.importance import DEFAULT_RECENCY_RATE, hours_between, recency

NOW = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)
AGES = st.floats(-1e6, 1e6)
RATES = st.floats(0, 1)


@pytest.mark.parametrize(("age", "points"), [(0, 100), (6, 84), (12, 70), (24, 49), (48, 24), (72, 12)])
def test_gives_the_published_table(age: int, points: int) -> None:
    assert round(recency(age)) == points


@pytest.mark.parametrize(("rate", "after_a_day"), [(0.01, 78.66), (0.03, 48.68), (0.05, 30.12)])
def test_decays_by_the_chosen_rate(rate: float, after_a_day: float) -> None:
    assert recency(24, rate=rate) == pytest.approx(after_a_day, abs=0.005)


def test_halves_after_23_hours_by_default() -> None:
    assert recency(23.1) == pytest.approx(50, abs=0.01)
    assert DEFAULT_RECENCY_RATE == 0.03


def test_deducts_a_fifth_for_uncertain_dates() -> None:
    assert recency(0, is_uncertain=True) == 80
    assert recency(12, is_uncertain=True) == pytest.approx(0.8 * recency(12))


def test_future_dates_count_as_new() -> None:
    assert recency(-5) == recency(0) == 100


def test_does_not_decay_at_rate_0() -> None:
    assert recency(1e6, rate=0) == 100


def test_refuses_a_rate_below_0() -> None:
    with pytest.raises(ValueError, match="not below 0"):
        recency(1, rate=-0.01)


@given(AGES, AGES, RATES, st.booleans())
def test_stays_in_range_and_never_rises_with_age(one: float, other: float, rate: float, is_uncertain: bool) -> None:
    younger, older = sorted((one, other))
    left = recency(older, rate=rate, is_uncertain=is_uncertain)
    assert 0 <= left <= recency(younger, rate=rate, is_uncertain=is_uncertain) <= 100


@pytest.mark.parametrize(
    ("published_at", "hours"),
    [
        pytest.param(NOW, 0.0, id="now"),
        pytest.param(NOW - timedelta(minutes=90), 1.5, id="earlier"),
        pytest.param(NOW + timedelta(hours=2), -2.0, id="dated ahead"),
        pytest.param(datetime(2026, 11, 21, 14, 5, tzinfo=timezone(timedelta(hours=8))), 8.0, id="another zone"),
    ],
)
def test_counts_hours_between_two_times(published_at: datetime, hours: float) -> None:
    assert hours_between(published_at, NOW) == hours
