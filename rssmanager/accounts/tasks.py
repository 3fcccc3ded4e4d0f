"""Tasks for accounts. Each is safe to run twice."""

from datetime import timedelta
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.utils import timezone

from feeds.tasks.enqueue import call_worker
from reader.models import ImportStatus
from rssmanager.accounts import importing, notices
from rssmanager.accounts.changes import delete_expired
from rssmanager.accounts.deletion import delete_data
from rssmanager.accounts.forms import ForgottenForm
from rssmanager.accounts.models import DataImport, PendingDeletion


def import_data(pk: int) -> None:
    """Import a file, or the rest of an interrupted import, then rate everything again."""
    job = importing.run(pk, now=timezone.now(), max_items=settings.ENV.FETCH_MAX_ITEMS)
    if job.status == ImportStatus.DONE:
        call_worker("reader.tasks.learning.rate_for", job.user_id)


def remove_account(user_id: int) -> None:
    """Remove the data of a deleted account if it is due."""
    delete_data(user_id, now=timezone.now())


def send_notices() -> None:
    """Send due emails about account changes."""
    notices.send_due(now=timezone.now())


def send_reset(address: str) -> None:
    """Email a password reset link to each account with this address that may sign in by password.

    Links lead to `BASE_URL`, whatever host the request named.
    """
    form = ForgottenForm({"email": address})
    if form.is_valid():
        form.save(
            domain_override=urlsplit(settings.BASE_URL).netloc,
            subject_template_name="registration/password_reset_subject.txt",
            email_template_name="registration/password_reset_email.txt",
            extra_email_context={"origin": urljoin(settings.BASE_URL, "/").rstrip("/")},
        )


def resume() -> None:
    """Resume interrupted imports and deletions, send due emails, delete expired changes; every ten minutes."""
    now = timezone.now()
    cutoff = now - timedelta(minutes=20)
    unfinished = DataImport.objects.filter(
        status__in=(ImportStatus.WAITING, ImportStatus.RUNNING), created_at__lt=cutoff
    )
    for pk in unfinished.values_list("pk", flat=True):
        import_data(pk)
    for user_id in PendingDeletion.objects.filter(due_at__lt=cutoff).values_list("user_id", flat=True):
        remove_account(user_id)
    delete_expired(now=now)
    notices.send_due(now=now)
