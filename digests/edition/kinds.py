"""The kinds of digest with their numbers. Source: SPEC §13; strategy.md step 6, best-practices.md, Digest Sizing."""

from dataclasses import dataclass
from datetime import time, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Kind(TextChoices):
    """`today` is the front page: the last 24 hours, refreshed through the day, never sent."""

    TODAY = "today", _("Today")
    MORNING = "morning", _("Morning brief")
    MIDDAY = "midday", _("Midday update")
    EVENING = "evening", _("Evening recap")
    WEEKLY = "weekly", _("Weekly roundup")

    @property
    def in_sentence(self) -> str:
        """The name within a sentence: `the morning brief`."""
        return str(_IN_SENTENCE[self])


_IN_SENTENCE = {
    Kind.TODAY: pgettext_lazy("within a sentence", "the front page"),
    Kind.MORNING: pgettext_lazy("within a sentence", "the morning brief"),
    Kind.MIDDAY: pgettext_lazy("within a sentence", "the midday update"),
    Kind.EVENING: pgettext_lazy("within a sentence", "the evening recap"),
    Kind.WEEKLY: pgettext_lazy("within a sentence", "the weekly roundup"),
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """The maximum number of topics in each section."""

    top: int
    noteworthy: int
    also: int


@dataclass(frozen=True, slots=True)
class Words:
    """The limits of a summary, if the text is long enough."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Hours:
    """The local times between which a digest can be sent, and the default."""

    first: time
    last: time
    usual: time


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of one kind. `window` is the length it covers; with `since_last` it starts where the last digest
    ended, if that is within the window. `weekdays` are the days it can be sent (0 = Monday); `usual_weekday` is the
    default day of a weekly digest.
    """

    window: timedelta
    since_last: bool
    sizes: Sizes
    words: Words
    hours: Hours | None
    weekdays: frozenset[int] = frozenset(range(7))
    usual_weekday: int | None = None


_DAY = timedelta(hours=24)
RULES: dict[Kind, Rules] = {
    Kind.TODAY: Rules(_DAY, False, Sizes(15, 10, 10), Words(50, 75), None),
    Kind.MORNING: Rules(_DAY, False, Sizes(15, 10, 10), Words(50, 75), Hours(time(6), time(8), time(7))),
    Kind.MIDDAY: Rules(_DAY, True, Sizes(10, 5, 5), Words(30, 50), Hours(time(11, 30), time(13), time(12))),
    Kind.EVENING: Rules(_DAY, True, Sizes(15, 10, 10), Words(50, 75), Hours(time(17), time(19), time(18))),
    Kind.WEEKLY: Rules(
        timedelta(days=7),
        False,
        Sizes(30, 15, 15),
        Words(100, 150),
        Hours(time(6), time(12), time(8)),
        weekdays=frozenset((5, 6)),
        usual_weekday=5,
    ),
}
PLANNED = (Kind.MORNING, Kind.MIDDAY, Kind.EVENING, Kind.WEEKLY)
