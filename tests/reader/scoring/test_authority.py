import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.scoring.importance import TIER_POINTS, authority

TIERS = st.sampled_from(sorted(TIER_POINTS))


@pytest.mark.parametrize(
    ("tier", "health", "points"),
    [
        pytest.param(1, 1.0, 95.0, id="wire service"),
        pytest.param(2, 1.0, 80.0, id="established outlet"),
        pytest.param(3, 1.0, 65.0, id="niche source"),
        pytest.param(4, 1.0, 50.0, id="expert blog"),
        pytest.param(5, 1.0, 30.0, id="unverified"),
        pytest.param(1, 0.5, 47.5, id="half of the polls failed"),
        pytest.param(2, 0.0, 0.0, id="never answers"),
        pytest.param(4, 1.2, 50.0, id="more than all counts as all"),
        pytest.param(4, -0.2, 0.0, id="less than none counts as none"),
    ],
)
def test_multiplies_the_points_of_the_tier_by_health(tier: int, health: float, points: float) -> None:
    assert authority(tier, health) == points


@pytest.mark.parametrize("tier", [0, 6, -1])
def test_refuses_unknown_tier(tier: int) -> None:
    with pytest.raises(ValueError, match=f"no such tier: {tier}"):
        authority(tier, 1.0)


@given(TIERS, st.floats(0, 1), st.floats(0, 1))
def test_rises_with_health_and_falls_with_tier(tier: int, one: float, other: float) -> None:
    worse, better = sorted((one, other))
    assert 0 <= authority(tier, worse) <= authority(tier, better) <= 95
    assert all(authority(tier, one) >= authority(below, one) for below in range(tier, 6))
