"""How much each action on an article teaches, and which of several actions on one article count. Pure.

Theory. Users rarely vote, so learning relies on what they do anyway (DESIGN.md, Lessons from others). Actions differ in
how much they say. Opening is the measure, 1. Likes and dislikes are deliberate and rare, 3. Starring often means "for
later", so less than liking, 2. A skip says less than an opening, since most skipped articles are merely not for now,
0.5. Passing over an article, by opening a later one on the same screen, is a guess, 0.1. Marking all read, keeping
unread and scrolling past say nothing.

The *active* actions are determined from all actions on an article, oldest first:

* An action counts once, from its first time: an article opened ten times is opened. It counts again only after
  something canceled it (an undo, or an opposite action).
* The later of opened and skipped counts; likewise liked and disliked. Disliking cancels everything positive; liking and
  starring cancel everything negative. After a dislike, opening says nothing, and so does skipping something liked or
  starred: the explicit action stays until another explicit one.
* Passed over counts only if nothing else does.
* An undone action never happened: what it had canceled counts again, from its own time.

So an article's feedback is the sum over its active actions of gain × decay since, and undoing is exact.
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
class Action:
    """One engagement with an article; `pk` is the row's."""

    kind: str
    at: datetime
    pk: int = 0


@dataclass(frozen=True, slots=True)
class Feedback:
    """How much an article speaks for its terms (`liked`) and against them (`disliked`); both are amounts."""

    liked: float = 0.0
    disliked: float = 0.0

    @property
    def gain(self) -> float:
        return self.liked - self.disliked

    def __sub__(self, other: "Feedback") -> "Feedback":
        return Feedback(self.liked - other.liked, self.disliked - other.disliked)

    def __bool__(self) -> bool:
        return bool(self.liked or self.disliked)


def active_actions(acts: Iterable[Action]) -> dict[str, Action]:
    """The actions that count, by kind, of all actions on one article, oldest first."""
    found: dict[str, Action] = {}
    for act in acts:
        if act.kind not in GAINS or _SAYS_NOTHING_AFTER.get(act.kind, set()) & found.keys():
            continue
        for kind in _TAKES_AWAY[act.kind] & found.keys():
            del found[kind]
        found.setdefault(act.kind, act)
    return found


def total_feedback(acts: Iterable[Action], now: datetime) -> Feedback:
    """The feedback at `now` from all actions on one article, oldest first."""
    amounts = [GAINS[act.kind] * decay(act.at, now) for act in active_actions(acts).values()]
    return Feedback(sum(amount for amount in amounts if amount > 0), -sum(amount for amount in amounts if amount < 0))


def decay(since: datetime, now: datetime) -> float:
    """The share left of a weight: 0.9 after a week, 0.81 after two; 1 if `since` is not in the past."""
    return float(WEEKLY ** max(0.0, (now - since) / _WEEK))
