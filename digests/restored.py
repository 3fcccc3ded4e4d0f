"""After a backup was restored: what became of a mail since, nobody knows, so none is sent by itself."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from digests import plans
from digests.languages import in_language_of
from digests.models import DigestPlan, Mailing, MailingState


@dataclass(frozen=True, slots=True)
class Held:
    """How many mails are in doubt, and how many digests that were due are passed over."""

    n_mails: int
    n_digests: int


def hold_back(now: datetime) -> Held:
    """Mails that waited when the backup was made may have left since, and digests that are due may have been sent:
    those are said to be in doubt, and can be sent by their person; these wait for their next time."""
    waiting = Mailing.objects.filter(state__in=(MailingState.WAITING, MailingState.HANDING_OVER))
    n_mails = 0
    with transaction.atomic():
        for mailing in waiting:
            with in_language_of(mailing.user_id):
                reason = _("The reader was restored from a backup, which knew it as waiting.")
            mailing.state, mailing.claimed_until, mailing.answer = MailingState.UNCERTAIN, None, reason
            mailing.save(update_fields=["state", "claimed_until", "answer"])
            n_mails += 1
        due = list(DigestPlan.objects.filter(is_on=True, next_at__lte=now).select_related("user"))
        for plan in due:
            plans.move_on(plan, now)
    return Held(n_mails, len(due))
