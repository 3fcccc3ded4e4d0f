"""A very large archive on SQLite: what its pages take, what purging takes, and what it is on disk. Bars are printed."""

import sys
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.installation import Installation, installation

N_FEEDS = 300
BAR = "a list p50 30 ms, p95 80 ms; a step of purging 100 ms"


def run(n_articles: int) -> dict[str, Any]:
    """One person of 300 feeds to whom everything was brought over a year; then a tenth of it is purged."""
    with installation(f"retention_{n_articles}") as reader:
        _run(reader, "readership", str(n_articles), "1", "--feeds", str(N_FEEDS))
        _run(reader, "rated_round")
        reader.manage("collectstatic", "--noinput", "--verbosity", "0")
        pages = _run(reader, "page_round")
        return {"n_articles": n_articles, **pages, "purging": _run(reader, "purging_round")}


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    purging = found["purging"]
    lines = [
        f"{found['n_articles']:,} articles of one person, {N_FEEDS} feeds, SQLite; bar: {BAR}",
        "",
        "| page | p50 ms | p95 ms | statements |",
        "|---|---:|---:|---:|",
        *(
            f"| {name} | {each['p50']:.1f} | {each['p95']:.1f} | {each['n_statements']} |"
            for name, each in found["pages"].items()
        ),
        "",
        "| purging | |",
        "|---|---:|",
        f"| articles | {purging['n_articles']:,} |",
        f"| articles a second | {purging['n_articles'] / purging['seconds']:,.0f} |",
        f"| a step, p50 / p95 / longest, ms | {purging['p50']:.0f} / {purging['p95']:.0f} / {purging['longest']:.0f} |",
        f"| a feed of which nothing goes, ms | {purging['nothing_ms']:.1f} |",
        f"| a list meanwhile, p50 / p95, ms | {purging['list_p50']:.1f} / {purging['list_p95']:.1f} |",
        f"| bytes on disk an article, before | {purging['bytes_an_article']:,} |",
        f"| free in the file afterwards | {purging['free_share']:.0%} |",
    ]
    return "\n".join(lines)
