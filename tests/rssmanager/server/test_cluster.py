"""Locks between real processes are released when their holder dies."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from rssmanager.server.cluster import MonotonicEvent, ProcessLock, RobustQueue, robust_value

FORK = get_context("fork")
PATIENCE = 30  # seconds


@pytest.fixture
def begin() -> Iterator[Callable[..., object]]:
    """Starts a function in its own process, which is ended after the test."""
    begun = []

    def start(target: Callable[..., object], *arguments: object) -> object:
        process = FORK.Process(target=target, args=arguments, daemon=True)
        process.start()
        begun.append(process)
        return process

    yield start
    for process in begun:
        process.kill()
        process.join(PATIENCE)


def die_holding(lock: ProcessLock) -> None:
    lock.acquire()
    os.kill(os.getpid(), signal.SIGKILL)


def pass_on(source: RobustQueue, goal: RobustQueue) -> None:
    goal.put(source.get())


def test_lock_is_released_when_its_holder_dies(begin: Callable[..., FORK.Process]) -> None:
    lock = ProcessLock()
    holder = begin(die_holding, lock)
    holder.join(PATIENCE)
    assert holder.exitcode == -signal.SIGKILL
    assert lock.acquire(block=False)


def test_reentrant_lock_is_held_until_fully_released(
    begin: Callable[..., FORK.Process],
) -> None:
    lock, goal = ProcessLock(), FORK.SimpleQueue()

    def ask() -> None:
        goal.put(lock.acquire(block=False))

    with lock:
        with lock:
            pass
        begin(ask).join(PATIENCE)
        assert goal.get() is False
    begin(ask).join(PATIENCE)
    assert goal.get() is True


def test_lock_does_not_support_timeout() -> None:
    with pytest.raises(NotImplementedError):
        ProcessLock().acquire(timeout=1)


def test_shared_number_can_change_under_its_lock() -> None:
    number = robust_value("f", -1)
    with number.get_lock():
        number.value -= 1
    assert number.value == -2


def test_waiting_for_an_event_is_independent_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The semaphore's own wait uses the wall clock."""
    event = MonotonicEvent()
    monkeypatch.setattr(event._cond, "wait", None)
    began = time.monotonic()
    assert event.wait(0.01) is False
    assert time.monotonic() - began >= 0.01
    event.set()
    assert event.wait(PATIENCE) is True


def test_event_wakes_a_waiter_in_another_process(begin: Callable[..., FORK.Process]) -> None:
    event, goal = MonotonicEvent(), FORK.SimpleQueue()
    waiting = begin(lambda: goal.put(event.wait()))
    event.set()
    waiting.join(PATIENCE)
    assert goal.get() is True


@pytest.mark.skipif(not Path("/proc/self/wchan").exists(), reason="reads from /proc what a process waits for")
def test_reader_continues_after_another_is_killed(begin: Callable[..., FORK.Process]) -> None:
    source, goal = RobustQueue(maxsize=5), RobustQueue()
    first = begin(pass_on, source, goal)
    source.put("one")
    assert goal.get(timeout=None) == "one"
    first.join(PATIENCE)
    waiting = begin(pass_on, source, goal)
    until = time.monotonic() + PATIENCE
    while "pipe_read" not in _waits_in(waiting.pid):
        assert time.monotonic() < until
    waiting.kill()
    waiting.join(PATIENCE)
    begin(pass_on, source, goal)
    source.put("two")
    assert goal.get() == "two"


def _waits_in(pid: int | None) -> str:
    return Path(f"/proc/{pid}/wchan").read_text()
