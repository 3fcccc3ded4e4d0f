"""`python -m rssmanager.evaluation.train_events`: learns the weights of evidence on one event, and measures them.

Each candidate pair of a labelled day is an example. `--labels LABELS NEWS`, once per day, adds a day; `--ordinary` adds
feeds whose items report no event. Prints the average precision over pairs on each day, learned on all days and on the
others only, then writes `feeds/dedup/event_weights.tsv`, learned on all.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from feeds.dedup.comparable import is_one_publisher
from feeds.dedup.events import LONGEST_APART, WEIGHTS_FILE, Evidence, evidence_of
from feeds.dedup.in_memory import Document, event_candidates, profiles_of
from rssmanager.evaluation.datasets import LabelledDocument, LabelledFile
from rssmanager.evaluation.items import join_labels, mixed_with, read_items, read_labels

REGULARIZATION = 0.3  # scikit-learn's C, over standardized evidence
OF_MEANING = [Evidence._fields.index(name) for name in ("meaning", "meaning_across_languages")]

Floats = npt.NDArray[np.float64]
Answers = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Examples:
    """The evidence on the pairs of a day (n × 10), and whether each reports one event."""

    evidence: Floats
    is_one_event: Answers


def main(arguments: list[str] | None = None) -> None:
    """Learn, measure, print and write."""
    parser = ArgumentParser(description="Learn the weights of evidence on one event.")
    parser.add_argument("--labels", nargs=2, type=Path, action="append", required=True, metavar=("LABELS", "NEWS"))
    parser.add_argument("--ordinary", nargs="+", type=Path, default=[], help="feeds whose items report no event")
    parser.add_argument("--write", type=Path, default=WEIGHTS_FILE, metavar="FILE", help="default: %(default)s")
    options = parser.parse_args(arguments)
    ordinary = [item for path in options.ordinary for item in read_items(path)[0]]
    days = {labels.stem: examples_of(_day(labels, news, ordinary)) for labels, news in options.labels}
    for name, day in days.items():
        others = [examples for other, examples in days.items() if other != name]
        unseen = f", learned on the others {_precision(learn(others), day):.3f}" if others else ""
        sys.stdout.write(
            f"{name}: {len(day.is_one_event):,} pairs, {day.is_one_event.sum():,} of one event; "
            f"average precision {_precision(learn(list(days.values())), day):.3f}{unseen}\n"
        )
    columns = (_weights(learn(list(days.values()))), _weights(learn([without_meaning(day) for day in days.values()])))
    rows = zip(("intercept", *Evidence._fields), *columns, strict=True)
    lines = ["evidence\twith vectors\twithout", *(f"{name}\t{one:.3f}\t{other:.3f}" for name, one, other in rows)]
    options.write.write_text("\n".join(lines) + "\n", encoding="utf-8")


def examples_of(rows: Sequence[LabelledDocument]) -> Examples:
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


def without_meaning(examples: Examples) -> Examples:
    """The examples as they are without sentence vectors."""
    evidence = examples.evidence.copy()
    evidence[:, OF_MEANING] = 0.0
    return Examples(evidence, examples.is_one_event)


def learn(days: Sequence[Examples]) -> Pipeline:
    """A logistic regression over the pairs of all days."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=REGULARIZATION, max_iter=2_000))
    fitted: Pipeline = model.fit(
        np.vstack([day.evidence for day in days]), np.concatenate([day.is_one_event for day in days])
    )
    return fitted


def _day(labels: Path, news: Path, ordinary: Sequence[Document]) -> tuple[LabelledDocument, ...]:
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
