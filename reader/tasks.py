"""Recurring and asked-for work of `reader`. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django_q.tasks import async_task

from feeds.tasks import poll_feeds
from feeds.worker import make_fetcher
from reader import importing
from reader.delivery import deliver
from reader.folding import fold_changes
from reader.models import Import, ImportStatus
from reader.nights import last_night
from reader.notifications import announce
from reader.standings import refresh_recent
from reader.subscriptions import settle_merged_feeds
from reader.waiting import rating_waits, training_waits


def bring() -> None:
    """Settle merged feeds, deliver new items, fold stories, announce changed conditions; every minute."""
    settle_merged_feeds()
    deliver()
    while fold_changes():
        pass
    announce()


def rank() -> None:
    """Call a worker for what waits to be rated; every minute.

    Only looks, so that no worker loads what rating needs while there is nothing to do.
    """
    if rating_waits(timezone.now()):
        async_task("reader.learning_tasks.rate")
    if settings.ENV.LLM_BASE_URL:
        async_task("reader.language_tasks.ask")


def keep_fresh() -> None:
    """Bring up to date what health and feeds say of recent articles, and have older ones rated anew; half-hourly."""
    refresh_recent(now=timezone.now())
    async_task("reader.learning_tasks.rate_older")


def learn_at_night() -> None:
    """Call a worker to learn from the day, at 01:00 or, if nothing ran then, later; every ten minutes."""
    if training_waits(last_night(timezone.now())):
        async_task("reader.learning_tasks.learn")


def run_import(pk: int) -> None:
    """Run one import, then poll what it brought if it was a single address."""
    job = Import.objects.get(pk=pk)
    fetcher = make_fetcher()
    try:
        importing.run(job, now=timezone.now(), default_max_items=settings.ENV.FETCH_MAX_ITEMS, fetcher=fetcher)
    finally:
        fetcher.close()
    feeds = [pk for pk in job.lines.values_list("feed_id", flat=True) if pk is not None]
    if feeds:
        poll_feeds(feeds)
        bring()


def resume_imports() -> None:
    """Run imports that an interruption left; every ten minutes."""
    cutoff = timezone.now() - timedelta(minutes=20)
    for pk in Import.objects.filter(
        status__in=(ImportStatus.WAITING, ImportStatus.RUNNING), created_at__lt=cutoff
    ).values_list("pk", flat=True):
        run_import(pk)
