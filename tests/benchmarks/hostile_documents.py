"""What hostile documents cost, the dearest first: `python -m tests.benchmarks hostile-documents [--matching WORD]`.

Each document is made in one process and worked on in another, which holds the program and nothing else; CPU seconds
are those of that process and its children. Memory is the most that was resident beyond what was before the document.
"""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.installation import installation

SHOWN = 40  # rows of the table


def run(matching: str = "", *, on_row: Callable[[dict[str, Any]], None] = lambda row: None) -> dict[str, Any]:
    """Every document whose name holds `matching`; a row for each, which `on_row` is called with as it comes."""
    with installation("hostile_documents") as reader, reader.start("hostile_documents_round", matching) as process:
        assert process.stdout is not None
        rows = []
        for line in process.stdout:
            rows.append(json.loads(line))
            on_row(rows[-1])
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return {"loop_ms": loop_milliseconds(), "documents": sorted(rows, key=lambda row: -row["cpu"])}


def loop_milliseconds() -> float:
    """CPU time of a fixed loop, to compare machines by."""
    began = time.process_time()
    x = 0
    for i in range(300_000):
        x += i * i & 7
    return 1000 * (time.process_time() - began)


def table(found: dict[str, Any]) -> str:
    """The dearest documents, then those that take the most memory."""
    rows = found["documents"]
    by_memory = sorted(rows, key=lambda row: -row["mb"])
    lines = [f"{len(rows)} documents; a loop of 300,000 turns takes {found['loop_ms']:.0f} ms", ""]
    for title, chosen in (("CPU", rows[:SHOWN]), ("memory", by_memory[:SHOWN])):
        lines += [
            f"Most {title}",
            "",
            "| document | MB | CPU s | more MB | stages: CPU s, more MB | outcome |",
            "|" + "---|" * 6,
        ]
        lines += [_row(row) for row in chosen] + [""]
    return "\n".join(lines)


def _row(row: dict[str, Any]) -> str:
    stages = ", ".join(f"{name} {spent['cpu']:.2f} {spent['mb']:.0f}" for name, spent in row["stages"].items())
    return (
        f"| {row['kind']}: {row['name']} | {row['size'] / 2**20:.1f} | {row['cpu']:.2f} | {row['mb']:.0f} "
        f"| {stages} | {row['outcome'][:90]} |"
    )


def files(folder: Path) -> list[Path]:
    """The broken documents that came with the project's data; none where they are not here."""
    return sorted(path for kind in ("hostile", "malformed") for path in (folder / kind).glob("*") if path.is_file())
