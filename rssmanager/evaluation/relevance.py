"""Quality of the relevance model on a labelled file of one user's articles, with simple baselines.

It uses the app's own learner and features. Term frequencies are counted over all documents of the file, which doesn't
leak labels. With cross-validation, each document is scored by a model trained on the other four fifths. Prequentially,
documents are scored in order by a model trained on earlier ones, retrained at growing intervals; until both labels
have occurred, scores are 50.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from feeds.dedup.embeddings import vectors_of
from feeds.dedup.in_memory import Document
from feeds.normalizing.text import words
from reader.interests.learning.classifier import relevance_of_many, train
from reader.interests.learning.feature_matrices import Floats, StoredFeatures
from reader.interests.learning.features import count_terms, extract_attributes, pack, unpack
from reader.interests.learning.holdout import RELEVANT_FROM
from reader.interests.learning.idf_table import build_weights, prior_counts
from reader.interests.learning.profile_arrays import idf_array
from rssmanager.evaluation.datasets import LabelledFileError, Refusal, Row, UnusableRow, read_documents
from rssmanager.evaluation.ranking import Labels, Measures, Scores, measures_of

LABEL_FIELD, ORDER_FIELD, AUTHOR_FIELD, HOST_FIELD, CATEGORY_FIELD = "label", "order", "author", "host", "category"
FOLDS = 5
SEED = 11  # of the folds, for reproducible results
GROWTH = 1.05  # prequentially, growth of the labels until the model is retrained
CROSS_VALIDATED, PREQUENTIAL = "cross_validated", "prequential"  # policies

Rows = NDArray[np.intp]
Meaning = Callable[[Sequence[tuple[str, str]]], list[bytes]]
Scorer = Callable[[Rows, Rows], Scores]  # train on the first, score the second
Splits = Sequence[tuple[Rows, Rows]]


@dataclass(frozen=True, slots=True)
class Rated:
    """A document and its label; `value` is 0, 1 or a grade; `order` is None if the file has none."""

    document: Document
    value: float = 0.0
    order: float | None = None
    author: str = ""
    host: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures of the model and of the baselines by name."""

    n: int
    n_relevant: int
    n_refused: int
    policy: str
    measures: Measures
    baselines: dict[str, Measures]
    seconds: float


def read_file(path: Path, *, positive_from: float | None = None) -> tuple[list[Rated], tuple[Refusal, ...]]:
    """The documents of a file in order, and the refused lines.

    Labels are 0 or 1; with `positive_from` they are grades, relevant from that grade on.

    Raises:
        LabelledFileError: it has no usable line.
    """

    def details(row: Row) -> tuple[float, float | None, Row]:
        return _value(row, is_grade=positive_from is not None), _order(row), row

    found, refusals = read_documents(path, details)
    rated = [rated_of(document, row, value, order) for document, (value, order, row) in found]
    if all(one.order is not None for one in rated):
        rated.sort(key=lambda one: one.order or 0.0)
    return rated, refusals


def rated_of(document: Document, row: Row, value: float = 0.0, order: float | None = None) -> Rated:
    """The document with its label and order."""
    author, host, category = (_text(row.get(name)) for name in (AUTHOR_FIELD, HOST_FIELD, CATEGORY_FIELD))
    return Rated(document, value, order, author, host, category)


def evaluate(
    rated: Sequence[Rated], *, n_refused: int, positive_from: float, prequential: bool, meaning: Meaning = vectors_of
) -> Evaluation:
    """Measure the model; documents are relevant if their value is at least `positive_from`.

    Raises:
        LabelledFileError: a label is missing, or rarer than the number of folds.
    """
    began = perf_counter()
    truth = np.array([one.value >= positive_from for one in rated], dtype=bool)
    _check(truth, 1 if prequential else FOLDS)
    stored, idf = features_of(rated, meaning)

    def by_model(shown: Rows, asked: Rows) -> Scores:
        model = train(stored.select(shown), truth[shown], idf=idf)
        return relevance_of_many(model, stored.select(asked), idf=idf)

    splits = prequential_splits(len(truth)) if prequential else cross_validation(truth)
    tfidf = _tfidf(rated, truth)
    always = np.full(len(truth), 100.0 if 2 * truth.sum() >= len(truth) else 0.0)
    return Evaluation(
        n=len(truth),
        n_relevant=int(truth.sum()),
        n_refused=n_refused,
        policy=PREQUENTIAL if prequential else CROSS_VALIDATED,
        measures=measures_of(truth, _scores(by_model, splits, truth), threshold=RELEVANT_FROM),
        baselines={
            "tfidf_logistic_regression": measures_of(truth, _scores(tfidf, splits, truth), threshold=RELEVANT_FROM),
            "majority": measures_of(truth, always, threshold=RELEVANT_FROM),
        },
        seconds=perf_counter() - began,
    )


