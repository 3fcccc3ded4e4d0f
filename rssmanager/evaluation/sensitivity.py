"""Quality of the time sensitivity classifier, or of its learner, on a labelled file, with simple baselines.

A file has scores from 1 (evergreen) to 5 (critical), which measure classification, or labels, 1 for evergreen and 0
for ephemeral, which measure ranking by expected score. For labels, scores 1 and 2 count as evergreen. Scores can be
kept apart from the texts, by URL.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, f1_score, recall_score, roc_auc_score

from feeds.dedup.embeddings import vectors_of
from feeds.dedup.in_memory import Document
from reader.scoring.sensitivity import Prediction, classify
from reader.scoring.sensitivity.keyword_baseline import keyword_score
from reader.scoring.sensitivity.training import FOLDS, Example, assign_folds, measure
from reader.scoring.sensitivity.weights import SCORES, median_score
from rssmanager.evaluation.datasets import LabelledFileError, Refusal, Row, UnusableRow, read_documents
from rssmanager.evaluation.items import read_items
from rssmanager.evaluation.sensitivity_learner import features_of, held_out_answers, probabilities, tfidf_answers

SCORE_FIELDS = ("score", "time_sensitivity")
LABEL_FIELD = "label"
LASTING = 2  # the highest score that counts as evergreen for binary labels
SEED = 11  # of the folds, for reproducible results
SHIPPED, LEARNED = "shipped", "learned"  # policies

Meaning = Callable[[Sequence[tuple[str, str]]], list[bytes]]
Figures = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LabelledSensitivity:
    """Documents with scores, or labels if `is_binary`, and the refused lines."""

    documents: tuple[Document, ...]
    truth: tuple[int, ...]
    is_binary: bool
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Measures:
    """Of scores: macro F1, accuracy, AUC of evergreen against the rest, and the recall of each score that occurs, in
    [0, 1], mean absolute error in [0, 4]; of labels: the others, in [0, 1].
    """

    macro_f1: float | None = None
    mean_absolute_error: float | None = None
    accuracy: float | None = None
    evergreen_auc: float | None = None
    recall_1: float | None = None
    recall_2: float | None = None
    recall_3: float | None = None
    recall_4: float | None = None
    recall_5: float | None = None
    auc: float | None = None
    average_precision: float | None = None
    f1: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures of the classifier or learner, and of the baselines by name."""

    n: int
    n_refused: int
    policy: str
    measures: Measures
    baselines: dict[str, Measures]
    seconds: float


def read_file(path: Path, *, language: str = "") -> LabelledSensitivity:
    """The documents of a file with their scores or labels; the first row decides which.

    Raises:
        LabelledFileError: it has no usable line.
    """
    found, refusals = read_documents(path, _label, language=language)
    is_binary = found[0][1][0]
    mixed = sum(kind != is_binary for _, (kind, _) in found)
    if mixed:
        raise LabelledFileError(f"{path} has scores in some rows and labels in {mixed} others.", refusals)
    return LabelledSensitivity(
        tuple(document for document, _ in found), tuple(value for _, (_, value) in found), is_binary, refusals
    )


def read_items_by_url(labels: Iterable[Path], items: Iterable[Path], *, language: str = "") -> LabelledSensitivity:
    """The items whose URL has a score in one of the label files (tab-separated: url, score), by URL.

    Raises:
        LabelledFileError: a file can't be read, or no labelled item is there.
    """
    scores = {url: score for path in labels for url, score in _scores_by_url(path)}
    documents = {
        one.url: one
        for path in items
        for one in read_items(path)[0]
        if one.url in scores and language in ("", one.language)
    }
    if not documents:
        raise LabelledFileError("None of the labelled URLs is among the items.")
    found = [document for _, document in sorted(documents.items())]
    return LabelledSensitivity(tuple(found), tuple(scores[one.url] for one in found), is_binary=False)


def evaluate(labelled: LabelledSensitivity, *, cross_validate: bool, meaning: Meaning = vectors_of) -> Evaluation:
    """Measure the built-in classifier, or the learner with 5-fold cross-validation on these labels.

    Raises:
        LabelledFileError: a label has fewer documents than there are folds.
    """
    started = perf_counter()
    baselines = _baselines(labelled)
    if cross_validate:
        measures, baselines["tfidf"] = _learned(labelled, meaning)
    else:
        measures = _of_judge(labelled, meaning)
    return Evaluation(
        n=len(labelled.documents),
        n_refused=len(labelled.refusals),
        policy=LEARNED if cross_validate else SHIPPED,
        measures=measures,
        baselines=baselines,
        seconds=perf_counter() - started,
    )


def judged(documents: Sequence[Document], vectors: Sequence[bytes]) -> list[Prediction]:
    """The built-in classifier's scores of documents; `tests/benchmarks` measures its speed."""
    return [
        classify(one.title, one.text, language=one.language, published_at=one.published_at, vector=vector)
        for one, vector in zip(documents, vectors, strict=True)
    ]


