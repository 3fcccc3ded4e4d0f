"""What the page of a person's interests shows, and the settings on it."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from reader.interests import InterestRow, categories_of_feeds, interest_rows
from reader.learning.gains import GAINS, PASSED
from reader.learning.meaning import meaning_from
from reader.models import Engagement, InterestProfile, InterestTerm
from reader.profile_rows import hold, touch
from reader.scoring.recency import LAMBDA

SHOWN = 100  # terms, the strongest; the others are a link away
MOST_SHOWN = 10_000  # more than a profile and an import hold together
NEAR_NEUTRAL_UNTIL = 40  # choices: two thirds of certainty by openings alone (`learning.profile.EVIDENCE_HALF`)
RECENCY_RATES = {  # per hour; SPEC §8
    0.01: pgettext_lazy("how often one reads", "Weekly"),
    LAMBDA: pgettext_lazy("how often one reads", "Daily"),
    0.05: pgettext_lazy("how often one reads", "Real-time"),
}
_CHOICES = tuple(kind for kind in GAINS if kind != PASSED)


@dataclass(frozen=True, slots=True)
class InterestsShown:
    """`n_terms` there are in all, `n_choices` were learned from since learning began (anew)."""

    sought: tuple[InterestRow, ...]
    avoided: tuple[InterestRow, ...]
    muted: tuple[InterestRow, ...]
    n_terms: int
    n_choices: int
    is_learning: bool
    recency_rate: float
    categories: tuple[str, ...]

    @property
    def n_shown(self) -> int:
        return len(self.sought) + len(self.avoided) + len(self.muted)

    @property
    def evidence(self) -> str:
        """How much was learned, in a sentence."""
        if not self.n_choices:
            return _("Nothing was learned from your reading yet.")
        told = {"n": number_format(self.n_choices, force_grouping=True), "until": NEAR_NEUTRAL_UNTIL}
        if self.n_choices < NEAR_NEUTRAL_UNTIL:
            learned = ngettext(
                "Learned from %(n)s choice; until about %(until)s relevance stays near neutral.",
                "Learned from %(n)s choices; until about %(until)s relevance stays near neutral.",
                self.n_choices,
            )
        else:
            learned = ngettext("Learned from %(n)s choice.", "Learned from %(n)s choices.", self.n_choices)
        return learned % told


def interests_shown(user: User, now: datetime, *, limit: int = SHOWN) -> InterestsShown:
    """The `limit` strongest terms apart by what they do, and what else the page says; a fixed number of queries."""
    profile = InterestProfile.objects.filter(user=user).first() or InterestProfile(user=user)
    rows = interest_rows(user, now, limit)
    heard = [row for row in rows if not row.is_muted]
    return InterestsShown(
        sought=tuple(row for row in heard if row.weight >= 0),
        avoided=tuple(row for row in heard if row.weight < 0),
        muted=tuple(row for row in rows if row.is_muted),
        n_terms=InterestTerm.objects.filter(user=user).count(),
        n_choices=_choices(user, profile),
        is_learning=profile.is_learning,
        recency_rate=profile.recency_rate,
        categories=tuple(categories_of_feeds(user)),
    )


def set_recency(user: User, rate: float, now: datetime) -> None:
    """Let importance lose recency at `rate` per hour for `user`."""
    with transaction.atomic():
        profile = hold(user)
        if profile.recency_rate != rate:
            profile.recency_rate = rate
            profile.save(update_fields=["recency_rate"])
            touch(profile, now)


def _choices(user: User, profile: InterestProfile) -> int:
    """The acts that were learned from: not undone, not from before a reset, being passed over not counted."""
    since = meaning_from(bytes(profile.vector)).learned_after
    acts = Engagement.objects.filter(user=user, kind__in=_CHOICES, pk__gt=since, undoes=None, undone_by=None)
    return acts.values("article").distinct().count()
