"""Holds back email after a restore, since its state after the backup is unknown.

Emails that waited when the backup was made may have been sent since, and digests that were due may have been delivered.
The emails become unconfirmed, so their user can send them again; the digests wait for their next time. `holding_back`
gives the statements that the restore runs in its own step, before any worker sees the data; `explain_held_mail` does
the rest, at the latest at the next start.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from digests.models import DigestPlan, Mailing, MailingState
from digests.schedule import plans
from digests.schedule.user_language import in_language_of

REASON = gettext_noop("RSS Manager was restored from a backup made before this email was sent.")
_PLACEHOLDER = "restored"  # until the reason is written in the user's language


@dataclass(frozen=True, slots=True)
class HeldEmail:
    """How many emails became unconfirmed, and how many due digests were skipped."""

    n_mails: int
    n_digests: int


def holding_back(now: datetime) -> tuple[str, ...]:
    """SQL for both databases, to run on the restored data before any worker sees it."""
    mailing, plan = Mailing._meta.db_table, DigestPlan._meta.db_table
    return (
        f"UPDATE {mailing} SET state = '{MailingState.UNCERTAIN}', claimed_until = NULL, answer = '{_PLACEHOLDER}'"  # noqa: S608
        f" WHERE state IN ('{MailingState.WAITING}', '{MailingState.HANDING_OVER}')",
        f"UPDATE {plan} SET next_at = NULL, claimed_until = NULL"  # noqa: S608
        f" WHERE is_on AND next_at <= '{now.astimezone(UTC):%Y-%m-%d %H:%M:%S+00:00}'",
    )


def explain_held_mail(now: datetime) -> HeldEmail:
    """Write the reason in each user's language and schedule the plans again. Safe to repeat."""
    n_mails = 0
    for mailing in Mailing.objects.filter(state=MailingState.UNCERTAIN, answer=_PLACEHOLDER).order_by("pk"):
        with in_language_of(mailing.user_id):
            Mailing.objects.filter(pk=mailing.pk, answer=_PLACEHOLDER).update(answer=_(REASON))
        n_mails += 1
    unscheduled = list(DigestPlan.objects.filter(is_on=True, next_at=None).select_related("user"))
    for plan in unscheduled:
        plans.move_on(plan, now)
    return HeldEmail(n_mails, len(unscheduled))
