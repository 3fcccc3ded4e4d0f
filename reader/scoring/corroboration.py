"""Corroboration: how many feeds tell the story, and from how far apart. Source: SPEC §8, strategy.md step 4."""

POINTS_PER_FEED = 25
MOST = 100
TIERS_FOR_BONUS = 3
DIVERSITY_BONUS = 10
FEEDS_FOR_MOST = MOST // POINTS_PER_FEED


def corroboration(n_feeds: int, n_tiers: int) -> float:
    """Points in [0, 100] for a story in `n_feeds` distinct feeds whose sources are of `n_tiers` distinct tiers."""
    bonus = DIVERSITY_BONUS if n_tiers >= TIERS_FOR_BONUS else 0
    return float(max(0, min(MOST, n_feeds * POINTS_PER_FEED + bonus)))
