"""Tasks for accounts. Each is safe to run twice."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from digests.delivery.enqueue import queue_about_account
from digests.delivery.sending import send_one
from digests.models import ABOUT_ACCOUNTS, Mailing, MailingKind
from feeds.tasks.enqueue import call_worker
from reader.models import ImportStatus
from rssmanager.accounts import importing
from rssmanager.accounts.changes import UNDO_PERIOD, delete_expired
from rssmanager.accounts.deletion import delete_data
from rssmanager.accounts.forms import ForgottenForm
from rssmanager.accounts.models import DataImport, PendingDeletion

TAKING_NEW_FOR = timedelta(seconds=50)  # then the next task continues


def import_data(pk: int) -> None:
    """Import a file, or the rest of an interrupted import, then rate everything again."""
    now = timezone.now()
    job = importing.run(pk, now=now, max_items=settings.ENV.FETCH_MAX_ITEMS, is_time_left=_until(now + TAKING_NEW_FOR))
    if job.status == ImportStatus.DONE:
        call_worker("reader.tasks.learning.rate")
    elif job.status == ImportStatus.RUNNING:
        call_worker("rssmanager.accounts.tasks.import_data", pk)


def remove_account(user_id: int) -> None:
    """Remove the data of a deleted account if it is due."""
    now = timezone.now()
    is_done = delete_data(user_id, now=now, is_time_left=_until(now + TAKING_NEW_FOR))
    if not is_done and PendingDeletion.objects.filter(user=user_id, due_at__lte=now).exists():
        call_worker("rssmanager.accounts.tasks.remove_account", user_id)


def _until(end: datetime) -> Callable[[], bool]:
    return lambda: timezone.now() < end


def send_reset(address: str) -> None:
    """Email a password reset link to each account with this address that may sign in by password."""
    form = ForgottenForm({"email": address})
    if form.is_valid():
        for user in form.get_users(form.cleaned_data["email"]):
            send_one(queue_about_account(user, MailingKind.RESET, user.email, now=timezone.now()))


def resume() -> None:
    """Resume interrupted imports and deletions, delete expired changes and emails; every ten minutes."""
    now = timezone.now()
    cutoff = now - timedelta(minutes=20)
    unfinished = DataImport.objects.filter(
        status__in=(ImportStatus.WAITING, ImportStatus.RUNNING), created_at__lt=cutoff
    )
    is_time_left = _until(now + TAKING_NEW_FOR)
    for pk in unfinished.values_list("pk", flat=True):
        if is_time_left():
            import_data(pk)
    for user_id in PendingDeletion.objects.filter(due_at__lt=cutoff).values_list("user_id", flat=True):
        if is_time_left():
            remove_account(user_id)
    delete_expired(now=now)
    Mailing.objects.filter(kind__in=ABOUT_ACCOUNTS, created_at__lt=now - 2 * UNDO_PERIOD).delete()
