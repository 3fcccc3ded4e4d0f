"""Time-adjusted relevance: how much of an article's relevance is left, by how fast its kind of news expires.

    R(t) = R0 · e^(−k·t), t in days since publication

Source: feedoscope-article.md, "Exponential decay" and its `DECAY_RATES`; SPEC §11. The rates are the article's, to the
digit. They are rounded, so half-lives come out near what its comments say: 365, 173 (it says 183), 30, 10 and 5 days.
They are also milder than the names of the classes: of critical news, which expires within hours, half is left after
five days, because the decay is to move news down a list, not to hide it.

Asked for an order, a database cannot compute e^… for every row at every moment; nor need it. Within one class all
articles lose the same share in the same time, so their order never changes. `pull` is a number to be stored and
indexed that has this order:

    ln R(now) = (ln R0 + k · published) − k · now = pull − k · now, times in days since 1970

The best of all classes at any moment is then the best of five sorted lists.
"""

import math
from datetime import UTC, datetime, timedelta

from feeds.wording import gettext as _
from feeds.wording import pgettext

RATES: dict[int, float] = {1: 0.0019, 2: 0.004, 3: 0.0231, 4: 0.069, 5: 0.139}  # k per day; feedoscope-article.md
NAMES: dict[int, str] = {1: "evergreen", 2: "low", 3: "medium", 4: "high", 5: "critical"}  # SPEC §11
LEAST_RELEVANCE = 1e-6  # what relevance 0 counts as, where its logarithm is needed; rounds to 0 everywhere else
MOST_RELEVANCE = 100.0

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


def class_name(score: int) -> str:
    """What `NAMES` has for a score, for people."""
    return {
        1: pgettext("how fast an article ages", "evergreen"),
        2: pgettext("how fast an article ages", "low"),
        3: pgettext("how fast an article ages", "medium"),
        4: pgettext("how fast an article ages", "high"),
        5: pgettext("how fast an article ages", "critical"),
    }[score]


def lasting(score: int) -> str:
    """How long the articles of a score, 1 to 5, are of interest, in words."""
    return {
        1: _("never loses relevance"),
        2: _("loses relevance in months"),
        3: _("loses relevance in days to weeks"),
        4: _("loses relevance in 24–48 hours"),
        5: _("loses relevance in hours"),
    }[score]


def time_adjusted(relevance: float, *, rate: float, age_days: float) -> float:
    """What is left of `relevance` (0–100) after `age_days` at `rate` per day; what is dated ahead counts as new."""
    return relevance * math.exp(-rate * max(0.0, age_days))


def half_life_days(rate: float) -> float:
    """The days in which half is lost at `rate` per day: ln 2 / k; infinite at rate 0."""
    return math.log(2) / rate if rate else math.inf


def pull(relevance: float, *, rate: float, published_at: datetime) -> float:
    """A number that orders articles of one rate as their time-adjusted relevance does, at every moment.

    `relevance` in [0, 100], `published_at` aware. What is dated ahead seems to have more than its relevance until then:
    who asks earlier puts the date in place of the moment.
    """
    return math.log(max(relevance, LEAST_RELEVANCE)) + rate * _days_since_epoch(published_at)


def time_adjusted_from_pull(pull: float, rate: float, now: datetime) -> float:
    """The time-adjusted relevance at `now`, in [0, 100], of an article with this `pull`, published before `now`."""
    return math.exp(min(pull - rate * _days_since_epoch(now), math.log(MOST_RELEVANCE)))


def _days_since_epoch(moment: datetime) -> float:
    return (moment - _EPOCH) / _DAY
