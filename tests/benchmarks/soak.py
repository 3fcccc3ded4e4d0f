"""Half an hour of an installation as people have it: `python -m tests.benchmarks soak --minutes 30`.

`manage.py run` with SQLite and two workers, feeds of the farm that fall due at so many polls a second, and bring a new
entry every fifth time, a person who leafs through their lists, and digests that are mailed to a server on loopback.
Every half minute it is noted what the processes hold in memory, what waits, how late polls are and how long pages took;
in the end, whether everything that was polled is there once, and what the program complained of.
"""

import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from statistics import quantiles
from typing import Any

from rssmanager.env import PROJECT
from tests.benchmarks.farm import Farm
from tests.benchmarks.installation import Installation, installation
from tests.benchmarks.visitor import PASSWORD, Visitor
from tests.digests.mail_server import RealServer

POLLS_A_SECOND = 20
N_FEEDS = 1200  # so each is polled every minute, the least there is
N_ENTRIES = 5  # of each feed to begin with
TICK_EVERY = 300.0  # seconds; then every feed has a new entry: four a second in all
KINDS = ("morning", "evening", "weekly")  # of digests, each person's
N_PEOPLE, N_FOLLOWED = 12, 100  # beside the one who leafs and follows all
N_PLANS = N_PEOPLE * len(KINDS)
NOTE_EVERY = 30.0
DIGEST_EVERY = 60.0
THINKS = 0.4  # seconds between two pages
EDGE = 300.0  # seconds at the start and at the end, whose pages are compared
PATIENCE = 900.0  # seconds for everything to be worked off
PORT = 8765
PAGES = ("/", "/all/", "/for-you/", "/important/", "/stories/", "/starred/", "/all/?show=newest", "/health/")


def run(minutes: float) -> dict[str, Any]:
    """The whole soak; the figures."""
    with (
        closing(RealServer()) as mail,
        Farm(N_FEEDS, port=9179) as farm,
        installation("soak") as reader,
    ):
        reader.environment["EMAIL_URL"] = f"smtp://127.0.0.1:{mail.port}"
        return Soak(reader, farm, mail).run(60 * minutes)


