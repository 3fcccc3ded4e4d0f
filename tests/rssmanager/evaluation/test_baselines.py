"""Baselines: equal titles, and similarity at the best threshold."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from feeds.dedup.in_memory import Document
from rssmanager.evaluation.baselines import (
    best_answers,
    best_group_scores,
    exact_title_groups,
    spanning_forest,
    tfidf_groups,
    tfidf_similarities,
    tfidf_vectors,
)
from rssmanager.evaluation.metrics import Scores, truth_of


def documents(*titles: str) -> list[Document]:
    return [Document(title=title) for title in titles]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        pytest.param(["Crane falls!", "crane: FALLS", "Crane fell"], [0, 0, 1], id="case and punctuation"),
        pytest.param(["港口起重机倒塌", "港口起重机倒塌！", "港口"], [0, 0, 1], id="Chinese"),
        pytest.param(["?!", "…", "?!"], [0, 1, 0], id="titles without words"),
        pytest.param([], [], id="none"),
    ],
)
def test_exact_titles_are_one_group(titles: list[str], expected: list[int]) -> None:
    assert exact_title_groups(documents(*titles)) == expected


def test_vectors_have_unit_length_and_include_the_text() -> None:
    vectors = tfidf_vectors([Document("Crane", "falls into the basin"), Document("Basin", "crane falls into the")])
    assert vectors.shape == (2, 5)
    assert (vectors @ vectors.T).toarray() == pytest.approx(np.ones((2, 2)))


def test_vectors_of_spaceless_scripts_use_character_pairs() -> None:
    assert tfidf_vectors(documents("港口起重机")).shape == (1, 4)


def test_documents_without_words_match_nothing() -> None:
    assert [groups.tolist() for _, groups in tfidf_groups(documents("!", "?"))] == [[0, 1]] * 19


def test_best_thresholds_are_chosen_for_each_measure() -> None:
    titles = documents("crane falls", "crane falls", "library opens", "library opens", "fog")
    pairs, bcubed, groups = best_group_scores(truth_of(["a", "a", "b", "b", None], [frozenset()] * 5), titles)
    assert (pairs, bcubed) == (Scores(1, 1, 1, 0.95), Scores(1, 1, 1, 0.95))
    assert groups.tolist() == [0, 0, 1, 1, 2]


def test_similarities_of_pairs() -> None:
    first, second = documents("crane falls", "library opens"), documents("crane falls", "mayor visits")
    assert tfidf_similarities(first, second).tolist() == pytest.approx([1, 0])


def test_best_answers_use_the_threshold_with_the_best_f1() -> None:
    similarities = np.array([0.9, 0.5, 0.4, 0.1], dtype=np.float32)
    scores, answers = best_answers([True, True, False, False], similarities)
    assert scores == Scores(1, 1, 1, 0.5)
    assert answers == [True, True, False, False]


CHAIN = np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [0, 0.96, 0.28], [0, 0, 1]], dtype=np.float32)
"""Unit vectors with cosines 0-1 0.8, 1-2 0.6, 1-3 0.576, 2-3 0.96, 3-4 0.28; the rest 0."""


@pytest.mark.parametrize("strip_cells", [1, 10, 1000], ids=["a document a strip", "two", "all at once"])
def test_forest_has_the_strongest_links_of_every_chain(strip_cells: int) -> None:
    forest = spanning_forest(csr_array(CHAIN), least=0.05, strip_cells=strip_cells)
    links = {(int(i), int(j)): float(value) for i, j, value in zip(forest.row, forest.col, forest.data, strict=True)}
    assert links == pytest.approx({(0, 1): 0.8, (1, 2): 0.6, (2, 3): 0.96, (3, 4): 0.28})


def test_forest_omits_weaker_links() -> None:
    forest = spanning_forest(csr_array(CHAIN), least=0.7)
    assert sorted(zip(forest.row.tolist(), forest.col.tolist(), strict=True)) == [(0, 1), (2, 3)]
