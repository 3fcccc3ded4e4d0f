"""Work that hangs is ended: in Python, in a regular expression, and in C code that doesn't return."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from time import perf_counter, process_time

import pytest

from feeds.errors import TimeLimitExceeded
from feeds.time_limit import batch_seconds, batch_size, time_limit, untimed

PATIENCE = 30  # seconds


def loop() -> None:
    while True:
        pass


def loop_despite_errors() -> None:
    while True:
        try:
            loop()
        except Exception:  # noqa: BLE001, S112 - as libraries do
            continue


def match_for_hours() -> None:
    re.match(r"(a+)+b", "a" * 60)


@pytest.mark.parametrize("hang", [loop, loop_despite_errors, match_for_hours])
def test_interrupts_what_hangs(hang: Callable[[], None]) -> None:
    began = process_time()
    with pytest.raises(TimeLimitExceeded, match=r"0\.1"), time_limit(0.1):
        hang()
    assert process_time() - began < 5


def test_interrupts_again_what_survives_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in a destructor is only reported."""
    monkeypatch.setattr("feeds.time_limit._AGAIN", 0.1)
    monkeypatch.setattr(sys, "unraisablehook", lambda report: None)

    class Hanging:
        def __del__(self) -> None:
            loop()

    def hang_twice() -> None:
        Hanging()
        loop()

    with pytest.raises(TimeLimitExceeded), time_limit(0.1):
        hang_twice()


def test_leaves_no_timer_and_its_predecessor_in_charge() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with time_limit(0.1):
        pass
    with pytest.raises(KeyError), time_limit(0.1):
        raise KeyError
    assert (signal.getitimer(signal.ITIMER_PROF), signal.getsignal(signal.SIGPROF)) == ((0.0, 0.0), before)


def test_waiting_and_loading_cost_nothing() -> None:
    with time_limit(0.2):
        threading.Event().wait(0.4)
        with untimed():
            until = process_time() + 0.4
            while process_time() < until:
                pass


def test_other_threads_have_no_limit() -> None:
    """A signal can only interrupt the main thread."""
    done = []

    def work() -> None:
        with time_limit(0.01):
            until = perf_counter() + 0.1
            while perf_counter() < until:
                pass
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(PATIENCE)
    assert done == [True]


HANGING_IN_C = """
import ctypes
from feeds import time_limit
time_limit._WATCHDOG_SECONDS = 0.2
with time_limit.time_limit(0.1):
    ctypes.PyDLL(None).sleep(60)  # holds the interpreter, as a library may
"""


@pytest.mark.slow
def test_ends_a_process_that_hangs_in_c() -> None:
    process = subprocess.run([sys.executable, "-c", HANGING_IN_C], capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 1
    assert "line 6 in <module>" in process.stderr


def test_batches_shrink_to_one_entry_and_small_ones_get_less_time() -> None:
    assert [batch_size(n_tries, full=800) for n_tries in range(3)] == [800, 28, 1]
    assert [round(batch_seconds(n, full=800), 1) for n in (800, 28, 1)] == [11.0, 3.3, 3.0]
