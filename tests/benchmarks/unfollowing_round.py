"""Unfollowing one feed and all, restoring them, and deleting them for good: `Installation.run("unfollowing_round")`.

Folders of thirty feeds, half of everything read. Requests are by a client through every middleware and template.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reader.models import Delivery, Subscription
from reader.stories.collapse import fold_queued
from reader.subscriptions.unfollow import KEPT_FOR, purge_some
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.page_round import arrange
from tests.benchmarks.tidying import tidy


def main() -> None:
    user = User.objects.order_by("pk")[0]
    arrange(user)
    tidy()
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    client.get("/health/")  # templates are read
    first = Subscription.objects.filter(user=user).order_by("pk")[0]
    undo = reverse("feed_restore", args=[first.pk])
    before = _state(user)
    found = {
        "feeds": _timed(lambda: client.get("/health/"), 20),
        "one": _timed(lambda: client.post(reverse("feed_unfollow", args=[first.pk]))),
        "restore_one": _timed(lambda: client.post(undo)),
        "all": _timed(lambda: client.post(reverse("feed_acts"), {"act": "unfollow", "all": "1"})),
        "list_meanwhile": _timed(lambda: client.get("/all/"), 20),
        "restore_all": _timed(lambda: client.post(undo)),
    }
    _fold()
    assert _state(user) == before
    client.post(reverse("feed_acts"), {"act": "unfollow", "all": "1"})
    purge = _purged()
    printed = {"n_deliveries": before["deliveries"], "vendor": connection.vendor, "purge": purge, "rounds": found}
    print(json.dumps(printed))


def _state(user: User) -> dict[str, int]:
    _fold()
    return {
        "feeds": Subscription.objects.filter(user=user).count(),
        "deliveries": Delivery.objects.filter(user=user).count(),
        "read": Delivery.objects.filter(user=user, is_read=True).count(),
        "folded": Delivery.objects.filter(user=user, is_folded=True).count(),
    }


def _fold() -> None:
    while fold_queued():
        pass


def _purged() -> dict[str, Any]:
    now, taken, is_more = timezone.now() + KEPT_FOR + timedelta(minutes=1), [], True
    while is_more:
        with spent() as purging:
            is_more = purge_some(now=now)
        taken.append(purging)
    seconds = [each.wall for each in taken]
    return {"n": len(taken) - 1, "seconds": sum(seconds), "longest_ms": 1000 * max(seconds)}


def _timed(ask: Callable[[], Any], times: int = 1) -> dict[str, float]:
    """Milliseconds: the median of several."""
    taken: list[Spent] = []
    for _ in range(times):
        with spent() as asking:
            ask()
        taken.append(asking)
    return milliseconds(taken) if times > 1 else {"p50": 1000 * taken[0].wall, "cpu": 1000 * taken[0].cpu}


if __name__ == "__main__":
    main()
