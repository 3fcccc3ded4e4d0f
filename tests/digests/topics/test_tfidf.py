"""Documents as vectors of terms."""

import math
from collections import Counter

import numpy as np
import pytest

from digests.topics.tfidf import counted, means, stacked, weighted

STORM, CUBA, TAX = "storm", "cuba", "tax"


def test_terms_are_columns_in_alphabetical_order() -> None:
    found = counted([Counter({STORM: 2, CUBA: 1}), Counter(), Counter({TAX: 3})])
    assert found.vocabulary == (CUBA, STORM, TAX)
    assert found.counts.toarray().tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 3]]


@pytest.mark.parametrize("n", [0, 3])
def test_documents_without_terms_are_rows_of_zeros(n: int) -> None:
    found = counted(Counter() for _ in range(n))
    vectors = weighted(found.counts, np.arange(n))
    assert vectors.shape == (n, 0)
    assert means(vectors, np.arange(n)).shape == (n, 0)


def test_a_term_weighs_by_the_stories_that_have_it() -> None:
    """Storm in one of 2 stories, though in two of 3 documents; Cuba in both."""
    terms = counted([Counter({STORM: 1, CUBA: 1}), Counter({STORM: 1}), Counter({CUBA: 2})])
    vectors = weighted(terms.counts, np.array([0, 0, 1]))
    in_one, in_both = math.log(3 / 2) + 1, math.log(3 / 3) + 1
    length = math.hypot(in_one, in_both)
    assert vectors.toarray() == pytest.approx(np.array([[in_both / length, in_one / length], [0, 1], [1, 0]]), abs=1e-6)


def test_the_mean_of_a_story_has_length_one() -> None:
    terms = counted([Counter({STORM: 1}), Counter({CUBA: 1}), Counter()])
    found = means(weighted(terms.counts, np.array([0, 0, 1])), np.array([0, 0, 1]))
    assert found.toarray() == pytest.approx(np.array([[math.sqrt(0.5), math.sqrt(0.5)], [0, 0]]), abs=1e-6)


def test_opposed_vectors_have_no_mean() -> None:
    rows = counted([Counter({STORM: 1}), Counter({STORM: 1})]).counts
    rows.data[:] = [1, -1]
    assert means(rows, np.array([0, 0])).toarray().tolist() == [[0]]


def test_two_windows_share_one_space() -> None:
    first, second = counted([Counter({TAX: 1, CUBA: 2})]), counted([Counter({STORM: 3}), Counter({CUBA: 4})])
    found = stacked(first, second)
    assert found.vocabulary == (CUBA, STORM, TAX)
    assert found.counts.toarray().tolist() == [[2, 0, 1], [0, 3, 0], [4, 0, 0]]


def test_an_empty_window_adds_nothing_to_the_space() -> None:
    filled, empty = counted([Counter({TAX: 1})]), counted([])
    for found in (stacked(filled, empty), stacked(empty, filled)):
        assert found.vocabulary == (TAX,)
        assert found.counts.toarray().tolist() == [[1]]
