"""The rows of one person's interests, for those who change them: locked, read, and written back.

Whoever changes anything of a profile holds its row first (`hold`), so that two changes at once wait for each other and
none is lost; on SQLite the transaction itself is the lock.
"""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from reader.learning.gains import decay
from reader.learning.meaning import Meaning, meaning_from
from reader.learning.profile import Term
from reader.models import Engagement, InterestProfile, InterestTerm, TermOrigin

HEAVIEST = 100.0  # that a term may weigh either way: 33 likes of articles about nothing else
LONGEST = 100  # characters of a term


def hold(user: User) -> InterestProfile:
    """The profile, locked until the transaction ends; made if there is none."""
    profiles = InterestProfile.objects.select_for_update()
    found = profiles.filter(user=user).first()
    if found is None:
        InterestProfile.objects.bulk_create([InterestProfile(user=user)], ignore_conflicts=True)
        found = profiles.get(user=user)
    return found


def learned_at(profile: InterestProfile, now: datetime) -> tuple[Meaning, float]:
    """The meaning and the evidence learned, as they are at `now`."""
    share = decay(profile.evidence_at, now) if profile.evidence_at else 1.0
    meaning = meaning_from(bytes(profile.vector))
    return (meaning if share == 1 else meaning.faded(share)), share * profile.evidence


def keep(profile: InterestProfile, meaning: Meaning, evidence: float, *, now: datetime) -> None:
    """Write back what was learned, as it is at `now`."""
    profile.vector = meaning.stored()
    profile.evidence = max(0.0, evidence)
    profile.evidence_at = now
    profile.changed_at = now
    profile.save(update_fields=["vector", "evidence", "evidence_at", "changed_at"])


def touch(profile: InterestProfile, now: datetime) -> None:
    """Note that relevance is bound to change."""
    profile.changed_at = now
    profile.save(update_fields=["changed_at"])


def newest_engagement(user: User) -> int:
    """The id of the last thing the user did, 0 if there is none."""
    ids = Engagement.objects.filter(user=user).order_by("-pk").values_list("pk", flat=True)
    return ids.first() or 0


def term_from(row: InterestTerm) -> Term:
    return Term(
        term=row.term,
        weight=row.weight,
        engaged_at=row.engaged_at,
        is_stated=row.origin != TermOrigin.READING,
        is_pinned=row.is_pinned,
        is_muted=row.is_muted,
    )


def write(terms: Iterable[InterestTerm], *, and_origin: bool = False) -> None:
    """Add terms, or give those that are there their new weight, and their origin if asked; the rest stays.

    One statement for 124 terms.
    """
    fields = ["weight", "engaged_at", *(["origin"] if and_origin else [])]
    InterestTerm.objects.bulk_create(terms, update_conflicts=True, unique_fields=["user", "term"], update_fields=fields)


def bounded(weight: float) -> float:
    return max(-HEAVIEST, min(HEAVIEST, weight))