class Soak:
    """One run: what drives the reader, and what is noted."""

    def __init__(self, reader: Installation, farm: Farm, mail: RealServer) -> None:
        self._reader, self._farm, self._mail = reader, farm, mail
        self._ending = threading.Event()
        self._pages: deque[tuple[float, str, float, int]] = deque()
        self._notes: list[dict[str, float]] = []
        self._log = reader.database.parent / "log"
        self._began = 0.0

    def run(self, seconds: float) -> dict[str, Any]:
        self._fill()
        with self._served() as process:
            self._settle("feeds_feed WHERE last_polled_at IS NULL")
            self._began = time.monotonic()
            threads = [
                threading.Thread(target=each) for each in (self._make_due, self._publish, self._plan, self._browse)
            ]
            for thread in threads:
                thread.start()
            while (passed := time.monotonic() - self._began) < seconds and process.poll() is None:
                self._notes.append(self._note(process.pid, passed))
                self._ending.wait(NOTE_EVERY)
            ended_early = process.poll() is not None
            self._ending.set()
            for thread in threads:
                thread.join()
            self._settle("feeds_feed WHERE next_poll_at < datetime('now', '-120 seconds')")
            last = self._note(process.pid, time.monotonic() - self._began)
        return {"seconds": seconds, "ended_early": ended_early, "settled": last, **self._found()}

    def _fill(self) -> None:
        opml = self._reader.database.parent / "farm.opml"
        opml.write_bytes(self._farm.get(f"/opml?n={N_FEEDS}"))
        self._reader.manage("import_opml", str(opml))
        people = f"""
from django.contrib.auth.models import User
from digests.models import DigestPlan
from datetime import time
owner = User.objects.get()
owner.set_password({PASSWORD!r}); owner.email = "bench@example.org"; owner.save()
from reader.models import Subscription
for number in range({N_PEOPLE}):
    user = User.objects.create_user(f"reader{{number}}", f"reader{{number}}@example.org", {PASSWORD!r})
    feeds = range(1 + number * {N_FOLLOWED}, 1 + (number + 1) * {N_FOLLOWED})
    Subscription.objects.bulk_create(Subscription(user=user, feed_id=pk) for pk in feeds)
    for kind in {KINDS}:
        DigestPlan.objects.create(user=user, kind=kind, at=time(7), by_mail=True)
"""
        self._reader.manage("shell", "--no-imports", "-c", people)
        with self._database() as database:
            database.execute("UPDATE feeds_feed SET next_poll_at = datetime('now'), max_items = ?", [N_ENTRIES])

    @contextmanager
    def _served(self) -> Iterator["subprocess.Popen[bytes]"]:
        command = [sys.executable, str(PROJECT / "manage.py"), "run", "--port", str(PORT)]
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                command, env=self._reader.environment, cwd=PROJECT, stdout=log, stderr=log, start_new_session=True
            )
            try:
                while process.poll() is None:
                    try:
                        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=5)
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

    def _make_due(self) -> None:
        """So many feeds a second fall due, in turn, whatever their own intervals are."""
        first = 1
        for _ in self._every(1.0):
            ids = [(first + n - 1) % N_FEEDS + 1 for n in range(POLLS_A_SECOND)]
            first = ids[-1] + 1
            with self._database() as database:
                marks = ",".join("?" * len(ids))
                database.execute(f"UPDATE feeds_feed SET next_poll_at = datetime('now') WHERE id IN ({marks})", ids)  # noqa: S608

    def _publish(self) -> None:
        for _ in self._every(TICK_EVERY):
            self._farm.get("/tick?k=1")

    def _plan(self) -> None:
        """One person's digest after another is due."""
        for number, _ in enumerate(self._every(DIGEST_EVERY)):
            with self._database() as database:
                database.execute(
                    "UPDATE digests_digestplan SET next_at = datetime('now') WHERE id = ?", [number % N_PLANS + 1]
                )

    def _browse(self) -> None:
        visitor = Visitor(PORT)
        visitor.sign_in("bench")
        dice = random.Random(1)
        for _ in self._every(THINKS):
            path = dice.choice(PAGES)
            page = self._timed(visitor, path)
            links = re.findall(r'href="(/articles/\d+/)[?"]', page)
            if links and dice.random() < 0.3:
                self._timed(visitor, dice.choice(links))

    def _timed(self, visitor: Visitor, path: str) -> str:
        began = time.monotonic()
        status, page = visitor.get(path)
        kind = "article" if path.startswith("/articles/") else path
        self._pages.append((began - self._began, kind, time.monotonic() - began, status))
        return page

    def _note(self, pid: int, passed: float) -> dict[str, float]:
        with self._database() as database:
            counts = {
                name: database.execute(query).fetchone()[0]
                for name, query in {
                    "queue": "SELECT count(*) FROM django_q_ormq",
                    "to match": "SELECT count(*) FROM feeds_pending WHERE stage = 1",
                    "to enrich": "SELECT count(*) FROM feeds_pending WHERE stage = 2",
                    "to index": "SELECT count(*) FROM feeds_unindexed",
                    "to rate": "SELECT count(*) FROM reader_delivery WHERE NOT is_rated",
                    "late": "SELECT count(*) FROM feeds_feed WHERE next_poll_at < datetime('now', '-60 seconds')",
                    "polls": "SELECT count(*) FROM feeds_poll",
                    "articles": "SELECT count(*) FROM feeds_article",
                    "digests": "SELECT count(*) FROM digests_mailing",
                    "failed tasks": "SELECT count(*) FROM django_q_task WHERE NOT success",
                }.items()
            }
        noted = {"at": passed, "web_mb": _resident(pid, "serve"), "worker_mb": _resident(pid, "qcluster"), **counts}
        print(" ".join(f"{name}={value:,.0f}" for name, value in noted.items()), file=sys.stderr, flush=True)
        return noted

    def _settle(self, *waiting: str) -> None:
        """Wait until these rows, and whatever else waits, are worked off. Raises TimeoutError after some minutes."""
        tables = (*waiting, "feeds_pending", "feeds_unindexed", "reader_delivery WHERE NOT is_rated")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with self._database() as database:
                left = [database.execute(f"SELECT count(*) FROM {each}").fetchone()[0] for each in tables]  # noqa: S608
            print(f"settling: {left}", file=sys.stderr, flush=True)
            if not any(left):
                return
            time.sleep(5)
        raise TimeoutError(f"after {PATIENCE:.0f} s these are left of {tables}: {left}")

    def _found(self) -> dict[str, Any]:
        lines = self._log.read_text(errors="replace").splitlines()
        complaints = [line for line in lines if re.search(r" (WARNING|ERROR|CRITICAL) |Traceback", line)]
        end = self._pages[-1][0] if self._pages else 0.0
        edges = {"start": (0.0, EDGE), "end": (end - EDGE, end)}
        with self._database() as database:
            one = lambda query: database.execute(query).fetchone()[0]  # noqa: E731 - three words of SQL at a time
            sound = {
                "items doubled": one("SELECT count(*) - count(DISTINCT feed_id || ' ' || guid) FROM feeds_item"),
                "articles without a feed": one(
                    "SELECT count(*) FROM feeds_article WHERE id NOT IN (SELECT article_id FROM feeds_item)"
                ),
                "items not brought": one(
                    "SELECT count(*) FROM feeds_item i JOIN reader_subscription s ON s.feed_id = i.feed_id"
                    " WHERE NOT EXISTS (SELECT 1 FROM reader_delivery d"
                    " WHERE d.subscription_id = s.id AND d.article_id = i.article_id)"
                ),
                "unread counts wrong": one(
                    "SELECT count(*) FROM reader_subscription s WHERE unread_count != (SELECT count(*) FROM"
                    " reader_delivery d WHERE d.subscription_id = s.id AND NOT is_read AND quiet = 0)"
                ),
            }
        mails = Counter(each.message["Message-ID"] for each in self._mail.received)
        return {
            "notes": self._notes,
            "pages": {name: _latencies(self._pages, *edge) for name, edge in edges.items()},
            "statuses": Counter(status for *_, status in self._pages),
            "mails": len(mails),
            "mails twice": sum(n > 1 for n in mails.values()),
            "complaints": complaints[:20],
            "n_complaints": len(complaints),
            **sound,
        }


