"""What leaving all feeds, and coming back to them, costs a person who waits, and a worker. Bars are printed."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.installation import Installation, installation

N_FEEDS = 300
BAR = "an answer within 300 ms, a step within 500 ms"
_WAITED = {
    "leave": "unfollow all",
    "lists_meanwhile": "a list meanwhile",
    "return": "follow all again",
    "return_halfway": "change one's mind half-way",
    "feeds": "the feeds page",
}
_WORKED = {"leaving": "packing", "returning": "unpacking", "returning_half": "unpacking a half"}


def run(n_articles: int) -> dict[str, Any]:
    """One person of 300 feeds leaves all of them and comes back, and once more half of it; on the server of
    `DATABASE_URL`, or SQLite."""
    with installation(f"leaving_{n_articles}", server_url=os.environ.get("DATABASE_URL", "")) as reader:
        _run(reader, "readership", str(n_articles), "1", "--feeds", str(N_FEEDS))
        reader.manage("collectstatic", "--noinput", "--verbosity", "0")
        return _run(reader, "leaving_round")


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    rounds = found["rounds"]
    lines = [
        f"Leaving {N_FEEDS} feeds with {found['n_deliveries']:,} articles, {found['vendor']}; bar: {BAR}",
        "",
        "| a person waits for | ms | CPU ms |",
        "|---|---:|---:|",
        *(f"| {name} | {rounds[key]['p50']:.0f} | {rounds[key]['cpu']:.0f} |" for key, name in _WAITED.items()),
        "",
        "| a worker is at | steps | s | CPU s | longest step ms |",
        "|---|---:|---:|---:|---:|",
    ]
    for key, name in _WORKED.items():
        each = rounds[key]
        figures = f"{each['seconds']:.1f} | {each['cpu_seconds']:.1f} | {each['longest_ms']:.0f}"
        lines.append(f"| {name} | {each['n_steps']} | {figures} |")
    page = rounds["feeds_page"]
    return "\n".join((*lines, "", f"Feeds page: {page['n_bytes']:,} bytes, {page['n_statements']} statements."))
