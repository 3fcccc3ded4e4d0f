"""Tasks are queued if the queue responds; if it doesn't, the request still succeeds."""

import re

import pytest
from django.utils.module_loading import import_string
from redis.exceptions import ConnectionError as RedisIsAway

from feeds.tasks import enqueue
from rssmanager.env import PROJECT

# Modules that need the queue itself: their task is stored only in the queue, or is withdrawn again.
BY_THEMSELVES = {
    "feeds/tasks/enqueue.py",
    "feeds/stories/splits.py",
    "rssmanager/operations/views.py",
}


@pytest.mark.parametrize("error", [RedisIsAway("refused"), ConnectionResetError()], ids=["away", "cut"])
def test_a_queue_that_does_not_answer_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(enqueue, "async_task", fail)
    assert not enqueue.call_worker("feeds.tasks.polling.poll_feeds", [1])
    assert "feeds.tasks.polling.poll_feeds will run on its schedule" in caplog.text


def test_queues_task_with_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(enqueue, "async_task", lambda *args, **options: calls.append((args, options)))
    assert enqueue.call_worker("feeds.tasks.polling.index_new")
    assert enqueue.call_worker("feeds.tasks.polling.poll_feeds", [1])
    assert calls == [
        (("feeds.tasks.polling.index_new",), {}),
        (("feeds.tasks.polling.poll_feeds", [1]), {"cluster": "rssmanager-urgent"}),
    ]


@pytest.mark.parametrize("task", sorted(enqueue.URGENT))
def test_urgent_tasks_exist(task: str) -> None:
    assert callable(import_string(task))


def test_only_this_module_uses_the_queue() -> None:
    rooms = ("feeds", "reader", "digests", "rssmanager")
    modules = [path for room in rooms for path in (PROJECT / room).rglob("*.py")]
    speakers = {
        str(path.relative_to(PROJECT)) for path in modules if re.search(r"\basync_task\(|async_task,", path.read_text())
    }
    assert speakers == BY_THEMSELVES
