"""A user's interests as they see and change them: weighted terms, added, learned, muted or pinned.

Every change locks the profile row, so that it isn't lost to concurrent learning, and updates `changed_at`, so that
articles are rated again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from reader.interests.learning.embedding_profile import EmbeddingProfile
from reader.interests.learning.features import count_terms
from reader.interests.learning.profile import EMPTY_PROFILE, Profile, Term, profile_from
from reader.interests.term_store import (
    MAX_TERM_LENGTH,
    clamp_weight,
    decayed_to,
    latest_engagement,
    lock_profile,
    mark_profile_changed,
    save_learned,
    term_from,
    upsert_terms,
)
from reader.interests.topic_names import NO_TOPICS
from reader.limits import INTERESTS
from reader.models import Folder, InterestProfile, InterestTerm, RelevanceModel, Subscription, TermOrigin

TOPIC_WEIGHT = 3.0  # of a topic added by the user: as much as a like adds to all terms of an article
CATEGORY_WEIGHT = 1.0  # of a category of their feeds: as much as an opening
STEP = 1.0  # of raising or lowering a term: as much as opening an article about nothing else
FADED = 0.02  # learned weights below it are deleted: an opening's 60th term, after some weeks
MAX_TERMS = 2000  # learned, the strongest
MAX_NAMED = 100  # topics or categories at a time


@dataclass(frozen=True, slots=True)
class InterestRow:
    """A term as displayed. `weight` is the current one; `share` its size relative to the largest, from 0 to 1."""

    term: str
    weight: float
    share: float
    origin: str
    is_pinned: bool
    is_muted: bool
    engaged_at: datetime


def load_profile(user: User, now: datetime) -> Profile:
    """The user's profile at `now`; two queries."""
    profile = InterestProfile.objects.filter(user=user).first()
    if profile is None:
        return EMPTY_PROFILE
    embedding, evidence = decayed_to(profile, now)
    return profile_from(load_terms(user), embedding, evidence=evidence, now=now)


def load_terms(user: User) -> Iterator[Term]:
    """The user's terms; as plain values, since there may be thousands."""
    columns = ("term", "weight", "engaged_at", "origin", "is_pinned", "is_muted")
    rows = InterestTerm.objects.filter(user=user).values_list(*columns)
    for term, weight, engaged_at, origin, is_pinned, is_muted in rows:
        yield Term(term, weight, engaged_at, origin != TermOrigin.READING, is_pinned, is_muted)


def interest_rows(user: User, now: datetime, limit: int = 100) -> list[InterestRow]:
    """The `limit` strongest terms, including muted ones; one query."""
    weighed = [(term_from(term).weight_at(now), term) for term in _terms(user)]
    weighed.sort(key=lambda pair: (-abs(pair[0]), pair[1].term))
    largest = abs(weighed[0][0]) if weighed else 0.0
    return [
        InterestRow(
            term=row.term,
            weight=weight,
            share=abs(weight) / largest if largest else 0.0,
            origin=row.origin,
            is_pinned=row.is_pinned,
            is_muted=row.is_muted,
            engaged_at=row.engaged_at,
        )
        for weight, row in weighed[:limit]
    ]


def add_starting_interests(user: User, topics: Iterable[str], categories: Iterable[str], now: datetime) -> int:
    """Add topics named by the user and categories of their feeds; returns how many terms were added or raised.

    Existing terms keep the larger weight; pinned and muted ones stay. Names without a usable word are ignored. Raises
    LimitReached for topics.
    """
    wanted = dict.fromkeys(_normalize(categories), (CATEGORY_WEIGHT, TermOrigin.CATEGORY))
    wanted |= dict.fromkeys(_normalize(topics), (TOPIC_WEIGHT, TermOrigin.TOPIC))
    if not wanted:
        return 0
    with transaction.atomic():
        profile = lock_profile(user)
        if topics:
            INTERESTS.check(_terms(user), len(wanted) - _terms(user).filter(term__in=wanted).count())
        n_changed = _add_terms(user, wanted, now)
        mark_profile_changed(profile, now)
    return n_changed


def add_new_categories(user: User, before: Collection[str], now: datetime) -> int:
    """Add the categories and folders that the user's feeds didn't have `before` as terms; returns how many.

    Does nothing after a reset and while learning is off: the user has decided then.
    """
    new = [category for category in feed_categories(user) if category not in before]
    decided = InterestProfile.objects.filter(user=user).exclude(is_learning=True, forgotten_at=None)
    return 0 if not new or decided.exists() else add_starting_interests(user, (), new, now)


def feed_categories(user: User) -> list[str]:
    """What the user's categories and folders say they follow, the commonest first; names such as "News" left out."""
    mine = Subscription.objects.filter(user=user)
    named = [part for name in mine.values_list("category", flat=True) for part in _parts(name)]
    named += [part for name in mine.values_list("folder__name", flat=True) for part in _parts(name or "")]
    return sorted(set(named), key=lambda name: (-named.count(name), name))[:MAX_NAMED]


def raise_term(user: User, term: str, now: datetime) -> bool:
    """Let a term weigh `STEP` more than it does now. False if there is no such term."""
    return _edit(user, term, now, lambda row: _set_weight(row, row.weight + STEP))


def lower_term(user: User, term: str, now: datetime) -> bool:
    """Let a term weigh `STEP` less than it does now, so that it is avoided below 0. False if there is no such term."""
    return _edit(user, term, now, lambda row: _set_weight(row, row.weight - STEP))


