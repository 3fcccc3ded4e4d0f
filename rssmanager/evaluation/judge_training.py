"""`python -m rssmanager.evaluation.judge_training`: trains the shipped judge of time sensitivity, and measures it.

Reads the examples, writes the vectors of their meaning beside them and the judge's numbers, the same on every run; then
prints how well numbers trained alike do on authors and on topics they were not shown, beside two baselines. It stands
here and not with the training because only this layer may load the model of meaning.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from feeds.dedup.meaning import vectors_of
from reader.learning.judge_examples import FOLDER, VECTORS, examples_in, packed
from reader.learning.sensitivity_training import (
    Example,
    Sums,
    calibrated,
    cross_validated,
    probabilities,
    quality,
    scores_of,
    train,
)
from reader.scoring.sensitivity import numbers as judge_numbers
from reader.scoring.sensitivity.judge import FAIRLY_SURE, SURE
from reader.scoring.sensitivity.keywords import keyword_score
from reader.scoring.sensitivity.numbers import Numbers

NUMBERS = Path(judge_numbers.__file__).with_name("numbers.json")

Rows = Iterator[tuple[str, float, float]]


def main(numbers_path: Path = NUMBERS, folder: Path = FOLDER) -> None:
    """Trains, writes, measures, prints."""
    examples = examples_in(folder)
    vectors = vectors_of([(one.title, one.text) for one in examples])
    examples = tuple(replace(one, vector=vector) for one, vector in zip(examples, vectors, strict=True))
    by_author = cross_validated(examples, [one.author for one in examples])
    numbers = calibrated(train(examples), by_author, examples)
    (folder / VECTORS).write_bytes(packed(examples))
    numbers_path.write_text(numbers.as_json(), encoding="utf-8")
    by_topic = cross_validated(examples, [one.topic for one in examples])
    lines = [f"{len(examples)} examples, {len(numbers.features)} cues and words, sharpness {numbers.sharpness}"]
    for name, sums in (("author", by_author), ("topic", by_topic)):
        lines += ["", f"each {name} left out".ljust(34) + "macro F1  mean absolute error"]
        lines += [f"{row:34}{f1:8.3f}  {error:8.3f}" for row, f1, error in _rows(examples, sums, numbers)]
    lines += ["", *_confidences(examples, by_author, numbers)]
    sys.stdout.write("\n".join(lines) + "\n")


def _rows(examples: Sequence[Example], sums: Sums, numbers: Numbers) -> Rows:
    truth = [one.score for one in examples]
    scores = scores_of(sums, numbers)
    only_words = scores_of(Sums(sums.words, 0 * sums.meaning), numbers)
    yield "judge", *quality(truth, scores)
    yield "judge without vectors", *quality(truth, only_words)
    for language in sorted({one.language for one in examples}):
        for name, found in (("", scores), (" without vectors", only_words)):
            chosen = [i for i, one in enumerate(examples) if one.language == language]
            yield f"  {language}{name}", *quality([truth[i] for i in chosen], [found[i] for i in chosen])
    yield "keywords of the article", *quality(truth, [keyword_score(one.title, one.text) for one in examples])
    yield "majority", *quality(truth, [Counter(truth).most_common(1)[0][0]] * len(truth))


def _confidences(examples: Sequence[Example], sums: Sums, numbers: Numbers) -> Iterator[str]:
    """For each confidence, how often the judge is right on authors left out."""
    for name, sharpness, figures in (
        ("with vectors", numbers.sharpness_with_meaning, sums.words + sums.meaning),
        ("without", numbers.sharpness, sums.words),
    ):
        rows = probabilities(figures, sharpness)
        found = scores_of(sums if name == "with vectors" else Sums(sums.words, 0 * sums.meaning), numbers)
        sure = [float(row[score - 1]) for row, score in zip(rows, found, strict=True)]
        for level, least, most in (("high", SURE, 2.0), ("medium", FAIRLY_SURE, SURE), ("low", 0.0, FAIRLY_SURE)):
            chosen = [i for i, p in enumerate(sure) if least <= p < most]
            right = sum(found[i] == examples[i].score for i in chosen)
            yield f"confidence {level} ({name}): {right} of {len(chosen)} right"


if __name__ == "__main__":
    main()
