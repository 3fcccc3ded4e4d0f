"""Reports: JSON, the table for a terminal, the README's table."""

import pytest

from rssmanager.evaluation.dedup import Evaluation, Measures
from rssmanager.evaluation.metrics import Scores
from rssmanager.evaluation.report import MarksMissing, as_json, as_markdown, as_text, with_table

HALF = Scores(0.5, 0.25, 1 / 3)
STORIES = Evaluation(
    n=1200,
    is_pairs=False,
    n_refused=2,
    policies={"layered": Measures(HALF, Scores(1, 0.5, 2 / 3), v_measure=0.75, seconds=1.25)},
    baselines={"tfidf_best_threshold": Measures(Scores(1, 1, 1, 0.45), Scores(1, 1, 1, 0.4), v_measure=1.0)},
)
PAIRS = Evaluation(
    n=4,
    is_pairs=True,
    n_refused=0,
    policies={
        "layered": Measures(HALF, accuracy=0.5, seconds=0.0),
        "newest": Measures(HALF, accuracy=0.25, seconds=0.0),
    },
    baselines={"exact_title": Measures(HALF, accuracy=0.75)},
)


def test_json_has_the_keys_that_apply() -> None:
    assert as_json(STORIES, "layered") == {
        "n": 1200,
        "malformed": 2,
        "policy": "layered",
        "pairs": {"precision": 0.5, "recall": 0.25, "f1": 0.3333},
        "bcubed": {"precision": 1, "recall": 0.5, "f1": 0.6667},
        "v_measure": 0.75,
        "seconds": 1.25,
        "baselines": {
            "tfidf_best_threshold": {
                "pairs": {"precision": 1, "recall": 1, "f1": 1, "threshold": 0.45},
                "bcubed": {"precision": 1, "recall": 1, "f1": 1, "threshold": 0.4},
                "v_measure": 1.0,
            }
        },
    }


def test_json_includes_other_policies() -> None:
    report = as_json(PAIRS, "layered")
    assert (report["policy"], report["accuracy"]) == ("layered", 0.5)
    assert report["policies"] == {
        "layered": {"pairs": {"precision": 0.5, "recall": 0.25, "f1": 0.3333}, "accuracy": 0.5, "seconds": 0.0},
        "newest": {"pairs": {"precision": 0.5, "recall": 0.25, "f1": 0.3333}, "accuracy": 0.25, "seconds": 0.0},
    }


def test_text_is_an_aligned_table() -> None:
    assert as_text(STORIES).splitlines() == [
        "1,200 documents, 2 lines refused",
        "                      pairs P      R     F1   B³ P      R     F1      V  seconds           threshold",
        "layered                 0.500  0.250  0.333  1.000  0.500  0.667  0.750     1.25",
        "tfidf_best_threshold    1.000  1.000  1.000  1.000  1.000  1.000  1.000           pairs 0.45, B³ 0.4",
    ]


def test_text_omits_columns_that_do_not_apply() -> None:
    assert as_text(PAIRS).splitlines() == [
        "4 pairs",
        "             pairs P      R     F1  accuracy  seconds",
        "layered        0.500  0.250  0.333     0.500     0.00",
        "newest         0.500  0.250  0.333     0.250     0.00",
        "exact_title    0.500  0.250  0.333     0.750",
    ]


def test_markdown_has_two_rows_for_documents_and_one_for_pairs() -> None:
    news = {"layered": STORIES.policies["layered"], "TF-IDF": STORIES.baselines["tfidf_best_threshold"]}
    pairs = {"layered": PAIRS.policies["layered"], "TF-IDF": PAIRS.baselines["exact_title"]}
    assert as_markdown([("News", news), ("Pairs", pairs)]).splitlines() == [
        "| Set |  | layered | TF-IDF |",
        "| --- | --- | ---: | ---: |",
        "| News | pairs | 0.33 (0.50 / 0.25) | 1.00 (1.00 / 1.00) at 0.45 |",
        "|  | B³ | 0.67 (1.00 / 0.50) | 1.00 (1.00 / 1.00) at 0.4 |",
        "| Pairs | pairs | 0.33 (0.50 / 0.25) | 0.33 (0.50 / 0.25) |",
    ]


def test_table_replaces_text_between_markers() -> None:
    document = "# Reader\n<!-- evaluation -->\nold\n<!-- /evaluation -->\nmore\n"
    expected = "# Reader\n<!-- evaluation -->\n| new |\n<!-- /evaluation -->\nmore\n"
    assert with_table(document, "| new |") == expected
    assert with_table(expected, "| new |") == expected


@pytest.mark.parametrize("document", ["", "<!-- evaluation -->", "<!-- /evaluation --> <!-- evaluation -->"])
def test_table_needs_both_markers(document: str) -> None:
    with pytest.raises(MarksMissing):
        with_table(document, "| new |")