def mute(user: User, term: str, now: datetime) -> bool:
    """Ignore a term and stop learning it. False if there is no such term."""
    return _edit(user, term, now, partial(_set_flags, is_muted=True))


def unmute(user: User, term: str, now: datetime) -> bool:
    """Use a muted term again, with what is left of its weight. False if there is no such term."""
    return _edit(user, term, now, partial(_set_flags, is_muted=False))


def pin(user: User, term: str, now: datetime) -> bool:
    """Freeze a term's current weight. False if there is no such term."""
    return _edit(user, term, now, partial(_set_flags, is_pinned=True))


def unpin(user: User, term: str, now: datetime) -> bool:
    """Let a pinned term decay and be learned again. False if there is no such term."""
    return _edit(user, term, now, partial(_set_flags, is_pinned=False))


def remove_term(user: User, term: str, now: datetime) -> bool:
    """Delete a term; unlike a muted one, it may be learned again. False if there is no such term."""
    with transaction.atomic():
        profile = lock_profile(user)
        n_deleted, _ = InterestTerm.objects.filter(user=user, term=term).delete()
        if n_deleted:
            mark_profile_changed(profile, now)
    return bool(n_deleted)


def reset(user: User, now: datetime) -> None:
    """Delete terms, embedding profile, evidence and model. The log stays, but isn't learned again."""
    with transaction.atomic():
        profile = lock_profile(user)
        InterestTerm.objects.filter(user=user).delete()
        save_learned(profile, EmbeddingProfile(learned_after=latest_engagement(user)), 0.0, now=now)
        InterestProfile.objects.filter(user=user).update(forgotten_at=now)
        RelevanceModel.objects.filter(user=user, is_used=True).update(is_used=False)


def set_learning(user: User, is_learning: bool, now: datetime) -> None:
    """Turn learning on or off. What was learned stays; earlier actions are neither learned nor unlearned."""
    with transaction.atomic():
        profile = lock_profile(user)
        if profile.is_learning == is_learning:
            return
        embedding, evidence = decayed_to(profile, now)
        profile.is_learning = is_learning
        profile.save(update_fields=["is_learning"])
        save_learned(profile, embedding.learning_after(latest_engagement(user)), evidence, now=now)


def delete_faded(user: User, now: datetime, *, threshold: float = FADED, limit: int = MAX_TERMS) -> int:
    """Delete learned terms that weigh less than `threshold` or exceed `limit`; returns how many.

    Stated, pinned and muted terms stay. The terms have so little effect that nothing needs rating.
    """
    with transaction.atomic():
        lock_profile(user)
        learned = InterestTerm.objects.filter(user=user, origin=TermOrigin.READING, is_pinned=False, is_muted=False)
        weighed = sorted(((abs(term_from(row).weight_at(now)), row.pk) for row in learned), reverse=True)
        faded = [pk for place, (weight, pk) in enumerate(weighed) if weight < threshold or place >= limit]
        for at in range(0, len(faded), MAX_TERMS):
            InterestTerm.objects.filter(user=user, pk__in=faded[at : at + MAX_TERMS]).delete()
    return len(faded)


def _terms(user: User) -> QuerySet[InterestTerm]:
    return InterestTerm.objects.filter(user=user)


def _edit(user: User, term: str, now: datetime, change: Callable[[InterestTerm], None]) -> bool:
    """Change one term with its weight decayed to `now`. False if there is no such term."""
    with transaction.atomic():
        profile = lock_profile(user)
        row = InterestTerm.objects.filter(user=user, term=term).first()
        if row is None:
            return False
        row.weight = term_from(row).weight_at(now)
        row.engaged_at = now
        change(row)
        row.save(update_fields=["weight", "engaged_at", "is_pinned", "is_muted"])
        mark_profile_changed(profile, now)
    return True


def _set_weight(row: InterestTerm, weight: float) -> None:
    row.weight = clamp_weight(weight)


def _set_flags(row: InterestTerm, *, is_pinned: bool | None = None, is_muted: bool | None = None) -> None:
    row.is_pinned = row.is_pinned if is_pinned is None else is_pinned
    row.is_muted = row.is_muted if is_muted is None else is_muted


def _add_terms(user: User, wanted: Mapping[str, tuple[float, str]], now: datetime) -> int:
    """Give the terms at least these weights; returns how many changed."""
    known = {row.term: row for row in InterestTerm.objects.filter(user=user, term__in=wanted)}
    added = []
    for term, (weight, origin) in wanted.items():
        row = known.get(term)
        if row is None or not (row.is_pinned or row.is_muted or term_from(row).weight_at(now) >= weight):
            added.append(InterestTerm(user=user, term=term, weight=weight, engaged_at=now, origin=origin))
    upsert_terms(added, and_origin=True)
    return len(added)


def _normalize(names: Iterable[str]) -> list[str]:
    """Names in lower case with single spaces, without those that no article's terms could match."""
    terms = [" ".join(name.replace("\0", " ").lower().split())[:MAX_TERM_LENGTH].strip() for name in names]
    return list(dict.fromkeys(term for term in terms if count_terms(term, "")))[:MAX_NAMED]


def _parts(name: str) -> list[str]:
    """The topics in a category or a folder's path."""
    parts = [part.strip() for part in name.split(Folder.PATH_SEPARATOR.strip())]
    return [part for part in parts if part and part.lower() not in NO_TOPICS]