def _scores_by_url(path: Path) -> list[tuple[str, int]]:
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
        scores = [(row["url"], _whole(row["score"])) for row in rows]
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise LabelledFileError(f"{path} cannot be read as labels: {error}.") from error
    wrong = [url for url, score in scores if score not in SCORES]
    if wrong:
        raise LabelledFileError(f"{path} has scores that are no whole number from 1 to 5, such as that of {wrong[0]}.")
    return scores


def _label(row: Row) -> tuple[bool, int]:
    """Whether the row has a binary label, and the label or score."""
    field = next((name for name in (*SCORE_FIELDS, LABEL_FIELD) if row.get(name) not in (None, "")), "")
    if not field:
        raise UnusableRow(f"none of the fields {', '.join((*SCORE_FIELDS, LABEL_FIELD))}")
    value, is_binary = _whole(row[field]), field == LABEL_FIELD
    if value not in ((0, 1) if is_binary else SCORES):
        raise UnusableRow(f"{field} is neither 0 nor 1" if is_binary else f"{field} is no whole number from 1 to 5")
    return is_binary, value


def _whole(value: object) -> int:
    """A whole number from a number or string, else -1."""
    try:
        number = float(value) if isinstance(value, int | float | str) else -1.0
    except (ValueError, OverflowError):
        return -1
    return int(number) if number.is_integer() else -1


def _of_judge(labelled: LabelledSensitivity, meaning: Meaning) -> Measures:
    judgements = judged(labelled.documents, meaning([(one.title, one.text) for one in labelled.documents]))
    scores, lasting = [one.score for one in judgements], [-one.expected for one in judgements]
    if not labelled.is_binary:
        return _of_scores(labelled.truth, scores, lasting)
    return _of_ranking(labelled.truth, lasting, [score <= LASTING for score in scores])


def _learned(labelled: LabelledSensitivity, meaning: Meaning) -> tuple[Measures, Measures]:
    """The measures of the learner, and of TF-IDF with logistic regression on the same folds."""
    rarest = min(Counter(labelled.truth).items(), key=lambda each: each[1])
    if len(set(labelled.truth)) < 2 or rarest[1] < FOLDS:
        few = f"{rarest[1]} documents with {rarest[0]}"
        raise LabelledFileError(f"To cross-validate takes {FOLDS} documents of each of two labels or more, not {few}.")
    folds = assign_folds([Example("", "", value) for value in labelled.truth], seed=SEED)
    features = features_of(labelled.documents, meaning)
    answers = held_out_answers(features, labelled.truth, folds)
    return _of_answers(labelled, answers), _of_answers(labelled, tfidf_answers(features, labelled.truth, folds))


def _of_answers(labelled: LabelledSensitivity, answers: Figures) -> Measures:
    if labelled.is_binary:
        lasting = answers[:, 1] - answers[:, 0]
        least = np.quantile(lasting, 1 - np.mean(labelled.truth))  # predict as many evergreen as there are labels
        return _of_ranking(labelled.truth, [float(x) for x in lasting], [bool(x > least) for x in lasting])
    classes = sorted(set(labelled.truth))
    rows = probabilities(answers)
    found = [classes[median_score(tuple(map(float, row))) - 1] for row in rows]
    return _of_scores(labelled.truth, found, [-float(expected) for expected in rows @ np.array(classes)])


def _baselines(labelled: LabelledSensitivity) -> dict[str, Measures]:
    majority = Counter(labelled.truth).most_common(1)[0][0]
    keywords = [keyword_score(one.title, one.text) for one in labelled.documents]
    if labelled.is_binary:
        always = _of_ranking(labelled.truth, [0.0] * len(labelled.truth), [majority == 1] * len(labelled.truth))
        said = _of_ranking(
            labelled.truth, [-float(score) for score in keywords], [score <= LASTING for score in keywords]
        )
        return {"majority": always, "keywords": said}
    always = _of_scores(labelled.truth, [majority] * len(labelled.truth), [0.0] * len(labelled.truth))
    return {
        "majority": always,
        "keywords": _of_scores(labelled.truth, keywords, [-float(score) for score in keywords]),
    }


def _of_scores(truth: Sequence[int], scores: Sequence[int], lasting: Sequence[float]) -> Measures:
    macro_f1, error = measure(truth, scores)
    right = sum(is_so == said for is_so, said in zip(truth, scores, strict=True))
    is_evergreen, occurring = [score == SCORES[0] for score in truth], sorted(set(truth))
    recalls = recall_score(truth, scores, average=None, labels=occurring, zero_division=0)
    return Measures(
        macro_f1=macro_f1,
        mean_absolute_error=error,
        accuracy=right / len(truth),
        evergreen_auc=float(roc_auc_score(is_evergreen, lasting)) if 0 < sum(is_evergreen) < len(truth) else None,
        **{f"recall_{score}": float(recall) for score, recall in zip(occurring, recalls, strict=True)},
    )


def _of_ranking(truth: Sequence[int], lasting: Sequence[float], answers: Sequence[bool]) -> Measures:
    """Ranking measures; AUC and average precision only if both labels occur."""
    both = len(set(truth)) == 2
    return Measures(
        auc=float(roc_auc_score(truth, lasting)) if both else None,
        average_precision=float(average_precision_score(truth, lasting)) if both else None,
        f1=float(f1_score(truth, answers, zero_division=0)),
    )
