"""One run of one target: many cases in a subprocess watched by its parent.

The process may be killed by a case (memory, a crash in C) or hang in one where no signal reaches it; it therefore says
in shared memory which case it is at, and goes on behind it in a new process. Within Python an alarm ends a case that
worked for too long.
"""

import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzzing.database import fresh_database
from tests.fuzzing.target import Broken, Case, Target

PROJECT = Path(__file__).resolve().parents[2]
MAX_MEMORY = 3 * 2**30  # bytes of address space; libraries and a language model's tables take one
PATIENCE = 60.0  # seconds after which a case that no alarm ended is taken for hanging


class TooSlow(Exception):
    """A case took longer than it may."""


@dataclass(frozen=True, slots=True)
class Find:
    """A case that failed; finds with one `signature` (error and place) are one."""

    signature: str
    number: int
    case: Case
    told: str


@dataclass(slots=True)
class Outcome:
    """What a run did: cases that were checked, seconds, and finds by their signature."""

    target: str
    engine: str
    n_cases: int = 0
    seconds: float = 0.0
    finds: dict[str, Find] = field(default_factory=dict)

    def add(self, find: Find) -> None:
        known = self.finds.get(find.signature)
        if known is None or len(find.case) < len(known.case):
            self.finds[find.signature] = find


@contextmanager
def prepared(target: Target) -> Iterator[None]:
    """All that cases of a target need around them, a database of this process among it."""
    with fresh_database() if target.needs_database else nullcontext(), target.around():
        yield


def failure(target: Target, case: Case) -> tuple[str, str] | None:
    """The signature and the report of what goes wrong with a case; None when all holds."""
    try:
        with _alarm(target.most_seconds):
            target.check(case)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return _signature(error), "".join(traceback.format_exception(error, limit=-8))
    return None


def run_here(target: Target, *, seed: int, n_cases: int) -> Outcome:
    """A small run in this process, as the test suite makes it."""
    outcome = Outcome(target.name, "random")
    with target.around():
        for number, case in target.cases(seed):
            if number >= n_cases:
                return outcome
            outcome.n_cases += 1
            if found := failure(target, case):
                outcome.add(Find(found[0], number, case, found[1]))
    raise AssertionError("cases have no end")


def run(target: Target, *, seed: int, n_cases: int, seconds: float) -> Outcome:
    """A run until there were `n_cases` or `seconds` have passed, whatever comes first."""
    outcome = Outcome(target.name, "random")
    started_at, first = time.monotonic(), 0
    while first < n_cases and (left := seconds - (time.monotonic() - started_at)) > 0:
        first = _in_process(outcome, target, seed=seed, numbers=(first, n_cases), seconds=left)
    outcome.seconds = time.monotonic() - started_at
    return outcome


def _in_process(outcome: Outcome, target: Target, *, seed: int, numbers: tuple[int, int], seconds: float) -> int:
    """Run cases in a new process; returns the number to go on with."""
    context = multiprocessing.get_context("fork")
    at = context.Value("q", numbers[0], lock=False)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(target, seed, numbers, seconds, at, theirs))
    process.start()
    theirs.close()
    seen, seen_at = -1, time.monotonic()
    while _received(ours, outcome):
        if at.value != seen:
            seen, seen_at = at.value, time.monotonic()
        elif time.monotonic() - seen_at > PATIENCE:
            process.kill()
    process.join()
    outcome.n_cases += at.value - numbers[0]
    if process.exitcode == 0:
        return int(at.value) if at.value == numbers[1] else numbers[1]
    how = "hangs" if process.exitcode == -signal.SIGKILL else f"ends the process ({process.exitcode})"
    outcome.add(Find(how, at.value, target.case(seed, at.value), f"Case {at.value} {how}."))
    outcome.n_cases += 1
    return int(at.value) + 1


def _received(pipe: Connection, outcome: Outcome) -> bool:
    """Take in what the process found, waiting a moment for it; False once it has ended."""
    try:
        while pipe.poll(0.2):
            outcome.add(pipe.recv())
    except EOFError:
        return False
    return True


def _work(
    target: Target, seed: int, numbers: tuple[int, int], seconds: float, at: Any, pipe: Connection
) -> None:  # pragma: no cover - in a process of its own
    _limit_memory()
    until = time.monotonic() + seconds
    known: set[str] = set()
    with prepared(target):
        for number, case in target.cases(seed, numbers[0]):
            at.value = number
            if number >= numbers[1] or time.monotonic() > until:
                return
            if (found := failure(target, case)) and found[0] not in known:
                known.add(found[0])
                pipe.send(Find(found[0], number, case, found[1]))


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    sys.setrecursionlimit(1000)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of work; waiting for a busy machine is no fault of the case
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _signature(error: BaseException) -> str:
    """The error's kind, and where in the project it came through last; of what must hold, what it was."""
    if isinstance(error, Broken):
        return f"Broken: {error}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    place = f"{Path(frames[-1].filename).relative_to(PROJECT)}:{frames[-1].lineno}" if frames else "outside"
    return f"{type(error).__name__} at {place}"


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(PROJECT) and ".venv" not in path.parts and path != Path(__file__)
