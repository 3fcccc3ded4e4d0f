"""What 300 feeds that drip a byte a second cost the others: subscribing, lateness of polls, length of the queue.

A reader as it is installed (`manage.py run`) follows 300 feeds on 50 hosts that never finish an answer, and 40 honest
ones. The dripping feeds are made due again every minute, which is harsher than their own back-off; an honest one falls
due every two seconds. Every 15 seconds somebody subscribes to an honest feed through the web.
"""

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import redis

from rssmanager.env import PROJECT
from tests.benchmarks.dripping import honest_host, slow_host
from tests.benchmarks.installation import Installation, installation
from tests.benchmarks.visitor import PASSWORD, Visitor

PORT, PUBLISHERS = 8913, 9313
N_SLOW, N_HONEST = 300, 40
SUBSCRIBE_EVERY, DUE_EVERY, SLOW_DUE_EVERY = 15.0, 2.0, 60.0  # seconds
PATIENCE = 120.0  # seconds until a subscription counts as never there


def run(minutes: float, *, redis_url: str = "") -> dict[str, Any]:
    with _publishers(), installation("slow") as reader:
        reader.environment["REDIS_URL"] = redis_url
        if redis_url:
            redis.Redis.from_url(redis_url).flushdb()
        return _Round(reader, redis_url).run(60 * minutes)


class _Round:
    def __init__(self, reader: Installation, redis_url: str) -> None:
        self._reader, self._redis_url = reader, redis_url
        self._ending = threading.Event()
        self._waits: list[float] = []
        self._due: list[tuple[int, float]] = []
        self._queue: list[int] = []
        self._memory: list[float] = []
        self._lateness: list[float] = []
        self._loops: list[float] = []

    def run(self, seconds: float) -> dict[str, Any]:
        self._fill()
        with self._served() as process:
            threads = [
                threading.Thread(target=each)
                for each in (self._make_slow_due, self._make_honest_due, self._subscribe, self._watch_lateness)
            ]
            for thread in threads:
                thread.start()
            ends = time.monotonic() + seconds
            while time.monotonic() < ends and process.poll() is None:
                self._queue.append(self._queue_length())
                self._memory.append(_memory_of_group(process.pid))
                if len(self._queue) % 15 == 0:
                    self._loops.append(_fixed_loop())
                self._ending.wait(1.0)
            self._ending.set()
            for thread in threads:
                thread.join()
            with self._database() as database:
                outcomes = dict(database.execute("SELECT outcome, count(*) FROM feeds_poll GROUP BY 1").fetchall())
                failed = database.execute("SELECT count(*) FROM django_q_task WHERE NOT success").fetchone()[0]
        return {
            "seconds": seconds,
            "loop_seconds": median([*self._loops, _fixed_loop()]),
            "broker": "Redis" if self._redis_url else "database",
            "subscribe": _summary(self._waits),
            "late": _summary(self._lateness),
            "queue": {"most": max(self._queue), "median": median(self._queue)},
            "worker_mb": {"most": max(self._memory), "median": median(self._memory)},
            "outcomes": outcomes,
            "failed_tasks": failed,
        }

    def _fill(self) -> None:
        honest = [f"http://{honest_host(n)}:{PUBLISHERS}/honest/{n}.xml" for n in range(N_HONEST)]
        slow = [f"http://{slow_host(n)}:{PUBLISHERS}/slow/{n}.xml" for n in range(N_SLOW)]
        self._import(honest)
        self._reader.manage("poll", "--all")
        self._import(slow)
        self._reader.manage(
            "shell", "--no-imports", "-c",
            "from django.contrib.auth.models import User\n"
            f"owner = User.objects.get(); owner.set_password({PASSWORD!r}); owner.save()",
        )  # fmt: skip
        with self._database() as database:
            database.execute("UPDATE feeds_feed SET next_poll_at = datetime('now') WHERE url LIKE '%/slow/%'")

    def _import(self, urls: list[str]) -> None:
        outlines = "".join(f'<outline type="rss" text="f" xmlUrl="{url}"/>' for url in urls)
        path = self._reader.database.parent / "feeds.opml"
        path.write_text(f'<opml version="2.0"><head/><body>{outlines}</body></opml>')
        self._reader.manage("import_opml", str(path))

    @contextmanager
    def _served(self) -> Iterator["subprocess.Popen[bytes]"]:
        command = [sys.executable, str(PROJECT / "manage.py"), "run", "--port", str(PORT)]
        with (self._reader.database.parent / "log").open("wb") as log:
            process = subprocess.Popen(command, env=self._reader.environment, cwd=PROJECT, stdout=log, stderr=log,
                                       start_new_session=True)  # fmt: skip
            try:
                while process.poll() is None:
                    try:
                        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=5).close()
                        break
                    except OSError:
                        time.sleep(0.2)
                yield process
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(60)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._reader.database, timeout=60)) as connection, connection:
            yield connection

    def _every(self, seconds: float) -> Iterator[None]:
        following = time.monotonic()
        while not self._ending.is_set():
            yield
            following += seconds
            self._ending.wait(max(0.0, following - time.monotonic()))

    def _make_slow_due(self) -> None:
        for _ in self._every(SLOW_DUE_EVERY):
            with self._database() as database:
                database.execute(
                    "UPDATE feeds_feed SET next_poll_at = datetime('now')"
                    " WHERE url LIKE '%/slow/%' AND next_poll_at > datetime('now')"
                )

    def _make_honest_due(self) -> None:
        dice = random.Random(1)
        for _ in self._every(DUE_EVERY):
            with self._database() as database:
                waiting = database.execute(
                    "SELECT id FROM feeds_feed WHERE url LIKE '%/honest/%' AND next_poll_at > datetime('now')"
                ).fetchall()
                if waiting:
                    (pk,) = dice.choice(waiting)
                    database.execute("UPDATE feeds_feed SET next_poll_at = datetime('now') WHERE id = ?", [pk])
                    self._due.append((pk, time.time()))

    def _watch_lateness(self) -> None:
        """Note how long honest feeds wait for their polls, those that still wait at the end too."""
        seen = 0
        waiting: dict[int, float] = {}
        for _ in self._every(0.5):
            for pk, at in self._due[seen:]:
                waiting[pk] = at
            seen = len(self._due)
            with self._database() as database:
                left = {
                    pk for (pk,) in database.execute("SELECT id FROM feeds_feed WHERE next_poll_at <= datetime('now')")
                }
            for pk in [pk for pk in waiting if pk not in left]:
                self._lateness.append(time.time() - waiting.pop(pk))
        self._lateness += [time.time() - at for at in waiting.values()]

    def _subscribe(self) -> None:
        visitor = Visitor(PORT)
        visitor.sign_in("bench")
        for n, _ in enumerate(self._every(SUBSCRIBE_EVERY), start=N_HONEST):
            url = f"http://{honest_host(n)}:{PUBLISHERS}/honest/{n}.xml"
            began = time.monotonic()
            visitor.post("/subscribe/", {"form": "address", "address": url, "folder": ""})
            while not self._has_articles(url) and time.monotonic() - began < PATIENCE and not self._ending.is_set():
                time.sleep(0.1)
            waited = time.monotonic() - began
            if self._has_articles(url) or waited >= 15:
                self._waits.append(waited)

    def _has_articles(self, url: str) -> bool:
        with self._database() as database:
            found = database.execute(
                "SELECT 1 FROM reader_delivery d JOIN reader_subscription s ON s.id = d.subscription_id"
                " JOIN feeds_feed f ON f.id = s.feed_id WHERE f.url = ? LIMIT 1", [url]
            )  # fmt: skip
            return found.fetchone() is not None

    def _queue_length(self) -> int:
        if self._redis_url:
            client = redis.Redis.from_url(self._redis_url)
            return sum(int(client.llen(key)) for key in client.keys("django_q:*:q"))
        with self._database() as database:
            return int(database.execute("SELECT count(*) FROM django_q_ormq").fetchone()[0])


