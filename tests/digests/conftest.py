"""A queue that only records tasks, and a frozen clock."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone

from tests import make

Enqueued = list[tuple[object, ...]]
SetClock = Callable[[datetime], None]


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    """Replace the task queue by a list of the tasks queued."""
    calls: Enqueued = []
    monkeypatch.setattr("feeds.tasks.enqueue.async_task", lambda *arguments: calls.append(arguments))
    return calls


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Freeze the views' clock at `make.NOW`; call the fixture to set another time."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_to(make.NOW)
    return set_to
