"""Emails about account changes.

A notice is stored with the change and sent by a worker. If the mail server refuses it, it is retried until the change
can no longer be undone. The link's token is created with the email and stored only as a digest, so neither the database
nor a backup can undo anything. A repeated email has a new link; both work.
"""

import logging
import secrets
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from digests.delivery.errors import NotAccepted, Unconfirmed
from digests.delivery.outbox import DELAYS
from digests.delivery.smtp import MailServer
from digests.schedule.user_language import in_language_of
from reader.preferences.store import time_zone_of
from rssmanager.accounts.changes import digest_of
from rssmanager.accounts.models import AccountChange, ChangeKind, ChangeNotice, UndoLink
from rssmanager.auth.user_agents import describe_browser

logger = logging.getLogger(__name__)
CLAIM = timedelta(minutes=15)  # after which a notice is retried if its worker died
MAX_UNANSWERED = 2  # attempts, after which an email that may have been sent isn't sent again


def send_due(*, now: datetime) -> int:
    """Send the notices that are due; returns how many were sent."""
    n_sent = 0
    with MailServer() as server:
        for pk in _due(now).order_by("next_try_at", "pk").values_list("pk", flat=True):
            if not _due(now).filter(pk=pk).update(next_try_at=now + CLAIM, n_tries=F("n_tries") + 1):
                continue  # another worker has it
            notice = ChangeNotice.objects.select_related("change__user").get(pk=pk)
            try:
                n_sent += _send(notice, server, now=now)
            except NotAccepted as error:
                _postpone(notice, error, now=now)
                if error.is_for_all:
                    break
    return n_sent


def _due(now: datetime) -> QuerySet[ChangeNotice]:
    """Notices to send; changes undone in the meantime need none."""
    return ChangeNotice.objects.filter(next_try_at__lte=now, change__expires_at__gt=now, change__undone_at=None)


def _send(notice: ChangeNotice, server: MailServer, *, now: datetime) -> bool:
    """Send it; False if the outcome is unknown. Raises NotAccepted."""
    try:
        server.deliver(_render(notice), hand_over=lambda: True)
    except Unconfirmed:
        if notice.n_tries < MAX_UNANSWERED:
            ChangeNotice.objects.filter(pk=notice.pk).update(next_try_at=now + DELAYS[-1])
            return False
    except ValueError as error:  # Django refuses the address
        raise NotAccepted(_("This is not an email address."), is_final=True) from error
    ChangeNotice.objects.filter(pk=notice.pk).update(next_try_at=None)
    return True


def _postpone(notice: ChangeNotice, error: NotAccepted, *, now: datetime) -> None:
    logger.warning("A notice about a change of account %s was not sent: %s", notice.change.user_id, error)
    at = None if error.is_final else now + DELAYS[min(notice.n_tries, len(DELAYS)) - 1]
    ChangeNotice.objects.filter(pk=notice.pk).update(next_try_at=at)


def _render(notice: ChangeNotice) -> EmailMessage:
    """The email, with a new link if it has one, in the owner's language and time zone."""
    change = notice.change
    token = secrets.token_urlsafe(32) if notice.has_link else ""
    if token:
        UndoLink.objects.create(digest=digest_of(token), change=change)
    with in_language_of(change.user_id), timezone.override(time_zone_of(change.user)):
        context = {
            "name": change.user.get_username(),
            "what": describe_change(change),
            "reader": settings.BASE_URL,
            "change": change,
            "at": format_time(change.made_at),
            "until": format_time(change.expires_at),
            "browser": describe_browser(change.agent) if change.agent else "",
            "is_undo": change.kind == ChangeKind.UNDO,
            "can_restore": bool(change.before),
            "link": urljoin(settings.BASE_URL, reverse("undo", args=[token])) if token else "",
        }
        host = urlsplit(settings.BASE_URL).netloc
        subject = _("Your account at %(host)s: %(what)s") % {"host": host, "what": change.get_kind_display()}
        body = render_to_string("account/notice_email.txt", context)
    return EmailMessage(subject, body, to=[notice.recipient], headers={"Auto-Submitted": "auto-generated"})


def describe_change(change: AccountChange) -> str:
    """A sentence that says what happened."""
    if change.kind == ChangeKind.EMAIL:
        return _email_sentence(change.before.get("email", ""), change.detail)
    provider = {"provider": settings.ENV.OIDC_NAME}
    return {
        ChangeKind.PASSWORD: _("The password was changed."),
        ChangeKind.PASSKEY_ADDED: _("A passkey was added, which can now sign in to the account."),
        ChangeKind.PASSKEY_REMOVED: _("A passkey was removed."),
        ChangeKind.FACTOR_ON: _("An authenticator app was set up."),
        ChangeKind.CODES: _("New recovery codes were created. The old ones no longer work."),
        ChangeKind.FACTOR_OFF: _("The authenticator app was removed."),
        ChangeKind.APP_ADDED: _("An app password was created, with which a reading app can use the account."),
        ChangeKind.APP_REVOKED: _("An app password was revoked."),
        ChangeKind.CONNECTED: _("The account was connected to %(provider)s, which can now sign in to it.") % provider,
        ChangeKind.DISCONNECTED: _("The account was disconnected from %(provider)s.") % provider,
        ChangeKind.SESSIONS: _("Other browsers were signed out."),
        ChangeKind.EXPORT: _("All data of the account was downloaded."),
        ChangeKind.DELETION: _("The account was deleted. Its data will be removed after 7 days."),
        ChangeKind.UNDO: _("Recent changes were undone, and every browser was signed out."),
    }[ChangeKind(change.kind)]


def _email_sentence(before: str, after: str) -> str:
    if not after:
        return _("The email address %(before)s was removed.") % {"before": before}
    if not before:
        return _("The email address was set to %(after)s.") % {"after": after}
    return _("The email address was changed from %(before)s to %(after)s.") % {"before": before, "after": after}


def format_time(at: datetime) -> str:
    """Date, time and zone, in the active time zone."""
    local = timezone.localtime(at)
    return f"{date_format(local, 'DATETIME_FORMAT')} ({local:%Z})"
