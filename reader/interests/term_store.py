"""Reads and writes a user's interests: the profile row and its terms.

Every change locks the profile row first (`lock_profile`), so that concurrent changes aren't lost; on SQLite the
transaction itself is the lock.
"""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from reader.interests.learning.embedding_profile import EmbeddingProfile, parse_profile
from reader.interests.learning.engagement_weights import decay
from reader.interests.learning.profile import Term
from reader.models import Engagement, InterestProfile, InterestTerm, TermOrigin

MAX_WEIGHT = 100.0  # of a term, either way: 33 likes of articles about nothing else
MAX_TERM_LENGTH = 100  # characters of a term


def lock_profile(user: User) -> InterestProfile:
    """The profile, locked until the transaction ends; created if missing."""
    profiles = InterestProfile.objects.select_for_update()
    profile = profiles.filter(user=user).first()
    if profile is None:
        InterestProfile.objects.bulk_create([InterestProfile(user=user)], ignore_conflicts=True)
        profile = profiles.get(user=user)
    return profile


def decayed_to(profile: InterestProfile, now: datetime) -> tuple[EmbeddingProfile, float]:
    """The embedding profile and the evidence, decayed to `now`."""
    share = decay(profile.evidence_at, now) if profile.evidence_at else 1.0
    embedding = parse_profile(bytes(profile.vector))
    return (embedding if share == 1 else embedding.faded(share)), share * profile.evidence


def save_learned(profile: InterestProfile, embedding: EmbeddingProfile, evidence: float, *, now: datetime) -> None:
    """Store the embedding profile and the evidence, decayed to `now`."""
    profile.vector = embedding.stored()
    profile.evidence = max(0.0, evidence)
    profile.evidence_at = now
    profile.changed_at = now
    profile.save(update_fields=["vector", "evidence", "evidence_at", "changed_at"])


def mark_profile_changed(profile: InterestProfile, now: datetime) -> None:
    """Note that relevance may change."""
    profile.changed_at = now
    profile.save(update_fields=["changed_at"])


def latest_engagement(user: User) -> int:
    """The id of the user's latest engagement, 0 if there is none."""
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


def upsert_terms(terms: Iterable[InterestTerm], *, and_origin: bool = False) -> None:
    """Add terms, or update the weights of existing ones and, if `and_origin`, their origin.

    One statement per 124 terms.
    """
    fields = ["weight", "engaged_at", *(["origin"] if and_origin else [])]
    InterestTerm.objects.bulk_create(terms, update_conflicts=True, unique_fields=["user", "term"], update_fields=fields)


def clamp_weight(weight: float) -> float:
    return max(-MAX_WEIGHT, min(MAX_WEIGHT, weight))
