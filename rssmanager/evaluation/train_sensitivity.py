"""`python -m rssmanager.evaluation.train_sensitivity`: trains and measures the shipped time sensitivity weights.

Reads the examples, writes their embeddings and the weights, reproducibly; then prints how well such weights do on
authors and topics that they weren't trained on, with two baselines.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

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

WEIGHTS = Path(judge_weights.__file__).with_name("weights.json")

Rows = Iterator[tuple[str, float, float]]


def main(weights_path: Path = WEIGHTS, folder: Path = FOLDER) -> None:
    """Train, write, measure and print."""
    examples = load_examples(folder)
    vectors = vectors_of([(one.title, one.text) for one in examples])
    examples = tuple(replace(one, vector=vector) for one, vector in zip(examples, vectors, strict=True))
    by_author = cross_validate(examples, [one.author for one in examples])
    weights = calibrate(train(examples), by_author, examples)
    (folder / VECTORS).write_bytes(pack_vectors(examples))
    weights_path.write_text(weights.as_json(), encoding="utf-8")
    by_topic = cross_validate(examples, [one.topic for one in examples])
    lines = [f"{len(examples)} examples, {len(weights.features)} cues and words, sharpness {weights.sharpness}"]
    for name, sums in (("author", by_author), ("topic", by_topic)):
        lines += ["", f"each {name} left out".ljust(34) + "macro F1  mean absolute error"]
        lines += [f"{row:34}{f1:8.3f}  {error:8.3f}" for row, f1, error in _rows(examples, sums, weights)]
    lines += ["", *_confidences(examples, by_author, weights)]
    sys.stdout.write("\n".join(lines) + "\n")


def _rows(examples: Sequence[Example], sums: Logits, weights: ClassifierWeights) -> Rows:
    truth = [one.score for one in examples]
    scores = predict_scores(sums, weights)
    only_words = predict_scores(Logits(sums.words, 0 * sums.embedding), weights)
    yield "judge", *measure(truth, scores)
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
    main()
