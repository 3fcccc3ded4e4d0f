"""A fixed set of cases of every target, thousands more nightly, and all earlier finds as regression tests."""

from contextlib import nullcontext
from random import Random

import pytest

from tests.fuzzing import mutating
from tests.fuzzing.finds import FINDS
from tests.fuzzing.minimising import minimised
from tests.fuzzing.running import Find, failure, run, run_here
from tests.fuzzing.target import Broken, Case, Target, must
from tests.fuzzing.targets import TARGETS

FEW = 50
MANY = {"requests": 1000, "accounts": 1000}  # with a database; 5,000 of the others
BY_NAME = {target.name: target for target in TARGETS}


def marked(target: Target, *values: object, name: str) -> object:
    return pytest.param(target, *values, id=name, marks=[pytest.mark.django_db] if target.needs_database else [])


@pytest.mark.parametrize("target", [marked(target, name=target.name) for target in TARGETS])
@pytest.mark.parametrize("is_long", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["short", "long"])
def test_what_must_hold_holds_for_any_case(target: Target, is_long: bool) -> None:
    outcome = run_here(target, seed=20260304, n_cases=MANY.get(target.name, 5000) if is_long else FEW)

    assert [(find.signature, find.case) for find in outcome.finds.values()] == []


@pytest.mark.parametrize(
    ("target", "case"),
    [marked(BY_NAME[name], case, name=f"{name} {why}") for name, cases in FINDS.items() for why, case in cases.items()],
)
def test_what_was_found_stays_mended(target: Target, case: Case) -> None:
    with target.around() if target.needs_database else nullcontext():
        assert failure(target, case) is None


# The fuzzer itself


def _check(case: Case) -> None:
    must("b" not in str(case), "no b")


FAULTY = Target("faulty", "fails at a letter", lambda random: "".join(random.choices("abc", k=30)), _check)


def test_the_same_seed_makes_the_same_cases() -> None:
    target = BY_NAME["feeds"]
    assert [target.case(7, number) for number in range(20)] == [target.case(7, number) for number in range(20)]
    assert target.case(7, 3) != target.case(8, 3)


def test_a_find_is_made_small() -> None:
    outcome = run_here(FAULTY, seed=1, n_cases=20)

    assert list(outcome.finds) == ["Broken: no b"]
    assert minimised(outcome.finds["Broken: no b"], FAULTY).case == "b"


def test_a_run_counts_its_cases_and_hands_on_what_it_found() -> None:
    outcome = run(FAULTY, seed=1, n_cases=50, seconds=60)

    assert (outcome.n_cases, list(outcome.finds)) == (50, ["Broken: no b"])


def _die(case: Case) -> None:
    if str(case).startswith("a"):
        raise SystemExit(3)


def test_a_case_that_ends_the_process_is_a_find_and_the_others_are_run() -> None:
    dying = Target("dying", "ends the process", lambda random: random.choice(("a", "b")), _die)

    outcome = run(dying, seed=1, n_cases=6, seconds=60)

    assert outcome.n_cases == 6
    assert [(find.signature, find.case) for find in outcome.finds.values()] == [("ends the process (3)", "a")]


def test_mutations_stay_within_their_bound() -> None:
    random = Random(1)
    assert all(len(mutating.text(random, ("x" * 5000,), ("y" * 5000,))) <= mutating.MAX_SIZE for _ in range(200))


def test_what_must_hold_is_checked() -> None:
    with pytest.raises(Broken, match="so it is"):
        must(0, "so it is")
    assert failure(FAULTY, Find("", 0, "b", "").case) is not None