@contextmanager
def _publishers() -> Iterator[None]:
    command = [sys.executable, "-m", "tests.benchmarks.dripping", str(PUBLISHERS)]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", "the publishers did not start"
        yield
    finally:
        process.terminate()
        process.wait()


def _memory_of_group(pid: int) -> float:
    """MB of the worker processes below `pid`, what they share divided among them (PSS)."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    total, below = 0.0, list(children.get(pid, []))
    while below:
        each = below.pop()
        below += children.get(each, [])
        try:
            if b"qcluster" in Path(f"/proc/{each}/cmdline").read_bytes():
                found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text(), re.MULTILINE)
                total += int(found[1]) / 1024 if found else 0.0
        except OSError:
            continue
    return total


def _summary(seconds: list[float]) -> dict[str, float]:
    found = sorted(seconds)
    p95 = found[min(len(found) - 1, int(0.95 * len(found)))] if found else 0.0
    return {"n": len(found), "median": median(found) if found else 0.0, "p95": p95, "longest": max(found, default=0.0)}


def _fixed_loop() -> float:
    began, x = time.perf_counter(), 0
    for i in range(300_000):
        x += i * i & 7
    return time.perf_counter() - began


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"{found['seconds'] / 60:.1f} minutes, {N_SLOW} feeds that drip on 50 hosts, queue in the {found['broker']}; "
        f"a fixed loop takes {1000 * found['loop_seconds']:.0f} ms in the meantime",
        "",
        "| | n | median | p95 | longest |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, key in (("subscribing, s", "subscribe"), ("honest polls late by, s", "late")):
        row = found[key]
        lines.append(f"| {name} | {row['n']} | {row['median']:.1f} | {row['p95']:.1f} | {row['longest']:.1f} |")
    for name, key in (("tasks in the queue", "queue"), ("MB of all worker processes (PSS)", "worker_mb")):
        lines.append(f"| {name} | | {found[key]['median']:.0f} | | {found[key]['most']:.0f} |")
    lines.append(f"\npolls: {json.dumps(found['outcomes'])}; failed tasks: {found['failed_tasks']}")
    return "\n".join(lines)
