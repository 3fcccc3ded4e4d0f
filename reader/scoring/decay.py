"""Time-adjusted relevance: how much of an article's relevance is left, by how fast its kind of news expires.

    R(t) / (100 − R(t)) = R0 / (100 − R0) · e^(−k·t), t in days since publication

Relevance is a probability of 100, so its odds decay. Of the relevance itself, no article has more than twice that of a
typical one, so after two half-lives the best how-to would be below any article of today: with ten choices, 39 % of a
programmer's first 20 were about programming, instead of 56 %. Far below 50 both are the same.

Source: feedoscope-article.md, "Exponential decay" and its `DECAY_RATES`; SPEC §11. The rates are the article's, to the
digit. They are rounded, so half-lives differ slightly from its comments: 365, 173 (it says 183), 30, 10 and 5 days.
They are also milder than the names of the classes suggest: critical news expires within hours but keeps half of its
relevance for five days, because decay is meant to move news down a list, not to hide it.

A database can't compute e^… for every row on every request, and doesn't need to. Within one class all odds lose the
same share in the same time, so their order never changes. `decay_key` has this order and can be indexed:

    ln O(now) = (ln O0 + k · published) − k · now = decay_key − k · now, times in days since 1970

The best articles of all classes at any time are then the best of five sorted lists.
"""

import math
from datetime import UTC, datetime, timedelta

from feeds.wording import gettext as _
from feeds.wording import pgettext

RATES: dict[int, float] = {1: 0.0019, 2: 0.004, 3: 0.0231, 4: 0.069, 5: 0.139}  # k per day; feedoscope-article.md
NAMES: dict[int, str] = {1: "evergreen", 2: "low", 3: "medium", 4: "high", 5: "critical"}  # SPEC §11
MAX_EXPONENT = 700.0  # of e
EXTREME = 1e-6  # relevance is kept this far from 0 and 100, whose odds are infinite

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


def class_name(score: int) -> str:
    """The translated name of a time sensitivity score."""
    return {
        1: pgettext("time sensitivity", "evergreen"),
        2: pgettext("time sensitivity", "low"),
        3: pgettext("time sensitivity", "medium"),
        4: pgettext("time sensitivity", "high"),
        5: pgettext("time sensitivity", "critical"),
    }[score]


def span(score: int) -> str:
    """How long articles of a score, 1 to 5, stay relevant: `days to weeks`."""
    return {
        1: pgettext("how long an article stays relevant", "years"),
        2: pgettext("how long an article stays relevant", "months"),
        3: pgettext("how long an article stays relevant", "days to weeks"),
        4: pgettext("how long an article stays relevant", "a day or two"),
        5: pgettext("how long an article stays relevant", "hours"),
    }[score]


def lifespan(score: int) -> str:
    """`relevant for days to weeks`."""
    return _("relevant for %(span)s") % {"span": span(score)}


def log_odds(relevance: float) -> float:
    """The logarithm of the odds of a relevance (0–100): 0 at 50."""
    bounded = min(100 - EXTREME, max(EXTREME, relevance))
    return math.log(bounded / (100 - bounded))


def time_adjusted(relevance: float, *, rate: float, age_days: float) -> float:
    """What is left of `relevance` (0–100) after `age_days` at `rate` per day; a future date counts as now."""
    against = rate * max(0.0, age_days) - log_odds(relevance)
    return min(relevance, 100 / (1 + math.exp(min(against, MAX_EXPONENT))))


def half_life_days(rate: float) -> float:
    """The half-life of odds in days at `rate` per day: ln 2 / k; infinite at rate 0."""
    return math.log(2) / rate if rate else math.inf


def decay_key(relevance: float, *, rate: float, published_at: datetime) -> float:
    """A number that orders articles of one rate by time-adjusted relevance, at any time.

    `relevance` in [0, 100], `published_at` aware. Articles with a future date rank too high until then; callers correct
    that.
    """
    return log_odds(relevance) + rate * ((published_at - _EPOCH) / _DAY)
