"""A queue that only writes down, and a clock that stands still."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone

from tests import make

Enqueued = list[tuple[object, ...]]
SetClock = Callable[[datetime], None]


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    """What was handed to the task queue, in place of the queue."""
    calls: Enqueued = []
    monkeypatch.setattr("feeds.tasks.enqueue.async_task", lambda *arguments: calls.append(arguments))
    return calls


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Stands at `make.NOW` for views; called, it stands at another moment."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_to(make.NOW)
    return set_to
