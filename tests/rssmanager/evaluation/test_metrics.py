"""Measures of groupings small enough to count by hand, and compared with enumeration."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rssmanager.evaluation.metrics import (
    Scores,
    Truth,
    accuracy,
    answer_scores,
    average_precision,
    bcubed_scores,
    pair_scores,
    truth_of,
    v_measure,
)

NONE = frozenset[str]()


def truth(*names: str | None, ignored: dict[int, set[str]] | None = None) -> Truth:
    return truth_of(names, [frozenset((ignored or {}).get(i, NONE)) for i in range(len(names))])


AAABB_ = truth("a", "a", "a", "b", "b", None)

PAIRS = [
    pytest.param(AAABB_, [0, 0, 0, 1, 1, 2], (1, 1, 1), id="as it is"),
    pytest.param(AAABB_, [7, 7, 2, 2, 2, 3], (0.5, 0.5, 0.5), id="one of the first story in the second"),
    pytest.param(AAABB_, [0, 1, 2, 3, 4, 5], (0, 0, 0), id="all alone"),
    pytest.param(AAABB_, [0, 0, 0, 0, 0, 0], (4 / 15, 1, 8 / 19), id="all together"),
    pytest.param(truth(None, None), [0, 1], (1, 1, 1), id="nothing to find, nothing found"),
    pytest.param(truth(None, None), [0, 0], (0, 0, 0), id="two in no story together"),
    pytest.param(truth("a"), [5], (1, 1, 1), id="one document"),
    pytest.param(truth(), [], (1, 1, 1), id="no document"),
]

UNSCORED = [
    pytest.param(truth("a", "a", "b", ignored={2: {"a"}}), [0, 0, 0], (1, 1, 1), id="a wrong pair is not held against"),
    pytest.param(truth("a", "a", None, ignored={2: {"a"}}), [0, 0, 0], (1, 1, 1), id="said by one in no story"),
    pytest.param(truth("a", "b", ignored={0: {"b"}, 1: {"a"}}), [0, 0], (1, 1, 1), id="said by both, counted once"),
    pytest.param(truth("a", "a", "a", ignored={2: {"a"}}), [0, 0, 1], (1, 1, 1), id="of its own story"),
    pytest.param(truth("a", "a", "b", ignored={0: {"b"}}), [0, 0, 0], (1 / 2, 1, 2 / 3), id="only its own pairs"),
    pytest.param(truth("a", "a", "b", ignored={0: {"z"}}), [0, 0, 0], (1 / 3, 1, 1 / 2), id="a name nobody has"),
]


@pytest.mark.parametrize(("labels", "groups", "expected"), [*PAIRS, *UNSCORED])
def test_pair_scores_by_hand(labels: Truth, groups: list[int], expected: tuple[float, float, float]) -> None:
    scores = pair_scores(labels, groups)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "groups", "expected"),
    [
        pytest.param(AAABB_, [0, 0, 0, 1, 1, 2], (1, 1, 1), id="as it is"),
        pytest.param(AAABB_, [7, 7, 2, 2, 2, 3], (7 / 9, 7 / 9, 7 / 9), id="one of the first story in the second"),
        pytest.param(AAABB_, [0, 1, 2, 3, 4, 5], (1, 1 / 2, 2 / 3), id="all alone"),
        pytest.param(AAABB_, [0] * 6, (7 / 18, 1, 14 / 25), id="all together"),
        pytest.param(
            truth("a", "a", "b", ignored={2: {"a"}}), [0, 0, 0], (1, 1, 1), id="unscored partners do not count"
        ),
        pytest.param(truth(), [], (0, 0, 0), id="no document"),
    ],
)
def test_bcubed_scores_by_hand(labels: Truth, groups: list[int], expected: tuple[float, float, float]) -> None:
    scores = bcubed_scores(labels, groups)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        pytest.param([5, 5, 9, 9], 1, id="as it is"),
        pytest.param([0, 0, 0, 0], 0, id="all together says nothing"),
        pytest.param([1, 2, 3, 3], 0.8, id="homogeneous, two thirds complete"),
    ],
)
def test_v_measure_by_hand(groups: list[int], expected: float) -> None:
    assert v_measure(truth("a", "a", "b", "b"), groups) == pytest.approx(expected)


def test_documents_without_story_are_their_own_stories() -> None:
    assert truth(None, "a", None, "a").stories.tolist() == [1, 0, 2, 0]


def test_answers_are_scored_by_pair() -> None:
    labels, answers = [True, True, True, False, False], [True, True, False, True, False]
    assert answer_scores(labels, answers) == Scores(2 / 3, 2 / 3, 2 / 3)
    assert accuracy(labels, answers) == 3 / 5


@pytest.mark.parametrize(
    ("labels", "scores", "expected"),
    [
        pytest.param([True, True, False], [0.9, 0.8, 0.1], 1.0, id="all true ones first"),
        pytest.param([True, False, True], [0.9, 0.8, 0.1], 5 / 6, id="a false one between"),
        pytest.param([False, False], [0.9, 0.8], None, id="nothing to find"),
    ],
)
def test_average_precision_by_hand(labels: list[bool], scores: list[float], expected: float | None) -> None:
    assert average_precision(labels, scores) == (None if expected is None else pytest.approx(expected))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", None]),
            st.frozensets(st.sampled_from(["a", "b", "c"]), max_size=2),
            st.integers(0, 3),
        ),
        max_size=9,
    )
)
def test_counting_agrees_with_enumerating_pairs(rows: list[tuple[str | None, frozenset[str], int]]) -> None:
    clustered, true = set[tuple[int, int]](), set[tuple[int, int]]()
    for i, j in combinations(range(len(rows)), 2):
        (story, named, group), (other_story, other_named, other_group) = rows[i], rows[j]
        if other_story in named or story in other_named:
            continue
        if group == other_group:
            clustered.add((i, j))
        if story == other_story and story is not None:
            true.add((i, j))
    labels = truth_of([row[0] for row in rows], [row[1] for row in rows])
    groups = [row[2] for row in rows]
    both = clustered & true
    scores = pair_scores(labels, groups)
    if clustered or true:
        assert scores.precision == (len(both) / len(clustered) if clustered else 0)
        assert scores.recall == (len(both) / len(true) if true else 0)
    else:
        assert scores == Scores(1, 1, 1)
    if rows:
        expected = [(1 + _of(i, both)) / (1 + _of(i, clustered)) for i in range(len(rows))]
        assert bcubed_scores(labels, groups).precision == pytest.approx(sum(expected) / len(rows))


def _of(document: int, pairs: set[tuple[int, int]]) -> int:
    return sum(document in pair for pair in pairs)
