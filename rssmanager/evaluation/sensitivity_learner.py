"""The strongest learner of time sensitivity: cross-validated, for `evaluate sensitivity`. Pure.

An ensemble of four kinds of members with different strengths; their standardized outputs are added:

- words and pairs of words of title and text, by logistic regression: the subject, given thousands of labels;
- meaning and latent topics of words, by a support vector machine over two vectors, one of the title with its lead, one
  of the whole text's, and the topics: the genre, in any language, from a few dozen labels. It weighs double;
- trees over the same: combinations of features;
- the built-in classifier's cues and sums: time expressions. It weighs less, because it only reads the beginning.

Word frequencies and topics are computed from all documents, including held-out ones, because they don't use labels.
Members that learn from labels only see those of the training folds.

Tried and dropped: pairs to quadruples of characters (no gain beside words, the slowest by far), meaning by logistic
regression (worse than the support vector machine on every set).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, hstack
from sklearn.base import BaseEstimator
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from feeds.dedup.in_memory import Document
from feeds.dedup.vectors import DIMENSIONS, matrix_from
from feeds.normalizing.text import words
from reader.scoring.sensitivity import SHIPPED
from reader.scoring.sensitivity.features import WORD, extract_features

READ_CHARACTERS = 6000  # of a text, for its words
CHUNK_CHARACTERS = 150  # that one vector covers as title and text; `feeds.dedup.embeddings` truncates there
CHUNKS_AT = (150, 1200)  # characters; offsets of the body's vectors
FEW = 20  # documents; with fewer, words needn't occur twice
TITLE_TIMES = 2  # strategy.md step 5: the title weighs twice
TOPICS = 100  # latent ones
TREES = 300
GENRE_SHARE = 2.0  # of the support vector machine, the strongest member
CUE_SHARE = 0.3  # of the cues, compared to 1 for other members
MIN_PROBABILITY = 1e-3  # of trees; the logarithm of 0 would dominate
SHARPNESS = 1.0  # of the summed outputs, for probabilities

Figures = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Meaning = Callable[[Sequence[tuple[str, str]]], list[bytes]]


@dataclass(frozen=True, slots=True)
class Features:
    """Features, one row per document: TF-IDF of words, latent topics, vectors (n × 1024, 512 or 0), cues."""

    words: csr_matrix
    topics: Figures
    meaning: Figures
    cues: csr_matrix


@dataclass(frozen=True, slots=True)
class Split:
    """All labels, the indices of training and held-out documents, and the distinct labels in order."""

    truth: Numbers
    shown: Numbers
    held_out: Numbers
    classes: Numbers


def features_of(documents: Sequence[Document], vectors_of: Meaning) -> Features:
    """The features of documents; `vectors_of` gives the stored vector of each (title, text), b"" for none."""
    texts = ["\n".join([one.title] * TITLE_TIMES + [one.text[:READ_CHARACTERS]]) for one in documents]
    pieces = [_with_pairs(words(text, one.language)) for text, one in zip(texts, documents, strict=True)]
    counts = CountVectorizer(analyzer=list, min_df=1 if len(documents) < FEW else 2).fit_transform(pieces)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    lead = vectors_of([(one.title, one.text) for one in documents])
    return Features(weighted, _topics(weighted), _meaning(documents, lead, vectors_of), _cues(documents, lead))


def held_out_answers(features: Features, labels: Sequence[int], folds: Sequence[int]) -> Figures:
    """Evidence for each label (n × n_labels) from members trained on other folds."""

    genre = np.hstack([features.topics, features.meaning])

    def answer(split: Split) -> Figures:
        members: list[tuple[float, BaseEstimator, Any]] = [
            (1.0, LogisticRegression(C=4.0, max_iter=2000), features.words),
            (1.0, _trees(), genre),
            (GENRE_SHARE, SVC(C=2.0, gamma=0.5, random_state=0), genre),
            (CUE_SHARE, LogisticRegression(C=0.1, max_iter=2000), features.cues),
        ]
        answers = [share * _answer(model, matrix, split) for share, model, matrix in members]
        return np.asarray(np.sum(answers, axis=0))

    return _held_out(labels, folds, answer)


def tfidf_answers(features: Features, labels: Sequence[int], folds: Sequence[int]) -> Figures:
    """The same from logistic regression on TF-IDF, as a baseline."""

    def answer(split: Split) -> Figures:
        return _answer(LogisticRegression(max_iter=2000), features.words, split)

    return _held_out(labels, folds, answer)


def probabilities(answers: Figures) -> Figures:
    """Probabilities of the labels (n × n_labels)."""
    raised = np.exp(SHARPNESS * (answers - answers.max(axis=1, keepdims=True)))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _held_out(labels: Sequence[int], folds: Sequence[int], answer: Callable[[Split], Figures]) -> Figures:
    truth, its = np.array(labels), np.array(folds)
    classes = np.unique(truth)
    answers = np.zeros((len(truth), len(classes)))
    for fold in np.unique(its):
        split = Split(truth, np.flatnonzero(its != fold), np.flatnonzero(its == fold), classes)
        answers[split.held_out] = answer(split)
    return answers


def _answer(model: BaseEstimator, matrix: Any, split: Split) -> Figures:
    """A member's output (n_held_out × n_labels), standardized (row means 0, deviation 1); 0 for unseen labels."""
    model.fit(matrix[split.shown], split.truth[split.shown])
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(matrix[split.held_out]))
    else:
        found = np.log(model.predict_proba(matrix[split.held_out]) + MIN_PROBABILITY)
    if found.ndim == 1:
        found = np.column_stack((-found, found))
    found = found - found.mean(axis=1, keepdims=True)
    answer = np.zeros((len(split.held_out), len(split.classes)))
    answer[:, np.searchsorted(split.classes, model.classes_)] = found / (found.std() or 1.0)
    return answer


