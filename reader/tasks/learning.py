"""Rating and learning tasks, in a module of their own: the worker that runs them loads numpy and scikit-learn.

Each task is safe to run twice.
"""

from datetime import timedelta

from django.utils import timezone

from reader.interests.backlog import last_night
from reader.interests.train import refresh_idf, train_due
from reader.scoring.rate import rate_waiting
from reader.scoring.sensitivity_train import train_sensitivity

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task continues, perhaps on another worker


def rate() -> None:
    """Rate new articles, and unread ones of users whose interests changed."""
    rate_waiting(until=timezone.now() + TAKING_NEW_FOR)


def learn() -> None:
    """Nightly: rebuild the IDF table once a week, train the time sensitivity classifier and users' models.

    The next task trains the users that are left.
    """
    now = timezone.now()
    refresh_idf(now=now)
    train_sensitivity(now=now)
    until = timezone.now() + TAKING_NEW_FOR
    train_due(last_night(now), now=now, is_time_left=lambda: timezone.now() < until)
