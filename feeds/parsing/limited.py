"""Reads a fetched document within limits of time and memory: a small one in this process, a large one in a subprocess.

Starting a subprocess takes a third of a second, so only large documents pay for it. The cost of a small one is limited
by its size, by the limits of parsing and normalizing, and by checks of the time between elements and entries. In the
subprocess the kernel enforces the limits, whatever the document does to a library.
"""

import time
from collections.abc import Callable, Iterator

from feeds.content.confined import Exhausted, run_confined
from feeds.storage.drafts import Document, Opened, ReadOptions, Step, assemble, steps

CPU_SECONDS = 1.6
"""For one document. With 0.3 s for starting a process and 0.1 s for storing, a document costs up to 2 s."""
MAX_MEMORY = 128 * 2**20  # bytes that reading one document may use in the subprocess
SUBPROCESS_BYTES = 2**20  # bodies from this size are read in a subprocess; the largest of 112 real feeds has 443,000
_SOFT_LIMIT = 0.75  # share of the time after which reading stops by itself, before the process is killed
_GZIP = b"\x1f\x8b"  # such a body expands


def read_document(
    body: bytes, *, wanted: ReadOptions, seconds: float = CPU_SECONDS, on_parsed: Callable[[], None] = lambda: None
) -> Document:
    """Read the document within `seconds` of CPU time; what was read until then is returned.

    `on_parsed` is called between parsing and normalizing.

    Raises ParseError if it is not a feed, or nothing could be read within the limits.
    """

    def observed_steps() -> Iterator[Step]:
        for step in read_steps(body, wanted, seconds=seconds):
            if isinstance(step, Opened):
                on_parsed()
            yield step

    return assemble(observed_steps(), wanted)


def read_steps(body: bytes, wanted: ReadOptions, *, seconds: float = CPU_SECONDS) -> Iterator[Step]:
    """Yield the steps of reading the document; they end early when a limit is reached. Raises ParseError."""
    if len(body) <= SUBPROCESS_BYTES and not body.startswith(_GZIP):
        yield from _timed_steps(body, wanted, seconds, time.thread_time)
        return
    try:
        yield from run_confined(
            "feeds.parsing.limited:steps_in_subprocess", body, wanted, seconds, cpu_seconds=seconds, memory=MAX_MEMORY
        )
    except Exhausted:
        return


def steps_in_subprocess(body: bytes, wanted: ReadOptions, seconds: float) -> Iterator[Step]:
    return _timed_steps(body, wanted, seconds, time.process_time)


def _timed_steps(body: bytes, wanted: ReadOptions, seconds: float, clock: Callable[[], float]) -> Iterator[Step]:
    started_at = clock()
    return steps(body, wanted, lambda share: clock() - started_at > share * _SOFT_LIMIT * seconds)
