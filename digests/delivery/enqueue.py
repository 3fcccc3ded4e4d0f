"""Queues emails: writes them in the caller's transaction, queues them again, cancels them.

Switching off a kind of email cancels what waits of it in the same transaction (`cancel_email`). The user's plans aren't
checked again when an email is sent, because a digest requested by command or "send again" goes out even if its kind
isn't emailed by plan.
"""

from collections.abc import Collection
from datetime import datetime
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.encoding import punycode
from django.utils.translation import gettext as _

from digests.delivery.links import ALERTS, Subscribed
from digests.edition.kinds import PLANNED
from digests.models import Digest, MailedNotification, Mailing, MailingKind, MailingState
from reader.models import Notification, NotificationKind

RESENDABLE = (MailingState.FAILED, MailingState.UNCERTAIN)

LEFT_OUT = (NotificationKind.MAIL, NotificationKind.SENDING, NotificationKind.IMPORT)


def queue(digest: Digest, *, now: datetime) -> Mailing:
    """Queue a digest's email, or return the one that was queued before.

    Raises ValueError for the front page, which is never emailed.
    """
    if digest.kind not in PLANNED:
        raise ValueError(f"{digest.get_kind_display()} is never emailed")
    values = {"user_id": digest.user_id, "kind": MailingKind.DIGEST, **_new(now)}
    return Mailing.objects.get_or_create(digest=digest, defaults=values)[0]


def queue_alerts(user: User, notification_ids: Collection[int], *, now: datetime) -> Mailing | None:
    """Queue one email of those notifications that weren't emailed before; None if all were.

    Notifications about what couldn't be sent are left out.
    """
    with transaction.atomic():
        theirs = Notification.objects.filter(user=user, pk__in=notification_ids).exclude(kind__in=LEFT_OUT)
        locked = set(theirs.select_for_update().values_list("pk", flat=True))  # other workers wait here
        ids = sorted(locked - set(MailedNotification.objects.filter(pk__in=locked).values_list("pk", flat=True)))
        if not ids:
            return None
        mailing = Mailing.objects.create(user=user, kind=MailingKind.ALERTS, **_new(now))
        MailedNotification.objects.bulk_create(MailedNotification(pk=pk, mailing=mailing) for pk in ids)
    return mailing


def queue_about_account(user: User, kind: MailingKind, recipient: str, *, now: datetime) -> Mailing:
    """Queue an email about the user's account, which is only written when it is sent: it may contain a secret link."""
    return Mailing.objects.create(user=user, kind=kind, recipient=recipient, **_new(now))


def cancel_email(subscribed: Subscribed) -> int:
    """Cancel waiting emails of a kind that was switched off; returns how many.

    An email that is being handed over is still sent.
    """
    waiting = Mailing.objects.filter(user=subscribed.user_id, state=MailingState.WAITING)
    if subscribed.what == ALERTS:
        waiting = waiting.filter(kind=MailingKind.ALERTS)
    else:
        waiting = waiting.filter(kind=MailingKind.DIGEST, digest__kind=subscribed.what)
    reason = _("You turned off email for %(name)s before this was sent.") % {"name": subscribed.name}
    return waiting.update(state=MailingState.FAILED, claim=None, claimed_until=None, answer=reason)


def resend(mailing: Mailing, *, now: datetime) -> bool:
    """Queue a failed or unconfirmed email again, as if it were written now.

    Its `message_id` stays the same, so a mailbox that has it can detect the duplicate. False if it is waiting, being
    sent, or was sent.
    """
    again = Mailing.objects.filter(pk=mailing.pk, state__in=RESENDABLE)
    values = {"created_at": now, "next_try_at": now, "n_tries": 0, "answer": "", "claim": None, "claimed_until": None}
    return again.update(state=MailingState.WAITING, **values) == 1


def mail_host() -> str:
    """The host of BASE_URL in ASCII, for message and list ids."""
    return punycode(urlsplit(settings.BASE_URL).hostname or "localhost")


def _new(now: datetime) -> dict[str, object]:
    return {"message_id": f"<{uuid4().hex}@{mail_host()}>", "created_at": now, "next_try_at": now}
