"""A separate program: runs one function, given as `module:name`, under limits for `feeds.content.confined`.

The function's arguments and the limits are pickled on standard input; its values go to standard output.
"""

import importlib
import math
import os
import pickle
import resource
import signal
import sys
import time
from pathlib import Path
from typing import IO

_STATUS = Path("/proc/self/status")


def main() -> None:
    """Load, limit, run."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from feeds.content.confined import Done, Raised

    module, _, name = sys.argv[1].partition(":")
    function = getattr(importlib.import_module(module), name)
    arguments, cpu_seconds, memory = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the parent process
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)  # exact; its signal ends the process
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + cpu_seconds))
    if _STATUS.exists():
        _limit(resource.RLIMIT_DATA, _data_bytes() + memory)
    try:
        for step in function(*arguments):
            _send(step)
        _send(Done())
    except MemoryError:
        os._exit(1)
    except Exception as error:  # noqa: BLE001 - raised again in the parent process
        _send(Raised(error))


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, hard if kind == resource.RLIMIT_CPU else allowed))


def _data_bytes() -> int:
    """The memory of this process that RLIMIT_DATA counts."""
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmData:")) * 1024


def _send(step: object) -> None:
    pipe: IO[bytes] = sys.stdout.buffer
    pickle.dump(step, pipe, protocol=5)
    pipe.flush()


if __name__ == "__main__":
    main()
