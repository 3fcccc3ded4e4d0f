"""What makes lists of the sample feeds a filled reader: stories, scores, a front page, a first digest.

The recurring tasks would do all of it within some minutes, one after another; somebody is looking, so it is done at
once. Alone in its module: the worker that runs it loads the language models.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from feeds.deduplication import match
from feeds.enrichment import enrich
from feeds.search.stage import index_waiting
from reader.figuring import count_for
from reader.rating import mark_changed, rate_waiting
from reader.standings import refresh_recent
from reader.tasks import bring
from rssmanager.demo import tour

TAKING_NEW_FOR = timedelta(minutes=2)  # of whatever waits in this installation; then the recurring tasks go on


def finish(user_id: int) -> None:
    """Compare what came, find who reports on the same events, and then rate and tell it."""
    user = User.objects.get(pk=user_id)
    until = timezone.now() + TAKING_NEW_FOR
    index_waiting(until=until)
    match(until=until)
    enrich(until=until)
    bring()
    refresh_recent(now=timezone.now())
    mark_changed(now=timezone.now(), user=user)
    rate_waiting(until=until)
    tour.tell(user, now=timezone.now())
    count_for(user, now=timezone.now())
