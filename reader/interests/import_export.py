"""Exports and imports a user's interests as a file.

The file is JSON: `version`, `terms` with their current weights, `evidence`, and the two embedding sums
(`reader.interests.learning.embedding_profile`) under `meaning`. Imported files are untrusted, so every value is
checked: invalid rows are refused with a reason, the others imported.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from feeds.wording import format_number
from reader.interests.learning.embedding_profile import DIMENSIONS, EmbeddingProfile
from reader.interests.term_store import (
    MAX_TERM_LENGTH,
    MAX_WEIGHT,
    decayed_to,
    latest_engagement,
    lock_profile,
    save_learned,
    term_from,
)
from reader.limits import INTERESTS
from reader.models import InterestProfile, InterestTerm, TermOrigin

VERSION = 1
MAX_ROWS = 5000  # terms in a file
_MAX_EVIDENCE = 1e6  # also of amounts and sums: a thousand likes a day for a year
_DIGITS = 6  # of exported numbers
_FIELDS = ("weight", "engaged_at", "origin", "is_pinned", "is_muted")
_NAMES = {  # within "The … is not a number."
    "weight": pgettext_lazy("a number in a file of interests", "weight"),
    "liked": pgettext_lazy("a number in a file of interests", "amount liked"),
    "disliked": pgettext_lazy("a number in a file of interests", "amount disliked"),
    "evidence": pgettext_lazy("a number in a file of interests", "evidence"),
    "sum": pgettext_lazy("a number in a file of interests", "number in a sum of embeddings"),
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that wasn't imported, or with row 0 the whole file or its embedding profile, and why."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The number of terms imported, whether the embedding profile was, and what was refused."""

    n_terms: int
    has_meaning: bool
    refused: tuple[Refused, ...] = ()


class _Invalid(Exception):
    """A value can't be imported; the message is the reason."""


def export_profile(user: User, now: datetime) -> dict[str, Any]:
    """All of the user's interests as of `now`, for `json.dumps`."""
    profile = InterestProfile.objects.filter(user=user).first() or InterestProfile(user=user)
    embedding, evidence = decayed_to(profile, now)
    terms = [
        {
            "term": row.term,
            "weight": round(term_from(row).weight_at(now), _DIGITS),
            "origin": row.origin,
            "is_pinned": row.is_pinned,
            "is_muted": row.is_muted,
        }
        for row in InterestTerm.objects.filter(user=user).order_by("term")
    ]
    return {
        "version": VERSION,
        "exported_at": now.isoformat(),
        "terms": terms,
        "evidence": round(evidence, _DIGITS),
        "meaning": {
            "liked": round(embedding.liked, _DIGITS),
            "disliked": round(embedding.disliked, _DIGITS),
            "liked_sum": [round(value, _DIGITS) for value in embedding.liked_sum],
            "disliked_sum": [round(value, _DIGITS) for value in embedding.disliked_sum],
        },
    }


def import_profile(user: User, data: object, now: datetime) -> ImportReport:
    """Import what `export_profile` returned, as of `now`.

    Existing terms get the file's weight and flags, others stay; embedding profile and evidence are replaced if the file
    has them. Earlier actions can no longer be unlearned by undoing them. Raises LimitReached.
    """
    if not isinstance(data, Mapping) or data.get("version") != VERSION or not isinstance(data.get("terms"), list):
        reason = _("This isn't an interests file of version %(version)s.") % {"version": VERSION}
        return ImportReport(0, False, (Refused(0, reason),))
    refused: list[Refused] = []
    rows = _rows(user, data["terms"], refused, now)
    learned = _learned(data, refused)
    with transaction.atomic():
        profile = lock_profile(user)
        mine = InterestTerm.objects.filter(user=user)
        INTERESTS.check(mine, len(rows) - mine.filter(term__in=[row.term for row in rows]).count())
        InterestTerm.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["user", "term"], update_fields=list(_FIELDS)
        )
        embedding, evidence = learned or decayed_to(profile, now)
        if rows or learned:
            save_learned(profile, embedding.learning_after(latest_engagement(user)), evidence, now=now)
    return ImportReport(len(rows), learned is not None, tuple(refused))


def _rows(user: User, given: list[object], refused: list[Refused], now: datetime) -> list[InterestTerm]:
    rows: dict[str, InterestTerm] = {}
    for number, one in enumerate(given[:MAX_ROWS], start=1):
        try:
            row = _row(user, one, now)
            if row.term in rows:
                raise _Invalid(_("This term is a duplicate."))
        except _Invalid as error:
            refused.append(Refused(number, str(error)))
        else:
            rows[row.term] = row
    if len(given) > MAX_ROWS:
        template = _("A file can have at most %(most)s terms; %(n)s were ignored.")
        refused.append(Refused(MAX_ROWS + 1, template % {"most": MAX_ROWS, "n": len(given) - MAX_ROWS}))
    return list(rows.values())


def _row(user: User, one: object, now: datetime) -> InterestTerm:
    if not isinstance(one, Mapping):
        raise _Invalid(_("Not a term with a weight."))
    term, origin = one.get("term"), one.get("origin", TermOrigin.IMPORT)
    if not isinstance(term, str) or not term.strip():
        raise _Invalid(_("The term is missing."))
    term = term.strip().lower()
    if len(term) > MAX_TERM_LENGTH:
        raise _Invalid(_("The term is longer than %(most)s characters.") % {"most": MAX_TERM_LENGTH})
    if not term.isprintable():
        raise _Invalid(_("The term has unprintable characters."))
    return InterestTerm(
        user=user,
        term=term,
        weight=_number(one.get("weight"), "weight", least=-MAX_WEIGHT, most=MAX_WEIGHT),
        engaged_at=now,
        origin=origin if isinstance(origin, str) and origin in TermOrigin.values else TermOrigin.IMPORT,
        is_pinned=one.get("is_pinned") is True,
        is_muted=one.get("is_muted") is True,
    )


def _learned(data: Mapping[str, Any], refused: list[Refused]) -> tuple[EmbeddingProfile, float] | None:
    """The embedding profile and the evidence in the file; None if missing or invalid."""
    given = data.get("meaning")
    if given is None:
        return None
    try:
        if not isinstance(given, Mapping):
            raise _Invalid(_("The embedding profile has an unknown format."))
        embedding = EmbeddingProfile(
            _number(given.get("liked"), "liked", least=0, most=_MAX_EVIDENCE),
            _number(given.get("disliked"), "disliked", least=0, most=_MAX_EVIDENCE),
            _sum(given.get("liked_sum")),
            _sum(given.get("disliked_sum")),
        )
        return embedding, _number(data.get("evidence"), "evidence", least=0, most=_MAX_EVIDENCE)
    except _Invalid as error:
        refused.append(Refused(0, str(error)))
        return None


def _sum(given: object) -> list[float]:
    if not isinstance(given, list) or len(given) not in (0, DIMENSIONS):
        raise _Invalid(_("A sum of embeddings doesn't have %(n)s numbers.") % {"n": DIMENSIONS})
    return [_number(value, "sum", least=-_MAX_EVIDENCE, most=_MAX_EVIDENCE) for value in given]


def _number(given: object, name: str, *, least: float, most: float) -> float:
    """The number; `name` is a key of `_NAMES`. Raises _Invalid."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _Invalid(_("The %(name)s isn't a number.") % {"name": _NAMES[name]})
    if not least <= given <= most:  # which no NaN is, nor infinity
        values = {"name": _NAMES[name], "least": format_number(least), "most": format_number(most)}
        raise _Invalid(_("The %(name)s isn't between %(least)s and %(most)s.") % values)
    return float(given)
