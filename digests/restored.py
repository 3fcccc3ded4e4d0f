"""After a backup was restored: what became of a mail since, nobody knows, so none is sent by itself.

Mails that waited when the backup was made may have left since, and digests that were due may have been sent. The first
are said to be in doubt, and can be sent by their person; the second wait for their next time. What keeps workers from
them is done in the database's own words, in the step that restores it (`holding_back`), so that nothing can come in
between; the rest follows (`settle`), and where that was interrupted, when the reader is started.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from digests import plans
from digests.languages import in_language_of
from digests.models import DigestPlan, Mailing, MailingState

REASON = gettext_noop("The reader was restored from a backup, which knew it as waiting.")
_UNSAID = "restored"  # in place of the reason, until it is said in the language of whose mail it is


@dataclass(frozen=True, slots=True)
class Held:
    """How many mails are in doubt, and how many digests that were due are passed over."""

    n_mails: int
    n_digests: int


def holding_back(now: datetime) -> tuple[str, ...]:
    """Statements for either database, to be run on what is restored before anybody sees it."""
    mailing, plan = Mailing._meta.db_table, DigestPlan._meta.db_table
    return (
        f"UPDATE {mailing} SET state = '{MailingState.UNCERTAIN}', claimed_until = NULL, answer = '{_UNSAID}'"  # noqa: S608
        f" WHERE state IN ('{MailingState.WAITING}', '{MailingState.HANDING_OVER}')",
        f"UPDATE {plan} SET next_at = NULL, claimed_until = NULL"  # noqa: S608
        f" WHERE is_on AND next_at <= '{now.astimezone(UTC):%Y-%m-%d %H:%M:%S+00:00}'",
    )


def settle(now: datetime) -> Held:
    """Say why in the language of each person, and let plans be due again. Safe to repeat."""
    n_mails = 0
    for mailing in Mailing.objects.filter(state=MailingState.UNCERTAIN, answer=_UNSAID).order_by("pk"):
        with in_language_of(mailing.user_id):
            Mailing.objects.filter(pk=mailing.pk, answer=_UNSAID).update(answer=_(REASON))
        n_mails += 1
    timeless = list(DigestPlan.objects.filter(is_on=True, next_at=None).select_related("user"))
    for plan in timeless:
        plans.move_on(plan, now)
    return Held(n_mails, len(timeless))
