"""Which sentences are chosen: within the words where any set is, in order, and nearly as good as trying all sets."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.summaries.choosing import FALL, LEAD, PLACE, TOGETHER, Candidate, Choice, Form, best_choices, preferred
from digests.summaries.weighing import IN_TITLE, IN_TOPIC, ONCE, weights_of

EVEN = {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}


def free(name: str, n_words: int, terms: str = "", faults: float = 0.0) -> Candidate:
    """A sentence that stands by itself."""
    form = Form(name, n_words)
    return Candidate(form, form, frozenset(terms), faults)


def leaning(name: str, n_words: int, terms: str = "", *, alone: Form | None = None, follows: bool = True) -> Candidate:
    return Candidate(Form(name, n_words) if follows else None, alone, frozenset(terms))


def chosen(candidates: Sequence[Candidate], least: int, most: int, weights: dict[str, float] | None = None) -> str:
    found = preferred(best_choices(candidates, weights or EVEN, most=most), least=least)
    return " ".join(form.text for form in found[0].forms) if found else ""


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        pytest.param([], "", id="none"),
        pytest.param([free("A", 6)], "A", id="one"),
        pytest.param([free("A", 4)], "A", id="below"),
        pytest.param([free("A", 11)], "", id="above"),
        pytest.param([free("A", 2), free("B", 3), free("C", 3)], "A B C", id="all"),
        pytest.param([free("A", 9), free("B", 9)], "A", id="the-lead-of-equals"),
        pytest.param([free("A", 4), free("B", 9)], "B", id="within-before-the-lead"),
        pytest.param([free("A", 2), free("B", 3), free("C", 11)], "A B", id="the-nearest-below"),
        pytest.param([free("A", 5, "a"), free("B", 5, "a"), free("C", 5, "bcd")], "A C", id="nothing-twice"),
        pytest.param([free("A", 9, "a", 0.9), free("B", 9, "b")], "B", id="faults"),
        pytest.param([leaning("A", 6)], "", id="leaning-alone"),
        pytest.param([free("A", 4), leaning("B", 4)], "A B", id="behind-its-neighbour"),
        pytest.param([free("A", 9), leaning("B", 9)], "A", id="not-without-its-neighbour"),
        pytest.param([free("A", 9), free("B", 4), leaning("C", 4)], "A", id="neighbour-worth-less"),
        pytest.param(
            [free("A", 8), leaning("B", 9, "bcd", alone=Form("B by name", 9))], "B by name", id="in-its-other-form"
        ),
        pytest.param(
            [free("A", 4, "a"), leaning("B", 4, "b", alone=Form("B by name", 5))], "A B", id="no-other-form-when-behind"
        ),
        pytest.param([free("A", 3), leaning("B", 3), leaning("C", 3)], "A B C", id="a-chain"),
        pytest.param([free("A", 5), leaning("B", 5, follows=False)], "A", id="behind-what-is-no-candidate"),
    ],
)
def test_chooses(candidates: list[Candidate], expected: str) -> None:
    weights = EVEN if expected != "B by name" else {"b": 0.4, "c": 0.3, "d": 0.3}
    assert chosen(candidates, 5, 10, weights) == expected


def test_tells_the_best_for_each_number_of_words() -> None:
    found = best_choices([free("A", 2, "a"), free("B", 3, "b")], EVEN, most=9)
    first, second = PLACE + LEAD, PLACE * FALL
    assert [(each.n_words, tuple(form.text for form in each.forms)) for each in found] == [
        (2, ("A",)),
        (3, ("B",)),
        (5, ("A", "B")),
    ]
    assert [each.worth for each in found] == pytest.approx(
        [first + 0.25, second + 0.25, first + second + 0.5 + TOGETHER]
    )


def test_prefers_within_by_worth_and_below_by_length() -> None:
    choices = [Choice(9.0, 1, ()), Choice(1.0, 3, ()), Choice(1.0, 5, ()), Choice(2.0, 6, ()), Choice(2.0, 7, ())]
    assert [each.n_words for each in preferred(choices, least=5)] == [6, 7, 5, 3, 1]


TERMS = st.frozensets(st.sampled_from("abcdef"), max_size=4)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    """Up to seven sentences, some of which lean, some of which have another form, each with a name of its own."""
    found = []
    for n in range(draw(st.integers(0, 7))):
        own = Form(str(n), draw(st.integers(1, 12)))
        kind = draw(st.sampled_from(["free", "leaning", "changed", "cut-off"]))
        alone = {"free": own, "changed": Form(f"{n}*", own.n_words + draw(st.integers(0, 2)))}.get(kind)
        behind = None if kind == "cut-off" or n == 0 else own
        found.append(Candidate(behind, alone, draw(TERMS), draw(st.sampled_from([0.0, 0.02, 0.15]))))
    return found


def every(candidates: Sequence[Candidate], weights: dict[str, float]) -> Iterator[Choice]:
    """Every set of sentences that may be shown, by trying all."""
    for picks in product((False, True), repeat=len(candidates)):
        forms, covered, worth, allowed, was_in = [], set(), 0.0, True, False
        for n, (candidate, is_in) in enumerate(zip(candidates, picks, strict=True)):
            if is_in:
                neighbours = was_in and candidate.behind is not None
                form = candidate.behind if neighbours else candidate.alone
                allowed = allowed and form is not None
                forms.append(form)
                covered |= candidate.terms
                worth += PLACE * FALL**n + (LEAD if n == 0 else 0) - candidate.faults + TOGETHER * neighbours
            was_in = is_in
        if allowed and forms:
            worth += sum(weights.get(term, 0.0) for term in covered)
            yield Choice(worth, sum(form.n_words for form in forms), tuple(forms))


@given(candidates(), st.integers(1, 20), st.integers(0, 15))
def test_is_within_the_words_where_any_set_is_and_else_as_near_below_as_any(
    given_: list[Candidate], least: int, more: int
) -> None:
    weights = dict.fromkeys("abcdef", 1 / 6)
    possible = [each for each in every(given_, weights) if each.n_words <= least + more]
    found = preferred(best_choices(given_, weights, most=least + more), least=least)
    assert {each.n_words for each in found} == {each.n_words for each in possible}
    assert {each.forms for each in found} <= {each.forms for each in possible}
    if any(each.n_words >= least for each in possible):
        assert least <= found[0].n_words <= least + more
    elif possible:
        assert found[0].n_words == max(each.n_words for each in possible)


def test_is_worth_nearly_as_much_as_the_best_of_all_sets() -> None:
    shares = []
    weights = dict.fromkeys("abcdefghij", 0.1)
    for seed in range(200):
        chance = Random(seed)
        sentences = [
            free(str(n), chance.randint(5, 30), "".join(chance.sample("abcdefghij", chance.randint(1, 5))))
            for n in range(9)
        ]
        best = max(each.worth for each in every(sentences, weights) if 50 <= each.n_words <= 75)
        shares.append(preferred(best_choices(sentences, weights, most=75), least=50)[0].worth / best)
    assert min(shares) > 0.93
    assert sum(shares) / len(shares) > 0.995


@given(candidates(), st.integers(5, 30))
def test_the_worth_told_is_that_of_the_forms(given_: list[Candidate], most: int) -> None:
    weights = dict.fromkeys("abcdef", 1 / 6)
    worths = {each.forms: each.worth for each in every(given_, weights)}
    for choice in best_choices(given_, weights, most=most):
        assert choice.worth == pytest.approx(worths[choice.forms])


def test_terms_weigh_by_how_often_they_stand_in_sentences() -> None:
    weights = weights_of([frozenset("ab"), frozenset("a"), frozenset()], [], {})
    assert weights == pytest.approx({"a": 1.6931 / (1.6931 + ONCE), "b": ONCE / (1.6931 + ONCE)}, rel=1e-4)


def test_terms_of_the_title_and_the_topic_weigh_more() -> None:
    weights = weights_of([frozenset("abcd")], ["a"], {"b": 0.5, "c": 0.25, "z": 9.0, "d": -1.0})
    factors = {"a": 1 + IN_TITLE, "b": 1 + IN_TOPIC, "c": 1 + IN_TOPIC / 2, "d": 1.0}
    total = sum(factors.values())
    assert weights == pytest.approx({term: factor / total for term, factor in factors.items()})


def test_no_terms_weigh_nothing() -> None:
    assert weights_of([], ["a"], {"a": 1.0}) == {}
    assert chosen([free("A", 6), free("B", 3)], 5, 10, {}) == "A B"
