"""What each act with an article teaches, and which of many acts with one article count. Pure.

Theory. Nobody votes, so what is learned comes from what people do anyway (DESIGN.md, Lessons from others). What they
do differs in how much it says. Opening is the measure, 1. Liking and disliking are said on purpose and rarely, 3.
Starring often means "for later", so less than liking, 2. A skip says less than an opening, for most of what is skipped
was merely not for now, 0.5. Having opened a later article of the same screen and not this one is a guess, 0.1. Marking
all read, keeping unread and scrolling past say nothing.

What counts is the *standing* of an article, worked out from all acts with it, oldest first:

* An act counts once, from the first time: an article opened ten times is opened. Only what takes it away (an undo, or
  an act against it) lets it count anew.
* The later of opened and skipped counts; liked and disliked likewise. Disliking takes away everything said for the
  article; liking and starring take away what was said against it. After a dislike, opening again says nothing, nor does
  skipping what was liked or starred: the explicit act stands until another explicit one.
* Passed over counts while nothing else stands.
* An undone act never was: what it had taken away stands again, from its own time.

So what an article teaches at any time is the sum over its standing acts of gain × decay since, and undoing is exact.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

OPENED, LIKED, DISLIKED, STARRED, SKIPPED, PASSED = "opened", "liked", "disliked", "starred", "skipped", "passed"

GAINS = {OPENED: 1.0, LIKED: 3.0, STARRED: 2.0, SKIPPED: -0.5, DISLIKED: -3.0, PASSED: -0.1}  # the docstring says why

WEEKLY = 0.9  # of a weight is left after a week without engagement; best-practices.md, User Interest Profile
_WEEK = timedelta(weeks=1)

_TAKES_AWAY = {
    OPENED: {SKIPPED, PASSED},
    LIKED: {DISLIKED, SKIPPED, PASSED},
    STARRED: {DISLIKED, SKIPPED, PASSED},
    DISLIKED: {OPENED, LIKED, STARRED, SKIPPED, PASSED},
    SKIPPED: {OPENED, PASSED},
    PASSED: set[str](),
}
_SAYS_NOTHING_AFTER = {
    OPENED: {DISLIKED},
    SKIPPED: {LIKED, STARRED, DISLIKED},
    PASSED: {OPENED, LIKED, STARRED, SKIPPED, DISLIKED},
}


@dataclass(frozen=True, slots=True)
class Act:
    """One row of the log of one article; `pk` is the row's."""

    kind: str
    at: datetime
    pk: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """How much an article speaks for its terms (`liked`) and against them (`disliked`); both are amounts."""

    liked: float = 0.0
    disliked: float = 0.0

    @property
    def gain(self) -> float:
        return self.liked - self.disliked

    def __sub__(self, other: "Lesson") -> "Lesson":
        return Lesson(self.liked - other.liked, self.disliked - other.disliked)

    def __bool__(self) -> bool:
        return bool(self.liked or self.disliked)


def standing(acts: Iterable[Act]) -> dict[str, Act]:
    """The acts that count of those with one article, given oldest first, by kind."""
    found: dict[str, Act] = {}
    for act in acts:
        if act.kind not in GAINS or _SAYS_NOTHING_AFTER.get(act.kind, set()) & found.keys():
            continue
        for kind in _TAKES_AWAY[act.kind] & found.keys():
            del found[kind]
        found.setdefault(act.kind, act)
    return found


def lesson(acts: Iterable[Act], now: datetime) -> Lesson:
    """What the acts with one article, oldest first, teach at `now`."""
    amounts = [GAINS[act.kind] * decay(act.at, now) for act in standing(acts).values()]
    return Lesson(sum(each for each in amounts if each > 0), -sum(each for each in amounts if each < 0))


def decay(since: datetime, now: datetime) -> float:
    """The share that is left of a weight: 0.9 after a week, 0.81 after two; 1 where `since` is not in the past."""
    return float(WEEKLY ** max(0.0, (now - since) / _WEEK))
