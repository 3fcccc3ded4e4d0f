"""Makes digests. In a module of its own because it loads scikit-learn. Each task is safe to run twice."""

import logging
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from digests.assembly.llm_summaries import writer_from_settings
from digests.assembly.make import DIGEST_SECONDS, request_texts_of_planned
from digests.assembly.make import make_due as make_due_digests
from digests.assembly.make import make_today as make_front_page
from digests.today.stale import hold, stale_pages
from feeds.errors import TimeLimitExceeded
from feeds.storage.work_limit import work_limit
from reader.scoring.rate import rate_waiting

logger = logging.getLogger(__name__)

TAKING_NEW_FOR = timedelta(seconds=50)  # then the next task continues
RATING_FOR = timedelta(seconds=20)  # before digests, so that they include the latest articles


def make_due() -> None:
    """Make the digests that are due."""
    rate_waiting(until=timezone.now() + RATING_FOR)
    make_due_digests(until=timezone.now() + TAKING_NEW_FOR, writer=writer_from_settings)


def request_texts() -> None:
    """Request the full texts for digests that will soon be due."""
    rate_waiting(until=timezone.now() + RATING_FOR)
    request_texts_of_planned(timezone.now())


def make_today(user_id: int) -> None:
    """Make a user's front page."""
    rate_waiting(until=timezone.now() + RATING_FOR)
    make_front_page(User.objects.get(pk=user_id), now=timezone.now())


def renew_pages() -> None:
    """Replace outdated front pages of active users."""
    until = timezone.now() + TAKING_NEW_FOR
    while (now := timezone.now()) < until:
        page = next((stale_page for stale_page in stale_pages(now)[:20] if hold(stale_page, now)), None)
        if page is None:
            return
        try:
            with work_limit(DIGEST_SECONDS):
                make_front_page(page.user, now=now)
        except TimeLimitExceeded:
            logger.exception("The front page of user %s couldn't be made", page.user_id)
