"""When a mail that did not go out is tried again."""

from datetime import timedelta

import pytest

from digests.delivery.outbox import GIVES_UP_AFTER, next_try
from tests.make import NOW


@pytest.mark.parametrize(
    ("n_tries", "minutes"),
    [(1, 1), (2, 5), (3, 15), (4, 30), (5, 60), (6, 60), (30, 60), (0, 1)],
    ids=["first", "second", "third", "fourth", "fifth", "then hourly", "hourly for good", "none counted"],
)
def test_retry_delay_grows_up_to_an_hour(n_tries: int, minutes: int) -> None:
    assert next_try(n_tries, queued_at=NOW, now=NOW) == NOW + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("after", "waits"),
    [
        (timedelta(hours=23), timedelta(hours=1)),
        (timedelta(hours=23, minutes=59), timedelta(minutes=1)),
        (timedelta(hours=24), None),
        (timedelta(days=3), None),
    ],
    ids=["an hour before", "a minute before", "at the end", "long after"],
)
def test_the_last_try_is_at_the_end_of_the_day(after: timedelta, waits: timedelta | None) -> None:
    now = NOW + after
    assert next_try(9, queued_at=NOW, now=now) == (None if waits is None else now + waits)


def test_unsent_email_is_retried_for_a_day() -> None:
    tries, now = 1, NOW
    while (later := next_try(tries, queued_at=NOW, now=now)) is not None:
        tries, now = tries + 1, later
    assert now == NOW + GIVES_UP_AFTER
    assert tries == 29  # at once, after 1, 5, 15, 30 and 60 minutes, 22 times an hour later, and when the day ends
