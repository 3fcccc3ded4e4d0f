"""Tasks for accounts. Each is safe to run twice."""

from datetime import timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from feeds.tasks.enqueue import call_worker
from reader.models import ImportStatus
from rssmanager.accounts import importing, notices
from rssmanager.accounts.changes import delete_expired
from rssmanager.accounts.deletion import delete_data
from rssmanager.accounts.forms import ForgottenForm, PasswordLinkForm
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
        form.save(**_link_email("password_reset"))


def send_password_link(user_id: int) -> None:
    """Email a user the link to choose a password that an administrator asked for."""
    user = User.objects.filter(pk=user_id, is_active=True).exclude(email="").first()
    if user is not None and (form := PasswordLinkForm(user)).is_valid():
        form.save(**_link_email("password_link"))


def _link_email(name: str) -> dict[str, Any]:
    """Arguments for `PasswordResetForm.save`: the templates of an email, with links to `BASE_URL`."""
    host = urlsplit(settings.BASE_URL).netloc
    return {
        "domain_override": host,
        "subject_template_name": f"registration/{name}_subject.txt",
        "email_template_name": f"registration/{name}_email.txt",
        "extra_email_context": {"origin": urljoin(settings.BASE_URL, "/").rstrip("/"), "host": host},
    }


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
