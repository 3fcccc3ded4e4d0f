"""What waits to be mailed: written beside what it tells, asked for again, called off. Each in the caller's transaction.

A mail is called off by whoever switches off what it belongs to, in the same transaction (`call_off`), and not by a look
at the person's plans when it is sent: a digest that somebody asks for by command or by the button "send again" is meant
to go out though its kind is not mailed by plan.
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

from digests.kinds import PLANNED
from digests.links import ALERTS, Subscribed
from digests.models import Digest, MailedNotification, Mailing, MailingKind, MailingState
from reader.models import Notification, NotificationKind

CAN_BE_SENT_AGAIN = (MailingState.FAILED, MailingState.UNCERTAIN)


def queue(digest: Digest, *, now: datetime) -> Mailing:
    """The digest's mail, written to be sent at once; the one there is if it was queued before.

    Raises ValueError for the front page, which is never mailed.
    """
    if digest.kind not in PLANNED:
        raise ValueError(f"No mail is sent of {digest.get_kind_display()}")
    values = {"user_id": digest.user_id, "kind": MailingKind.DIGEST, **_new(now)}
    return Mailing.objects.get_or_create(digest=digest, defaults=values)[0]


def queue_alerts(user: User, notification_ids: Collection[int], *, now: datetime) -> Mailing | None:
    """One mail of those of the user's notifications that no mail told before; None when all were told.

    A mail about mail that did not go out would be one too many: such notifications are left out.
    """
    with transaction.atomic():
        theirs = Notification.objects.filter(user=user, pk__in=notification_ids).exclude(kind=NotificationKind.MAIL)
        held = set(theirs.select_for_update().values_list("pk", flat=True))  # a second worker waits here, then looks
        ids = sorted(held - set(MailedNotification.objects.filter(pk__in=held).values_list("pk", flat=True)))
        if not ids:
            return None
        mailing = Mailing.objects.create(user=user, kind=MailingKind.ALERTS, **_new(now))
        MailedNotification.objects.bulk_create(MailedNotification(pk=pk, mailing=mailing) for pk in ids)
    return mailing


def call_off(subscribed: Subscribed) -> int:
    """Let what waits of this mail not go out any more, for it was switched off; returns how many.

    What is being handed over in this moment goes out.
    """
    waiting = Mailing.objects.filter(user=subscribed.user_id, state=MailingState.WAITING)
    if subscribed.what == ALERTS:
        waiting = waiting.filter(kind=MailingKind.ALERTS)
    else:
        waiting = waiting.filter(kind=MailingKind.DIGEST, digest__kind=subscribed.what)
    reason = _("You switched %(name)s by mail off before it was sent.") % {"name": subscribed.name}
    return waiting.update(state=MailingState.FAILED, claim=None, claimed_until=None, answer=reason)


def send_again(mailing: Mailing, *, now: datetime) -> bool:
    """Let a mail that failed, or perhaps was sent, be sent (once more), with a day for it as if written now.

    Its `message_id` stays, so that a mailbox that has it can tell. False if it waits, is under way, or was sent.
    """
    again = Mailing.objects.filter(pk=mailing.pk, state__in=CAN_BE_SENT_AGAIN)
    values = {"created_at": now, "next_try_at": now, "n_tries": 0, "answer": "", "claim": None, "claimed_until": None}
    return again.update(state=MailingState.WAITING, **values) == 1


def mail_host() -> str:
    """The name that this reader has in mail: the host of BASE_URL, as ASCII."""
    return punycode(urlsplit(settings.BASE_URL).hostname or "localhost")


def _new(now: datetime) -> dict[str, object]:
    return {"message_id": f"<{uuid4().hex}@{mail_host()}>", "created_at": now, "next_try_at": now}
