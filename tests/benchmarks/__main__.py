"""`make bench` or `python -m tests.benchmarks [PART …] [OPTIONS]`: print the figures of what can run here."""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from tests.benchmarks import (
    apps,
    dedup,
    digests,
    following,
    hostile_documents,
    hostile_feed,
    pages,
    retention,
    rules,
    scaling,
    scoring,
    searching,
    slow_publishers,
    soak,
    unfollowing,
)
from tests.benchmarks.clock import TURNS, loop_seconds
from tests.benchmarks.farm import TOOL
from tests.benchmarks.polling import Measured, first_polls, with_latency


def _polling(options: argparse.Namespace) -> dict[str, Any]:
    if not TOOL.exists():
        _say(options, f"Left out: the farm of synthetic feeds is not here ({TOOL}).")
        return {}
    found = first_polls(options.feeds, peer=options.peer)
    rounds = (*found["rounds"], with_latency(200, 100))
    _say(options, f"{options.feeds} feeds × 20 entries, 2 worker processes, SQLite\n")
    _say(options, "| round | s | whole processes s | CPU s | peak MB of a worker | articles a second | parts, s |")
    _say(options, "|---|---|---|---|---|---|---|")
    for measured in rounds:
        _say(options, _poll_row(measured))
        if measured.n_matched:
            _say(options, _match_rows(measured))
    for measured in found["rounds"]:
        if theirs := found["peer"].get(measured.name):
            share = measured.both_seconds / theirs
            _say(options, f"\nlemon24/reader, {measured.name}: {theirs:.2f} s; ours, matched: {share:.2f} of it")
    _say(options, f"\n{found['n_articles']} articles, {found['bytes_per_article']:,.0f} bytes on disk an article.\n")
    return found | {"rounds": [asdict(measured) for measured in rounds]}


def _poll_row(measured: Measured) -> str:
    return (
        f"| {measured.name} | {measured.engine_seconds:.2f} | {measured.wall_seconds:.2f} | {measured.cpu_seconds:.2f} "
        f"| {measured.peak_mb:.0f} | {_rate(measured.n_new, measured.engine_seconds)} | {_parts(measured.stages)} |"
    )


def _match_rows(measured: Measured) -> str:
    both = measured.both_seconds
    return (
        f"| – matching | {measured.match_seconds:.2f} | | | | {_rate(measured.n_matched, measured.match_seconds)} "
        f"| {_parts(measured.match_stages)} |\n| – both | {both:.2f} | | | | {_rate(measured.n_new, both)} | |"
    )


def _rate(n: int, seconds: float) -> str:
    return f"{n / seconds:,.0f}" if n else "–"


