"""A table runs all its cases and reports those that fail."""

import pytest
from django.contrib.auth.models import User

from tests import make
from tests.tables import table


def test_reports_failing_cases_and_runs_the_others() -> None:
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


def test_stacked_tables_run_every_pair() -> None:
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


def test_reports_pytest_fail() -> None:
    with pytest.raises(BaseExceptionGroup, match="why: Failed: why"):
        table("reason", ["why"], ids=str)(pytest.fail)()


def test_cases_cannot_be_skipped() -> None:
    with pytest.raises(AssertionError, match="why: leave it out"):
        table("reason", ["why"], ids=str)(pytest.skip)()


@pytest.mark.django_db
@table("name", ["ada", "ada"])
def test_each_case_starts_with_the_fixtures_database(django_user_model: type[User], name: str) -> None:
    assert not django_user_model.objects.exists()
    make.user(name)
