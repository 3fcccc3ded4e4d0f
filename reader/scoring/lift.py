"""Relevance as a person's own rules move it: by a few steps, within the scale. Pure."""

STRENGTHS = (20, 10, -10, -20)  # points of relevance that one rule may give or take
MOST_LIFT = 20  # points that all rules together may move it


def together(points: int) -> int:
    """What rules that give so many points in sum move relevance by."""
    return max(-MOST_LIFT, min(MOST_LIFT, points))


def lifted(relevance: float, points: int) -> float:
    """Relevance (0 to 100) moved by the rules' sum of points, within the scale."""
    return max(0.0, min(100.0, relevance + together(points)))
