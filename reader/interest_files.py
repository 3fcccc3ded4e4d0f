"""A person's interests as a file: everything that was learned and said, to keep or to take elsewhere.

The file is JSON: `version`, `terms` with their weights of the moment, `evidence`, and the two sums of meaning as
numbers (`reader.learning.meaning`). What comes back in may be anybody's, so every value is looked at: what cannot be
taken is refused row by row with its reason, and the rest is taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from reader.learning.meaning import DIMENSIONS, Meaning
from reader.models import InterestProfile, InterestTerm, TermOrigin
from reader.profile_rows import HEAVIEST, LONGEST, hold, keep, learned_at, newest_engagement, term_from

VERSION = 1
MOST_ROWS = 5000  # terms that a file may bring
_MOST_EVIDENCE = 1e6  # and amounts, and the numbers of sums: a thousand likes a day for a year
_DIGITS = 6  # of exported numbers
_FIELDS = ("weight", "engaged_at", "origin", "is_pinned", "is_muted")
_NAMES = {  # of what a file says, within "The … is not a number."
    "weight": pgettext_lazy("a number in a file of interests", "weight"),
    "liked": pgettext_lazy("a number in a file of interests", "amount liked"),
    "disliked": pgettext_lazy("a number in a file of interests", "amount disliked"),
    "evidence": pgettext_lazy("a number in a file of interests", "evidence"),
    "sum": pgettext_lazy("a number in a file of interests", "number in a sum of meaning"),
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not taken, or with row 0 the whole file or its meaning, and why."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many terms were taken, whether the meaning was, and what was refused."""

    n_terms: int
    has_meaning: bool
    refused: tuple[Refused, ...] = ()


class _Unfit(Exception):
    """A value of the file cannot be taken; the message is the reason."""


def export_profile(user: User, now: datetime) -> dict[str, Any]:
    """Everything of the user's interests as it is at `now`, for `json.dumps`."""
    held = InterestProfile.objects.filter(user=user).first() or InterestProfile(user=user)
    meaning, evidence = learned_at(held, now)
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
            "liked": round(meaning.liked, _DIGITS),
            "disliked": round(meaning.disliked, _DIGITS),
            "liked_sum": [round(each, _DIGITS) for each in meaning.liked_sum],
            "disliked_sum": [round(each, _DIGITS) for each in meaning.disliked_sum],
        },
    }


def import_profile(user: User, data: object, now: datetime) -> ImportReport:
    """Take what `export_profile` gave, as of `now`, into the user's interests.

    Terms that are there take the file's weight and marks, others stay; meaning and evidence are replaced where the file
    has them. What was done before is learned, and can no more be unlearned by undoing it.
    """
    if not isinstance(data, Mapping) or data.get("version") != VERSION or not isinstance(data.get("terms"), list):
        told = _("This is not a file of interests of version %(version)s.") % {"version": VERSION}
        return ImportReport(0, False, (Refused(0, told),))
    refused: list[Refused] = []
    rows = _rows(user, data["terms"], refused, now)
    taught = _taught(data, refused)
    with transaction.atomic():
        profile = hold(user)
        InterestTerm.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["user", "term"], update_fields=list(_FIELDS)
        )
        meaning, evidence = taught or learned_at(profile, now)
        if rows or taught:
            keep(profile, meaning.learning_after(newest_engagement(user)), evidence, now=now)
    return ImportReport(len(rows), taught is not None, tuple(refused))


def _rows(user: User, given: list[object], refused: list[Refused], now: datetime) -> list[InterestTerm]:
    rows: dict[str, InterestTerm] = {}
    for number, one in enumerate(given[:MOST_ROWS], start=1):
        try:
            row = _row(user, one, now)
            if row.term in rows:
                raise _Unfit(_("This term stands in the file before."))
        except _Unfit as error:
            refused.append(Refused(number, str(error)))
        else:
            rows[row.term] = row
    if len(given) > MOST_ROWS:
        told = _("A file may bring %(most)s terms; %(n)s are left.")
        refused.append(Refused(MOST_ROWS + 1, told % {"most": MOST_ROWS, "n": len(given) - MOST_ROWS}))
    return list(rows.values())


def _row(user: User, one: object, now: datetime) -> InterestTerm:
    if not isinstance(one, Mapping):
        raise _Unfit(_("This is not a term with a weight."))
    term, origin = one.get("term"), one.get("origin", TermOrigin.IMPORT)
    if not isinstance(term, str) or not term.strip():
        raise _Unfit(_("The term is missing."))
    term = term.strip().lower()
    if len(term) > LONGEST:
        raise _Unfit(_("The term is longer than %(most)s characters.") % {"most": LONGEST})
    if not term.isprintable():
        raise _Unfit(_("The term has characters in it that cannot be shown."))
    return InterestTerm(
        user=user,
        term=term,
        weight=_number(one.get("weight"), "weight", least=-HEAVIEST, most=HEAVIEST),
        engaged_at=now,
        origin=origin if isinstance(origin, str) and origin in TermOrigin.values else TermOrigin.IMPORT,
        is_pinned=one.get("is_pinned") is True,
        is_muted=one.get("is_muted") is True,
    )


def _taught(data: Mapping[str, Any], refused: list[Refused]) -> tuple[Meaning, float] | None:
    """The meaning and the evidence that the file has; None where it has none, or none that can be taken."""
    given = data.get("meaning")
    if given is None:
        return None
    try:
        if not isinstance(given, Mapping):
            raise _Unfit(_("The meaning is not of the form that it is exported in."))
        meaning = Meaning(
            _number(given.get("liked"), "liked", least=0, most=_MOST_EVIDENCE),
            _number(given.get("disliked"), "disliked", least=0, most=_MOST_EVIDENCE),
            _sum(given.get("liked_sum")),
            _sum(given.get("disliked_sum")),
        )
        return meaning, _number(data.get("evidence"), "evidence", least=0, most=_MOST_EVIDENCE)
    except _Unfit as error:
        refused.append(Refused(0, str(error)))
        return None


def _sum(given: object) -> list[float]:
    if not isinstance(given, list) or len(given) not in (0, DIMENSIONS):
        raise _Unfit(_("A sum of meaning is not %(n)s numbers.") % {"n": DIMENSIONS})
    return [_number(each, "sum", least=-_MOST_EVIDENCE, most=_MOST_EVIDENCE) for each in given]


def _number(given: object, name: str, *, least: float, most: float) -> float:
    """The number; `name` is a field's. Raises _Unfit."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _Unfit(_("The %(name)s is not a number.") % {"name": _NAMES[name]})
    if not least <= given <= most:  # which no NaN is, nor infinity
        told = {"name": _NAMES[name], "least": f"{least:g}", "most": f"{most:g}"}
        raise _Unfit(_("The %(name)s is not between %(least)s and %(most)s.") % told)
    return float(given)
