"""Training labels from a user's actions: one label per article."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

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
from reader.models import ArticleFeatures, InterestProfile

YEAR = timedelta(days=365)  # of labels; feedoscope-article.md, Pulling the training data
MIN_WEIGHT = 1.0  # of labels from deliberate actions; passed-over articles are guesses, which only the profile uses
MAX_LABELS = 20_000  # the newest; training takes about a minute
_CHUNK = 1000  # articles per query

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


def load_training_labels(user: User, *, now: datetime) -> list[Label]:
    """The labels that a model trained at `now` learns from, oldest first: the last year's deliberate actions since the
    user's reset, on articles with features."""
    usable = [label for label in load_labels(user, since=_since(user, now)) if label.weight >= MIN_WEIGHT]
    usable = usable[-MAX_LABELS:]
    with_features: set[int] = set()
    for start in range(0, len(usable), _CHUNK):
        ids = [label.article_id for label in usable[start : start + _CHUNK]]
        with_features.update(ArticleFeatures.objects.filter(article__in=ids).values_list("article_id", flat=True))
    return [label for label in usable if label.article_id in with_features]


def _since(user: User, now: datetime) -> datetime:
    """The start of the training data: a year ago, or the user's reset."""
    forgotten_at = InterestProfile.objects.filter(user=user).values_list("forgotten_at", flat=True).first()
    return max(now - YEAR, forgotten_at) if forgotten_at else now - YEAR


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
