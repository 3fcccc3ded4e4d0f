"""How well the relevance model does on a labelled file of one person's articles, beside simple baselines.

The learner is the program's, with the same features and background: rarity of terms is counted over all documents of
the file, whose words, other than their labels, are no secret. Cross-validated, each document is scored by a model of
the other four fifths. Prequentially, documents come in order; each is scored by a model of those before it, which is
learned anew at growing intervals, and until both labels were seen all are 50.
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

from feeds.dedup.corpus import Document
from feeds.dedup.meaning import vectors_of
from feeds.normalizing.text import words
from reader.learning.background import prior_counts, weights_from
from reader.learning.classifier import relevance_of_many, train
from reader.learning.features import marks_of, pack, term_counts, unpack
from reader.learning.held_out import RELEVANT_FROM
from reader.learning.matrices import Floats, Stored
from reader.learning.profile_arrays import idf_array
from rssmanager.evaluation.labelled import LabelledFileError, Refusal, Row, UnusableRow, read_documents
from rssmanager.evaluation.ranking import Labels, Measures, Scores, measures_of

LABEL_FIELD, ORDER_FIELD, AUTHOR_FIELD, HOST_FIELD, CATEGORY_FIELD = "label", "order", "author", "host", "category"
FOLDS = 5
SEED = 11  # of the folds, so that two runs agree
GROWTH = 1.05  # prequentially, by how much the labels grow until the model is learned anew
CROSS_VALIDATED, PREQUENTIAL = "cross_validated", "prequential"  # policies

Rows = NDArray[np.intp]
Meaning = Callable[[Sequence[tuple[str, str]]], list[bytes]]
Scorer = Callable[[Rows, Rows], Scores]  # scores of the second by what the first teach
Splits = Sequence[tuple[Rows, Rows]]


@dataclass(frozen=True, slots=True)
class Rated:
    """A document with what a person said of it; `value` is 0, 1 or a grade, `order` None where the file has none."""

    document: Document
    value: float = 0.0
    order: float | None = None
    author: str = ""
    host: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured, of the model and by name of the baselines."""

    n: int
    n_relevant: int
    n_refused: int
    policy: str
    measures: Measures
    baselines: dict[str, Measures]
    seconds: float


def read_file(path: Path, *, positive_from: float | None = None) -> tuple[list[Rated], tuple[Refusal, ...]]:
    """The documents of a file in their order, and the lines refused.

    Labels are 0 or 1; with `positive_from` they are grades, of which those from there on are relevant.

    Raises:
        LabelledFileError: nothing in it can be measured on.
    """

    def details(row: Row) -> tuple[float, float | None, Row]:
        return _value(row, is_grade=positive_from is not None), _order(row), row

    found, refusals = read_documents(path, details)
    rated = [rated_of(document, row, value, order) for document, (value, order, row) in found]
    if all(one.order is not None for one in rated):
        rated.sort(key=lambda one: one.order or 0.0)
    return rated, refusals


def rated_of(document: Document, row: Row, value: float = 0.0, order: float | None = None) -> Rated:
    """The document with what its row says beside the text."""
    author, host, category = (_text(row.get(name)) for name in (AUTHOR_FIELD, HOST_FIELD, CATEGORY_FIELD))
    return Rated(document, value, order, author, host, category)


def evaluate(
    rated: Sequence[Rated], *, n_refused: int, positive_from: float, prequential: bool, meaning: Meaning = vectors_of
) -> Evaluation:
    """The measures of the model on documents whose value is at least `positive_from` or not.

    Raises:
        LabelledFileError: one of both is missing, or to cross-validate rarer than there are folds.
    """
    began = perf_counter()
    truth = np.array([one.value >= positive_from for one in rated], dtype=bool)
    _check(truth, 1 if prequential else FOLDS)
    stored, idf = features_of(rated, meaning)

    def by_model(shown: Rows, asked: Rows) -> Scores:
        model = train(stored.chosen(shown), truth[shown], idf=idf)
        return relevance_of_many(model, stored.chosen(asked), idf=idf)

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


def features_of(rated: Sequence[Rated], meaning: Meaning = vectors_of) -> tuple[Stored, Floats]:
    """What the program stores of the documents, and how rare terms are by its table and these documents."""
    packed = [
        pack(term_counts(one.document.title, one.document.text, one.document.language), _marks(one)) for one in rated
    ]
    n_prior, counts = prior_counts()
    total = Counter(counts)
    total.update(index for each in packed for index, _ in unpack(each.terms))
    vectors = meaning([(one.document.title, one.document.text) for one in rated])
    stored = Stored([each.terms for each in packed], [each.marks for each in packed], vectors)
    return stored, idf_array(weights_from(n_prior + len(rated), total.items()))


def cross_validation(truth: Labels) -> Splits:
    """Five folds, with as many of each label in each as can be."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(truth, truth)
    return [(shown, asked) for shown, asked in folds]


def prequential_splits(n: int) -> Splits:
    """Everything in order, each stretch after all before it; stretches grow by a twentieth of what was learned."""
    ends = list(chain([0], _growing(n), [n]))
    rows = np.arange(n)
    return [(rows[:start], rows[start:end]) for start, end in pairwise(ends)]


def _growing(n: int) -> Iterator[int]:
    end = 1
    while end < n:
        yield end
        end = max(end + 1, int(end * GROWTH))


def _scores(score: Scorer, splits: Splits, truth: Labels) -> Scores:
    """The score of each document by what its split teaches; 50 where that is of one label only."""
    found = np.full(len(truth), RELEVANT_FROM)
    for shown, asked in splits:
        if 0 < truth[shown].sum() < len(shown):
            found[asked] = score(shown, asked)
    return found


def _tfidf(rated: Sequence[Rated], truth: Labels) -> Scorer:
    """Logistic regression on TF-IDF of title, text, source and author, as scikit-learn gives it."""
    texts = [" ".join((one.document.title, one.document.text, one.document.source, one.author)) for one in rated]
    vectors = TfidfVectorizer(analyzer=words).fit_transform(texts).tocsr()

    def score(shown: Rows, asked: Rows) -> Scores:
        learner = LogisticRegression(max_iter=300).fit(vectors[shown], truth[shown])
        return np.asarray(100 * learner.predict_proba(vectors[asked])[:, 1])

    return score


def _marks(one: Rated) -> list[str]:
    document = one.document
    marks = marks_of(title=document.title, language=document.language, source=document.source, author=one.author)
    return list(dict.fromkeys([*marks, *marks_of(title="", source=one.host)]))


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
        raise UnusableRow(f"{LABEL_FIELD} is no number" if LABEL_FIELD in row else f"no {LABEL_FIELD}")
    if not is_grade and value not in (0, 1):
        raise UnusableRow(f"{LABEL_FIELD} is neither 0 nor 1; grades need --positive-from")
    return value


def _order(row: Row) -> float | None:
    """The place in the order, None where none is given."""
    if row.get(ORDER_FIELD) is None:
        return None
    order = _number(row[ORDER_FIELD])
    if order is None:
        raise UnusableRow(f"{ORDER_FIELD} is no number")
    return order


def _number(value: object) -> float | None:
    """A finite number, written as number, text, true or false."""
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
