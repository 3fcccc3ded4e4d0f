"""Trains the weights of the time sensitivity classifier from scored example articles. Pure.

Two logistic regressions over the five scores, one on cues and words and one on embeddings; their logits are added.
Trained separately, each works without the other and neither dominates; a joint model is no better. Strong
regularization of cues and words (`LEXICAL_C`) makes a few hundred examples teach kinds of wording instead of their
authors' phrases; a word needs five examples to count.

The shipped weights were learned from examples written for this project and from labelled items of real feeds, whose
texts aren't shipped. Retraining with an installation's labels therefore starts from the shipped weights
(`prior`): their logits are features too, so that only what the labels contradict is corrected; the shipped examples are
kept, since a few dozen labels don't cover every kind of article. New weights are kept only if they are better on
held-out labels in macro F1, and no worse in mean absolute error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from feeds.dedup.vectors import matrix_from
from reader.scoring.sensitivity.classifier import SHIPPED
from reader.scoring.sensitivity.features import Features, extract_features
from reader.scoring.sensitivity.weights import SCORES, ClassifierWeights, median_score

LEXICAL_C = 2.7  # inverse of regularization; the best of 1.3 … 5.4 on publishers left out
EMBEDDING_C = 3.0  # the same of 3 … 30
MIN_EXAMPLES = 5  # that have a word or cue, for it to get weights
MIN_VECTORS = 50  # examples with a vector, for embedding to get weights
FOLDS = 5
MIN_LABELS = 50  # of an installation, before retraining
LABEL_WEIGHT = 3.0  # of a label, against 1 of a shipped example: it is of articles this installation sees
SHARPNESSES = tuple(round(0.3 + 0.1 * step, 1) for step in range(38))  # 0.3 … 4.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """An article with its true score (1–5); `author` and `topic` define held-out groups."""

    title: str
    text: str
    score: int
    language: str = ""
    author: str = ""
    topic: str = ""
    vector: bytes = b""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Logits:
    """Logits for held-out examples (n × 5), from cues and words, and from the embedding (0 without a vector)."""

    words: Floats
    embedding: Floats

    @property
    def has_embedding(self) -> npt.NDArray[np.bool_]:
        """Which examples have a vector (n)."""
        return np.asarray(self.embedding.any(axis=1))


def train(examples: Sequence[Example], *, prior: ClassifierWeights | None = None) -> ClassifierWeights:
    """Weights from examples of at least two scores.

    `prior`: weights to correct; they also provide the sharpness, and the embedding weights if too few examples have a
    vector.
    """
    features = [features_of(example) for example in examples]
    weights = _train_lexical(features, examples, prior)
    with_vector = [example for example in examples if example.vector]
    if len(with_vector) >= MIN_VECTORS and len({example.score for example in with_vector}) > 1:
        weights = _add_embedding(weights, with_vector, prior)
    elif prior:
        weights = replace(weights, embedding=prior.embedding, embedding_bias=prior.embedding_bias)
    if prior:
        weights = replace(weights, sharpness=prior.sharpness, sharpness_with_embedding=prior.sharpness_with_embedding)
    return weights


def cross_validate(
    examples: Sequence[Example],
    groups: Sequence[str | int],
    *,
    always: Sequence[Example] = (),
    prior: ClassifierWeights | None = None,
) -> Logits:
    """The logits of each example from weights trained on the other groups and on `always`."""
    words, embedding = np.zeros((len(examples), len(SCORES))), np.zeros((len(examples), len(SCORES)))
    for group in sorted(set(groups), key=str):
        shown = [example for example, its in zip(examples, groups, strict=True) if its != group]
        weights = train([*always, *shown], prior=prior)
        for i, example in enumerate(examples):
            if groups[i] == group:
                words[i] = weights.lexical_logits(features_of(example).values)
                embedding[i] = weights.embedding_logits(example.vector)
    return Logits(words, embedding)


def assign_folds(examples: Sequence[Example], *, folds: int = FOLDS, seed: int) -> list[int]:
    """The fold of each example, stratified by score."""
    scores = [example.score for example in examples]
    assigned = [0] * len(examples)
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=seed)
    for fold, (_, held_out) in enumerate(splitter.split(scores, _merge_rare_scores(scores, folds))):
        for i in held_out:
            assigned[i] = fold
    return assigned


def calibrate(weights: ClassifierWeights, logits: Logits, examples: Sequence[Example]) -> ClassifierWeights:
    """The weights with the sharpness that maximizes the likelihood of held-out scores."""
    truth = np.array([example.score for example in examples])
    both = logits.has_embedding
    with_embedding = weights.sharpness_with_embedding
    if both.any():
        with_embedding = _fit_sharpness(logits.words[both] + logits.embedding[both], truth[both])
    return replace(weights, sharpness=_fit_sharpness(logits.words, truth), sharpness_with_embedding=with_embedding)


def probabilities(logits: Floats, sharpness: float) -> Floats:
    """Probabilities of the five scores (n × 5)."""
    shifted = sharpness * (logits - logits.max(axis=1, keepdims=True))
    raised = np.exp(shifted)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def predict_scores(logits: Logits, weights: ClassifierWeights) -> list[int]:
    """The predicted score of each held-out example."""
    both = probabilities(logits.words + logits.embedding, weights.sharpness_with_embedding)
    words = probabilities(logits.words, weights.sharpness)
    chosen = np.where(logits.has_embedding[:, None], both, words)
    return [median_score(tuple(map(float, row))) for row in chosen]


def measure(truth: Sequence[int], scores: Sequence[int]) -> tuple[float, float]:
    """Macro F1 over the scores that occur, in [0, 1], and the mean absolute error, in [0, 4]."""
    error = float(np.mean(np.abs(np.array(truth) - np.array(scores))))
    return float(f1_score(truth, scores, average="macro", labels=sorted(set(truth)), zero_division=0)), error


def features_of(example: Example) -> Features:
    return extract_features(example.title, example.text, language=example.language)


def _train_lexical(
    features: Sequence[Features], examples: Sequence[Example], prior: ClassifierWeights | None
) -> ClassifierWeights:
    vectorizer = DictVectorizer(dtype=np.float64)
    matrix = vectorizer.fit_transform([extracted.values for extracted in features])
    frequent = np.flatnonzero(np.asarray((matrix != 0).sum(axis=0)).ravel() >= MIN_EXAMPLES)
    names = [str(name) for name in vectorizer.get_feature_names_out()[frequent]]
    if prior is None:
        bias, weights = _fit(matrix[:, frequent], examples, LEXICAL_C)
        return ClassifierWeights(bias=tuple(bias), features=dict(zip(names, _rows(weights.T), strict=True)))
    known = np.array([prior.lexical_logits(extracted.values) for extracted in features])
    bias, weights = _fit(csr_array(hstack([matrix[:, frequent], known])), examples, LEXICAL_C)
    corrections, share = weights[:, : len(names)], weights[:, len(names) :]
    by_name = {name: share @ row for name, row in prior.features.items()}
    for name, correction in zip(names, corrections.T, strict=True):
        by_name[name] = by_name.get(name, 0.0) + correction
    new_bias = tuple(map(float, np.array(bias) + share @ prior.bias))
    return ClassifierWeights(bias=new_bias, features={name: tuple(map(float, row)) for name, row in by_name.items()})


def _add_embedding(
    weights: ClassifierWeights, examples: Sequence[Example], prior: ClassifierWeights | None
) -> ClassifierWeights:
    matrix = matrix_from([example.vector for example in examples])
    if prior is None or not prior.embedding:
        bias, rows = _fit(matrix, examples, EMBEDDING_C)
        return replace(weights, embedding_bias=tuple(bias), embedding=_rows(rows))
    known = np.array([prior.embedding_logits(example.vector) for example in examples])
    bias, rows = _fit(np.hstack([matrix, known]), examples, EMBEDDING_C)
    corrections, share = rows[:, : matrix.shape[1]], rows[:, matrix.shape[1] :]
    new_bias = tuple(map(float, np.array(bias) + share @ prior.embedding_bias))
    return replace(weights, embedding_bias=new_bias, embedding=_rows(corrections + share @ np.array(prior.embedding)))


def _rows(weights: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in weights)


def _fit(matrix: npt.ArrayLike, examples: Sequence[Example], c: float) -> tuple[list[float], Floats]:
    """The bias of each score and its weights (5 × n_features). A score without examples is never predicted."""
    model = LogisticRegression(C=c, max_iter=5000, tol=1e-5)
    model.fit(matrix, [example.score for example in examples], [example.weight for example in examples])
    bias, weights = np.full(len(SCORES), -20.0), np.zeros((len(SCORES), model.coef_.shape[1]))
    rows = np.vstack((-model.coef_, model.coef_)) / 2 if len(model.classes_) == 2 else model.coef_
    biases = np.concatenate((-model.intercept_, model.intercept_)) / 2 if len(model.classes_) == 2 else model.intercept_
    for score, row, its_bias in zip(model.classes_, rows, biases, strict=True):
        bias[score - 1], weights[score - 1] = its_bias, row
    return [float(value) for value in bias], weights


def _fit_sharpness(logits: Floats, truth: npt.NDArray[np.int64]) -> float:
    rows = np.arange(len(truth))
    likelihood = {s: float(np.log(probabilities(logits, s)[rows, truth - 1] + 1e-9).sum()) for s in SHARPNESSES}
    return max(SHARPNESSES, key=lambda sharpness: likelihood[sharpness])


def _merge_rare_scores(scores: Sequence[int], folds: int) -> list[int]:
    """Replaces scores that have fewer examples than folds, since they can't be stratified, by the most common one."""
    commonest = max(scores, key=scores.count, default=0)
    return [score if scores.count(score) >= folds else commonest for score in scores]


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Metrics of a training and of the shipped weights on held-out labels; `weights` is None unless better."""

    weights: ClassifierWeights | None
    macro_f1: float
    mean_absolute_error: float
    shipped_macro_f1: float
    shipped_mean_absolute_error: float
    n_labels: int


def retrain(labels: Sequence[Example], *, shipped_examples: Sequence[Example], seed: int) -> TrainingResult:
    """Train on the shipped examples and these labels, and compare with the shipped weights on held-out labels."""
    truth = [label.score for label in labels]
    shipped = _shipped_logits(labels)
    shipped_f1, shipped_error = measure(truth, predict_scores(shipped, SHIPPED)) if labels else (0.0, 0.0)
    if len(labels) < MIN_LABELS:
        return TrainingResult(None, shipped_f1, shipped_error, shipped_f1, shipped_error, len(labels))
    weighted = [replace(label, weight=LABEL_WEIGHT * label.weight) for label in labels]
    held_out = cross_validate(weighted, assign_folds(weighted, seed=seed), always=shipped_examples, prior=SHIPPED)
    macro_f1, error = measure(truth, predict_scores(held_out, SHIPPED))
    is_better = macro_f1 > shipped_f1 and error <= shipped_error
    weights = train([*shipped_examples, *weighted], prior=SHIPPED) if is_better else None
    return TrainingResult(weights, macro_f1, error, shipped_f1, shipped_error, len(labels))


def _shipped_logits(labels: Sequence[Example]) -> Logits:
    words = [SHIPPED.lexical_logits(features_of(label).values) for label in labels]
    embedding = [SHIPPED.embedding_logits(label.vector) for label in labels]
    return Logits(np.array(words).reshape(-1, len(SCORES)), np.array(embedding).reshape(-1, len(SCORES)))
