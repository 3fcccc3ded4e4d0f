"""Authority: how far a source is trusted, by its tier and how well its feed answers.

Source: SPEC §8, strategy.md step 4.
"""

TIER_POINTS: dict[int, int] = {1: 95, 2: 80, 3: 65, 4: 50, 5: 30}  # of 100; strategy.md step 4


def authority(tier: int, health: float) -> float:
    """Points in [0, 95] of a source of `tier` (1–5, 1 the best) whose feed has `health`.

    `health` is successful polls / polls over 30 days; beyond [0, 1] it counts as the nearer end.
    Raises ValueError for a tier that does not exist.
    """
    if tier not in TIER_POINTS:
        raise ValueError(f"no such tier: {tier!r}")
    return TIER_POINTS[tier] * min(1.0, max(0.0, health))
