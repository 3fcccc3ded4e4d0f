"""The smallest case that still fails the same way, by removing parts, halves first (delta debugging)."""

import time

from tests.fuzzing.running import Find, failure
from tests.fuzzing.target import Case, Target

MAX_SECONDS = 20.0


def minimised(find: Find, target: Target) -> Find:
    """The find with a case from which nothing can be left out, or as far as there was time for."""
    until = time.monotonic() + MAX_SECONDS
    case, told = find.case, find.told
    size = max(1, len(case) // 2)
    while size and time.monotonic() < until:
        shorter = _without_one(case, size, find.signature, target, until)
        if shorter is None:
            size //= 2
        else:
            case, told = shorter
    return Find(find.signature, find.number, case, told)


def _without_one(case: Case, size: int, signature: str, target: Target, until: float) -> tuple[Case, str] | None:
    """The case without one stretch of this size, if it still fails so."""
    for start in range(0, len(case), size):
        shorter = case[:start] + case[start + size :]
        found = failure(target, shorter) if time.monotonic() < until else None
        if found and found[0] == signature:
            return shorter, found[1]
    return None
