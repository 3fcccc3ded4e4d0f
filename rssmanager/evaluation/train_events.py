"""`python -m rssmanager.evaluation.train_events`: learns what tells reports on one event from others, and measures it.

`--labels LABELS NEWS`, once per day, adds a labelled day; `--ordinary` adds feeds whose items report no event. Learned
and written to `feeds/dedup`, in this order: the cells of meaning and the weights of news (`feeds.dedup.meaning`), from
all items; then the weights of evidence (`feeds.dedup.events`), from the candidate pairs. Days count the same, however
many pairs they have. Prints the average precision over pairs on each day, learned on all days and on the others only.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from feeds.dedup import meaning
from feeds.dedup.comparable import is_one_publisher
from feeds.dedup.embeddings import vectors_of
from feeds.dedup.events import KNOWN, LONGEST_APART, WEIGHTS_FILE, Evidence, evidence_of
from feeds.dedup.in_memory import Document, event_candidates, profiles_of
from feeds.dedup.vectors import matrix_from, stored_vectors
from rssmanager.evaluation.datasets import LabelledDocument, LabelledFile
from rssmanager.evaluation.items import join_labels, mixed_with, read_items, read_labels

N_CELLS = 256
NEWS_REGULARIZATION = 0.1  # scikit-learn's C
REGULARIZATION = 0.3  # the same, over standardized evidence
OF_VECTORS = [Evidence._fields.index(name) for name in ("meaning", "meaning_across_languages", "news")]
OF_TRANSLATION = [Evidence._fields.index("translated")]

Floats = npt.NDArray[np.float64]
Answers = npt.NDArray[np.bool_]
Day = Sequence[LabelledDocument]


@dataclass(frozen=True, slots=True)
class Examples:
    """The evidence on the pairs of a day (n × 12), and whether each reports one event."""

    evidence: Floats
    is_one_event: Answers


def main(arguments: list[str] | None = None) -> None:
    """Learn, write, measure and print."""
    parser = ArgumentParser(description="Learn what tells reports on one event from others.")
    parser.add_argument("--labels", nargs=2, type=Path, action="append", required=True, metavar=("LABELS", "NEWS"))
    parser.add_argument("--ordinary", nargs="+", type=Path, default=[], help="feeds whose items report no event")
    options = parser.parse_args(arguments)
    ordinary = [item for path in options.ordinary for item in read_items(path)[0]]
    days = {labels.stem: _day(labels, news, ordinary) for labels, news in options.labels}
    _learn_meaning(list(days.values()))
    examples = {name: examples_of(day) for name, day in days.items()}
    for name, day in examples.items():
        others = [its for other, its in examples.items() if other != name]
        unseen = f", learned on the others {_precision(learn(others), day):.3f}" if others else ""
        sys.stdout.write(
            f"{name}: {len(day.is_one_event):,} pairs, {day.is_one_event.sum():,} of one event; "
            f"average precision {_precision(learn(list(examples.values())), day):.3f}{unseen}\n"
        )
    every = list(examples.values())
    unknown = [
        [*([] if meaning else OF_VECTORS), *([] if translation else OF_TRANSLATION)] for meaning, translation in KNOWN
    ]
    columns = [_weights(learn([without(day, pieces) for day in every])) for pieces in unknown]
    rows = zip(("intercept", *Evidence._fields), *columns, strict=True)
    titles = ("with vectors", "with vectors, no dictionary", "without", "without, no dictionary")
    lines = [
        "\t".join(("evidence", *titles)),
        *("\t".join((name, *map("{:.3f}".format, weights))) for name, *weights in rows),
    ]
    WEIGHTS_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def examples_of(rows: Day) -> Examples:
    """The candidate pairs of two publishers within a day of each other, without those that aren't scored."""
    documents = [row.document for row in rows]
    profiles = profiles_of(documents, range(len(documents)))
    evidence, answers = [], []
    for one, other in event_candidates(profiles):
        ours, theirs = profiles[one], profiles[other]
        if is_one_publisher(ours.publisher, theirs.publisher):
            continue
        if abs(ours.published_at - theirs.published_at) > LONGEST_APART:
            continue
        same = rows[one].story is not None and rows[one].story == rows[other].story
        if not same and (rows[one].story in rows[other].ignored or rows[other].story in rows[one].ignored):
            continue
        evidence.append(evidence_of(ours, theirs))
        answers.append(same)
    return Examples(np.array(evidence, dtype=np.float64), np.array(answers, dtype=np.bool_))


def without(examples: Examples, pieces: Sequence[int]) -> Examples:
    """The examples as they are without some pieces of evidence."""
    evidence = examples.evidence.copy()
    evidence[:, pieces] = 0.0
    return Examples(evidence, examples.is_one_event)


def learn(days: Sequence[Examples]) -> Pipeline:
    """A logistic regression over the pairs of all days, in which the pairs of one event of each day weigh the same."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=REGULARIZATION, max_iter=5_000))
    n_pairs = np.mean([day.is_one_event.sum() for day in days])
    weights = [np.full(len(day.is_one_event), n_pairs / max(1, day.is_one_event.sum())) for day in days]
    fitted: Pipeline = model.fit(
        np.vstack([day.evidence for day in days]),
        np.concatenate([day.is_one_event for day in days]),
        logisticregression__sample_weight=np.concatenate(weights),
    )
    return fitted


def _learn_meaning(days: Sequence[Day]) -> None:
    """Write the cells of meaning and the weights of news, learned from all items with a vector."""
    rows = [row for day in days for row in day]
    vectors = matrix_from(vectors_of([(row.document.title, row.document.text) for row in rows]))
    centers = KMeans(N_CELLS, n_init=1, random_state=0).fit(vectors).cluster_centers_
    stored = stored_vectors(centers / np.linalg.norm(centers, axis=1, keepdims=True))
    meaning.CELLS_FILE.write_bytes(b"".join(stored))
    model = LogisticRegression(C=NEWS_REGULARIZATION, class_weight="balanced", max_iter=2_000)
    model.fit(vectors, [row.story is not None for row in rows])
    numbers = (float(model.intercept_[0]), *map(float, model.coef_[0]))
    meaning.NEWS_FILE.write_text("".join(f"{number:.4f}\n" for number in numbers), encoding="utf-8")
    meaning.forget()


def _day(labels: Path, news: Path, ordinary: Sequence[Document]) -> Day:
    labelled = join_labels(read_items(news)[0], read_labels(labels))
    return mixed_with(LabelledFile(labelled), ordinary).documents


def _precision(model: Pipeline, day: Examples) -> float:
    return float(average_precision_score(day.is_one_event, model.predict_proba(day.evidence)[:, 1]))


def _weights(model: Pipeline) -> list[float]:
    """The intercept and the weight of each piece of evidence as it is, not standardized."""
    scaler, regression = model[0], model[1]
    weights = regression.coef_[0] / scaler.scale_
    return [float(regression.intercept_[0] - weights @ scaler.mean_), *map(float, weights)]


if __name__ == "__main__":
    main()
