"""What search costs: indexing, and many kinds of queries, beside as many articles that the person does not follow.

Milliseconds are wall time, as a person waits, with the median of CPU time in brackets. Bars are never asserted.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.benchmarks.installation import installation

SIZES = (100_000,)  # articles that are the person's
MAX_MS = 200  # at the 95th percentile, of a search


@dataclass(frozen=True, slots=True)
class Round:
    """One archive; `found` is what `search_round` printed."""

    n_articles: int
    database: str
    found: dict[str, Any]


def run(n_articles: int) -> Round:
    """Fill an archive of twice as many articles, half of which are the person's, then index and search."""
    server = os.environ.get("DATABASE_URL", "")
    server = server if server.startswith("postgres") else ""
    with installation(f"search_{n_articles}", server_url=server) as reader:
        for module, *arguments in (("readership", str(2 * n_articles), "1"), ("search_round",)):
            print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
            if module == "search_round":
                reader.manage("collectstatic", "--noinput", "--verbosity", "0")
            found = reader.run(module, *arguments)
    return Round(n_articles, "postgresql" if server else "sqlite", found)


def as_json(rounds: Sequence[Round]) -> dict[str, Any]:
    return {"rounds": [asdict(round_) for round_ in rounds]}


def table(rounds: Sequence[Round]) -> str:
    """The figures for people."""
    return "\n\n".join(map(_table, rounds))


def _table(each: Round) -> str:
    found = each.found
    first, second = found["indexing"]
    lines = [
        f"Search, {each.database}: {found['n_own']:,} articles of the person, then {found['n_articles']:,} in all",
        "",
        f"Indexing: {first['n'] / first['wall']:,.0f} articles a second, then {second['n'] / second['wall']:,.0f}; "
        f"{(first['n_bytes'] + second['n_bytes']) / found['n_articles']:,.0f} bytes an article; "
        f"peak {found['peak_mb']:.0f} MB",
        "",
        f"| query | found | best match, ms p50 / p95, bar {MAX_MS} (CPU) | newest | page "
        "| among all: best match | newest | page | statements |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in found["queries"]:
        own, everything = found["own"][name], found["everything"][name]
        figures = [each[what] for each in (own, everything) for what in ("search", "newest", "served")]
        lines.append(
            f"| {name} | {own['n_found']:,} | {' | '.join(map(_milliseconds, figures))} | {own['n_statements']} |"
        )
    return "\n".join(lines)


def _milliseconds(taken: dict[str, float]) -> str:
    return f"{taken['p50']:.0f} / {taken['p95']:.0f} ({taken['cpu']:.0f})"
