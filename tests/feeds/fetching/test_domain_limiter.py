"""Slots per domain: limited, in order, and released from memory when unused."""

import threading
from pathlib import Path

import pytest

from feeds.fetching.domain_limiter import DomainLimiter
from tests.feeds.servers import PATIENCE


class Holder(threading.Thread):
    """Acquires a slot, records it, and holds it until `release` is called."""

    def __init__(self, slots: DomainLimiter, domain: str, order: list["Holder"]) -> None:
        super().__init__(daemon=True)
        self.has_it = threading.Event()
        self._let_go = threading.Event()
        self._slots, self._domain, self._order = slots, domain, order
        self.start()

    def run(self) -> None:
        with self._slots.slot(self._domain):
            self._order.append(self)
            self.has_it.set()
            self._let_go.wait(PATIENCE)

    def release(self) -> None:
        self._let_go.set()
        self.join(PATIENCE)


def n_waiting(slots: DomainLimiter, domain: str) -> int:
    return len(slots._waiting.get(domain, ()))


def wait_until_queued(slots: DomainLimiter, domain: str, n: int) -> None:
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.001)):
        if n_waiting(slots, domain) == n:
            return
        tick.wait(0.001)
    pytest.fail(f"{n} threads never queued")


def test_limiters_with_one_folder_share_slots(tmp_path: Path) -> None:
    polls, pages = DomainLimiter(2, tmp_path), DomainLimiter(2, tmp_path)
    with polls.slot("a.example"), pages.slot("a.example"):
        with pytest.raises(TimeoutError), pages.slot("a.example", seconds=0.1):
            pytest.fail("a third connection")
        with pages.slot("b.example", seconds=0):
            pass
    with pages.slot("a.example", seconds=0), pages.slot("a.example", seconds=0):
        pass


def test_limits_one_process_without_a_usable_folder(tmp_path: Path) -> None:
    with DomainLimiter(1, tmp_path / "missing").slot("a.example", seconds=0):
        pass


def test_slots_are_first_come_first_served() -> None:
    slots, order = DomainLimiter(1), []
    holders = []
    for n in range(5):
        holders.append(Holder(slots, "a.example", order))
        if n == 0:
            assert holders[0].has_it.wait(PATIENCE)
        else:
            wait_until_queued(slots, "a.example", n)

    for holder in holders:
        assert holder.has_it.wait(PATIENCE)
        holder.release()

    assert order == holders


def test_waits_until_a_slot_is_free() -> None:
    slots, order = DomainLimiter(2), []
    first, second = Holder(slots, "a.example", order), Holder(slots, "a.example", order)
    assert first.has_it.wait(PATIENCE)
    assert second.has_it.wait(PATIENCE)
    third = Holder(slots, "a.example", order)
    wait_until_queued(slots, "a.example", 1)
    assert not third.has_it.is_set()

    second.release()

    assert third.has_it.wait(PATIENCE)
    first.release()
    third.release()


def test_domains_are_independent() -> None:
    slots, order = DomainLimiter(1), []
    holders = [Holder(slots, f"{n}.example", order) for n in range(20)]

    assert all(holder.has_it.wait(PATIENCE) for holder in holders)
    for holder in holders:
        holder.release()


def test_forgets_domains_that_are_not_in_use() -> None:
    slots = DomainLimiter(2)

    for n in range(1000):
        with slots.slot(f"{n}.example"), slots.slot(f"{n}.example"):
            assert slots._held == {f"{n}.example": 2}

    assert (slots._held, slots._waiting) == ({}, {})


def test_an_error_releases_the_slot() -> None:
    slots = DomainLimiter(1)

    with pytest.raises(ValueError, match="mine"), slots.slot("a.example"):
        raise ValueError("mine")

    assert slots._held == {}


def test_an_interrupted_thread_leaves_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(BaseException):
        pass

    def interrupt(_: threading.Event, timeout: float | None = None) -> bool:
        raise Interrupted

    slots = DomainLimiter(1)
    with slots.slot("a.example"):
        monkeypatch.setattr(threading.Event, "wait", interrupt)
        with pytest.raises(Interrupted), slots.slot("a.example"):
            pytest.fail("there was no slot")
        assert slots._waiting == {}

    assert slots._held == {}
