"""Recurring and asked-for work of `feeds`. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django_q.status import Stat

from feeds import checkup
from feeds.calling import call_worker
from feeds.claiming import due_feeds
from feeds.models import Stage
from feeds.pending import n_waiting
from feeds.polling import PollReport
from feeds.purging import stale_stories
from feeds.search import stage as search_stage
from feeds.splitting import not_applied
from feeds.worker import poll_due

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task goes on, perhaps on another worker
SHARE = 100  # due feeds that are worth another worker


def poll() -> None:
    """Poll what is due; every minute. A backlog is shared with all other workers at once."""
    n_workers = _n_workers()
    n_due = due_feeds(timezone.now()).values("pk")[: n_workers * SHARE].count()
    for _ in range(min(n_due // SHARE, n_workers - 1)):
        call_worker("feeds.tasks.poll_share")
    poll_share()


def _n_workers() -> int:
    """Those of all clusters where these say so, by a cache that they share; else those of this one."""
    return sum(len(each.workers) for each in Stat.get_all()) or int(settings.ENV.WORKERS)


def poll_share() -> None:
    """Poll of what is due as much as this worker gets hold of."""
    _follow_up(poll_due(until=timezone.now() + TAKING_NEW_FOR))


def poll_feeds(ids: list[int]) -> None:
    """Poll these feeds, which somebody asked for."""
    _follow_up(poll_due(only=ids))


def _follow_up(report: PollReport) -> None:
    """Let what was new be compared at once; named, not imported, for a worker that polls need not load it."""
    if report.n_new or report.n_revised:
        call_worker("feeds.tasks.index_new")
        call_worker("feeds.dedup_tasks.match_new")


def sort_new() -> None:
    """Call a worker for what waits to be compared or read for events; every minute.

    Only looks, so that no worker loads what these need (200 and 400 MB) while there is nothing to do.
    """
    if n_waiting(Stage.MATCH) or not_applied() or stale_stories().exists():
        call_worker("feeds.dedup_tasks.match_new")
    if n_waiting(Stage.ENRICH):
        call_worker("feeds.enrichment_tasks.enrich_new")


def index_new() -> None:
    """Index the words of what polls brought, for search; every minute."""
    search_stage.index_waiting(until=timezone.now() + TAKING_NEW_FOR)


def refresh_scores() -> None:
    """Health and reliability of the feeds polled in the last two hours; hourly."""
    now = timezone.now()
    checkup.refresh_scores(now=now, since=now - timedelta(hours=2))


def tidy() -> None:
    """Forget old polls and revisions, refresh every feed's scores, try again what could not be indexed; daily."""
    now = timezone.now()
    checkup.forget_old_polls(now=now)
    checkup.forget_old_revisions()
    checkup.refresh_scores(now=now)
    search_stage.try_again()
