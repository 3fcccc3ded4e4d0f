import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reader.scoring.decay import (
    EXTREME,
    NAMES,
    RATES,
    decay_key,
    half_life_days,
    lifespan,
    log_odds,
    time_adjusted,
)
from tests.reader.pulled import relevance_from_decay_key

NOW = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)
RELEVANCES = st.floats(0, 100)
SEEN_RELEVANCES = st.floats(0.01, 100)
SCORES = st.sampled_from(sorted(RATES))
AGES = st.timedeltas(timedelta(0), timedelta(days=3650))


@pytest.mark.parametrize(
    ("score", "name", "rate", "days"),
    [
        pytest.param(1, "evergreen", 0.0019, 364.8, id="evergreen, a year"),
        pytest.param(2, "low", 0.004, 173.3, id="low, where the article's comment says 183"),
        pytest.param(3, "medium", 0.0231, 30.0, id="medium, a month"),
        pytest.param(4, "high", 0.069, 10.0, id="high, ten days"),
        pytest.param(5, "critical", 0.139, 5.0, id="critical, five days"),
    ],
)
def test_each_class_has_the_published_rate(score: int, name: str, rate: float, days: float) -> None:
    assert (NAMES[score], RATES[score]) == (name, rate)
    assert half_life_days(rate) == pytest.approx(days, abs=0.05)


def test_describes_lifespan_of_each_class() -> None:
    assert [lifespan(score) for score in sorted(RATES)] == [
        "relevant for years",
        "relevant for months",
        "relevant for days to weeks",
        "relevant for a day or two",
        "relevant for hours",
    ]


@pytest.mark.parametrize(
    ("relevance", "rate", "age_days", "left"),
    [
        pytest.param(85, 0.35, 2, 73.78, id="the article's example, where odds of 17 to 3 halve twice in four days"),
        pytest.param(85, 0.35, 0, 85, id="at publication"),
        pytest.param(85, 0.35, -3, 85, id="dated ahead"),
        pytest.param(80, math.log(2) / 10, 10, 66.67, id="one half-life, 4 to 1 becomes 2 to 1"),
        pytest.param(80, 0, 1000, 80, id="a rate of nothing"),
        pytest.param(0, 0.139, 1, 0, id="nothing to lose"),
        pytest.param(90, 0.139, 1, 88.68, id="critical after a day"),
        pytest.param(90, 0.0019, 365, 81.81, id="evergreen after a year"),
        pytest.param(2, math.log(2) / 10, 10, 1.01, id="of little, half is left"),
    ],
)
def test_relevance_decays_with_age(relevance: float, rate: float, age_days: float, left: float) -> None:
    assert time_adjusted(relevance, rate=rate, age_days=age_days) == pytest.approx(left, abs=0.005)


def test_rate_zero_has_no_half_life() -> None:
    assert half_life_days(0) == math.inf


@given(RELEVANCES, SCORES, st.floats(-10, 1e5), st.floats(-10, 1e5))
def test_never_rises_with_age(relevance: float, score: int, one: float, other: float) -> None:
    younger, older = sorted((one, other))
    left = time_adjusted(relevance, rate=RATES[score], age_days=older)
    assert 0 <= left <= time_adjusted(relevance, rate=RATES[score], age_days=younger) <= relevance


@given(SEEN_RELEVANCES, SCORES, AGES)
def test_decay_key_inverts_to_time_adjusted_relevance(relevance: float, score: int, age: timedelta) -> None:
    rate = RATES[score]
    stored = decay_key(relevance, rate=rate, published_at=NOW - age)
    expected = time_adjusted(relevance, rate=rate, age_days=age / timedelta(days=1))
    assert relevance_from_decay_key(stored, rate, NOW) == pytest.approx(expected, rel=1e-9)


@given(SCORES, SEEN_RELEVANCES, SEEN_RELEVANCES, AGES, AGES, AGES)
def test_decay_key_sorts_a_class_like_time_adjusted_relevance(
    score: int, one: float, other: float, one_age: timedelta, other_age: timedelta, later: timedelta
) -> None:
    rate, asked_at = RATES[score], NOW + later
    pulls, left = [], []
    for relevance, age in ((one, one_age), (other, other_age)):
        pulls.append(decay_key(relevance, rate=rate, published_at=NOW - age))
        left.append(log_odds(relevance) - rate * ((age + later) / timedelta(days=1)))
        assert relevance_from_decay_key(pulls[-1], rate, asked_at) == pytest.approx(
            100 / (1 + math.exp(-left[-1])), rel=1e-9
        )
    assume(abs(left[0] - left[1]) > 1e-9)
    assert (pulls[0] > pulls[1]) == (left[0] > left[1])


def test_zero_relevance_has_the_lowest_decay_key() -> None:
    stored = decay_key(0, rate=0.004, published_at=NOW)
    assert stored == decay_key(EXTREME, rate=0.004, published_at=NOW) < decay_key(0.01, rate=0.004, published_at=NOW)
    assert relevance_from_decay_key(stored, 0.004, NOW) == pytest.approx(EXTREME, rel=1e-7)


@pytest.mark.parametrize("year", [2027, 9999])
def test_future_dates_do_not_raise_relevance(year: int) -> None:
    stored = decay_key(50, rate=0.139, published_at=NOW.replace(year=year))
    assert relevance_from_decay_key(stored, 0.139, NOW) == pytest.approx(100)
