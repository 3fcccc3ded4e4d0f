"""The work of making digests, alone in its module: the worker that runs it loads scikit-learn.

Each task is safe to run twice.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from digests.diversity_making import make as make_spread
from digests.making import make_due as make_due_digests
from digests.making import make_today as make_front_page
from digests.summary_writing import writer_from_settings
from digests.waiting import hold, stale_pages
from reader.rating import rate_waiting

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task goes on, perhaps on another worker
RATING_FOR = timedelta(seconds=60)  # before digests: what came in last is not left out


def make_due() -> None:
    """Make the digests whose time has come."""
    rate_waiting(until=timezone.now() + RATING_FOR)
    make_due_digests(until=timezone.now() + TAKING_NEW_FOR, writer=writer_from_settings)


def make_today(user_id: int) -> None:
    """Make one person's front page anew."""
    rate_waiting(until=timezone.now() + RATING_FOR)
    make_front_page(User.objects.get(pk=user_id), now=timezone.now())


def renew_pages() -> None:
    """Make anew the front pages that somebody looks at these days and that are outdated."""
    until = timezone.now() + TAKING_NEW_FOR
    while (now := timezone.now()) < until:
        page = next((each for each in stale_pages(now)[:20] if hold(each, now)), None)
        if page is None:
            return
        make_front_page(page.user, now=now)


def make_diversity(user_id: int) -> None:
    """Find out how one person's subscriptions are spread over topics."""
    make_spread(User.objects.get(pk=user_id), now=timezone.now())
