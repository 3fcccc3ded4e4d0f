"""Runs a function on untrusted input in a separate process with limits on CPU time and memory.

A new process, not a fork, which would copy the locks of other threads and the database connections. It gets a function
by name, loads no Django unless that function does, and returns yielded values one by one, so that the caller has those
from before a limit was reached. It limits the cost of a document and is no sandbox: it runs as the same user.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

WALL_SECONDS = 60.0  # enough for its CPU time even on a busy machine
_PROGRAM = Path(__file__).with_name("confined_process.py")


class Exhausted(Exception):
    """The process reached a limit."""


@dataclass(frozen=True, slots=True)
class Raised:
    """The function raised this."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Done:
    """The function ended."""


def run_confined(function: str, *arguments: object, cpu_seconds: float, memory: int) -> Iterator[Any]:
    """Run a generator function in a separate process and yield its values.

    Args:
        function: as `module:name`; its arguments, values and exceptions must be picklable.
        cpu_seconds: CPU time after the process has loaded the function.
        memory: bytes it may allocate after that.

    Raises:
        Exhausted: it reached a limit; earlier values have been yielded.
    """
    command = [sys.executable, "-I", str(_PROGRAM), function]
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    with subprocess.Popen(  # noqa: S603 - our own program and function
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        watch = threading.Timer(WALL_SECONDS, process.kill)
        watch.start()
        try:
            _send_request(cast("IO[bytes]", process.stdin), (arguments, cpu_seconds, memory))
            yield from _results(cast("IO[bytes]", process.stdout))
        finally:
            watch.cancel()
            process.kill()


def _send_request(pipe: IO[bytes], request: object) -> None:
    try:
        with pipe:
            pickle.dump(request, pipe, protocol=5)
    except BrokenPipeError as error:
        raise Exhausted from error


def _results(pipe: IO[bytes]) -> Iterator[Any]:
    while True:
        try:
            step = pickle.load(pipe)  # noqa: S301 - from our own process
        except (EOFError, pickle.UnpicklingError) as error:
            raise Exhausted from error
        if isinstance(step, Done):
            return
        if isinstance(step, Raised):
            raise step.error
        yield step
