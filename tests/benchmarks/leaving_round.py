"""Leaving all feeds and coming back, as a person and a worker do: `Installation.run("leaving_round")`.

Folders of thirty feeds, half of everything read. The request is by a client through every middleware and template; the
page after it is the feeds page. The steps that a worker takes then are measured one by one, up to folding.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from reader.going_on import steps
from reader.models import ArticleState, Delivery, Parting, Subscription
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.page_round import arrange
from tests.benchmarks.tidying import tidy

HALFWAY = 20  # steps of leaving, after which the person changes their mind


def main() -> None:
    user = User.objects.order_by("pk")[0]
    arrange(user)
    tidy()
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    client.get("/health/")  # templates are read
    before = _standing(user)
    found = {"feeds": _timed(lambda: client.get("/health/"), 20)}
    with CaptureQueriesContext(connection) as captured:
        page = client.get("/health/")
    found["feeds_page"] = {"n_statements": len(captured), "n_bytes": len(page.content)}
    found["leave"] = _timed(lambda: client.post(reverse("feed_acts"), {"act": "unfollow", "all": "1"}))
    found["lists_meanwhile"] = _timed(lambda: client.get("/all/"), 20)
    found["leaving"] = _worked(user)
    found["return"] = _timed(lambda: _undo(client))
    found["returning"] = _worked(user)
    assert _standing(user) == before
    client.post(reverse("feed_acts"), {"act": "unfollow", "all": "1"})
    for _, _ in zip(range(HALFWAY), steps(user, now=timezone.now()), strict=False):
        pass
    found["return_halfway"] = _timed(lambda: _undo(client))
    found["returning_half"] = _worked(user)
    assert _standing(user) == before
    print(json.dumps({"n_deliveries": before["deliveries"], "vendor": connection.vendor, "rounds": found}))


def _standing(user: User) -> dict[str, int]:
    return {
        "feeds": Subscription.objects.filter(user=user).count(),
        "deliveries": Delivery.objects.filter(user=user).count(),
        "read": Delivery.objects.filter(user=user, is_read=True).count(),
        "folded": Delivery.objects.filter(user=user, is_folded=True).count(),
        "states": ArticleState.objects.filter(user=user).count(),
    }


def _undo(client: Client) -> None:
    client.post(reverse("parting_undo", args=[Parting.objects.order_by("-pk")[0].pk]))


def _timed(ask: Callable[[], Any], times: int = 1) -> dict[str, float]:
    """Milliseconds: the median of several."""
    taken = []
    for _ in range(times):
        with spent() as asking:
            ask()
        taken.append(asking)
    return milliseconds(taken) if times > 1 else {"p50": 1000 * taken[0].wall, "cpu": 1000 * taken[0].cpu}


def _worked(user: User) -> dict[str, float]:
    """The seconds of all steps, and the milliseconds of the longest of them, folding included."""
    taken: list[Spent] = []
    work = steps(user, now=timezone.now())
    while True:
        with spent() as working:
            is_over = next(work, work) is work
        if is_over:
            return _sums(taken)
        taken.append(working)


def _sums(taken: Sequence[Spent]) -> dict[str, float]:
    return {
        "n_steps": len(taken),
        "seconds": sum(each.wall for each in taken),
        "cpu_seconds": sum(each.cpu for each in taken),
        "longest_ms": 1000 * max(each.wall for each in taken),
    }


if __name__ == "__main__":
    main()
