"""The mails that wait: claimed by any number of workers, and what becomes of each. Loads nothing heavy.

A mail is claimed by a conditional update, so one worker has it; each later step holds only while the claim is still
that worker's. A claim that outlives its worker expires: a mail that was not handed over waits again. Of one that was,
it is unknown whether it was sent, so its state is uncertain and it isn't sent again by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils.dateformat import format as dated
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.edition.kinds import Kind
from digests.models import ABOUT_ACCOUNTS, Mailing, MailingKind, MailingState
from digests.schedule.user_language import in_language_of
from reader.models import Notification, NotificationKind
from reader.views.site_paths import strip_prefix

DELAYS = tuple(timedelta(minutes=n) for n in (1, 5, 15, 30, 60))  # after each try; from then on the last one
GIVES_UP_AFTER = timedelta(hours=24)  # from when the mail was queued; a digest of yesterday is no news
NOTICES_GIVE_UP_AFTER = timedelta(days=7)  # as long as the change of the account can be undone
CLAIM = timedelta(minutes=10)  # to write a mail and give it to a server that takes its time with every command
CLAIM_WHILE_ANSWERING = timedelta(minutes=15)  # above `smtp.ANSWER_TIMEOUT`
MAX_ANSWER = 500  # characters, as the column has
_CANDIDATES = 20  # due mails to try; one of them is free unless as many workers are running


@dataclass(frozen=True, slots=True)
class Claimed:
    """A mail that only this worker has, with its user and digest loaded."""

    mailing: Mailing
    token: UUID


def has_due_mail(now: datetime) -> bool:
    """Whether `send_due` has anything to do."""
    return _due(now).exists() or _stuck(now).exists()


def claim(now: datetime) -> Claimed | None:
    """The mail that has been due longest and is free; None if there is none."""
    for pk in _due(now).order_by("next_try_at", "pk").values_list("pk", flat=True)[:_CANDIDATES]:
        if (claimed := _claim(_due(now), pk, now)) is not None:
            return claimed
    return None


def claim_one(mailing_id: int, now: datetime) -> Claimed | None:
    """This mail, due or not, if it waits and is free."""
    return _claim(_free(now), mailing_id, now)


def hand_over(claimed: Claimed, now: datetime) -> bool:
    """Record that the mail may be sent from now on, and commit that; False if the mail is no longer ours.

    No other transaction may be open: the record must outlive this process.
    """
    ours = Mailing.objects.filter(pk=claimed.mailing.pk, claim=claimed.token, state=MailingState.WAITING)
    with transaction.atomic(durable=True):
        return ours.update(state=MailingState.HANDING_OVER, claimed_until=now + CLAIM_WHILE_ANSWERING) == 1


def mark_sent(claimed: Claimed, now: datetime) -> None:
    """The server accepted it. This holds even if its state became uncertain in the meantime."""
    _close(claimed, MailingState.SENT, sent_at=now, answer="")


def postpone(claimed: Claimed, reason: str, now: datetime) -> bool:
    """It was certainly not sent: let it wait for its next try, or fail after a day (False)."""
    mailing = claimed.mailing
    is_notice = mailing.kind == MailingKind.NOTICE
    lasts = NOTICES_GIVE_UP_AFTER if is_notice else GIVES_UP_AFTER
    at = next_try(mailing.n_tries, queued_at=mailing.created_at, now=now, lasts=lasts)
    if at is None:
        late = _("Not sent within a week. %(reason)s") if is_notice else _("Not sent within a day. %(reason)s")
        mark_failed(claimed, late % {"reason": reason}, now)
        return False
    _close(claimed, MailingState.WAITING, next_try_at=at, answer=reason)
    return True


def mark_failed(claimed: Claimed, reason: str, now: datetime) -> None:
    """It was not sent and never will be; notify the user."""
    with transaction.atomic():
        if _close(claimed, MailingState.FAILED, answer=reason):
            notify_failed(claimed.mailing, reason, now=now)


def drop(claimed: Claimed, reason: str) -> None:
    """Fail without a notification, because the content no longer exists; forget an email about an account."""
    if claimed.mailing.kind in ABOUT_ACCOUNTS:
        Mailing.objects.filter(pk=claimed.mailing.pk, claim=claimed.token).delete()
    else:
        _close(claimed, MailingState.FAILED, answer=reason)


def mark_unconfirmed(claimed: Claimed, reason: str, now: datetime) -> None:
    """It may have been sent; notify the user."""
    with transaction.atomic():
        if _close(claimed, MailingState.UNCERTAIN, answer=reason):
            notify_uncertain(claimed.mailing, now=now)


def mark_stuck_unconfirmed(now: datetime) -> int:
    """Mark mails as uncertain whose worker died while handing them over; returns how many."""
    n_doubted = 0
    for mailing in _stuck(now).select_related("digest"):
        with in_language_of(mailing.user_id), transaction.atomic():
            unanswered = _("The worker that sent it stopped before the mail server answered.")
            still = _stuck(now).filter(pk=mailing.pk, claim=mailing.claim)
            # The claim stays: if that worker is alive after all and gets the answer, it can record it.
            if still.update(state=MailingState.UNCERTAIN, claimed_until=None, answer=unanswered):
                notify_uncertain(mailing, now=now)
                n_doubted += 1
    return n_doubted


def next_try(n_tries: int, *, queued_at: datetime, now: datetime, lasts: timedelta = GIVES_UP_AFTER) -> datetime | None:
    """When to try again after `n_tries`, the last of which failed at `now`; None when the time is over.

    The last try is at the end of the time, not up to an hour before.
    """
    ends_at = queued_at + lasts
    if now >= ends_at:
        return None
    return min(now + DELAYS[min(max(n_tries, 1), len(DELAYS)) - 1], ends_at)


def notify_failed(mailing: Mailing, reason: str, *, now: datetime) -> None:
    """Notify the user that an email wasn't sent, with a link to its content."""
    _notify(mailing, _("%(mail)s couldn't be sent. %(reason)s") % {"mail": _name(mailing), "reason": reason}, now)


