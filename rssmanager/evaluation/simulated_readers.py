"""How fast relevance learns: each simulated user likes two of a file's categories.

After 5, 10, … labels, half opened and half skipped (or articles as they come), the held-out articles are ranked in
four ways: as the app would (by the interest profile, or by the model once it has enough labels and is better on its own
held-out ones), by the profile alone, by the model alone, and by importance without relevance (newest first if the file
has dates, else all equal).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean, pstdev
from time import perf_counter

import numpy as np
from sklearn.metrics import roc_auc_score

from feeds.dedup.embeddings import vectors_of
from reader.interests.learning.classifier import relevance_of_many as by_model
from reader.interests.learning.classifier import train
from reader.interests.learning.feature_matrices import Floats, StoredFeatures
from reader.interests.learning.holdout import train_and_evaluate
from reader.interests.learning.profile_arrays import cosines_of_many as by_profile
from reader.interests.learning.profile_arrays import profile_from_labels
from rssmanager.evaluation.datasets import LabelledFileError, Refusal, Row, UnusableRow, read_documents
from rssmanager.evaluation.ranking import Labels, Scores
from rssmanager.evaluation.relevance import CATEGORY_FIELD, Meaning, Rated, Rows, features_of, rated_of

STEPS = (5, 10, 20, 50, 100, 200)  # labels
SEEDS = 2  # runs per user, with different articles shown and held out
HELD_OUT_SHARE = 0.3  # of the file, never shown
MAX_HELD_OUT = 1000
MIN_PER_CATEGORY = 20  # documents; rarer categories are never liked, only skipped
USED, PROFILE, MODEL, IMPORTANCE = "used", "profile", "model", "importance"
WAYS = (USED, PROFILE, MODEL, IMPORTANCE)


@dataclass(frozen=True, slots=True)
class Figure:
    """AUC over all users and runs: mean, standard deviation and minimum."""

    auc: float
    deviation: float
    worst: float


@dataclass(frozen=True, slots=True)
class Step:
    """AUC of each method after a number of labels; `n_by_model` runs used the model."""

    n_labels: int
    n_runs: int
    n_by_model: int
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Curve:
    """The learning curve of a file."""

    n: int
    n_refused: int
    n_readers: int
    steps: tuple[Step, ...]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class _Library:
    """All documents: features, categories and times (0 if the file has no dates)."""

    stored: StoredFeatures
    idf: Floats
    categories: tuple[str, ...]
    newness: Scores


@dataclass(frozen=True, slots=True)
class _Run:
    """The AUC of each method, and whether the app would use the model."""

    aucs: dict[str, float]
    uses_model: bool


def read_file(path: Path, *, language: str = "") -> tuple[list[Rated], tuple[Refusal, ...]]:
    """The documents of a file with their categories, and the refused lines.

    Raises:
        LabelledFileError: it has no usable line.
    """
    found, refusals = read_documents(path, _with_category, language=language)
    return [rated_of(document, row) for document, row in found], refusals


def learning_curve(
    rated: Sequence[Rated],
    *,
    as_they_come: bool = False,
    n_refused: int = 0,
    seeds: int = SEEDS,
    meaning: Meaning = vectors_of,
) -> Curve:
    """AUC by number of labels, over all pairs of categories and `seeds` runs each.

    Numbers of labels with too few liked articles have no step.

    Raises:
        LabelledFileError: there are fewer than three categories, or fewer than two large enough.
    """
    began = perf_counter()
    counted = Counter(one.category for one in rated)
    common = sorted(name for name, n in counted.items() if n >= MIN_PER_CATEGORY)
    if len(counted) < 3 or len(common) < 2:
        least = f"three categories, two of them with {MIN_PER_CATEGORY} documents"
        raise LabelledFileError(f"Simulated readers take {least}; there are {dict(counted)}.")
    library = _library(rated, meaning)
    readers = list(combinations(common, 2))
    found: dict[int, list[_Run]] = {n_labels: [] for n_labels in STEPS}
    for liked in readers:
        for seed in range(seeds):
            for n_labels, run in _runs(library, frozenset(liked), seed, as_they_come=as_they_come):
                found[n_labels].append(run)
    return Curve(
        n=len(rated),
        n_refused=n_refused,
        n_readers=len(readers),
        steps=tuple(_step(n_labels, runs) for n_labels, runs in found.items() if runs),
        seconds=perf_counter() - began,
    )


def _with_category(row: Row) -> Row:
    value = row.get(CATEGORY_FIELD)
    if not isinstance(value, str) or not value.strip():
        raise UnusableRow(f"no {CATEGORY_FIELD}")
    return row


def _library(rated: Sequence[Rated], meaning: Meaning) -> _Library:
    dates = [one.document.published_at for one in rated]
    newness = [date.timestamp() if date else 0.0 for date in dates]
    stored, idf = features_of(rated, meaning)
    return _Library(
        stored, idf, tuple(one.category for one in rated), np.array(newness if all(dates) else [0.0] * len(rated))
    )


def _runs(library: _Library, liked: frozenset[str], seed: int, *, as_they_come: bool) -> Iterator[tuple[int, _Run]]:
    """The run for each possible number of labels."""
    truth = np.array([category in liked for category in library.categories], dtype=bool)
    order = np.random.default_rng(seed).permutation(len(truth))
    n_held_out = min(MAX_HELD_OUT, round(HELD_OUT_SHARE * len(truth)))
    held_out, shown = order[:n_held_out], order[n_held_out:]
    if not as_they_come:
        shown = _by_turns(shown[truth[shown]], shown[~truth[shown]])
    for n_labels in (step for step in STEPS if step <= len(shown)):
        scores = _scores(library, truth, shown[:n_labels], held_out)
        aucs = {way: float(roc_auc_score(truth[held_out], found)) for way, found in scores.items()}
        yield n_labels, _Run(aucs, uses_model=scores[USED] is scores[MODEL])


def _by_turns(liked: Rows, others: Rows) -> Rows:
    """Alternate between both until one runs out."""
    n = min(len(liked), len(others))
    return np.stack([liked[:n], others[:n]], axis=1).ravel()


def _scores(library: _Library, truth: Labels, shown: Rows, held_out: Rows) -> dict[str, Scores]:
    stored, labels, idf = library.stored.select(shown), truth[shown], library.idf
    asked = library.stored.select(held_out)

    def profile_scores(first: Rows, second: Rows) -> Scores:
        return by_profile(profile_from_labels(stored.select(first), labels[first], idf), stored.select(second), idf)

    profile = by_profile(profile_from_labels(stored, labels, idf), asked, idf)
    has_both = 0 < labels.sum() < len(labels)
    model = by_model(train(stored, labels, idf=idf), asked, idf=idf) if has_both else np.full(len(held_out), 50.0)
    is_better = train_and_evaluate(stored, labels, idf=idf, profile_scores=profile_scores).is_better
    return {
        USED: model if is_better else profile,
        PROFILE: profile,
        MODEL: model,
        IMPORTANCE: library.newness[held_out],
    }


def _step(n_labels: int, runs: Sequence[_Run]) -> Step:
    aucs = {way: [run.aucs[way] for run in runs] for way in WAYS}
    figures = {way: Figure(mean(found), pstdev(found), min(found)) for way, found in aucs.items()}
    return Step(n_labels, len(runs), sum(run.uses_model for run in runs), figures)
