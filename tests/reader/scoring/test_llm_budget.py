"""The rate limit and failure pause that all workers share."""

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
def test_admits_three_requests_in_any_minute(asked_at: list[float], granted: str) -> None:
    grants = [admit_request(now=make.NOW + at(seconds), limit=3) for seconds in asked_at]
    assert "".join("ny"[grant] for grant in grants) == granted


def test_keeps_only_the_last_minute() -> None:
    for seconds in range(0, 6000, 30):
        admit_request(now=make.NOW + at(seconds), limit=5)
    assert len(LanguageModelUsage.objects.get().sent_at) == 2


def failing(n: int, *, since: float = 0) -> None:
    for number in range(n):
        record_failure("It does not answer.", now=make.NOW + at(since + number))


def resting_at(seconds: float) -> bool:
    return is_paused(now=make.NOW + at(seconds))


def test_does_not_pause_initially() -> None:
    assert not resting_at(0)


def test_pauses_ten_minutes_after_five_failures() -> None:
    failing(4)
    assert not resting_at(4)
    failing(1, since=4)
    assert [resting_at(seconds) for seconds in (4, 603, 604)] == [True, True, False]
    use = LanguageModelUsage.objects.get()
    assert (use.n_failures, use.failure, use.failed_at) == (5, "It does not answer.", make.NOW + at(4))


def test_success_resets_failure_count() -> None:
    failing(4)
    record_success(now=make.NOW + at(10))
    failing(4, since=20)
    assert not resting_at(24)
    assert LanguageModelUsage.objects.get().answered_at == make.NOW + at(10)


def test_after_pause_one_failure_pauses_again() -> None:
    failing(5)
    failing(1, since=700)
    assert [resting_at(seconds) for seconds in (701, 1299, 1300)] == [True, True, False]
    record_success(now=make.NOW + at(1400))
    failing(1, since=1500)
    assert not resting_at(1501)


def test_pauses_as_long_as_server_asks() -> None:
    record_failure("Slow down.", now=make.NOW, retry_after=timedelta(hours=1))
    failing(5, since=1)
    assert [resting_at(seconds) for seconds in (3599, 3600)] == [True, False]


def test_truncates_long_reasons() -> None:
    record_failure("x" * 400, now=make.NOW)
    assert LanguageModelUsage.objects.get().failure == "x" * 300
