"""What pages cost at the server with a large archive: the median and the 95th percentile of each. Bars are printed."""

import sys
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.installation import Installation, installation

N_FEEDS, N_USERS = 300, 3
BAR = "p50 20 ms, p95 40 ms"  # of lists


def run(n_articles: int) -> dict[str, Any]:
    """Fill a reader of three people, rate everything, and ask for each page 200 times."""
    with installation(f"pages_{n_articles}") as reader:
        _run(reader, "readership", str(n_articles), str(N_USERS), "--feeds", str(N_FEEDS))
        _run(reader, "assessing_round")
        _run(reader, "rating_round")
        reader.manage("collectstatic", "--noinput", "--verbosity", "0")
        return {"n_articles": n_articles, **_run(reader, "page_round")}


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"Pages with {found['n_articles']:,} articles, {N_FEEDS} feeds, {N_USERS} people, SQLite; bar of lists: {BAR}",
        "",
        "| page | p50 ms | p95 ms | statements | KB |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {each['p50']:.1f} | {each['p95']:.1f} | {each['n_statements']} | {each['n_bytes'] / 1000:.0f} |"
        for name, each in found["pages"].items()
    ]
    return "\n".join(lines)
