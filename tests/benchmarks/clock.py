"""What a stretch of work took, and what many like it took."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import quantiles
from time import perf_counter, process_time

TURNS = 300_000


def loop_seconds() -> float:
    """The least time of a fixed loop in five tries: what to compare figures of two machines by."""

    def once() -> float:
        began = perf_counter()
        for turn in range(TURNS):
            turn * turn
        return perf_counter() - began

    return min(once() for _ in range(5))


@dataclass(slots=True)
class Spent:
    """Seconds of wall time and of this process's CPU time, 0.0 until the stretch has ended."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def spent() -> Iterator[Spent]:
    """Measures what is done within."""
    found = Spent()
    began, began_cpu = perf_counter(), process_time()
    yield found
    found.wall, found.cpu = perf_counter() - began, process_time() - began_cpu


def milliseconds(several: Sequence[Spent]) -> dict[str, float]:
    """Of at least two stretches: the least, the median and the 95th percentile of wall time, the median of CPU time."""
    walls, cpus = sorted(1000 * each.wall for each in several), [1000 * each.cpu for each in several]
    by_20 = quantiles(walls, n=20, method="inclusive")
    return {"least": walls[0], "p50": by_20[9], "p95": by_20[18], "cpu": quantiles(cpus, n=2, method="inclusive")[0]}
