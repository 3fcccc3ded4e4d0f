"""The main job under load: two worker processes poll a farm of feeds into an empty SQLite store, and match."""

import json
import os
import resource
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.farm import Farm
from tests.benchmarks.installation import Installation


@dataclass(frozen=True, slots=True)
class Measured:
    """One round: seconds of the slower engine, wall and CPU seconds of both whole processes, peak MB of one; then what
    the matching stage took after the poll, the slower of the two, how many articles it took, and its parts.
    `both_seconds`: until both workers had polled and matched."""

    name: str
    engine_seconds: float
    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    n_new: int
    stages: dict[str, float]
    match_seconds: float
    both_seconds: float
    n_matched: int
    match_stages: dict[str, float]


class Polled(Installation):
    """An installation whose feeds are polled."""

    def follow(self, opml: bytes, folder: Path) -> None:
        path = folder / "farm.opml"
        path.write_bytes(opml)
        self.manage("import_opml", str(path))

    def make_due(self) -> None:
        with sqlite3.connect(self.database, timeout=30) as connection:
            connection.execute("UPDATE feeds_feed SET next_poll_at = '2020-01-01 00:00:00'")
            connection.execute("UPDATE feeds_source SET rate_limited_until = NULL")

    def poll(self, name: str, *, workers: int = 2) -> Measured:
        """Poll everything with `workers` processes at once."""
        self.make_due()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        processes = [self.start("polling_round", stdin=subprocess.PIPE) for _ in range(workers)]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()  # it is ready
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        peaks, reports = [], []
        for process in processes:
            assert process.stdout is not None
            reports.append(json.loads(process.stdout.read()))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            peaks.append(usage.ru_maxrss / 1024)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Measured(
            name,
            max(report["seconds"] for report in reports),
            wall,
            cpu,
            max(peaks),
            sum(report["new"] for report in reports),
            _summed([report["stage_seconds"] for report in reports]),
            max(report["match_seconds"] for report in reports),
            max(report["seconds"] + report["match_seconds"] for report in reports),
            sum(report["matched"] for report in reports),
            _summed([report["match_stage_seconds"] for report in reports]),
        )

    def n_articles(self) -> int:
        with sqlite3.connect(self.database, timeout=30) as connection:
            (n_articles,) = connection.execute("SELECT count(*) FROM feeds_article").fetchone()
        return int(n_articles)


def _summed(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for stages in several:
        for stage, spent in stages.items():
            total[stage] = total.get(stage, 0.0) + spent
    return total


def first_polls(n_feeds: int, *, peer: str = "") -> dict[str, Any]:
    """First poll, 304, unchanged without validators, and two new entries in each feed.

    `peer`: a Python that has lemon24/reader, which then polls the same farm; its seconds by round.
    """
    with Farm(n_feeds) as farm, tempfile.TemporaryDirectory() as name:
        reader = Polled(Path(name))
        reader.follow(farm.get(f"/opml?n={n_feeds}"), Path(name))
        rounds = [reader.poll("first poll")]
        n_articles, n_bytes = reader.n_articles(), reader.size()
        rounds.append(reader.poll("unchanged, 304"))
        farm.get("/set?cond=0")
        rounds.append(reader.poll("unchanged, 200"))
        farm.get("/tick?k=2")
        rounds.append(reader.poll("2 new in each"))
        return {
            "rounds": rounds,
            "peer": _of_peer(peer, farm, n_feeds, Path(name)) if peer else {},
            "n_articles": n_articles,
            "bytes_per_article": n_bytes / max(1, n_articles),
        }


def _of_peer(python: str, farm: Farm, n_feeds: int, folder: Path) -> dict[str, float]:
    urls = folder / "urls.txt"
    urls.write_bytes(farm.get(f"/urls?n={n_feeds}"))
    command = [python, "-I", str(Path(__file__).with_name("peer_round.py")), str(folder / "peer.sqlite3"), str(urls)]

    def update() -> float:
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0])

    farm.get("/rewind")
    farm.get("/set?cond=1")
    seconds = {"first poll": update(), "unchanged, 304": update()}
    farm.get("/tick?k=2")
    return seconds | {"2 new in each": update()}


def with_latency(n_feeds: int, latency_ms: int) -> Measured:
    """First poll of feeds that each answer late."""
    with Farm(n_feeds, latency_ms=latency_ms) as farm, tempfile.TemporaryDirectory() as name:
        reader = Polled(Path(name))
        reader.follow(farm.get(f"/opml?n={n_feeds}"), Path(name))
        return reader.poll(f"{n_feeds} feeds, {latency_ms} ms before each answer")
