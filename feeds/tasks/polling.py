"""Recurring and requested tasks of `feeds`. Each is safe to run twice."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django_q.status import Stat

from feeds.content.fetch_icons import delete_unused
from feeds.models import Stage
from feeds.polling import housekeeping
from feeds.polling.engine import poll_due
from feeds.polling.leases import due_feeds
from feeds.polling.poller import PollReport
from feeds.search import indexer as search_indexer
from feeds.storage.purge import stale_stories
from feeds.storage.work_queue import n_waiting
from feeds.stories.splits import pending_splits
from feeds.tasks.enqueue import N_URGENT_WORKERS, call_worker

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task continues, perhaps on another worker
URGENT_FOR = timedelta(seconds=5)  # starting new polls; other users are waiting
SHARE = 100  # due feeds per additional worker


def poll() -> None:
    """Poll due feeds; every minute. A backlog is shared with other workers, except slow feeds: another worker would
    only wait for them as this one does."""
    n_workers = _n_workers()
    n_due = due_feeds(timezone.now()).filter(is_slow=False).values("pk")[: n_workers * SHARE].count()
    for number in range(min(n_due // SHARE, n_workers - 1)):
        call_worker("feeds.tasks.polling.poll_share", number)
    poll_share()


def _n_workers() -> int:
    """The number of workers for background tasks: of all clusters if they share a cache, else of this one."""
    counted = sum(max(0, len(cluster.workers) - N_URGENT_WORKERS) for cluster in Stat.get_all())
    return counted or int(settings.ENV.WORKERS)


def poll_share(number: int = 0) -> None:
    """Poll due feeds until time is up; `number` makes the calls for one backlog distinct."""
    _follow_up(poll_due(until=timezone.now() + TAKING_NEW_FOR))


def poll_feeds(ids: list[int]) -> None:
    """Poll these feeds at a user's request, without waiting for slow publishers, whose feeds stay due."""
    _follow_up(poll_due(only=ids, until=timezone.now() + URGENT_FOR, urgent=True))


def _follow_up(report: PollReport) -> None:
    """Queue indexing and matching of new articles. By name: importing `stories` would load its libraries."""
    if report.n_new or report.n_revised:
        call_worker("feeds.tasks.polling.index_new")
        call_worker("feeds.tasks.stories.match_new")


def sort_new() -> None:
    """Queue matching and enriching if articles are waiting; every minute.

    Only checks, so that no worker loads their libraries (200 and 400 MB) while there is nothing to do.
    """
    if n_waiting(Stage.MATCH) or pending_splits() or stale_stories().exists():
        call_worker("feeds.tasks.stories.match_new")
    if n_waiting(Stage.ENRICH):
        call_worker("feeds.tasks.events.enrich_new")


def index_new() -> None:
    """Index new articles for search; every minute."""
    search_indexer.index_waiting(until=timezone.now() + TAKING_NEW_FOR)


def refresh_scores() -> None:
    """Update health and reliability of the feeds polled in the last two hours; hourly."""
    now = timezone.now()
    housekeeping.refresh_scores(now=now, since=now - timedelta(hours=2))


def tidy() -> None:
    """Delete old polls, revisions and icons, update every feed's scores and kind; daily."""
    now = timezone.now()
    housekeeping.delete_old_polls(now=now)
    housekeeping.delete_old_revisions()
    delete_unused()
    housekeeping.refresh_scores(now=now)
    housekeeping.classify_feeds(now=now)
