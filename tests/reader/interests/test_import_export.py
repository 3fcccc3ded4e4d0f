"""Interests survive export and import unchanged; hostile files are refused with a reason."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from reader.interests.engagement import record_action, undo
from reader.interests.import_export import MAX_ROWS, ImportReport, Refused, export_profile, import_profile
from reader.interests.learning.features import hash_feature
from reader.interests.learning.profile import cosine
from reader.interests.terms import add_starting_interests, load_profile
from reader.models import ArticleFeatures, InterestProfile, InterestTerm
from tests import make

pytestmark = pytest.mark.django_db

WEEK = timedelta(weeks=1)


@pytest.fixture
def user() -> User:
    return make.user()


def file_of(*terms: object, **values: object) -> dict[str, object]:
    return {"version": 1, "terms": list(terms), **values}


def weights(user: User) -> dict[str, float]:
    return dict(InterestTerm.objects.filter(user=user).values_list("term", "weight"))


@pytest.mark.vendor
def test_round_trips(user: User) -> None:
    article = make.article(title="Glacier melts", text="Ice is lost.")
    vector = bytes([100, 50, 156] + [0] * 509)
    ArticleFeatures.objects.create(article=article, terms=b"", attributes=b"", vector=vector)
    add_starting_interests(user, ["Machine Learning"], ["Science"], make.NOW - WEEK)
    record_action(user, article, "liked", now=make.NOW - WEEK)
    InterestTerm.objects.filter(term="science").update(is_pinned=True)
    InterestTerm.objects.filter(term="ice").update(is_muted=True)
    other = make.user()

    report = import_profile(other, json.loads(json.dumps(export_profile(user, make.NOW))), make.NOW)

    assert report == ImportReport(6, True)
    fields = "term", "origin", "is_pinned", "is_muted"
    mine, theirs = (InterestTerm.objects.filter(user=owner).order_by("term") for owner in (user, other))
    assert list(theirs.values_list(*fields)) == list(mine.values_list(*fields))
    values = [(hash_feature("glacier"), 0.8), (hash_feature("machine"), 0.6)]
    one, same = (cosine(load_profile(owner, make.NOW), values, vector) for owner in (user, other))
    assert same == pytest.approx(one, abs=1e-4)


def test_empty_profile_round_trips(user: User) -> None:
    data = export_profile(user, make.NOW)

    assert data["terms"] == []
    assert import_profile(make.user(), data, make.NOW) == ImportReport(0, True)
    assert not InterestProfile.objects.filter(user=user).exists()


@pytest.mark.vendor
def test_adds_to_existing_terms(user: User) -> None:
    add_starting_interests(user, ["Rust", "Perl"], [], make.NOW)
    other = make.user()
    add_starting_interests(other, ["Rust"], [], make.NOW)

    report = import_profile(user, file_of({"term": "Rust", "weight": -2}, {"term": "zig", "weight": 1.5}), make.NOW)

    assert report == ImportReport(2, False)
    assert weights(user) == {"rust": -2, "perl": 3, "zig": 1.5}
    assert InterestTerm.objects.get(term="zig").origin == "import"
    assert InterestProfile.objects.get(user=user).changed_at == make.NOW
    assert weights(other) == {"rust": 3}


def test_undoing_earlier_actions_keeps_imported_terms(user: User) -> None:
    action = record_action(user, make.article(title="Glacier melts"), "liked", now=make.NOW)
    import_profile(user, file_of({"term": "glacier", "weight": 1}), make.NOW)

    undo(user, action.pk, now=make.NOW)

    assert weights(user)["glacier"] == 1


NOT_A_FILE = "This isn't an interests file of version 1."


@pytest.mark.parametrize(
    "data",
    [None, [], "text", 7, {}, {"version": 2, "terms": []}, {"version": 1}, {"version": 1, "terms": {"a": 1}}],
    ids=repr,
)
def test_refuses_other_files(user: User, data: object) -> None:
    assert import_profile(user, data, make.NOW) == ImportReport(0, False, (Refused(0, NOT_A_FILE),))
    assert not InterestProfile.objects.exists()


BOUNDS = "The weight isn't between -100 and 100."
HOSTILE = {
    "no mapping": ("rust", "Not a term with a weight."),
    "no term": ({"weight": 1}, "The term is missing."),
    "a term that is a number": ({"term": 7, "weight": 1}, "The term is missing."),
    "an empty term": ({"term": "  ", "weight": 1}, "The term is missing."),
    "a long term": ({"term": "x" * 101, "weight": 1}, "The term is longer than 100 characters."),
    "a null character": ({"term": "a\0b", "weight": 1}, "The term has unprintable characters."),
    "half a character": ({"term": "\ud800", "weight": 1}, "The term has unprintable characters."),
    "no weight": ({"term": "rust"}, "The weight isn't a number."),
    "a weight in words": ({"term": "rust", "weight": "1"}, "The weight isn't a number."),
    "a weight that is true": ({"term": "rust", "weight": True}, "The weight isn't a number."),
    "not a number": ({"term": "rust", "weight": float("nan")}, BOUNDS),
    "infinite": ({"term": "rust", "weight": float("inf")}, BOUNDS),
    "beyond any float": ({"term": "rust", "weight": 10**400}, BOUNDS),
    "too heavy": ({"term": "rust", "weight": 101}, BOUNDS),
    "too light": ({"term": "rust", "weight": -101}, BOUNDS),
    "said before": ({"term": "FIRST", "weight": 2}, "This term is a duplicate."),
}


@pytest.mark.parametrize(("row", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_refuses_bad_rows_and_imports_the_others(user: User, row: object, reason: str) -> None:
    first, last = {"term": "first", "weight": 1}, {"term": "last", "weight": 1}

    report = import_profile(user, file_of(first, row, last), make.NOW)

    assert report == ImportReport(2, False, (Refused(2, reason),))
    assert weights(user) == {"first": 1, "last": 1}


def test_limits_number_of_terms(user: User) -> None:
    report = import_profile(user, file_of(*({"term": f"t{n}", "weight": 1} for n in range(MAX_ROWS + 2))), make.NOW)

    assert report.n_terms == MAX_ROWS
    assert report.refused == (Refused(MAX_ROWS + 1, "A file can have at most 5000 terms; 2 were ignored."),)
    assert InterestTerm.objects.count() == MAX_ROWS


def test_ignores_unknown_marks_and_origins(user: User) -> None:
    import_profile(
        user, file_of({"term": "a", "weight": 1, "origin": "evil", "is_pinned": "yes", "is_muted": 1}), make.NOW
    )

    term = InterestTerm.objects.get()
    assert (term.origin, term.is_pinned, term.is_muted) == ("import", False, False)


SUM = [0.1] * 512
MEANINGS = {
    "no mapping": ([], 1, "The embedding profile has an unknown format."),
    "no amounts": ({}, 1, "The amount liked isn't a number."),
    "an amount below 0": ({"liked": -1}, 1, "The amount liked isn't between 0 and 1,000,000."),
    "a short sum": (
        {"liked": 1, "disliked": 0, "liked_sum": [1.0], "disliked_sum": []},
        1,
        "A sum of embeddings doesn't have 512 numbers.",
    ),
    "not a number": (
        {"liked": 1, "disliked": 0, "liked_sum": [float("nan"), *SUM[1:]], "disliked_sum": []},
        1,
        "The number in a sum of embeddings isn't between -1,000,000 and 1,000,000.",
    ),
    "no evidence": (
        {"liked": 1, "disliked": 0, "liked_sum": SUM, "disliked_sum": SUM},
        float("inf"),
        "The evidence isn't between 0 and 1,000,000.",
    ),
}


@pytest.mark.parametrize(("meaning", "evidence", "reason"), MEANINGS.values(), ids=MEANINGS)
def test_refuses_bad_embedding_and_keeps_its_own(user: User, meaning: object, evidence: float, reason: str) -> None:
    record_action(user, make.article(title="Glacier melts"), "liked", now=make.NOW)

    report = import_profile(user, file_of({"term": "rust", "weight": 1}, meaning=meaning, evidence=evidence), make.NOW)

    assert report == ImportReport(1, False, (Refused(0, reason),))
    assert InterestProfile.objects.get().evidence == 3.0
