"""Memory used by a process."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def memory() -> dict[str, float]:
    """`peak_mb`: the most that was resident until now; `mapped_mb`: how much of what is resident now is mapped files,
    SQLite's (128 MB at most) and the interpreter's libraries, which are given back when memory is short; 0.0 where the
    system does not say."""
    lines = _STATUS.read_text().splitlines() if _STATUS.exists() else []
    sizes = {
        name: int(size.split()[0]) / 1024 for name, _, size in (line.partition(":") for line in lines) if "kB" in size
    }
    # getrusage counts what the process that started this one held, too: so only where nothing else says it.
    peak = sizes.get("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"peak_mb": peak, "mapped_mb": sizes.get("RssFile", 0.0)}
