"""`python -m rssmanager.evaluation.train_sensitivity`: trains and measures the shipped time sensitivity weights.

Reads the examples written for this project and, with `--labels LABELS ITEMS…`, labelled items of real feeds (tab-
separated `url` and `score`, and the files or folders that have the items). Writes the examples' embeddings and the
weights, reproducibly; then prints how well such weights do on publishers, authors and topics that they weren't trained
on, with two baselines.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sklearn.model_selection import GroupKFold

from feeds.dedup.embeddings import vectors_of
from reader.scoring.sensitivity import weights as judge_weights
from reader.scoring.sensitivity.classifier import HIGH_FROM, MEDIUM_FROM
from reader.scoring.sensitivity.examples import FOLDER, VECTORS, load_examples, pack_vectors
from reader.scoring.sensitivity.keyword_baseline import keyword_score
from reader.scoring.sensitivity.training import (
    Example,
    Logits,
    calibrate,
    cross_validate,
    measure,
    predict_scores,
    probabilities,
    train,
)
from reader.scoring.sensitivity.weights import ClassifierWeights
from rssmanager.evaluation.sensitivity import read_items_by_url

WEIGHTS = Path(judge_weights.__file__).with_name("weights.json")
PUBLISHER_FOLDS = 8

Rows = Iterator[tuple[str, float, float]]


def main(weights_path: Path = WEIGHTS, folder: Path = FOLDER, arguments: Sequence[str] = ()) -> None:
    """Train, write, measure and print."""
    parser = ArgumentParser(description="Train the time sensitivity classifier.")
    parser.add_argument("--labels", nargs="+", type=Path, default=[], metavar="PATH", help="labels, then their items")
    paths = parser.parse_args(arguments).labels
    written, real = (
        with_vectors(load_examples(folder)),
        with_vectors(labelled_items(paths[0], paths[1:]) if paths else ()),
    )
    (folder / VECTORS).write_bytes(pack_vectors(written))
    examples = [*written, *real]
    measured = [("publisher", real, cross_validate(real, publisher_folds(real), always=written))] if real else []
    measured.append(("author", written, cross_validate(written, [one.author for one in written], always=real)))
    measured.append(("topic", written, cross_validate(written, [one.topic for one in written], always=real)))
    _, calibrating, logits = measured[0]
    weights = calibrate(train(examples), logits, calibrating)
    weights_path.write_text(weights.as_json(), encoding="utf-8")
    lines = [f"{len(examples)} examples, {len(weights.features)} cues and words, sharpness {weights.sharpness}"]
    for name, chosen, sums in measured:
        lines += ["", f"each {name} left out".ljust(34) + "macro F1  mean absolute error"]
        lines += [f"{row:34}{f1:8.3f}  {error:8.3f}" for row, f1, error in _rows(chosen, sums, weights)]
    lines += ["", *_confidences(calibrating, logits, weights)]
    sys.stdout.write("\n".join(lines) + "\n")


def with_vectors(examples: Sequence[Example]) -> list[Example]:
    """The examples with their embeddings."""
    vectors = vectors_of([(one.title, one.text) for one in examples])
    return [replace(one, vector=vector) for one, vector in zip(examples, vectors, strict=True)]


def labelled_items(labels: Path, items: Sequence[Path]) -> list[Example]:
    """The labelled items, sorted by URL; their author is the publisher.

    Raises:
        LabelledFileError: a file can't be read.
    """
    labelled = read_items_by_url([labels], items)
    return [
        Example(one.title, one.text, score, one.language, author=one.source)
        for one, score in zip(labelled.documents, labelled.truth, strict=True)
    ]


def publisher_folds(real: Sequence[Example]) -> list[int]:
    """The fold of each item: no publisher is in two of them."""
    folds = [0] * len(real)
    splitter = GroupKFold(PUBLISHER_FOLDS, shuffle=True, random_state=1)
    for fold, (_, held_out) in enumerate(splitter.split(real, groups=[one.author for one in real])):
        for i in held_out:
            folds[i] = fold
    return folds


def _rows(examples: Sequence[Example], sums: Logits, weights: ClassifierWeights) -> Rows:
    truth = [one.score for one in examples]
    scores = predict_scores(sums, weights)
    only_words = predict_scores(Logits(sums.words, 0 * sums.embedding), weights)
    yield "judge", *measure(truth, scores)
    yield "judge, 5 counted as 4", *measure([min(one, 4) for one in truth], [min(one, 4) for one in scores])
    yield "judge without vectors", *measure(truth, only_words)
    for language in sorted({one.language for one in examples}):
        for name, found in (("", scores), (" without vectors", only_words)):
            chosen = [i for i, one in enumerate(examples) if one.language == language]
            yield f"  {language}{name}", *measure([truth[i] for i in chosen], [found[i] for i in chosen])
    yield "keywords of the article", *measure(truth, [keyword_score(one.title, one.text) for one in examples])
    yield "majority", *measure(truth, [Counter(truth).most_common(1)[0][0]] * len(truth))


def _confidences(examples: Sequence[Example], sums: Logits, weights: ClassifierWeights) -> Iterator[str]:
    """For each confidence, the accuracy on held-out authors."""
    for name, sharpness, figures in (
        ("with vectors", weights.sharpness_with_embedding, sums.words + sums.embedding),
        ("without", weights.sharpness, sums.words),
    ):
        rows = probabilities(figures, sharpness)
        found = predict_scores(sums if name == "with vectors" else Logits(sums.words, 0 * sums.embedding), weights)
        sure = [float(row[score - 1]) for row, score in zip(rows, found, strict=True)]
        for level, least, most in (
            ("high", HIGH_FROM, 2.0),
            ("medium", MEDIUM_FROM, HIGH_FROM),
            ("low", 0.0, MEDIUM_FROM),
        ):
            chosen = [i for i, p in enumerate(sure) if least <= p < most]
            right = sum(found[i] == examples[i].score for i in chosen)
            yield f"confidence {level} ({name}): {right} of {len(chosen)} right"


if __name__ == "__main__":
    main(arguments=sys.argv[1:])
