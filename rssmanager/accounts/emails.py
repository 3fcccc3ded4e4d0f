"""Emails about accounts: links to choose a password, and notices of changes.

They wait in the outbox like digests, without their text: links are created when an email is sent. An undo link's token
is stored only as a digest, so neither the database nor a backup can reset or undo anything.
"""

import secrets
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.formats import date_format
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from digests.models import Mailing, MailingKind
from digests.rendering.mail import EmailContent
from reader.preferences.store import time_zone_of
from rssmanager.accounts.changes import digest_of
from rssmanager.accounts.models import AccountChange, ChangeKind, ChangeNotice, UndoLink
from rssmanager.authentication.user_agents import describe_browser


def content_of(mailing: Mailing) -> EmailContent | None:
    """The text of an email, with a new link; None if it is no longer due."""
    if mailing.kind == MailingKind.NOTICE:
        notice = ChangeNotice.objects.filter(mailing=mailing, change__undone_at=None).select_related("change__user")
        return _notice(found) if (found := notice.first()) else None
    return _password_link(mailing)


def _password_link(mailing: Mailing) -> EmailContent | None:
    """None if the user signed in since, like a link that was sent at once, or has another address by now."""
    user, asked_at = mailing.user, mailing.created_at
    has_signed_in = user.last_login is not None and user.last_login > asked_at
    if has_signed_in or user.email != mailing.recipient or not user.is_active:
        return None
    name = "password_reset" if mailing.kind == MailingKind.RESET else "password_link"
    context = {
        "user": user,
        "host": urlsplit(settings.BASE_URL).netloc,
        "origin": urljoin(settings.BASE_URL, "/").rstrip("/"),
        "uid": urlsafe_base64_encode(force_bytes(user.pk)),
        "token": default_token_generator.make_token(user),
    }
    subject = render_to_string(f"registration/{name}_subject.txt", context)
    return EmailContent(subject, render_to_string(f"registration/{name}_email.txt", context))


def _notice(notice: ChangeNotice) -> EmailContent:
    """A change, in the user's time zone."""
    change = notice.change
    token = secrets.token_urlsafe(32) if notice.has_link else ""
    if token:
        UndoLink.objects.create(digest=digest_of(token), change=change)
    with timezone.override(time_zone_of(change.user)):
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
        text = render_to_string("account/notice_email.txt", context)
    host = urlsplit(settings.BASE_URL).netloc
    subject = _("Your account at %(host)s: %(what)s") % {"host": host, "what": change.get_kind_display()}
    return EmailContent(subject, text)


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
