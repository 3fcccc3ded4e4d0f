"""What people ask of their data. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from feeds.calling import call_worker
from reader.models import ImportStatus
from rssmanager.account import importing
from rssmanager.account.leaving import remove
from rssmanager.account.models import DataImport, Leaving


def import_data(pk: int) -> None:
    """Take in a file of everything, or what an interruption left of it, and have all rated by what is known now."""
    job = importing.run(pk, now=timezone.now(), max_items=settings.ENV.FETCH_MAX_ITEMS)
    if job.status == ImportStatus.DONE:
        call_worker("reader.learning_tasks.rate_for", job.user_id)


def remove_account(user_id: int) -> None:
    """Take away what an account held that its person deleted."""
    remove(user_id)


def resume() -> None:
    """Go on with what an interruption left; every ten minutes."""
    cutoff = timezone.now() - timedelta(minutes=20)
    unfinished = DataImport.objects.filter(
        status__in=(ImportStatus.WAITING, ImportStatus.RUNNING), created_at__lt=cutoff
    )
    for pk in unfinished.values_list("pk", flat=True):
        import_data(pk)
    for user_id in Leaving.objects.filter(asked_at__lt=cutoff).values_list("user_id", flat=True):
        remove_account(user_id)
