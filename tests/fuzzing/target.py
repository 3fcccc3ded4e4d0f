"""A fuzzing target: a generator of cases and the property that must hold for each."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from random import Random

Case = bytes | str


class Broken(AssertionError):
    """Something that must hold does not."""


def must(holds: object, what: str) -> None:
    """Raise Broken, also under `python -O`, unless it holds."""
    if not holds:
        raise Broken(what)


@dataclass(frozen=True, slots=True)
class Target:
    """`make` gives a case, `check` returns quietly or raises; `around` is entered once for a run."""

    name: str
    about: str
    make: Callable[[Random], Case]
    check: Callable[[Case], None]
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    needs_database: bool = False
    most_seconds: float = 5.0  # a case may take

    def cases(self, seed: int, first: int = 0) -> Iterator[tuple[int, Case]]:
        """Cases without end, with their numbers; the same for the same seed."""
        number = first
        while True:
            yield number, self.case(seed, number)
            number += 1

    def case(self, seed: int, number: int) -> Case:
        return self.make(Random(f"{seed} {self.name} {number}"))
