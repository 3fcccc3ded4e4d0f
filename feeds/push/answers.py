"""What a poll means for the feed's hub: which pings it answers, and whether the hub is believed.

Called within the poll's transaction, with the feed's row locked.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.models import Feed, PushSubscription

LOOK_AGAIN = (timedelta(minutes=2), timedelta(minutes=15))  # after polls for a ping that found nothing
SHORTEST_PAUSE = timedelta(seconds=15)
LONGEST_PAUSE = timedelta(hours=1)
MAX_FRUITLESS = 10  # counted; the pause doesn't grow any more


@dataclass(frozen=True, slots=True)
class Answer:
    """`is_pushed`: a ping caused the poll. `has_hub`: a hub announces new entries. `again_at`: when to poll again for a
    ping, None for no sooner than otherwise."""

    is_pushed: bool = False
    has_hub: bool = False
    again_at: datetime | None = None


def pause_after(n_fruitless: int) -> timedelta:
    """Return the shortest time between two polls for pings, after so many of them that found nothing."""
    return min(SHORTEST_PAUSE * 2**n_fruitless, LONGEST_PAUSE)


def answer(
    feed: Feed, *, started_at: datetime, now: datetime, succeeded: bool, n_found: int, has_changed: bool
) -> Answer:
    """Update the feed's subscription after a poll that began at `started_at` and found `n_found` new entries."""
    push = PushSubscription.objects.select_for_update().filter(feed=feed).first() if feed.hub_url else None
    if push is None:
        return Answer()
    is_pushed = push.has_open_ping
    if n_found:
        push.announces = is_pushed
    if has_changed:
        push.n_fruitless = 0
    wait = None
    if is_pushed:
        push.polled_at = now
        wait = _time_to_next(push, started_at, succeeded=succeeded, has_changed=has_changed)
    push.save(update_fields=["announces", "n_fruitless", "answered_at", "polled_at"])
    return Answer(is_pushed, push.replaces_polls(now), now + wait if wait is not None else None)


def _time_to_next(
    push: PushSubscription, started_at: datetime, *, succeeded: bool, has_changed: bool
) -> timedelta | None:
    """The time to another poll for pings, None for none, or after a failure, which leaves the ping open."""
    if not has_changed:
        push.n_fruitless = min(push.n_fruitless + 1, MAX_FRUITLESS)
    if not succeeded:
        return None
    if push.pinged_at is not None and push.pinged_at > started_at:  # the fetch may have been too early
        return pause_after(push.n_fruitless)
    if not has_changed and push.n_fruitless <= len(LOOK_AGAIN):
        return LOOK_AGAIN[push.n_fruitless - 1]
    push.answered_at = started_at
    return None
