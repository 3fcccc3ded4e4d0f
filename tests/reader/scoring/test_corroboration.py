import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.scoring.importance import corroboration

COUNTS = st.integers(0, 1000)
TIERS = st.integers(0, 5)


@pytest.mark.parametrize(
    ("n_publishers", "n_tiers", "points"),
    [
        pytest.param(0, 0, 0.0, id="no publisher"),
        pytest.param(1, 1, 25.0, id="one publisher"),
        pytest.param(2, 1, 50.0, id="two of one tier"),
        pytest.param(2, 2, 50.0, id="two tiers add nothing"),
        pytest.param(3, 2, 75.0, id="three of two tiers"),
        pytest.param(3, 3, 85.0, id="three tiers add ten"),
        pytest.param(4, 1, 100.0, id="four are enough"),
        pytest.param(4, 4, 100.0, id="capped with the bonus"),
        pytest.param(300, 5, 100.0, id="many"),
    ],
)
def test_gives_25_points_per_publisher_and_10_for_three_tiers(n_publishers: int, n_tiers: int, points: float) -> None:
    assert corroboration(n_publishers, n_tiers) == points


@given(COUNTS, COUNTS, TIERS, TIERS)
def test_stays_in_range_and_never_falls_with_publishers_or_tiers(
    one: int, other: int, one_tiers: int, other_tiers: int
) -> None:
    fewer, more = sorted((one, other))
    less_diverse, more_diverse = sorted((one_tiers, other_tiers))
    assert 0 <= corroboration(fewer, less_diverse) <= corroboration(more, more_diverse) <= 100
