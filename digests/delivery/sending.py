"""Send what waits: each mail claimed, written, handed to the server once, and settled by what that said."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.core.mail import EmailMessage
from django.utils import timezone
from django.utils.translation import gettext as _

from digests.delivery import outbox
from digests.delivery.composing import compose
from digests.delivery.errors import ClaimLost, NothingToSend, NotTaken, Unanswered
from digests.delivery.letters import letter_of, links_of
from digests.delivery.outbox import Claimed
from digests.delivery.smtp import MailServer
from digests.languages import in_language_of
from digests.models import Mailing
from digests.rendering.mail import Letter

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]
LetterOf = Callable[[Mailing], Letter | None]


@dataclass(slots=True)
class SendReport:
    """What became of the mails that a run took up."""

    n_sent: int = 0
    n_postponed: int = 0
    n_failed: int = 0
    n_dropped: int = 0
    n_in_doubt: int = 0


def send_due(
    *,
    until: datetime,
    clock: Clock = timezone.now,
    letter_of: LetterOf = letter_of,
    server: MailServer | None = None,
) -> SendReport:
    """Send what is due, taking up none after `until`; one connection serves them all.

    When the server takes no mail at all, one mail has learned it for all: the others stay due, and the next run tries
    with another one.
    """
    report = SendReport(n_in_doubt=outbox.doubt_stuck(clock()))
    with server or MailServer() as open_server:
        while (now := clock()) < until and (claimed := outbox.claim(now)) is not None:
            if not _send(claimed, open_server, clock, letter_of, report):
                break
    return report


def send_one(
    mailing: Mailing,
    *,
    clock: Clock = timezone.now,
    letter_of: LetterOf = letter_of,
    server: MailServer | None = None,
) -> SendReport:
    """Send this mail now, before its time if need be; nothing if it does not wait or somebody has it."""
    report = SendReport()
    if (claimed := outbox.claim_one(mailing.pk, clock())) is not None:
        with server or MailServer() as open_server:
            _send(claimed, open_server, clock, letter_of, report)
    return report


def _send(claimed: Claimed, server: MailServer, clock: Clock, letter_of: LetterOf, report: SendReport) -> bool:
    """One mail in its person's language, to its end; False if the server takes no mail at present."""
    with in_language_of(claimed.mailing.user_id):
        return _sent(claimed, server, clock, letter_of, report)


def _sent(claimed: Claimed, server: MailServer, clock: Clock, letter_of: LetterOf, report: SendReport) -> bool:
    try:
        message = _message(claimed.mailing, letter_of)
        server.deliver(message, hand_over=lambda: outbox.hand_over(claimed, clock()))
    except ClaimLost:
        logger.info("Mailing %s was called off, or another worker has it", claimed.mailing.pk)
    except NothingToSend as reason:
        outbox.dropped(claimed, str(reason))
        report.n_dropped += 1
    except Unanswered as reason:
        logger.warning("Mailing %s is in doubt: %s", claimed.mailing.pk, reason)
        outbox.in_doubt(claimed, str(reason), clock())
        report.n_in_doubt += 1
    except NotTaken as reason:
        _not_taken(claimed, reason, clock(), report)
        return not reason.is_for_all
    else:
        outbox.sent(claimed, clock())
        report.n_sent += 1
    return True


def _message(mailing: Mailing, letter_of: LetterOf) -> EmailMessage:
    """The mail as it goes out. Raises NothingToSend, and NotTaken when there is no address or it cannot be written."""
    if not mailing.user.is_active:
        raise NothingToSend(_("The account is switched off."))
    if not mailing.user.email:
        raise NotTaken(_("You have given no e-mail address."), is_final=True)
    try:
        letter = letter_of(mailing)
    except Exception as error:  # a fault of ours in one mail must not keep the others from being sent
        logger.exception("Mailing %s could not be written", mailing.pk)
        raise NotTaken(_("It could not be written (%(fault)s).") % {"fault": type(error).__name__}) from error
    if letter is None:
        raise NothingToSend(_("What it told is no more."))
    return compose(
        letter,
        recipient=mailing.user.email,
        message_id=mailing.message_id,
        written_at=mailing.created_at,
        links=links_of(mailing),
    )


def _not_taken(claimed: Claimed, reason: NotTaken, now: datetime, report: SendReport) -> None:
    logger.warning("Mailing %s was not sent: %s", claimed.mailing.pk, reason)
    if not reason.is_final and outbox.postponed(claimed, str(reason), now):
        report.n_postponed += 1
        return
    if reason.is_final:
        outbox.failed(claimed, str(reason), now)
    report.n_failed += 1
