"""Quality of topics on a labelled file, computed as in the app: stories first, then topics of stories.

The baselines are stories alone, and scikit-learn's TF-IDF with DBSCAN (with `k`, Ward): same text and parameters,
English stop words, no stemming, no stories. Works in memory, without a database.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

from digests.edition.candidates import READ_CHARACTERS
from digests.labels import Member, TopicText, label_topics
from digests.topics import dbscan
from digests.topics.dbscan import EPS, Clustering, cluster_documents
from digests.topics.tokens import READ_WORDS, TITLE_WEIGHT
from feeds.dedup.entity_models import names_of
from feeds.dedup.in_memory import POLICIES, Document, group
from feeds.normalizing.domains import registrable_domain
from rssmanager.evaluation.datasets import (
    LabelledDocument,
    LabelledFileError,
    Refusal,
    Row,
    UnusableRow,
    read,
    read_documents,
)
from rssmanager.evaluation.dedup import Grouping
from rssmanager.evaluation.metrics import Counts, Scores, Truth, bcubed_scores, pair_scores, truth_of, v_measure

STORY, CATEGORY, TOPIC = "story", "category", "topic"
TRUTHS = (STORY, CATEGORY, TOPIC)  # possible labels: the first uses the fields of stories, the others their own
MIN_SAMPLES = 2  # of plain DBSCAN; SPEC §12
PLAIN_DOCUMENTS = 10_000  # limit for plain DBSCAN, which stores all near pairs
PLAIN_CELLS = 100_000_000  # of plain Ward's table, 800 MB
LABEL_TERMS = 30  # of the centroid, the heaviest
MAX_LABEL_MEMBERS = 30  # articles that a label is made from
SHOWN_TITLES = 3  # of a labelled topic to print


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of one method. `noise` is the share of documents outside of topics, `largest` that of the largest topic;
    `seconds` is the time for clustering."""

    topics: int
    noise: float
    largest: float
    v_measure: float
    bcubed: Scores
    pairs: Scores
    seconds: float


@dataclass(frozen=True, slots=True)
class Labelled:
    """A topic's label, number of articles and some titles."""

    label: str
    size: int
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures of the app's topics and of the baselines; `k` is the requested number, or None."""

    n: int
    n_refused: int
    k: int | None
    measures: Measures
    baselines: dict[str, Measures]
    labels: tuple[Labelled, ...] = ()

    @property
    def policy(self) -> str:
        return "dbscan" if self.k is None else "ward"


def read_file(
    path: Path, *, truth: str, language: str = ""
) -> tuple[tuple[LabelledDocument, ...], tuple[Refusal, ...]]:
    """The documents of a file with their labels, and the refused lines.

    Raises:
        LabelledFileError: the file can't be read, has no usable line, or has pairs.
    """
    if truth != STORY:
        found, refusals = read_documents(path, lambda row: _named(row, truth), language=language)
        return tuple(LabelledDocument(document, name) for document, name in found), refusals
    labelled = read(path, language=language)
    if labelled.pairs:
        raise LabelledFileError(f"{path} has pairs, which are in no topics.", labelled.refusals)
    return labelled.documents, labelled.refusals


def evaluate(
    labelled: Sequence[LabelledDocument],
    *,
    k: int | None = None,
    n_labels: int = 0,
    n_refused: int = 0,
    grouping: Grouping = group,
    on_step: Callable[[str], None] = lambda step: None,
) -> Evaluation:
    """Measure the topics of the documents (exactly `k` if given), and label the `n_labels` largest."""
    documents = [each.document for each in labelled]
    truth = truth_of([each.story for each in labelled], [each.ignored for each in labelled])
    on_step(f"grouping {len(documents):,} documents")
    began = perf_counter()
    stories = np.asarray(grouping(documents, policy=POLICIES[0], events=True), dtype=np.int64)
    told = _measured(truth, stories, perf_counter() - began)
    on_step("clustering")
    began = perf_counter()
    clustered = cluster_documents(_for_topics(documents, stories), n_topics=k)
    found = _measured(truth, _numbers(clustered, len(documents)), perf_counter() - began)
    on_step("comparing with what scikit-learn ships")
    baselines = {"stories": told, **_plain(truth, documents, k)}
    labels = _labels(documents, clustered, n_labels) if n_labels else ()
    return Evaluation(len(documents), n_refused, k, found, baselines, labels)


