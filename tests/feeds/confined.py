"""Run a call in a subprocess with limited memory and CPU time."""

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MAX_MEMORY = 400 * 2**20  # bytes beyond what the test process already uses
MAX_SECONDS = 60  # CPU seconds; stops what would run for hours, not a benchmark


def confined(call: Callable[[], Any]) -> Any:
    """Return the call's result or the name of the exception it raised; "killed" if it exceeded its limits."""
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
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + MAX_SECONDS, spent + MAX_SECONDS + 1))
    try:
        pipe.send(call())
    except Exception as error:  # noqa: BLE001 - the test compares its name
        pipe.send(type(error).__name__)
