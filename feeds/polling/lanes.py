"""Decides which feed to fetch next, so that slow publishers don't hold up the others. Pure: no clock, no threads.

A fetch takes either well under a second or nearly the whole time limit, hardly ever anything between. So what matters
is how long a slot is held, not how many feeds are slow. There are two lanes:

- the *prompt lane* has `concurrency` slots. A fetch that takes longer than `SLOW_AFTER` moves to the slow lane and
  frees its slot;
- the *slow lane* has twice as many. When it is full, fetches stay in the prompt lane.

Feeds have one of three paces, started in this order:

1. *prompt*: the last poll was fast. May use the whole prompt lane;
2. *new*: never polled. May use three quarters of it, so that a thousand new feeds leave room for others;
3. *slow*: the last poll was slow or timed out. Starts in the slow lane, in at most half of it, one per source at a
   time.

A new feed counts as slow once another feed of its source is in the slow lane, so a slow host is recognized by its first
two feeds. Prompt feeds use the remaining connections of their source.

Not covered: thousands of hosts that become slow at once fill both lanes for one time limit, then count as slow.
"""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum

SLOW_AFTER = 5.0  # seconds; normal responses take a second or two
SLOW_LANE = 2  # times the slots of the prompt lane
NEW_SHARE = 3 / 4  # of the prompt lane


class Pace(IntEnum):
    """How fast a feed responded last."""

    PROMPT = 0
    NEW = 1
    SLOW = 2


@dataclass(slots=True)
class _Flight:
    source: int
    pace: Pace
    started_at: float
    in_slow_lane: bool


class Lanes:
    """Feed ids that wait, by pace and source, and those in flight. Times are seconds of one clock."""

    def __init__(self, concurrency: int, per_domain: int) -> None:
        self._concurrency, self._per_domain = concurrency, per_domain
        self._waiting: dict[Pace, dict[int, deque[int]]] = {pace: {} for pace in Pace}
        self._flights: dict[int, _Flight] = {}

    @property
    def n_threads(self) -> int:
        """The maximum number of fetches in flight."""
        return self._concurrency * (1 + SLOW_LANE)

    @property
    def feeds(self) -> set[int]:
        """All feeds that wait or are in flight."""
        waiting = (feed for queues in self._waiting.values() for queue in queues.values() for feed in queue)
        return {*waiting, *self._flights}

    def in_use(self, source: int) -> bool:
        return any(source in queues for queues in self._waiting.values()) or bool(self._in_flight(source))

    @property
    def n_slow(self) -> int:
        """The number of fetches in the slow lane."""
        return self._n_in_lane(slow=True)

    def wants(self, pace: Pace) -> bool:
        """Whether to claim more feeds of this pace, because too few are waiting to keep all slots busy."""
        n_waiting = sum(len(queue) for queue in self._waiting[pace].values())
        if pace == Pace.SLOW:
            return not n_waiting and self._n_slow_pace() < self._concurrency
        return self._n_in_lane(slow=False) + n_waiting <= self._concurrency

    def add(self, feed: int, *, source: int, pace: Pace) -> None:
        if pace == Pace.NEW and self._has_slow(source):
            pace = Pace.SLOW
        self._waiting[pace].setdefault(source, deque()).append(feed)

    def start_next(self, now: float) -> int | None:
        """Move the next feed into flight and return it; None if none may start."""
        for pace in Pace:
            for source, queue in self._waiting[pace].items():
                if self._may_start(source, pace):
                    feed = queue.popleft()
                    if not queue:
                        del self._waiting[pace][source]
                    self._flights[feed] = _Flight(source, pace, now, in_slow_lane=pace == Pace.SLOW)
                    return feed
        return None

    def move_slow(self, now: float) -> None:
        """Move long fetches to the slow lane, and count new feeds of their sources as slow."""
        for flight in self._flights.values():
            is_slow = now - flight.started_at >= SLOW_AFTER
            if is_slow and not flight.in_slow_lane and self._n_in_lane(slow=True) < SLOW_LANE * self._concurrency:
                flight.in_slow_lane = True
                if new := self._waiting[Pace.NEW].pop(flight.source, None):
                    self._waiting[Pace.SLOW].setdefault(flight.source, deque()).extend(new)

    def end(self, feed: int) -> None:
        """Take a feed out of flight."""
        del self._flights[feed]

    def drop(self, source: int) -> None:
        """Drop all waiting feeds of this source."""
        for queues in self._waiting.values():
            queues.pop(source, None)

    def drop_all(self, pace: Pace) -> None:
        """Drop all waiting feeds of this pace."""
        self._waiting[pace].clear()

    def _may_start(self, source: int, pace: Pace) -> bool:
        if len(self._in_flight(source)) >= self._per_domain:
            return False
        if pace == Pace.SLOW:
            return not self._has_slow(source) and self._n_slow_pace() < self._concurrency
        in_prompt_lane = [flight for flight in self._flights.values() if not flight.in_slow_lane]
        if pace == Pace.NEW:
            n_new = sum(flight.pace == Pace.NEW for flight in in_prompt_lane)
            if n_new >= max(1, int(NEW_SHARE * self._concurrency)):
                return False
        return len(in_prompt_lane) < self._concurrency

    def _in_flight(self, source: int) -> list[_Flight]:
        return [flight for flight in self._flights.values() if flight.source == source]

    def _has_slow(self, source: int) -> bool:
        return any(flight.in_slow_lane for flight in self._in_flight(source))

    def _n_in_lane(self, *, slow: bool) -> int:
        return sum(flight.in_slow_lane == slow for flight in self._flights.values())

    def _n_slow_pace(self) -> int:
        return sum(flight.pace == Pace.SLOW for flight in self._flights.values())
