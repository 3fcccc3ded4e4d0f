"""How well a grouping of documents agrees with their true stories. Pure.

A pair of documents is *clustered* if the grouping puts it together, and *true* if it belongs to one story. A document
without a story is its own story. Pairs that the labels exclude aren't scored, neither over pairs nor in B-cubed;
V-measure doesn't use pairs and uses the labels as they are.

Pairs aren't enumerated: for each document, the contingency table gives how many others share its cluster, its story, or
both.

Sources: Bagga and Baldwin, "Entity-Based Cross-Document Coreferencing Using the Vector Space Model", 1998 (B-cubed);
Rosenberg and Hirschberg, "V-Measure", 2007.
"""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, v_measure_score

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and their harmonic mean in [0, 1]; `threshold` is the one used, or None."""

    precision: float
    recall: float
    f1: float
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """The true story of each document as a number, and the stories that some documents aren't scored with."""

    stories: Counts
    ignored: Mapping[int, frozenset[int]]

    @property
    def n(self) -> int:
        """The number of documents."""
        return len(self.stories)


def truth_of(names: Sequence[str | None], ignored: Sequence[frozenset[str]]) -> Truth:
    """The truth by names of stories, None for a document in no story; unused names are dropped."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for name in names if name is not None))}
    alone = iter(range(len(numbers), len(numbers) + len(names)))
    stories = np.array([next(alone) if name is None else numbers[name] for name in names], dtype=np.int64)
    known = {i: frozenset(numbers[name] for name in some if name in numbers) for i, some in enumerate(ignored) if some}
    return Truth(stories, known)


def pair_scores(truth: Truth, groups: Sequence[int] | Counts) -> Scores:
    """Precision: the share of true pairs among the clustered; recall: of clustered pairs among the true."""
    clusters = _numbered(groups)
    both = _partners(_crossed(clusters, truth.stories), truth).sum()
    return ratios(both, _partners(clusters, truth).sum(), _partners(truth.stories, truth).sum())


def bcubed_scores(truth: Truth, groups: Sequence[int] | Counts) -> Scores:
    """The mean over documents of the share of their cluster that is of their story, and of their story in the cluster.

    Each document counts itself, so a document that is correctly alone scores 1.
    """
    if not truth.n:
        return Scores(0.0, 0.0, 0.0)
    clusters = _numbered(groups)
    both = _partners(_crossed(clusters, truth.stories), truth) + 1
    precision = float(np.mean(both / (_partners(clusters, truth) + 1)))
    recall = float(np.mean(both / (_partners(truth.stories, truth) + 1)))
    return Scores(precision, recall, _f1(precision, recall))


def v_measure(truth: Truth, groups: Sequence[int] | Counts) -> float:
    """The harmonic mean of homogeneity and completeness, in [0, 1]."""
    with warnings.catch_warnings():  # many stories with one document are normal
        warnings.filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
        return float(v_measure_score(truth.stories, _numbered(groups)))


def answer_scores(truth: Sequence[bool], answers: Sequence[bool]) -> Scores:
    """Precision, recall and F1 of yes-or-no answers, one per labelled pair."""
    n_both = sum(is_true and said for is_true, said in zip(truth, answers, strict=True))
    return ratios(n_both, sum(answers), sum(truth))


def accuracy(truth: Sequence[bool], answers: Sequence[bool]) -> float:
    """The share of correct answers; 0.0 if there are none."""
    n_right = sum(is_true == said for is_true, said in zip(truth, answers, strict=True))
    return n_right / len(truth) if truth else 0.0


def average_precision(truth: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The area under the precision-recall curve as in scikit-learn; None if no answer is true."""
    return float(average_precision_score(truth, scores)) if any(truth) else None


def ratios(n_both: float, n_found: float, n_true: float) -> Scores:
    """Scores from counts: 1 if there was nothing to find and nothing was found; otherwise 0/0 is 0."""
    if not n_found and not n_true:
        return Scores(1.0, 1.0, 1.0)
    precision = float(n_both / n_found) if n_found else 0.0
    recall = float(n_both / n_true) if n_true else 0.0
    return Scores(precision, recall, _f1(precision, recall))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _numbered(groups: Sequence[int] | Counts) -> Counts:
    """The grouping renumbered from 0, without gaps."""
    return np.unique(np.asarray(groups, dtype=np.int64), return_inverse=True)[1].astype(np.int64)


def _crossed(clusters: Counts, stories: Counts) -> Counts:
    """The cell of the contingency table of each document."""
    return _numbered(clusters * (stories.max(initial=0) + 1) + stories)


def _partners(bins: Counts, truth: Truth) -> Counts:
    """For each document, the number of scored pairs with others in its bin (n_documents)."""
    if not len(bins):
        return bins
    return np.bincount(bins)[bins] - 1 - _unscored_partners(bins, truth)


def _unscored_partners(bins: Counts, truth: Truth) -> Counts:
    """For each document, the number of excluded pairs with others in its bin, excluded by either document.

    Exclusions by the document and by its partners are added; mutual ones count once.
    """
    unscored = np.zeros(len(bins), dtype=np.int64)
    if not truth.ignored:
        return unscored
    places = list(zip(bins.tolist(), truth.stories.tolist(), strict=True))
    members = Counter(places)
    naming = Counter((places[i][0], named) for i, some in truth.ignored.items() for named in some)
    mutual = Counter((*places[i], named) for i, some in truth.ignored.items() for named in some)
    for i, (bin_, story) in enumerate(places):
        named = truth.ignored.get(i, frozenset())
        unscored[i] = naming[bin_, story] + sum(members[bin_, other] - mutual[bin_, other, story] for other in named)
        unscored[i] -= story in named  # itself
    return unscored
