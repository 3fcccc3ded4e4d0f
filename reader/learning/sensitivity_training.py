"""Trains the numbers of the local judge of time sensitivity: from examples of articles with their scores. Pure.

Two logistic regressions over the five scores, one over cues and words, one over the vectors of meaning, whose sums are
added. Trained apart, each works without the other, and neither drowns the other: together in one they are no better.
Cues and words are held to small weights (`LEXICAL_C`), so that a few hundred examples teach kinds of wording and not
their authors' phrases; a word needs three examples to count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from feeds.dedup.vectors import matrix_from
from reader.scoring.sensitivity.numbers import SCORES, Numbers, median_score
from reader.scoring.sensitivity.reading import Reading, read

LEXICAL_C = 0.3  # inverse of regularization; the best of 0.1 … 1 on authors and topics left out
MEANING_C = 3.0  # the same of 3 … 30
LEAST_EXAMPLES = 3  # that have a word or cue, for it to get weights
LEAST_VECTORS = 50  # examples with a vector, for meaning to get weights
FOLDS = 5
SHARPNESSES = tuple(round(0.3 + 0.1 * step, 1) for step in range(38))  # 0.3 … 4.0

Figures = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """An article with its true score (1–5); `author` and `topic` are what held-out groups are made of."""

    title: str
    text: str
    score: int
    language: str = ""
    author: str = ""
    topic: str = ""
    vector: bytes = b""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums for held-out examples (n × 5): of cues and words, and of meaning (0 without a vector)."""

    words: Figures
    meaning: Figures

    @property
    def has_meaning(self) -> npt.NDArray[np.bool_]:
        """Which examples have a vector (n)."""
        return np.asarray(self.meaning.any(axis=1))


def train(examples: Sequence[Example], *, like: Numbers | None = None) -> Numbers:
    """Numbers from examples of at least two scores.

    `like` lends its sharpness, and its weights of meaning where too few examples have a vector.
    """
    readings = [reading_of(example) for example in examples]
    numbers = _lexical(readings, examples)
    with_vector = [example for example in examples if example.vector]
    if len(with_vector) >= LEAST_VECTORS and len({example.score for example in with_vector}) > 1:
        numbers = _with_meaning(numbers, with_vector)
    elif like:
        numbers = replace(numbers, meaning=like.meaning, meaning_bias=like.meaning_bias)
    if like:
        numbers = replace(numbers, sharpness=like.sharpness, sharpness_with_meaning=like.sharpness_with_meaning)
    return numbers


def cross_validated(
    examples: Sequence[Example], groups: Sequence[str | int], *, always: Sequence[Example] = ()
) -> Sums:
    """The sums for each example by numbers trained on the groups it is not in, and on `always`."""
    words, meaning = np.zeros((len(examples), len(SCORES))), np.zeros((len(examples), len(SCORES)))
    for group in sorted(set(groups), key=str):
        shown = [example for example, its in zip(examples, groups, strict=True) if its != group]
        numbers = train([*always, *shown])
        for i, example in enumerate(examples):
            if groups[i] == group:
                words[i] = numbers.sums(reading_of(example).features)
                meaning[i] = numbers.meaning_sums(example.vector)
    return Sums(words, meaning)


def folds_of(examples: Sequence[Example], *, folds: int = FOLDS, seed: int) -> list[int]:
    """A fold for each example, every score spread over all folds."""
    scores = [example.score for example in examples]
    found = [0] * len(examples)
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=seed)
    for fold, (_, held_out) in enumerate(splitter.split(scores, _coarse(scores, folds))):
        for i in held_out:
            found[i] = fold
    return found


def calibrated(numbers: Numbers, sums: Sums, examples: Sequence[Example]) -> Numbers:
    """The numbers with the sharpness under which held-out scores are likeliest."""
    truth = np.array([example.score for example in examples])
    both = sums.has_meaning
    with_meaning = numbers.sharpness_with_meaning
    if both.any():
        with_meaning = _sharpest(sums.words[both] + sums.meaning[both], truth[both])
    return replace(numbers, sharpness=_sharpest(sums.words, truth), sharpness_with_meaning=with_meaning)


