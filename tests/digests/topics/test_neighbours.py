"""Near vectors, held against tables of all pairs."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.cluster import DBSCAN

from digests.topics import neighbours
from digests.topics.neighbours import components, near_pairs
from digests.topics.tfidf import of_length_one
from tests.tables import table


def rows_of(*rows: list[float]) -> csr_array:
    return of_length_one(csr_array(np.array(rows, dtype=np.float32)))


def random_rows(n: int, *, seed: int, n_terms: int = 700) -> csr_array:
    """Some few terms of many, and all of some common ones: pairs on both sides of the threshold."""
    chance = np.random.default_rng(seed)
    rows = random_array((n, n_terms), density=0.01, rng=chance, format="csr", dtype=np.float32)
    centres = random_array((n // 4, n_terms), density=0.02, rng=chance, format="csr", dtype=np.float32)
    return of_length_one(csr_array(rows * 1.2 + centres[chance.integers(0, n // 4, n)]))


def as_groups(labels: object) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for number, label in enumerate(np.asarray(labels).tolist()):
        found.setdefault(label, set()).add(number)
    return {frozenset(group) for group in found.values()}


@table("common_terms", [0, 40, 512, 10_000])
@table("n", [1, 2, 255, 256, 257, 600])
def test_components_are_what_dbscan_finds(n: int, common_terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "COMMON_TERMS", common_terms)
    rows = random_rows(max(n, 4), seed=n)[:n]
    found = DBSCAN(eps=0.4, min_samples=2, metric="cosine").fit_predict(rows.toarray())
    alone = np.flatnonzero(found < 0)
    found[alone] = found.max(initial=0) + 1 + np.arange(len(alone))
    assert as_groups(components(rows, least=0.6)) == as_groups(found)
    if n > 2:
        assert 1 < len(set(found.tolist())) < n


def test_a_distance_of_exactly_eps_is_near() -> None:
    one, other = [1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 1, 1]
    assert as_groups(components(rows_of(one, other), least=0.6)) == {frozenset((0, 1))}
    assert as_groups(components(rows_of(one, other), least=0.601)) == {frozenset((0,)), frozenset((1,))}


def test_rows_of_zeros_are_alone() -> None:
    assert as_groups(components(rows_of([0, 0], [0, 0], [1, 0]), least=0.6)) == {frozenset((n,)) for n in range(3)}


def test_a_chain_is_one_component() -> None:
    rows = [[float(term in (n, n + 1, n + 2, n + 3)) for term in range(303)] for n in range(300)]
    assert len(set(components(rows_of(*rows), least=0.7).tolist())) == 1


def test_nothing_has_no_components() -> None:
    assert components(csr_array((0, 0), dtype=np.float32), least=0.6).tolist() == []


@pytest.mark.parametrize("common_terms", [0, 40, 512])
@pytest.mark.parametrize(("n", "m"), [(300, 20), (20, 300), (1, 1)])
def test_near_pairs_are_all_pairs_that_are_near(
    n: int, m: int, common_terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "COMMON_TERMS", common_terms)
    both = random_rows(n + m + 4, seed=n)
    rows, others = csr_array(both[:n]), csr_array(both[n : n + m])
    found = near_pairs(rows, others, least=0.3)
    table = (rows @ others.T).toarray()
    assert list(zip(found.rows.tolist(), found.columns.tolist(), strict=True)) == [
        (int(row), int(column)) for row, column in zip(*np.nonzero(table >= 0.3), strict=True)
    ]
    assert found.similarities == pytest.approx(table[table >= 0.3], abs=1e-5)
    assert n == m == 1 or len(found.rows)


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (0, 0)])
def test_nothing_is_near_nothing(n: int, m: int) -> None:
    rows, others = (csr_array(np.ones((k, 1), dtype=np.float32)) for k in (n, m))
    assert near_pairs(rows, others, least=0.1).rows.tolist() == []
