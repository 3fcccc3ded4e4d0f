"""What rules cost with a large archive: a trial before one is saved, and one applied to all that is here."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.installation import installation


def run(n_articles: int) -> dict[str, Any]:
    """Fill a reader of one person, then try and apply rules; on PostgreSQL where `DATABASE_URL` names it."""
    server = os.environ.get("DATABASE_URL", "")
    server = server if server.startswith("postgres") else ""
    with installation(f"rules_{n_articles}", server_url=server) as reader:
        for module, *arguments in (("readership", str(n_articles), "1"), ("rules_round",)):
            print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
            found = reader.run(module, *arguments)
    return {"n_articles": n_articles, "database": "postgresql" if server else "sqlite", **found}


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"Rules, {found['database']}: {found['n_deliveries']:,} deliveries; peak {found['peak_mb']:.0f} MB",
        "",
        "| trial of | looked at | met | p50 ms | p95 ms |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {each['n_checked']:,} | {each['n_hits']:,} | {each['p50']:.0f} | {each['p95']:.0f} |"
        for name, each in found["trials"].items()
    ]
    lines += ["", "| applied to all | met | s | deliveries a second |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {each['n_hits']:,} | {each['wall']:.1f} | {each['n_done'] / each['wall']:,.0f} |"
        for name, each in found["applied"].items()
    ]
    return "\n".join(lines)
