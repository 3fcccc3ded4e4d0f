"""Taking the sample feeds in the background. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.utils import timezone

from digests.renewing import promise
from feeds.calling import call_worker
from reader.models import Import, ImportStatus
from reader.preferences import time_zone_of
from reader.tasks import bring
from rssmanager.demo.taking import take_in, unfinished

LEFT_ALONE_FOR = timedelta(minutes=2)  # whoever takes longer was interrupted


def take_samples(pk: int) -> None:
    """Follow the sample feeds and bring what they hold: somebody waits for something to read. The rest comes after."""
    job = Import.objects.get(pk=pk)
    if job.status == ImportStatus.FAILED:  # left before it began
        return
    promise(job.user, zone=time_zone_of(job.user), now=timezone.now())
    take_in(job, now=timezone.now())
    bring()
    call_worker("rssmanager.demo.finishing.finish", job.user_id)


def resume() -> None:
    """Go on with what an interruption left; every ten minutes."""
    for pk in unfinished(begun_before=timezone.now() - LEFT_ALONE_FOR):
        take_samples(pk)
