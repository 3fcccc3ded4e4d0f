"""How much memory a process took."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def memory() -> dict[str, float]:
    """`peak_mb`: the most that was resident until now; `mapped_mb`: how much of what is resident now is mapped files,
    SQLite's (128 MB at most) and the interpreter's libraries, which are given back when memory is short; 0.0 where the
    system does not say."""
    lines = _STATUS.read_text().splitlines() if _STATUS.exists() else []
    mapped = next((int(line.split()[1]) for line in lines if line.startswith("RssFile:")), 0)
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "mapped_mb": mapped / 1024}
