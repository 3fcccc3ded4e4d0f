"""Training labels from a user's actions: one label per article."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from reader.interests.engagement import load_actions
from reader.interests.learning.engagement_weights import (
    DISLIKED,
    GAINS,
    LIKED,
    OPENED,
    PASSED,
    SKIPPED,
    STARRED,
    Action,
    active_actions,
)

# How much an example counts. Feedoscope-article.md counts openings and skips equally; explicit actions count double;
# being passed over is a guess, and there are many of them.
WEIGHTS = {OPENED: 1.0, SKIPPED: 1.0, LIKED: 2.0, STARRED: 2.0, DISLIKED: 2.0, PASSED: 0.2}


@dataclass(frozen=True, slots=True)
class Label:
    """Whether an article is relevant, how much that counts, and when the last action was."""

    article_id: int
    is_positive: bool
    weight: float
    at: datetime


def load_labels(user: User, *, since: datetime) -> list[Label]:
    """Labels from the user's actions since `since`, oldest first; one statement.

    The same actions count as for the profile (`active_actions`); those of one article never contradict each other, and
    the heaviest gives the weight. Resetting the profile or turning learning off changes no labels.
    """
    labels = (_label(article_id, actions) for article_id, actions in load_actions(user, since=since).items())
    return sorted((label for label in labels if label), key=lambda label: (label.at, label.article_id))


def _label(article_id: int, actions: Iterable[Action]) -> Label | None:
    active = active_actions(actions)
    if not active:
        return None
    return Label(
        article_id=article_id,
        is_positive=all(GAINS[kind] > 0 for kind in active),
        weight=max(WEIGHTS[kind] for kind in active),
        at=max(action.at for action in active.values()),
    )