def _resident(pid: int, program: str) -> float:
    """MB in memory of the processes below `pid` that run a program; what they share counts once for each."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 3) for line in found.stdout.splitlines()]
    children: dict[int, list[tuple[int, int, str]]] = {}
    for child, parent, rss, arguments in rows:
        children.setdefault(int(parent), []).append((int(child), int(rss), arguments))
    total, below = 0, [pid]
    while below:
        for each, kilobytes, started_as in children.get(below.pop(), []):
            below.append(each)
            total += kilobytes if program in started_as else 0
    return total / 1024


def _latencies(pages: "deque[tuple[float, str, float, int]]", since: float, until: float) -> dict[str, float]:
    taken = [1000 * seconds for at, _, seconds, _ in pages if since <= at < until]
    by_20 = quantiles(taken, n=20, method="inclusive") if len(taken) > 1 else [0.0] * 19
    return {"n": len(taken), "p50": by_20[9], "p95": by_20[18], "longest": max(taken, default=0.0)}


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    notes = found["notes"]
    first, last = notes[0], notes[-1]
    lines = [
        f"{found['seconds'] / 60:.0f} minutes, {POLLS_A_SECOND} polls/s, {N_FEEDS:,} feeds, SQLite, 2 workers"
        + ("; THE READER ENDED EARLY" if found["ended_early"] else ""),
        "",
        f"| | after {first['at']:.0f} s | at the end | most | once settled |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in first:
        most = max(note[name] for note in notes)
        lines.append(
            f"| {name} | {first[name]:,.0f} | {last[name]:,.0f} | {most:,.0f} | {found['settled'][name]:,.0f} |"
        )
    for name, each in found["pages"].items():
        took = f"p50 {each['p50']:.0f} ms, p95 {each['p95']:.0f}, longest {each['longest']:.0f}"
        lines.append(f"\npages at the {name}: {each['n']}, {took}")
    for name in ("statuses", "mails", "mails twice", "items doubled", "articles without a feed", "items not brought",
                 "unread counts wrong", "n_complaints"):  # fmt: skip
        lines.append(f"{name}: {found[name]}")
    return "\n".join([*lines, *found["complaints"]])
