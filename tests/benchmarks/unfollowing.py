"""What unfollowing all feeds, and restoring them, costs a person who waits. Bars are printed."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.installation import Installation, installation

N_FEEDS = 300
BAR = "an answer within 300 ms, a transaction of the purge within 500 ms"
_WAITED = {
    "feeds": "the feeds page",
    "one": "unfollow one",
    "restore_one": "restore one",
    "all": "unfollow all",
    "list_meanwhile": "a list in the meantime",
    "restore_all": "restore all",
}


def run(n_articles: int) -> dict[str, Any]:
    """One person of 300 feeds unfollows and restores them; on the server of `DATABASE_URL`, or SQLite."""
    with installation(f"unfollowing_{n_articles}", server_url=os.environ.get("DATABASE_URL", "")) as reader:
        _run(reader, "readership", str(n_articles), "1", "--feeds", str(N_FEEDS))
        reader.manage("collectstatic", "--noinput", "--verbosity", "0")
        return _run(reader, "unfollowing_round")


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    rounds, purge = found["rounds"], found["purge"]
    lines = [
        f"Unfollowing {N_FEEDS} feeds with {found['n_deliveries']:,} articles, {found['vendor']}; bar: {BAR}",
        "",
        "| a person waits for | ms | CPU ms |",
        "|---|---:|---:|",
        *(f"| {name} | {rounds[key]['p50']:.0f} | {rounds[key]['cpu']:.0f} |" for key, name in _WAITED.items()),
    ]
    figures = f"{purge['n']} transactions, {purge['seconds']:.1f} s, the longest {purge['longest_ms']:.0f} ms"
    return "\n".join((*lines, "", f"Purge after seven days: {figures}."))
