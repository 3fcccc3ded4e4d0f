"""Clustering into a requested number of topics."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from digests.topics import ward
from digests.topics.tfidf import of_length_one
from digests.topics.ward import into_topics


def topics(sizes: list[int], *, seed: int = 1) -> csr_array:
    """Rows of as many topics as there are sizes, each with 6 terms of its own; 3 of them and a few others in a row."""
    chance = np.random.default_rng(seed)
    n_terms = 6 * len(sizes) + 20
    rows = []
    for topic, size in enumerate(sizes):
        for _ in range(size):
            row = np.zeros(n_terms, dtype=np.float32)
            row[6 * topic + chance.choice(6, 4, replace=False)] = 1
            row[6 * len(sizes) + chance.integers(0, 20)] = 0.5
            rows.append(row)
    return of_length_one(csr_array(np.array(rows)))


@pytest.mark.parametrize("all_pairs_to", [2000, 10], ids=["all pairs", "near ones"])
@pytest.mark.parametrize("sizes", [[30, 20, 10], [5, 25, 5, 15]], ids=["three", "four"])
def test_finds_the_topics_there_are(sizes: list[int], all_pairs_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ward, "ALL_PAIRS_TO", all_pairs_to)
    found = into_topics(topics(sizes), len(sizes))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    assert len(set(zip(found.tolist(), truth.tolist(), strict=True))) == len(set(found.tolist())) == len(sizes)


@pytest.mark.parametrize("all_pairs_to", [2000, 10], ids=["all pairs", "near ones"])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 17, 39, 40, 41, 1000])
def test_gives_exactly_as_many_or_all_alone(n_topics: int, all_pairs_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ward, "ALL_PAIRS_TO", all_pairs_to)
    assert len(set(into_topics(topics([20, 20]), n_topics).tolist())) == min(n_topics, 40)


@pytest.mark.parametrize("all_pairs_to", [2000, 10], ids=["all pairs", "near ones"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(np.ones((50, 3)), id="all alike"),
        pytest.param(np.zeros((50, 3)), id="nothing in them"),
        pytest.param(np.zeros((50, 0)), id="no terms at all"),
        pytest.param(np.eye(50), id="nothing shared"),
        pytest.param(np.repeat(np.eye(2), 25, axis=0), id="two kinds"),
        pytest.param(np.repeat(np.eye(25), 2, axis=0), id="many kinds"),
    ],
)
def test_rows_with_little_text_are_still_split(
    rows: np.ndarray, all_pairs_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ward, "ALL_PAIRS_TO", all_pairs_to)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = into_topics(of_length_one(csr_array(rows.astype(np.float32))), 4)
    assert len(set(found.tolist())) == 4


def test_parts_without_a_link_are_connected() -> None:
    """150 kinds of 11 rows that are all alike: each row's nearest 10 are of its own kind."""
    points = np.repeat(np.eye(150, dtype=np.float32), 11, axis=0)
    links = ward._links(points)
    assert ward.connected_components(links, directed=False)[0] == 1
    assert (links != links.T).nnz == 0


def test_the_same_rows_give_the_same_topics() -> None:
    rows = topics([40, 30, 30])
    assert into_topics(rows, 12).tolist() == into_topics(rows, 12).tolist()
