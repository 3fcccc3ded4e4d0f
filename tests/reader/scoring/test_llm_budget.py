"""One limit and one patience for all workers."""

from datetime import timedelta

import pytest

from reader.models import LanguageModelUsage
from reader.scoring.llm_budget import admit_request, is_paused, record_failure, record_success
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


def at(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("asked_at", "granted"),
    [
        pytest.param([], "", id="none"),
        pytest.param([0], "y", id="one"),
        pytest.param([0, 0, 0, 0], "yyyn", id="at-once"),
        pytest.param([0, 20, 40, 59.9, 60, 79, 80], "yyynyny", id="any-minute-not-that-of-the-clock"),
        pytest.param([55, 56, 57, 65, 66, 67, 115], "yyynnny", id="across-the-full-minute"),
        pytest.param([0, 1, 2, 1000, 1001, 1002, 1003], "yyyyyyn", id="after-a-pause-no-more-than-ever"),
        pytest.param([86_400, 86_400, 86_400, 0], "yyyy", id="a-clock-that-was-set-back"),
    ],
)
def test_gives_leave_three_times_in_any_minute(asked_at: list[float], granted: str) -> None:
    given = [admit_request(now=make.NOW + at(seconds), limit=3) for seconds in asked_at]
    assert "".join("ny"[grant] for grant in given) == granted


def test_remembers_no_more_than_a_minute() -> None:
    for seconds in range(0, 6000, 30):
        admit_request(now=make.NOW + at(seconds), limit=5)
    assert len(LanguageModelUsage.objects.get().sent_at) == 2


def failing(n: int, *, since: float = 0) -> None:
    for number in range(n):
        record_failure("It does not answer.", now=make.NOW + at(since + number))


def resting_at(seconds: float) -> bool:
    return is_paused(now=make.NOW + at(seconds))


def test_nothing_rests_before_anything_happened() -> None:
    assert not resting_at(0)


def test_rests_ten_minutes_after_five_failures_running() -> None:
    failing(4)
    assert not resting_at(4)
    failing(1, since=4)
    assert [resting_at(seconds) for seconds in (4, 603, 604)] == [True, True, False]
    use = LanguageModelUsage.objects.get()
    assert (use.n_failures, use.failure, use.failed_at) == (5, "It does not answer.", make.NOW + at(4))


def test_an_answer_between_begins_the_count_anew() -> None:
    failing(4)
    record_success(now=make.NOW + at(10))
    failing(4, since=20)
    assert not resting_at(24)
    assert LanguageModelUsage.objects.get().answered_at == make.NOW + at(10)


def test_after_a_rest_one_failure_is_enough_and_one_answer_ends_it() -> None:
    failing(5)
    failing(1, since=700)
    assert [resting_at(seconds) for seconds in (701, 1299, 1300)] == [True, True, False]
    record_success(now=make.NOW + at(1400))
    failing(1, since=1500)
    assert not resting_at(1501)


def test_rests_as_long_as_the_server_asks() -> None:
    record_failure("Slow down.", now=make.NOW, retry_after=timedelta(hours=1))
    failing(5, since=1)
    assert [resting_at(seconds) for seconds in (3599, 3600)] == [True, False]


def test_keeps_the_beginning_of_a_long_reason() -> None:
    record_failure("x" * 400, now=make.NOW)
    assert LanguageModelUsage.objects.get().failure == "x" * 300
