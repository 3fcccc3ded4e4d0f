"""The work of rating and learning, alone in its module: the worker that runs it loads numpy and scikit-learn.

Each task is safe to run twice.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from reader.judge_training import train_judge
from reader.nights import last_night
from reader.rating import mark_changed, mark_older_share, rate_waiting
from reader.training import recount, train_waiting

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task goes on, perhaps on another worker


def rate() -> None:
    """Rate what is new, and what a changed profile bears on."""
    now = timezone.now()
    mark_changed(now=now)
    rate_waiting(until=now + TAKING_NEW_FOR)


def rate_for(user_id: int) -> None:
    """Rate at once what a person's edited interests bear on."""
    mark_changed(now=timezone.now(), user=User.objects.get(pk=user_id))
    rate_waiting(until=timezone.now() + TAKING_NEW_FOR)


def rate_older() -> None:
    """Have a share of the older unread articles rated anew."""
    mark_older_share(now=timezone.now())
    rate_waiting(until=timezone.now() + TAKING_NEW_FOR)


def learn() -> None:
    """What a night is for: count terms anew once a week, train everybody's model and the judge of ageing."""
    now = timezone.now()
    recount(now=now)
    train_judge(now=now)
    train_waiting(last_night(now), now=now)