def notify_uncertain(mailing: Mailing, *, now: datetime) -> None:
    """Notify the user that a mail may have been sent; only they can find out."""
    text = _(
        "%(mail)s may not have been sent: the mail server didn't confirm it. Check your inbox. To avoid "
        "duplicates, we won't resend it."
    )
    _notify(mailing, text % {"mail": _name(mailing)}, now)


def _name(mailing: Mailing) -> str:
    """What the email contains, at the start of a sentence."""
    if mailing.digest is None:
        return _NAMES[MailingKind(mailing.kind)]()
    day = dated(mailing.digest.day, pgettext("date format", "j F"))
    return _("%(digest)s of %(day)s") % {"digest": capfirst(Kind(mailing.digest.kind).in_sentence), "day": day}


_NAMES: dict[MailingKind, Callable[[], str]] = {
    MailingKind.ALERTS: lambda: _("An email with alerts"),
    MailingKind.RESET: lambda: _("The email to reset your password"),
    MailingKind.INVITATION: lambda: _("The email to choose a password"),
    MailingKind.NOTICE: lambda: _("An email about a change to your account"),
}


def _notify(mailing: Mailing, text: str, now: datetime) -> None:
    path = reverse("digest", args=[mailing.digest_id]) if mailing.digest_id else reverse("notifications")
    Notification.objects.create(
        user_id=mailing.user_id, kind=NotificationKind.MAIL, path=strip_prefix(path), text=text[:700], happened_at=now
    )


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


def _close(claimed: Claimed, state: MailingState, **values: object) -> bool:
    """Record what became of the mail, if it is still ours; a mail that was sent stays sent."""
    ours = Mailing.objects.filter(pk=claimed.mailing.pk, claim=claimed.token).exclude(state=MailingState.SENT)
    answer = str(values.pop("answer"))[:MAX_ANSWER]
    return ours.update(state=state, claim=None, claimed_until=None, answer=answer, **values) == 1
