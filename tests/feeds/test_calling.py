"""Workers are called where the queue answers; where it does not, nothing that was asked fails."""

import re
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as RedisIsAway

from feeds import calling

PROJECT = Path(__file__).resolve().parents[2]
# Those that need the queue itself: what they ask is stored with the call, written down nowhere else, or taken back.
BY_THEMSELVES = {
    "feeds/calling.py",
    "feeds/splitting.py",
    "rssmanager/operating/views.py",
}


@pytest.mark.parametrize("error", [RedisIsAway("refused"), ConnectionResetError()], ids=["away", "cut"])
def test_a_queue_that_does_not_answer_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(calling, "async_task", fail)
    assert not calling.call_worker("feeds.tasks.poll_feeds", [1])
    assert "feeds.tasks.poll_feeds waits for its turn" in caplog.text


def test_a_queue_that_answers_is_told_all(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(calling, "async_task", lambda *given: told.append(given))
    assert calling.call_worker("feeds.tasks.poll_feeds", [1])
    assert told == [("feeds.tasks.poll_feeds", [1])]


def test_nobody_else_speaks_to_the_queue() -> None:
    rooms = ("feeds", "reader", "digests", "rssmanager")
    modules = [path for room in rooms for path in (PROJECT / room).rglob("*.py")]
    speakers = {
        str(path.relative_to(PROJECT)) for path in modules if re.search(r"\basync_task\(|async_task,", path.read_text())
    }
    assert speakers == BY_THEMSELVES
