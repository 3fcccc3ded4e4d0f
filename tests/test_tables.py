"""A table tries all its cases, and names those that fail."""

import pytest
from django.contrib.auth.models import User

from tests import make
from tests.tables import table


def test_every_failing_case_is_named_and_the_others_are_tried() -> None:
    tried: list[int] = []

    @table(("number", "half"), [(2, 1), pytest.param(3, 1, id="odd"), (4, 3), (6, 3)])
    def halves(number: int, half: int) -> None:
        tried.append(number)
        if half * 2 != number:
            raise ValueError(f"{half} is not\nhalf")

    with pytest.raises(ExceptionGroup) as failed:
        halves()

    assert failed.value.message.splitlines() == [
        "2 of 4 cases failed",
        "odd: ValueError: 1 is not",
        "4-3: ValueError: 3 is not",
    ]
    assert (len(failed.value.exceptions), tried) == (2, [2, 3, 4, 6])


def test_stacked_tables_try_every_pair() -> None:
    @table("one", [1, 2])
    @table("other", [1, 2], ids=["first", "second"])
    def differ(one: int, other: int) -> None:
        assert one != other, "equal"

    with pytest.raises(ExceptionGroup) as failed:
        differ()

    assert failed.value.message.splitlines()[1:] == [
        "1: 1 of 2 cases failed; first: AssertionError: equal",
        "2: 1 of 2 cases failed; second: AssertionError: equal",
    ]


def test_a_case_that_pytest_fails_is_a_failure() -> None:
    with pytest.raises(BaseExceptionGroup, match="why: Failed: why"):
        table("reason", ["why"], ids=str)(pytest.fail)()


def test_a_case_cannot_be_skipped() -> None:
    with pytest.raises(AssertionError, match="why: leave it out"):
        table("reason", ["why"], ids=str)(pytest.skip)()


@pytest.mark.django_db
@table("name", ["ada", "ada"])
def test_a_case_finds_the_database_as_its_fixtures_left_it(django_user_model: type[User], name: str) -> None:
    assert not django_user_model.objects.exists()
    make.user(name)
