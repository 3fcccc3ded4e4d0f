"""The page about a user's interests, and its settings."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from feeds.wording import format_number
from reader.interests.learning.embedding_profile import parse_profile
from reader.interests.learning.engagement_weights import GAINS, PASSED
from reader.interests.naming import names_of_terms
from reader.interests.term_store import lock_profile, mark_profile_changed
from reader.interests.terms import InterestRow, feed_categories, interest_rows
from reader.models import Engagement, InterestProfile, InterestTerm, TermOrigin
from reader.scoring.importance import DEFAULT_RECENCY_RATE

SHOWN = 100  # strongest terms, before "show all"
MAX_SHOWN = 10_000  # more than a profile and an import together
NEAR_NEUTRAL_UNTIL = 40  # choices; two thirds of certainty from openings alone (`learning.profile.EVIDENCE_HALF`)
RECENCY_RATES = {  # per hour; SPEC §8
    0.01: pgettext_lazy("how often the user reads", "Weekly"),
    DEFAULT_RECENCY_RATE: pgettext_lazy("how often the user reads", "Daily"),
    0.05: pgettext_lazy("how often the user reads", "Real-time"),
}
_CHOICES = tuple(kind for kind in GAINS if kind != PASSED)


CHIPS_SHOWN = 40  # of a group
SUGGESTED = 12
MIN_SHARE = 0.03  # of the largest weight, for naming a learned term


@dataclass(frozen=True, slots=True)
class Chip:
    """An interest as a person would name it, the terms it consists of, and its strength from 1 to 3."""

    name: str
    terms: tuple[str, ...]
    strength: int


@dataclass(frozen=True, slots=True)
class Chips:
    """The interests by where they come from; `suggested` are categories of the user's feeds not among them."""

    added: tuple[Chip, ...]
    from_feeds: tuple[Chip, ...]
    learned: tuple[Chip, ...]
    avoided: tuple[Chip, ...]
    muted: tuple[Chip, ...]
    suggested: tuple[str, ...]

    @property
    def n(self) -> int:
        return sum(map(len, (self.added, self.from_feeds, self.learned, self.avoided, self.muted)))


def load_chips(user: User, now: datetime) -> Chips:
    """What the page shows without weights; a fixed number of queries."""
    rows = interest_rows(user, now, MAX_SHOWN)
    learned = {row.term for row in rows if row.origin == TermOrigin.READING}
    from_feeds = {row.term for row in rows if row.origin == TermOrigin.CATEGORY}
    names = names_of_terms(user, learned) if learned else {}
    names |= {row.term: row.term for row in rows if row.term not in learned}
    named = [
        row for row in rows if row.term in names and (row.term not in learned or row.is_muted or row.share >= MIN_SHARE)
    ]
    active = [row for row in named if not row.is_muted]
    liked = [row for row in active if row.weight >= 0]
    own = {row.term for row in rows}
    categories = (category for category in feed_categories(user) if category.lower() not in own)
    return Chips(
        added=_chips((row for row in liked if row.term not in learned | from_feeds), names),
        from_feeds=_chips((row for row in liked if row.term in from_feeds), names),
        learned=_chips((row for row in liked if row.term in learned), names),
        avoided=_chips((row for row in active if row.weight < 0), names),
        muted=_chips((row for row in named if row.is_muted), names),
        suggested=tuple(islice(categories, SUGGESTED)),
    )


def _chips(rows: Iterable[InterestRow], names: dict[str, str]) -> tuple[Chip, ...]:
    """Chips, strongest first; terms with one name are one chip."""
    terms: dict[str, list[InterestRow]] = {}
    for row in rows:
        terms.setdefault(names[row.term], []).append(row)
    return tuple(
        Chip(name, tuple(row.term for row in several), 1 + round(2 * several[0].share))
        for name, several in islice(terms.items(), CHIPS_SHOWN)
    )


@dataclass(frozen=True, slots=True)
class InterestsOverview:
    """`n_terms` in all; `n_choices`: articles learned from since learning (re)started."""

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
            return _("Nothing learned from your reading yet.")
        values = {"n": format_number(self.n_choices), "until": NEAR_NEUTRAL_UNTIL}
        if self.n_choices < NEAR_NEUTRAL_UNTIL:
            template = ngettext(
                "Learned from %(n)s choice; relevance stays near neutral until about %(until)s.",
                "Learned from %(n)s choices; relevance stays near neutral until about %(until)s.",
                self.n_choices,
            )
        else:
            template = ngettext("Learned from %(n)s choice.", "Learned from %(n)s choices.", self.n_choices)
        return template % values


def load_overview(user: User, now: datetime, *, limit: int = SHOWN) -> InterestsOverview:
    """The `limit` strongest terms by effect, and the other contents of the page; a fixed number of queries."""
    profile = InterestProfile.objects.filter(user=user).first() or InterestProfile(user=user)
    rows = interest_rows(user, now, limit)
    active = [row for row in rows if not row.is_muted]
    return InterestsOverview(
        sought=tuple(row for row in active if row.weight >= 0),
        avoided=tuple(row for row in active if row.weight < 0),
        muted=tuple(row for row in rows if row.is_muted),
        n_terms=InterestTerm.objects.filter(user=user).count(),
        n_choices=_choices(user, profile),
        is_learning=profile.is_learning,
        recency_rate=profile.recency_rate,
        categories=tuple(feed_categories(user)),
    )


def set_recency(user: User, rate: float, now: datetime) -> None:
    """Set the user's recency rate, per hour."""
    with transaction.atomic():
        profile = lock_profile(user)
        if profile.recency_rate != rate:
            profile.recency_rate = rate
            profile.save(update_fields=["recency_rate"])
            mark_profile_changed(profile, now)


def _choices(user: User, profile: InterestProfile) -> int:
    """The articles learned from: not undone, not before a reset, without those passed over."""
    since = parse_profile(bytes(profile.vector)).learned_after
    actions = Engagement.active.filter(user=user, kind__in=_CHOICES, pk__gt=since)
    return actions.values("article").distinct().count()
