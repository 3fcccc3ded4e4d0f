"""Processes the sample feeds at once: stories, scores, a front page, a first digest.

Recurring tasks would do it within minutes, but the user is waiting. This is a separate module because it loads the
language models.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from feeds.search.indexer import index_waiting
from feeds.stories.engine import match
from feeds.stories.event_engine import enrich
from reader.scoring.rate import rate_waiting
from reader.scoring.source_signals import refresh_recent
from reader.subscriptions.read_rates import count_for
from reader.tasks.recurring import deliver_new
from rssmanager.demo import populate

TAKING_NEW_FOR = timedelta(seconds=50)  # then the recurring tasks continue


def finish(user_id: int) -> None:
    """Find stories and events, rate articles, and create the first digests."""
    user = User.objects.get(pk=user_id)
    until = timezone.now() + TAKING_NEW_FOR
    index_waiting(until=until)
    match(until=until)
    enrich(until=until)
    deliver_new()
    refresh_recent(now=timezone.now())
    rate_waiting(until=until)
    populate.tell(user, now=timezone.now())
    count_for(user, now=timezone.now())
