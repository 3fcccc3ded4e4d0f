"""Sends due emails: claims each, composes it, hands it to the server once, and records the outcome."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.utils import timezone
from django.utils.translation import gettext as _

from digests.delivery import outbox
from digests.delivery.content import email_content_of, links_of
from digests.delivery.errors import ClaimLost, NotAccepted, NothingToSend, Unconfirmed
from digests.delivery.message import compose
from digests.delivery.outbox import Claimed
from digests.delivery.smtp import MailServer
from digests.models import Mailing
from digests.rendering.mail import EmailContent
from digests.schedule.user_language import in_language_of

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]
ContentOf = Callable[[Mailing], EmailContent | None]


@dataclass(slots=True)
class SendReport:
    """The outcomes of one run."""

    n_sent: int = 0
    n_postponed: int = 0
    n_failed: int = 0
    n_dropped: int = 0
    n_unconfirmed: int = 0


def send_due(
    *,
    until: datetime,
    clock: Clock = timezone.now,
    email_content_of: ContentOf = email_content_of,
    server: MailServer | None = None,
) -> SendReport:
    """Send due emails over one connection, starting none after `until`.

    If the server accepts no email at all, the others stay due, and the next run tries with another one.
    """
    report = SendReport(n_unconfirmed=outbox.mark_stuck_unconfirmed(clock()))
    with server or MailServer() as open_server:
        while (now := clock()) < until and (claimed := outbox.claim(now)) is not None:
            if not _send(claimed, open_server, clock, email_content_of, report):
                break
    return report


def send_one(
    mailing: Mailing,
    *,
    clock: Clock = timezone.now,
    email_content_of: ContentOf = email_content_of,
    server: MailServer | None = None,
) -> SendReport:
    """Send an email now, even if it isn't due yet; does nothing if it isn't waiting or another worker has it."""
    report = SendReport()
    if (claimed := outbox.claim_one(mailing.pk, clock())) is not None:
        with server or MailServer() as open_server:
            _send(claimed, open_server, clock, email_content_of, report)
    return report


def _send(claimed: Claimed, server: MailServer, clock: Clock, email_content_of: ContentOf, report: SendReport) -> bool:
    """Send one email in its user's language; False if the server accepts no email right now."""
    with in_language_of(claimed.mailing.user_id):
        return _deliver(claimed, server, clock, email_content_of, report)


def _deliver(
    claimed: Claimed, server: MailServer, clock: Clock, email_content_of: ContentOf, report: SendReport
) -> bool:
    try:
        message = _message(claimed.mailing, email_content_of)
        server.deliver(message, hand_over=lambda: outbox.hand_over(claimed, clock()))
    except ClaimLost:
        logger.info("Email %s was canceled, or another worker has it", claimed.mailing.pk)
    except NothingToSend as reason:
        outbox.drop(claimed, str(reason))
        report.n_dropped += 1
    except Unconfirmed as reason:
        logger.warning("Email %s is unconfirmed: %s", claimed.mailing.pk, reason)
        outbox.mark_unconfirmed(claimed, str(reason), clock())
        report.n_unconfirmed += 1
    except NotAccepted as reason:
        _handle_rejection(claimed, reason, clock(), report)
        return not reason.is_for_all
    else:
        outbox.mark_sent(claimed, clock())
        report.n_sent += 1
    return True


def _message(mailing: Mailing, email_content_of: ContentOf) -> EmailMessage:
    """The message to send. Raises NothingToSend, and NotAccepted without an address or if composing fails."""
    recipient = mailing.recipient or _current_address(mailing.user)
    try:
        content = email_content_of(mailing)
    except Exception as error:  # a bug in one email must not block the others
        logger.exception("Email %s could not be composed", mailing.pk)
        raise NotAccepted(_("The email couldn't be created (%(fault)s).") % {"fault": type(error).__name__}) from error
    if content is None:
        raise NothingToSend(_("Its content no longer exists."))
    return compose(
        content,
        recipient=recipient,
        message_id=mailing.message_id,
        written_at=mailing.created_at,
        links=links_of(mailing),
    )


def _current_address(user: User) -> str:
    if not user.is_active:
        raise NothingToSend(_("The account is deactivated."))
    if not user.email:
        raise NotAccepted(_("You haven't entered an email address."), is_final=True)
    return user.email


def _handle_rejection(claimed: Claimed, reason: NotAccepted, now: datetime, report: SendReport) -> None:
    logger.warning("Email %s was not sent: %s", claimed.mailing.pk, reason)
    if not reason.is_final and outbox.postpone(claimed, str(reason), now):
        report.n_postponed += 1
        return
    if reason.is_final:
        outbox.mark_failed(claimed, str(reason), now)
    report.n_failed += 1
