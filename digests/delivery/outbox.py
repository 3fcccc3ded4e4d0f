"""Who sends which mail: claims that any number of workers may try for, and what becomes of a mail. Loads nothing heavy.

A mail is claimed by a conditional update, so one worker has it; each step after it holds only while the claim is still
that worker's. A claim that outlives its worker expires: what was not handed over waits again, and of what was, nobody
knows whether it left, so it is said to be in doubt and is not sent again by itself.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from digests.delivery.backing_off import next_try
from digests.delivery.telling import tell_failed, tell_uncertain
from digests.languages import in_language_of
from digests.models import Mailing, MailingState

CLAIM = timedelta(minutes=10)  # to write a mail and give it to a server that takes its time with every command
CLAIM_WHILE_ANSWERING = timedelta(minutes=15)  # above `smtp.ANSWER_TIMEOUT`
LONGEST_ANSWER = 500  # characters, as the column has
_LOOKED_AT = 20  # mails that are due, of which one is surely free unless as many workers are at work


@dataclass(frozen=True, slots=True)
class Claimed:
    """A mail that this worker alone has, with its user and digest loaded."""

    mailing: Mailing
    token: UUID


def mail_waits(now: datetime) -> bool:
    """Whether there is something for `send_due` to do."""
    return _due(now).exists() or _stuck(now).exists()


def claim(now: datetime) -> Claimed | None:
    """The mail that is due longest and that nobody has; None when there is none."""
    for pk in _due(now).order_by("next_try_at", "pk").values_list("pk", flat=True)[:_LOOKED_AT]:
        if (claimed := _claim(_due(now), pk, now)) is not None:
            return claimed
    return None


def claim_one(mailing_id: int, now: datetime) -> Claimed | None:
    """This mail, due or not, if it waits and nobody has it."""
    return _claim(_free(now), mailing_id, now)


def hand_over(claimed: Claimed, now: datetime) -> bool:
    """Record that from now on nobody may know whether it left, and commit it; False if the mail is not ours any more.

    Nothing else may be open in this moment: what is recorded must outlive this process.
    """
    ours = Mailing.objects.filter(pk=claimed.mailing.pk, claim=claimed.token, state=MailingState.WAITING)
    with transaction.atomic(durable=True):
        return ours.update(state=MailingState.HANDING_OVER, claimed_until=now + CLAIM_WHILE_ANSWERING) == 1


def sent(claimed: Claimed, now: datetime) -> None:
    """The server took it; so it is even if it was said to be in doubt meanwhile."""
    _settle(claimed, MailingState.SENT, sent_at=now, answer="")


def postponed(claimed: Claimed, reason: str, now: datetime) -> bool:
    """It surely did not leave: it waits for its next try, or a day is over and it failed (False)."""
    mailing = claimed.mailing
    at = next_try(mailing.n_tries, written_at=mailing.created_at, now=now)
    if at is None:
        failed(claimed, _("Not sent within a day. %(reason)s") % {"reason": reason}, now)
        return False
    _settle(claimed, MailingState.WAITING, next_try_at=at, answer=reason)
    return True


def failed(claimed: Claimed, reason: str, now: datetime) -> None:
    """It did not leave and never will; the person is told."""
    with transaction.atomic():
        if _settle(claimed, MailingState.FAILED, answer=reason):
            tell_failed(claimed.mailing, reason, now=now)


def dropped(claimed: Claimed, reason: str) -> None:
    """There is nobody or nothing to send it for any more; nobody is told."""
    _settle(claimed, MailingState.FAILED, answer=reason)


def in_doubt(claimed: Claimed, reason: str, now: datetime) -> None:
    """Perhaps it left; the person is told."""
    with transaction.atomic():
        if _settle(claimed, MailingState.UNCERTAIN, answer=reason):
            tell_uncertain(claimed.mailing, now=now)


def doubt_stuck(now: datetime) -> int:
    """Say of the mails whose worker died while handing them over that they are in doubt; returns how many."""
    n_doubted = 0
    for mailing in _stuck(now).select_related("digest"):
        with in_language_of(mailing.user_id), transaction.atomic():
            unanswered = _("The worker that sent it stopped before the mail server had answered.")
            still = _stuck(now).filter(pk=mailing.pk, claim=mailing.claim)
            # Its claim stays: should that worker live after all and learn the answer, it may say so.
            if still.update(state=MailingState.UNCERTAIN, claimed_until=None, answer=unanswered):
                tell_uncertain(mailing, now=now)
                n_doubted += 1
    return n_doubted


def _free(now: datetime) -> QuerySet[Mailing]:
    is_free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return Mailing.objects.filter(is_free, state=MailingState.WAITING)


def _due(now: datetime) -> QuerySet[Mailing]:
    return _free(now).filter(next_try_at__lte=now)


def _stuck(now: datetime) -> QuerySet[Mailing]:
    return Mailing.objects.filter(state=MailingState.HANDING_OVER, claimed_until__lte=now)


def _claim(among: QuerySet[Mailing], pk: int, now: datetime) -> Claimed | None:
    token = uuid4()
    if not among.filter(pk=pk).update(claim=token, claimed_until=now + CLAIM, n_tries=F("n_tries") + 1):
        return None
    mailing = Mailing.objects.select_related("user", "digest").filter(pk=pk, claim=token).first()
    return Claimed(mailing, token) if mailing else None


def _settle(claimed: Claimed, state: MailingState, **values: object) -> bool:
    """Write what became of the mail, if it is still ours; a mail that was sent stays sent."""
    ours = Mailing.objects.filter(pk=claimed.mailing.pk, claim=claimed.token).exclude(state=MailingState.SENT)
    answer = str(values.pop("answer"))[:LONGEST_ANSWER]
    return ours.update(state=state, claim=None, claimed_until=None, answer=answer, **values) == 1
