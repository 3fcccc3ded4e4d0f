"""Quality of the app's grouping and of the baselines on a labelled file. Works in memory, without a database.

All documents of pairs are grouped as one corpus, as in the app. Two documents count as the same event if they are in
one story. If all documents come from one site, it is a collection (a wiki, an archive) that says nothing about their
publishers, so these count as unknown: otherwise no two could report one event.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

from feeds.dedup.in_memory import Document, group
from feeds.publishers.hosts import publisher_at
from rssmanager.evaluation.baselines import best_answers, best_group_scores, exact_title_groups, tfidf_similarities
from rssmanager.evaluation.datasets import LabelledFile
from rssmanager.evaluation.metrics import (
    Counts,
    Scores,
    Truth,
    accuracy,
    answer_scores,
    average_precision,
    bcubed_scores,
    pair_scores,
    truth_of,
    v_measure,
)

Groups = Sequence[int] | Counts


class Grouping(Protocol):
    """A story number for each document; with `events`, reports on one event are linked, else only copies."""

    def __call__(self, documents: Sequence[Document], *, policy: str, events: bool) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of one method; None if not applicable. `seconds` is the time for grouping."""

    pairs: Scores
    bcubed: Scores | None = None
    v_measure: float | None = None
    accuracy: float | None = None
    average_precision: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures by policy and by baseline; `n` counts documents, or pairs where `is_pairs`."""

    n: int
    is_pairs: bool
    n_refused: int
    policies: Mapping[str, Measures]
    baselines: Mapping[str, Measures]


class _Question(Protocol):
    """The documents to group, and how to score a grouping."""

    @property
    def documents(self) -> Sequence[Document]: ...
    def judged(self, groups: Groups) -> Measures: ...
    def tfidf(self) -> Measures: ...


def evaluate(
    labelled: LabelledFile,
    *,
    policies: Sequence[str],
    events: bool,
    grouping: Grouping = group,
    on_step: Callable[[str], None] = lambda step: None,
) -> Evaluation:
    """Measure the policies and the baselines on a file; `on_step` is called before each step."""
    question = _question(labelled)
    measured: dict[str, Measures] = {}
    for policy in policies:
        on_step(f"grouping {len(question.documents):,} documents, policy {policy}")
        began = perf_counter()
        groups = grouping(question.documents, policy=policy, events=events)
        seconds = perf_counter() - began
        measured[policy] = replace(question.judged(groups), seconds=seconds)
    on_step("comparing with the baselines")
    baselines = {
        "tfidf_best_threshold": question.tfidf(),
        "exact_title": question.judged(exact_title_groups(question.documents)),
    }
    n = len(labelled.pairs) or len(labelled.documents)
    return Evaluation(n, bool(labelled.pairs), len(labelled.refusals), measured, baselines)


@dataclass(frozen=True, slots=True)
class _Stories:
    """Which documents belong together?"""

    documents: Sequence[Document]
    truth: Truth

    def judged(self, groups: Groups) -> Measures:
        return Measures(
            pair_scores(self.truth, groups), bcubed_scores(self.truth, groups), v_measure(self.truth, groups)
        )

    def tfidf(self) -> Measures:
        pairs, bcubed, groups = best_group_scores(self.truth, self.documents)
        return Measures(pairs, bcubed, v_measure(self.truth, groups))


@dataclass(frozen=True, slots=True)
class _SameEvent:
    """Do these two report the same event? The first documents of all pairs, then the second ones."""

    documents: Sequence[Document]
    truth: Sequence[bool]

    def judged(self, groups: Groups) -> Measures:
        n = len(self.truth)
        answers = [bool(groups[i] == groups[n + i]) for i in range(n)]
        return Measures(answer_scores(self.truth, answers), accuracy=accuracy(self.truth, answers))

    def tfidf(self) -> Measures:
        n = len(self.truth)
        similarities = tfidf_similarities(self.documents[:n], self.documents[n:])
        pairs, answers = best_answers(self.truth, similarities)
        ranking = average_precision(self.truth, similarities.tolist())
        return Measures(pairs, accuracy=accuracy(self.truth, answers), average_precision=ranking)


def _question(labelled: LabelledFile) -> _Question:
    if labelled.pairs:
        first, second = [pair.first for pair in labelled.pairs], [pair.second for pair in labelled.pairs]
        return _SameEvent([*first, *second], [pair.same_event for pair in labelled.pairs])
    truth = truth_of([row.story for row in labelled.documents], [row.ignored for row in labelled.documents])
    return _Stories(_without_only_publisher([row.document for row in labelled.documents]), truth)


def _without_only_publisher(documents: Sequence[Document]) -> Sequence[Document]:
    """The documents, without addresses and sources if those name one publisher for all of them."""
    publishers = {publisher_at(one.url) if one.url else one.source for one in documents}
    addresses = [one.url for one in documents if one.url]
    if len(publishers) != 1 or len(set(addresses)) != len(addresses):
        return documents
    return [replace(one, url="", source="") for one in documents]