def _named(row: Row, truth: str) -> str:
    name = row.get(truth)
    if name is None or isinstance(name, dict | list | bool) or not str(name).strip():
        raise UnusableRow(f"no {truth}")
    return str(name).strip()


def _for_topics(documents: Sequence[Document], stories: Counts) -> list[dbscan.Document]:
    return [
        dbscan.Document(each.title, each.text[:READ_CHARACTERS], each.language, story)
        for each, story in zip(documents, stories.tolist(), strict=True)
    ]


def _numbers(clustered: Clustering, n: int) -> Counts:
    numbers = np.zeros(n, dtype=np.int64)
    for number, members in enumerate(clustered.groups):
        numbers[list(members)] = number
    return numbers


def _measured(truth: Truth, numbers: Counts, seconds: float) -> Measures:
    sizes = np.unique(numbers, return_counts=True)[1]
    return Measures(
        topics=len(sizes),
        noise=float(np.sum(sizes == 1) / len(numbers)),
        largest=float(sizes.max() / len(numbers)),
        v_measure=v_measure(truth, numbers),
        bcubed=bcubed_scores(truth, numbers),
        pairs=pair_scores(truth, numbers),
        seconds=seconds,
    )


def _plain(truth: Truth, documents: Sequence[Document], k: int | None) -> dict[str, Measures]:
    """The measures of plain DBSCAN or Ward; empty if they would need too much memory."""
    began = perf_counter()
    texts = [
        " ".join([*[document.title] * TITLE_WEIGHT, *document.text.split()[:READ_WORDS]]) for document in documents
    ]
    try:
        vectors = TfidfVectorizer(stop_words="english").fit_transform(texts)
    except ValueError:  # no words
        return {}
    if k is None:
        if len(documents) > PLAIN_DOCUMENTS:
            return {}
        found = DBSCAN(eps=EPS, min_samples=MIN_SAMPLES, metric="cosine").fit_predict(vectors).astype(np.int64)
        alone = np.flatnonzero(found < 0)
        found[alone] = found.max() + 1 + np.arange(len(alone))
        return {"tfidf_dbscan": _measured(truth, found, perf_counter() - began)}
    if len(documents) * vectors.shape[1] > PLAIN_CELLS or len(documents) < 2:
        return {}
    ward = AgglomerativeClustering(min(k, len(documents)), linkage="ward").fit_predict(vectors.toarray())
    return {"tfidf_ward": _measured(truth, ward, perf_counter() - began)}


def _labels(documents: Sequence[Document], clustered: Clustering, n: int) -> tuple[Labelled, ...]:
    """The `n` largest topics with the labels a digest would give them."""
    groups = sorted(clustered.groups, key=lambda members: (-len(members), members))[:n]
    topics = [
        TopicText(
            _members([documents[place] for place in group[:MAX_LABEL_MEMBERS]]), clustered.top_terms(group, LABEL_TERMS)
        )
        for group in groups
    ]
    return tuple(
        Labelled(label, len(group), tuple(documents[place].title for place in group[:SHOWN_TITLES]))
        for label, group in zip(label_topics(topics), groups, strict=True)
    )


def _members(documents: Sequence[Document]) -> list[Member]:
    names = names_of([(document.title, document.text[:READ_CHARACTERS], document.language) for document in documents])
    return [
        Member(
            title=each.title,
            text=each.text[:READ_CHARACTERS],
            language=each.language,
            source=each.source,
            publisher=registrable_domain(each.url) if each.url else "",
            names={kind: tuple(found) for kind, found in named.as_json().items()},
        )
        for each, named in zip(documents, names, strict=True)
    ]
