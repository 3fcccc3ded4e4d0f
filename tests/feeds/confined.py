"""A call in a process of its own that may take so much memory and so much of a processor, and no more."""

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MOST_MEMORY = 400 * 2**20  # bytes beyond what the tests have taken already
MOST_SECONDS = 60  # of a processor; a guard against what would take hours, not a measure


def confined(call: Callable[[], Any]) -> Any:
    """What the call returns, or the name of what it raised; "killed" where it took more than it may."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(call, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return "killed"
    finally:
        process.join()


def _run(call: Callable[[], Any], pipe: Connection) -> None:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + MOST_SECONDS, spent + MOST_SECONDS + 1))
    try:
        pipe.send(call())
    except Exception as error:  # noqa: BLE001 - its name is what the test asks for
        pipe.send(type(error).__name__)
