"""How many articles of one feed are compared with others. Pure, and light because polling loads it.

Articles beyond the rate are stored and delivered, but in no story. Of 112 real feeds and 117 outlets none published
more than 213 entries per day.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

MATCHED_A_DAY = 500  # articles of one feed within `RATE_WINDOW`
MATCHED_AT_FIRST = 1_000  # articles of a feed's first poll
RATE_WINDOW = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Rate:
    """Articles of a feed to compare: `a_day` within 24 hours, `at_first` in its first poll."""

    a_day: int = MATCHED_A_DAY
    at_first: int = MATCHED_AT_FIRST


@dataclass(frozen=True, slots=True)
class Day:
    """The number of articles of a feed since `began_at`, None before the first."""

    began_at: datetime | None = None
    n_articles: int = 0

    def at(self, now: datetime) -> "Day":
        """This day, or a new one if it is over."""
        is_over = self.began_at is None or not timedelta() <= now - self.began_at < RATE_WINDOW
        return Day(now) if is_over else self