def probabilities(sums: Figures, sharpness: float) -> Figures:
    """Probabilities of the five scores (n × 5)."""
    shifted = sharpness * (sums - sums.max(axis=1, keepdims=True))
    raised = np.exp(shifted)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def scores_of(sums: Sums, numbers: Numbers) -> list[int]:
    """The judge's score for each held-out example."""
    both = probabilities(sums.words + sums.meaning, numbers.sharpness_with_meaning)
    words = probabilities(sums.words, numbers.sharpness)
    chosen = np.where(sums.has_meaning[:, None], both, words)
    return [median_score(tuple(map(float, row))) for row in chosen]


def quality(truth: Sequence[int], scores: Sequence[int]) -> tuple[float, float]:
    """Macro F1 over the scores that occur, in [0, 1], and the mean absolute error, in [0, 4]."""
    error = float(np.mean(np.abs(np.array(truth) - np.array(scores))))
    return float(f1_score(truth, scores, average="macro", labels=sorted(set(truth)), zero_division=0)), error


def reading_of(example: Example) -> Reading:
    """What the judge reads of it."""
    return read(example.title, example.text, language=example.language)


def _lexical(readings: Sequence[Reading], examples: Sequence[Example]) -> Numbers:
    vectorizer = DictVectorizer(dtype=np.float64)
    matrix = vectorizer.fit_transform([reading.features for reading in readings])
    kept = np.flatnonzero(np.asarray((matrix != 0).sum(axis=0)).ravel() >= LEAST_EXAMPLES)
    names = vectorizer.get_feature_names_out()[kept]
    bias, weights = _fitted(matrix[:, kept], examples, LEXICAL_C)
    return Numbers(bias=tuple(bias), features=_features(names, weights))


def _features(names: Sequence[str], weights: Figures) -> Mapping[str, tuple[float, ...]]:
    return {str(name): tuple(map(float, weights[:, i])) for i, name in enumerate(names)}


def _with_meaning(numbers: Numbers, examples: Sequence[Example]) -> Numbers:
    bias, weights = _fitted(matrix_from([example.vector for example in examples]), examples, MEANING_C)
    return replace(numbers, meaning_bias=tuple(bias), meaning=tuple(tuple(map(float, row)) for row in weights))


def _fitted(matrix: npt.ArrayLike, examples: Sequence[Example], c: float) -> tuple[list[float], Figures]:
    """The bias of each score and its weights (5 × n_features); a score that no example has is out of reach."""
    model = LogisticRegression(C=c, max_iter=5000, tol=1e-5)
    model.fit(matrix, [example.score for example in examples], [example.weight for example in examples])
    bias, weights = np.full(len(SCORES), -20.0), np.zeros((len(SCORES), model.coef_.shape[1]))
    rows = np.vstack((-model.coef_, model.coef_)) / 2 if len(model.classes_) == 2 else model.coef_
    biases = np.concatenate((-model.intercept_, model.intercept_)) / 2 if len(model.classes_) == 2 else model.intercept_
    for score, row, its_bias in zip(model.classes_, rows, biases, strict=True):
        bias[score - 1], weights[score - 1] = its_bias, row
    return [float(value) for value in bias], weights


def _sharpest(sums: Figures, truth: npt.NDArray[np.int64]) -> float:
    """The sharpness with the highest likelihood of the truth."""
    rows = np.arange(len(truth))
    likelihood = {s: float(np.log(probabilities(sums, s)[rows, truth - 1] + 1e-9).sum()) for s in SHARPNESSES}
    return max(SHARPNESSES, key=lambda sharpness: likelihood[sharpness])


def _coarse(scores: Sequence[int], folds: int) -> list[int]:
    """Scores that fewer examples than folds have count as the commonest, for they cannot be spread."""
    commonest = max(scores, key=scores.count, default=0)
    return [score if scores.count(score) >= folds else commonest for score in scores]
