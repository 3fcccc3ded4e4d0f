"""When a mail that did not go out is tried again. Pure."""

from datetime import datetime, timedelta

DELAYS = tuple(timedelta(minutes=each) for each in (1, 5, 15, 30, 60))  # after each try; then the last one again
GIVES_UP_AFTER = timedelta(hours=24)  # from when it was written; a digest of yesterday is no news


def next_try(n_tries: int, *, written_at: datetime, now: datetime) -> datetime | None:
    """When to try again after `n_tries` of them, the last failing at `now`. None when a day is over.

    The last try is when the day ends, not up to an hour before.
    """
    ends_at = written_at + GIVES_UP_AFTER
    if now >= ends_at:
        return None
    return min(now + DELAYS[min(max(n_tries, 1), len(DELAYS)) - 1], ends_at)
