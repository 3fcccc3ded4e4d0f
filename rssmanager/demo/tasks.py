"""Following the sample feeds in the background. Each task is safe to run twice."""

from datetime import timedelta

from django.utils import timezone

from digests.today.refresh import mark_requested
from feeds.tasks.enqueue import call_worker
from reader.models import Import, ImportStatus
from reader.preferences.store import time_zone_of
from reader.tasks.recurring import deliver_new
from rssmanager.demo.install_samples import take_in, unfinished

LEFT_ALONE_FOR = timedelta(minutes=2)  # longer ones were interrupted


def ingest_samples(pk: int) -> None:
    """Follow the sample feeds and deliver their articles first, as the user is waiting; the rest follows."""
    job = Import.objects.get(pk=pk)
    if job.status == ImportStatus.FAILED:  # removed before it started
        return
    mark_requested(job.user, zone=time_zone_of(job.user), now=timezone.now())
    take_in(job, now=timezone.now())
    deliver_new()
    call_worker("rssmanager.demo.process.finish", job.user_id)


def resume() -> None:
    """Resume interrupted imports; every ten minutes."""
    for pk in unfinished(begun_before=timezone.now() - LEFT_ALONE_FOR):
        ingest_samples(pk)