def _trees() -> ExtraTreesClassifier:
    return ExtraTreesClassifier(TREES, min_samples_leaf=2, random_state=0, n_jobs=2)


def _topics(weighted: csr_matrix) -> Figures:
    n_topics = min(TOPICS, weighted.shape[0] - 1, weighted.shape[1] - 1)
    if n_topics < 1:
        return np.zeros((weighted.shape[0], 1))
    return np.asarray(normalize(TruncatedSVD(n_topics, random_state=0).fit_transform(weighted)))


def _with_pairs(found: list[str]) -> list[str]:
    return [*found, *map(" ".join, pairwise(found))] or [""]


def _meaning(documents: Sequence[Document], lead: list[bytes], vectors_of: Meaning) -> Figures:
    """The lead's vector, and the mean of it and the body's vectors; no columns without the model."""
    if not all(len(vector) == DIMENSIONS for vector in lead):
        return np.zeros((len(documents), 0))
    first = matrix_from(lead)
    if not any(len(one.text) > CHUNKS_AT[0] for one in documents):
        return np.asarray(first, dtype=np.float64)
    body = [matrix_from(vectors_of([_chunk(one, at) for one in documents])) for at in CHUNKS_AT]
    return np.asarray(np.hstack([first, (first + sum(body)) / (1 + len(body))]), dtype=np.float64)


def _chunk(document: Document, at: int) -> tuple[str, str]:
    """A piece of the text as title and text; the document's title if the text is shorter."""
    piece = document.text[at : at + 2 * CHUNK_CHARACTERS]
    return (piece[:CHUNK_CHARACTERS], piece[CHUNK_CHARACTERS:]) if piece.strip() else (document.title, "")


def _cues(documents: Sequence[Document], vectors: list[bytes]) -> csr_matrix:
    """The classifier's cues without words, and its sums for cues and meaning."""
    readings = [
        extract_features(one.title, one.text, language=one.language, published_at=one.published_at) for one in documents
    ]
    cues = [{name: x for name, x in one.values.items() if not name.startswith(WORD)} for one in readings]
    sums = [
        SHIPPED.lexical_logits(one.values) + SHIPPED.embedding_logits(vector)
        for one, vector in zip(readings, vectors, strict=True)
    ]
    matrix = DictVectorizer().fit_transform([{"": 0.0, **counts} for counts in cues])
    return csr_matrix(hstack([matrix, csr_array(np.array(sums) / len(sums[0]))]))
