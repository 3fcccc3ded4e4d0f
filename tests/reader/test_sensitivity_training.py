"""Training the built-in classifier on shipped examples, and retraining with an installation's labels."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reader.scoring.sensitivity import SHIPPED, classify
from reader.scoring.sensitivity.examples import load_examples, pack_vectors, shipped_examples
from reader.scoring.sensitivity.keyword_baseline import keyword_score
from reader.scoring.sensitivity.training import (
    MIN_LABELS,
    Example,
    Logits,
    assign_folds,
    calibrate,
    cross_validate,
    measure,
    predict_scores,
    probabilities,
    retrain,
    train,
)
from rssmanager.evaluation import train_sensitivity

SHARED = Path(__file__).parents[3] / "shared" / "data"
LABELS = Path(__file__).parents[1] / "data" / "sensitivity_labels" / "items.tsv"
OWN = {1: "Vademecum", 3: "Dossier", 5: "Ticker"}  # words of one publisher, one for each score


def example(score: int, number: int, word: str = "") -> Example:
    return Example(f"{word or OWN[score]} harbour {number}", "Part of it.", score, "en", f"author {number % 3}")


EXAMPLES = [example(score, number) for number in range(20) for score in OWN]


def test_learns_words_and_classifies_by_them() -> None:
    weights = train(EXAMPLES)
    assert [classify(f"{word} bridge", "", weights=weights).score for word in OWN.values()] == [1, 3, 5]


def test_ignores_words_in_only_a_few_examples() -> None:
    weights = train([*EXAMPLES, example(1, 0, "Rarity"), example(1, 1, "Rarity")])
    assert "word:vademecum" in weights.features
    assert "word:rarity" not in weights.features


def test_same_examples_give_the_same_weights() -> None:
    assert train(EXAMPLES).as_json() == train(EXAMPLES).as_json()


def test_embedding_needs_vectors_or_shipped_weights() -> None:
    assert train(EXAMPLES).embedding == ()
    assert train(EXAMPLES, prior=SHIPPED).embedding == SHIPPED.embedding
    vectors = {1: b"\x7f" + bytes(511), 3: bytes(1) + b"\x7f" + bytes(510), 5: bytes(511) + b"\x7f"}
    weights = train([replace(one, vector=vectors[one.score]) for one in EXAMPLES])
    assert classify("x", "y", vector=vectors[1], weights=weights).score == 1
    assert classify("x", "y", vector=vectors[5], weights=weights).score == 5


def test_two_scores_are_enough() -> None:
    weights = train([one for one in EXAMPLES if one.score != 3])
    assert [classify(f"{OWN[score]} x", "", weights=weights).score for score in (1, 5)] == [1, 5]


def test_groups_are_held_out_together() -> None:
    told_apart = [replace(one, author=str(one.score)) for one in EXAMPLES]
    sums = cross_validate(told_apart, [one.author for one in told_apart])
    assert not sums.has_embedding.any()
    assert measure([one.score for one in told_apart], predict_scores(sums, SHIPPED))[0] < 0.2
    fair = cross_validate(EXAMPLES, [one.author for one in EXAMPLES])
    assert measure([one.score for one in EXAMPLES], predict_scores(fair, SHIPPED)) == (1.0, 0.0)


def test_folds_spread_every_score() -> None:
    folds = assign_folds(EXAMPLES, folds=5, seed=1)
    assert Counter(zip(folds, (one.score for one in EXAMPLES), strict=True)) == {
        (fold, score): 4 for fold in range(5) for score in OWN
    }
    assert folds == assign_folds(EXAMPLES, folds=5, seed=1)


@pytest.mark.filterwarnings("error")
def test_folds_accept_rare_scores() -> None:
    folds = assign_folds([*EXAMPLES, example(5, 0), replace(example(5, 1), score=2)], folds=5, seed=1)
    assert set(folds) == {0, 1, 2, 3, 4}


def test_calibration_lowers_overconfidence() -> None:
    sums = Logits(np.array([[4.0, 0, 0, 0, 0]] * 4), np.zeros((4, 5)))
    right = calibrate(SHIPPED, sums, [example(1, n, "x") for n in range(4)])
    mixed = calibrate(SHIPPED, sums, [example(1, 0), example(1, 1), example(3, 2), example(5, 3)])
    assert right.sharpness > mixed.sharpness
    assert probabilities(sums.words, mixed.sharpness)[0, 0] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("truth", "scores", "expected"),
    [
        pytest.param([1, 5], [1, 5], (1.0, 0.0), id="right"),
        pytest.param([1, 5], [5, 1], (0.0, 4.0), id="wrong"),
        pytest.param([2, 2], [2, 3], (2 / 3, 0.5), id="one score only"),
    ],
)
def test_computes_quality(truth: list[int], scores: list[int], expected: tuple[float, float]) -> None:
    assert measure(truth, scores) == pytest.approx(expected)


def test_retraining_needs_labels() -> None:
    few = retrain(EXAMPLES[: MIN_LABELS - 1], shipped_examples=EXAMPLES, seed=1)
    assert (few.weights, few.n_labels) == (None, MIN_LABELS - 1)
    assert retrain([], shipped_examples=EXAMPLES, seed=1).n_labels == 0


def test_retraining_learns_from_labels() -> None:
    judge = retrain(EXAMPLES, shipped_examples=[example(3, n, "Plain") for n in range(9)], seed=1)
    assert judge.macro_f1 == 1.0
    assert judge.mean_absolute_error == 0.0
    assert judge.shipped_macro_f1 < 0.6
    assert judge.weights is not None
    assert judge.weights.sharpness == SHIPPED.sharpness


def test_retraining_rejects_weights_that_are_no_better() -> None:
    agreeing = [replace(one, score=classify(one.title, one.text, language="en").score) for one in EXAMPLES]
    judge = retrain(agreeing, shipped_examples=EXAMPLES, seed=1)
    assert (judge.shipped_macro_f1, judge.shipped_mean_absolute_error) == (1.0, 0.0)
    assert judge.weights is None


def test_shipped_examples_cover_all_scores() -> None:
    examples = shipped_examples()
    assert len(examples) >= 200
    assert {one.score for one in examples} == {1, 2, 3, 4, 5}
    assert min(Counter(one.language for one in examples).values()) >= 200
    assert all(len(one.vector) == 512 for one in examples)


def test_finds_vectors_by_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"title":"One","text":"x","score":1,"language":"en","topic":"t"}\n'
        '{"title":"Two","text":"","score":5,"language":"en","topic":"t"}\n',
        encoding="utf-8",
    )
    first, second = load_examples(tmp_path)
    assert first == Example("One", "x", 1, "en", author="a", topic="t")
    assert shipped_examples(tmp_path) == (first, second)
    (tmp_path / "vectors.bin").write_bytes(pack_vectors([replace(first, vector=b"\x01" * 512), second]))
    assert [one.vector for one in shipped_examples(tmp_path)] == [b"\x01" * 512, b""]


@pytest.mark.slow
def test_shipped_weights_match_their_examples() -> None:
    if not (SHARED / "news").is_dir():
        pytest.skip("the labelled items of real feeds are not here")
    items = [SHARED / "feeds" / "real", *sorted((SHARED / "news").glob("*.jsonl.gz"))]
    real = train_sensitivity.labelled_items(LABELS, items)
    weights = train(train_sensitivity.with_vectors([*shipped_examples(), *real]))
    assert len(real) == 2105
    assert weights.features.keys() == SHIPPED.features.keys()
    for name, row in weights.features.items():
        assert row == pytest.approx(SHIPPED.features[name], abs=0.02), name


def test_retraining_corrects_what_the_shipped_weights_know() -> None:
    known = train([example(score, n, word) for score, word in enumerate(("Stew", "Siren"), start=1) for n in range(9)])
    fresh = [example(score, n, word) for score, word in ((3, "Plain"), (1, "Stew")) for n in range(9)]
    corrected = train(fresh, prior=known)
    siren, stew = (corrected.features[f"word:{word}"] for word in ("siren", "stew"))
    assert siren[0] < 0 < stew[0]  # "siren" isn't in the new examples


def test_classifies_held_out_author_far_better_than_keywords() -> None:
    examples = [one for one in shipped_examples() if one.author in "bc"]
    held_out = [one for one in shipped_examples() if one.author == "a"]
    weights = train(examples)
    truth = [one.score for one in held_out]
    judged = [
        classify(one.title, one.text, language=one.language, vector=one.vector, weights=weights).score
        for one in held_out
    ]
    by_words = [classify(one.title, one.text, language=one.language, weights=weights).score for one in held_out]
    keywords_f1, keywords_error = measure(truth, [keyword_score(one.title, one.text) for one in held_out])
    for scores, least_f1, most_error in ((judged, 0.8, 0.31), (by_words, 0.7, 0.45)):
        macro_f1, error = measure(truth, scores)
        assert macro_f1 > max(least_f1, keywords_f1 + 0.3)
        assert error < min(most_error, keywords_error - 0.5)
