"""Recurring and asked-for work of `reader`. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from feeds.tasks import poll_feeds
from feeds.worker import make_fetcher
from reader import importing
from reader.delivery import deliver
from reader.folding import fold_changes
from reader.models import Import, ImportStatus
from reader.notifications import announce
from reader.subscriptions import settle_merged_feeds


def bring() -> None:
    """Settle merged feeds, deliver new items, fold stories, announce changed conditions; every minute."""
    settle_merged_feeds()
    deliver()
    while fold_changes():
        pass
    announce()


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
