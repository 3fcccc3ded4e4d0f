"""The cost of a hostile feed: CPU time, peak memory, and how long other writers wait in the meantime."""

import json
import subprocess
from typing import Any

from tests.benchmarks.installation import installation

N_POLLS = 4
MAX_MB = 400  # of the worker, models included
MAX_P95 = 300  # milliseconds of a small write


def run(n_polls: int = N_POLLS) -> dict[str, Any]:
    """Poll, match and enrich in one process, mark articles as read in another."""
    with installation("hostile_feed") as reader, reader.start("reading_round", stdin=subprocess.PIPE) as reading:
        assert reading.stdout is not None
        reading.stdout.readline()
        try:
            worked = reader.run("hostile_feed_round", str(n_polls))
        finally:
            printed, _ = reading.communicate("")
        return worked | {"writes": json.loads(printed)}


def table(found: dict[str, Any]) -> str:
    """The figures as Markdown."""
    cpu, writes = found["cpu"], found["writes"]
    return (
        f"{found['n_articles']:,} articles by one hostile feed, {found['n_matched']:,} of them compared\n\n"
        "| CPU s: poll | match | enrich | peak MB | pairs | links | stories | p50 of a write, ms | p95 | longest |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n"
        f"| {cpu['poll']:.1f} | {cpu['match']:.1f} | {cpu['enrich']:.1f} | {found['peak_mb']:.0f} (≤ {MAX_MB}) "
        f"| {found['n_pairs']:,} | {found['n_links']:,} | {found['n_stories']:,} | {writes['p50']:.0f} "
        f"| {writes['p95']:.0f} (≤ {MAX_P95}) | {writes['max']:.0f} |\n"
    )
