"""Which sentences are selected: within the limits if any selection is, and nearly as good as the best of all."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.edition.kinds import Words
from digests.summaries.extractive import IN_TITLE, IN_TOPIC, ONCE, Line, select, term_weights


def line(name: str, n_words: int, terms: str = "", *, leans: bool = False, number: int | None = None) -> Line:
    words = [f"term{term}" for term in terms]
    text = " ".join([name, *words, *["it"] * (n_words - 1 - len(words))])
    return Line(text, ord(name) - ord("A") if number is None else number, n_words, repeats_title=False, leans=leans)


def selected(lines: Sequence[Line], words: Words) -> str:
    return " ".join(line.text.split()[0] for line in select(lines, "", {}, words, "en"))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], "", id="none"),
        pytest.param([line("A", 6)], "A", id="one"),
        pytest.param([line("A", 4)], "A", id="too-short"),
        pytest.param([line("A", 11)], "", id="too-long"),
        pytest.param([line("A", 2), line("B", 3), line("C", 3)], "A B C", id="all"),
        pytest.param([line("A", 9), line("B", 9)], "A", id="first-of-equals"),
        pytest.param([line("A", 4), line("B", 9)], "B", id="within-limits-before-first"),
        pytest.param([line("A", 2), line("B", 2), line("C", 11)], "A B", id="longest-below"),
        pytest.param([line("A", 5, "ab"), line("B", 5, "ab"), line("C", 5, "cde")], "A C", id="no-repetition"),
        pytest.param([line("A", 6, leans=True)], "", id="leaning-alone"),
        pytest.param([line("A", 4), line("B", 4, leans=True)], "A B", id="leaning-after-its-neighbor"),
        pytest.param([line("A", 9), line("B", 9, leans=True)], "A", id="leaning-without-its-neighbor"),
        pytest.param([line("A", 3), line("B", 3, leans=True), line("C", 3, leans=True)], "A B C", id="chain"),
        pytest.param([line("A", 5), line("B", 5, leans=True, number=2)], "A", id="neighbor-omitted"),
    ],
)
def test_selects(lines: list[Line], expected: str) -> None:
    assert selected(lines, Words(5, 10)) == expected


@st.composite
def articles(draw: st.DrawFn) -> list[Line]:
    """Up to seven sentences, some of which lean."""
    return [
        line(chr(65 + n), draw(st.integers(5, 12)), draw(st.text("abcd", max_size=4)), leans=draw(st.booleans()))
        for n in range(draw(st.integers(0, 7)))
    ]


def lengths(lines: list[Line], most: int) -> Iterator[int]:
    """The lengths of all selections that are allowed."""
    for picks in product((False, True), repeat=len(lines)):
        is_allowed = all(not line.leans or (n and picks[n - 1]) for n, line in enumerate(lines) if picks[n])
        length = sum(line.n_words for line, pick in zip(lines, picks, strict=True) if pick)
        if is_allowed and length <= most:
            yield length


@given(articles(), st.integers(1, 30), st.integers(0, 20))
def test_is_within_the_limits_if_any_selection_is(lines: list[Line], least: int, more: int) -> None:
    n_words = sum(line.n_words for line in select(lines, "", {}, Words(least, least + more), "en"))
    possible = list(lengths(lines, least + more))
    assert n_words in possible
    assert n_words >= min(least, max(possible))


def test_terms_weigh_by_frequency() -> None:
    weights = term_weights([frozenset("ab"), frozenset("a"), frozenset()], [], {})
    assert weights == pytest.approx({"a": 1.6931 / (1.6931 + ONCE), "b": ONCE / (1.6931 + ONCE)}, rel=1e-4)


def test_terms_of_title_and_topic_weigh_more() -> None:
    weights = term_weights([frozenset("abcd")], ["a"], {"b": 0.5, "c": 0.25, "z": 9.0, "d": -1.0})
    factors = {"a": 1 + IN_TITLE, "b": 1 + IN_TOPIC, "c": 1 + IN_TOPIC / 2, "d": 1.0}
    total = sum(factors.values())
    assert weights == pytest.approx({term: factor / total for term, factor in factors.items()})


def test_no_terms_have_no_weights() -> None:
    assert term_weights([], ["a"], {"a": 1.0}) == {}