def _parts(stages: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {spent:.1f}" for name, spent in stages.items())


def _dedup(options: argparse.Namespace) -> dict[str, Any]:
    sizes = dedup.sizes_here(options.sizes, full=options.full)
    rounds = [dedup.run(size, all_keys=options.all_keys) for size in sizes]
    if rounds:
        _say(options, dedup.table(rounds))
    return dedup.as_json(rounds) if rounds else {}


def _following(options: argparse.Namespace) -> dict[str, Any]:
    if not following.FEEDS.exists():
        _say(options, f"Left out: the saved feeds are not here ({following.FEEDS}).")
        return {}
    found = following.run()
    _say(options, following.table(found))
    return found


def _scoring(options: argparse.Namespace) -> dict[str, Any]:
    rounds = [scoring.run(*readership, days=options.days) for readership in options.readerships]
    _say(options, scoring.tables(rounds))
    return scoring.as_json(rounds)


def _digests(options: argparse.Namespace) -> dict[str, Any]:
    rounds = [digests.run(size) for size in options.windows]
    _say(options, digests.table(rounds))
    return digests.as_json(rounds)


def _pages(options: argparse.Namespace) -> dict[str, Any]:
    found = pages.run(options.archive)
    _say(options, pages.table(found))
    return found


def _apps(options: argparse.Namespace) -> dict[str, Any]:
    found = apps.run(options.archive)
    _say(options, apps.table(found))
    return found


def _search(options: argparse.Namespace) -> dict[str, Any]:
    rounds = [searching.run(size) for size in options.searched]
    _say(options, searching.table(rounds))
    return searching.as_json(rounds)


def _hostile_documents(options: argparse.Namespace) -> dict[str, Any]:
    found = hostile_documents.run(options.matching)
    _say(options, hostile_documents.table(found))
    return found


def _rules(options: argparse.Namespace) -> dict[str, Any]:
    found = rules.run(options.archive)
    _say(options, rules.table(found))
    return found


def _unfollowing(options: argparse.Namespace) -> dict[str, Any]:
    found = unfollowing.run(options.unfollowed)
    _say(options, unfollowing.table(found))
    return found


def _retention(options: argparse.Namespace) -> dict[str, Any]:
    found = retention.run(options.largest)
    _say(options, retention.table(found))
    return found


def _hostile_feed(options: argparse.Namespace) -> dict[str, Any]:
    found = hostile_feed.run()
    _say(options, hostile_feed.table(found))
    return found


def _scaling(options: argparse.Namespace) -> dict[str, Any]:
    return _on_farm(options, lambda: scaling.run(options.scaled), scaling.table)


def _soak(options: argparse.Namespace) -> dict[str, Any]:
    return _on_farm(options, lambda: soak.run(options.minutes), soak.table)


def _slow_publishers(options: argparse.Namespace) -> dict[str, Any]:
    found = slow_publishers.run(min(options.minutes, MAX_MINUTES), redis_url=options.redis)
    _say(options, slow_publishers.table(found))
    return found


def _on_farm(
    options: argparse.Namespace, run: Callable[[], dict[str, Any]], table: Callable[[dict[str, Any]], str]
) -> dict[str, Any]:
    if not TOOL.exists():
        _say(options, f"Left out: the farm of synthetic feeds is not here ({TOOL}).")
        return {}
    found = run()
    _say(options, table(found))
    return found


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.json:
        print(text)


MAX_MINUTES = 6.0  # of slow publishers, in which all their feeds are tried several times


PARTS: Mapping[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "polling": _polling,
    "following": _following,
    "dedup": _dedup,
    "scoring": _scoring,
    "digests": _digests,
    "pages": _pages,
    "apps": _apps,
    "search": _search,
    "rules": _rules,
    "unfollowing": _unfollowing,
    "hostile-documents": _hostile_documents,
    "retention": _retention,
    "hostile-feed": _hostile_feed,
    "scaling": _scaling,
    "soak": _soak,
    "slow": _slow_publishers,
}


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.replace("_", "").split(",")]


def _readerships(text: str) -> list[tuple[int, int]]:
    pairs = (each.split("x") for each in text.replace("_", "").split(","))
    return [(int(n_articles), int(n_users)) for n_articles, n_users in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{' or '.join(PARTS)}; all without one")
    parser.add_argument("--feeds", type=int, default=1000, help="polling: how many feeds")
    parser.add_argument(
        "--peer", default="", metavar="PYTHON", help="polling: compare with lemon24/reader, found there"
    )
    parser.add_argument("--sizes", type=_sizes, default=list(dedup.SIZES), help="dedup: articles in the archives")
    parser.add_argument("--all-keys", action="store_true", help="dedup: an index that was never tidied")
    parser.add_argument("--readerships", type=_readerships, default=list(scoring.READERSHIPS),
                        help="scoring: articles x users, such as 10000x50,100000x1")  # fmt: skip
    parser.add_argument("--days", type=int, default=365, help="scoring: days that articles are spread over")
    parser.add_argument("--windows", type=_sizes, default=list(digests.WINDOWS), help="digests: articles in the window")
    parser.add_argument("--archive", type=int, default=100_000, help="pages, apps, rules: articles")
    parser.add_argument("--searched", type=_sizes, default=list(searching.SIZES), help="search: articles of the person")
    parser.add_argument("--unfollowed", type=int, default=100_000, help="unfollowing: articles of the person")
    parser.add_argument("--largest", type=int, default=1_000_000, help="retention: articles of the person")
    parser.add_argument("--scaled", type=int, default=5000, help="scaling: how many feeds")
    parser.add_argument("--minutes", type=float, default=30, help="soak, slow (6 at most): how long")
    parser.add_argument("--redis", default="", metavar="URL", help="slow: a database of Redis that is emptied for it")
    parser.add_argument("--matching", default="", help="hostile-documents: only those whose name holds this")
    parser.add_argument("--full", action="store_true", help="dedup: the largest archive on PostgreSQL too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    unknown = set(options.parts) - PARTS.keys()
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    found: dict[str, Any] = {}
    for name in options.parts or PARTS:
        _say(options, f"## {name}: a loop of {TURNS:,} turns takes {1000 * loop_seconds():.0f} ms\n")
        found[name] = PARTS[name](options)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
