"""Slots are few, given in order, and forgotten when nobody holds them."""

import threading

import pytest

from feeds.fetching.domain_slots import DomainSlots
from tests.feeds.servers import PATIENCE


class Holder(threading.Thread):
    """Takes a slot, notes it, and keeps it until told."""

    def __init__(self, slots: DomainSlots, domain: str, order: list["Holder"]) -> None:
        super().__init__(daemon=True)
        self.has_it = threading.Event()
        self._let_go = threading.Event()
        self._slots, self._domain, self._order = slots, domain, order
        self.start()

    def run(self) -> None:
        with self._slots.held(self._domain):
            self._order.append(self)
            self.has_it.set()
            self._let_go.wait(PATIENCE)

    def let_go(self) -> None:
        self._let_go.set()
        self.join(PATIENCE)


def n_waiting(slots: DomainSlots, domain: str) -> int:
    return len(slots._waiting.get(domain, ()))


def wait_until_queued(slots: DomainSlots, domain: str, n: int) -> None:
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.001)):
        if n_waiting(slots, domain) == n:
            return
        tick.wait(0.001)
    pytest.fail(f"{n} threads never queued")


def test_slots_are_handed_over_in_the_order_of_asking() -> None:
    slots, order = DomainSlots(1), []
    holders = []
    for n in range(5):
        holders.append(Holder(slots, "a.example", order))
        if n == 0:
            assert holders[0].has_it.wait(PATIENCE)
        else:
            wait_until_queued(slots, "a.example", n)

    for holder in holders:
        assert holder.has_it.wait(PATIENCE)
        holder.let_go()

    assert order == holders


def test_the_next_may_only_begin_when_a_slot_is_free() -> None:
    slots, order = DomainSlots(2), []
    first, second = Holder(slots, "a.example", order), Holder(slots, "a.example", order)
    assert first.has_it.wait(PATIENCE)
    assert second.has_it.wait(PATIENCE)
    third = Holder(slots, "a.example", order)
    wait_until_queued(slots, "a.example", 1)
    assert not third.has_it.is_set()

    second.let_go()

    assert third.has_it.wait(PATIENCE)
    first.let_go()
    third.let_go()


def test_domains_do_not_wait_for_each_other() -> None:
    slots, order = DomainSlots(1), []
    holders = [Holder(slots, f"{n}.example", order) for n in range(20)]

    assert all(holder.has_it.wait(PATIENCE) for holder in holders)
    for holder in holders:
        holder.let_go()


def test_nothing_is_remembered_of_domains_that_are_not_in_use() -> None:
    slots = DomainSlots(2)

    for n in range(1000):
        with slots.held(f"{n}.example"), slots.held(f"{n}.example"):
            assert slots._held == {f"{n}.example": 2}

    assert (slots._held, slots._waiting) == ({}, {})


def test_an_error_gives_the_slot_back() -> None:
    slots = DomainSlots(1)

    with pytest.raises(ValueError, match="mine"), slots.held("a.example"):
        raise ValueError("mine")

    assert slots._held == {}


def test_a_thread_interrupted_while_it_waits_leaves_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(BaseException):
        pass

    def interrupt(_: threading.Event, timeout: float | None = None) -> bool:
        raise Interrupted

    slots = DomainSlots(1)
    with slots.held("a.example"):
        monkeypatch.setattr(threading.Event, "wait", interrupt)
        with pytest.raises(Interrupted), slots.held("a.example"):
            pytest.fail("there was no slot")
        assert slots._waiting == {}

    assert slots._held == {}