def features_of(rated: Sequence[Rated], meaning: Meaning = vectors_of) -> tuple[StoredFeatures, Floats]:
    """The stored features of the documents, and term frequencies from the app's table and these documents."""
    packed = [
        pack(count_terms(one.document.title, one.document.text, one.document.language), _marks(one)) for one in rated
    ]
    n_prior, counts = prior_counts()
    total = Counter(counts)
    total.update(index for each in packed for index, _ in unpack(each.terms))
    vectors = meaning([(one.document.title, one.document.text) for one in rated])
    stored = StoredFeatures([each.terms for each in packed], [each.attributes for each in packed], vectors)
    return stored, idf_array(build_weights(n_prior + len(rated), total.items()))


def cross_validation(truth: Labels) -> Splits:
    """Five folds, stratified by label."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(truth, truth)
    return [(shown, asked) for shown, asked in folds]


def prequential_splits(n: int) -> Splits:
    """Successive stretches, each after all earlier documents; they grow with `GROWTH`."""
    ends = list(chain([0], _growing(n), [n]))
    rows = np.arange(n)
    return [(rows[:start], rows[start:end]) for start, end in pairwise(ends)]


def _growing(n: int) -> Iterator[int]:
    end = 1
    while end < n:
        yield end
        end = max(end + 1, int(end * GROWTH))


def _scores(score: Scorer, splits: Splits, truth: Labels) -> Scores:
    """The score of each document by the model of its split; 50 if that has only one label."""
    found = np.full(len(truth), RELEVANT_FROM)
    for shown, asked in splits:
        if 0 < truth[shown].sum() < len(shown):
            found[asked] = score(shown, asked)
    return found


def _tfidf(rated: Sequence[Rated], truth: Labels) -> Scorer:
    """Logistic regression on TF-IDF of title, text, source and author, with scikit-learn's defaults."""
    texts = [" ".join((one.document.title, one.document.text, one.document.source, one.author)) for one in rated]
    vectors = TfidfVectorizer(analyzer=words).fit_transform(texts).tocsr()

    def score(shown: Rows, asked: Rows) -> Scores:
        learner = LogisticRegression(max_iter=300).fit(vectors[shown], truth[shown])
        return np.asarray(100 * learner.predict_proba(vectors[asked])[:, 1])

    return score


def _marks(one: Rated) -> list[str]:
    document = one.document
    marks = extract_attributes(
        title=document.title, language=document.language, source=document.source, author=one.author
    )
    return list(dict.fromkeys([*marks, *extract_attributes(title="", source=one.host)]))


def _check(truth: Labels, least: int) -> None:
    rarer = min(int(truth.sum()), int((~truth).sum()))
    if not rarer:
        raise LabelledFileError(
            f"All {len(truth)} documents are {'' if truth.any() else 'not '}relevant; it takes both."
        )
    if rarer < least:
        raise LabelledFileError(f"To cross-validate takes {least} relevant documents and {least} others, not {rarer}.")


def _value(row: Row, *, is_grade: bool) -> float:
    value = _number(row.get(LABEL_FIELD))
    if value is None:
        raise UnusableRow(f"{LABEL_FIELD} is not a number" if LABEL_FIELD in row else f"no {LABEL_FIELD}")
    if not is_grade and value not in (0, 1):
        raise UnusableRow(f"{LABEL_FIELD} is neither 0 nor 1; grades need --positive-from")
    return value


def _order(row: Row) -> float | None:
    """The document's order; None if missing."""
    if row.get(ORDER_FIELD) is None:
        return None
    order = _number(row[ORDER_FIELD])
    if order is None:
        raise UnusableRow(f"{ORDER_FIELD} is not a number")
    return order


def _number(value: object) -> float | None:
    """A finite number, from a number, string or Boolean."""
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
