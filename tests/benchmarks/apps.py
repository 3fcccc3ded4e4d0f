"""What reading apps wait for: calls with a large archive, and the first sync of 10,000 articles by two apps."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rssmanager.env import PROJECT
from rssmanager.server.supervisor import web_command
from tests.benchmarks.installation import Installation, installation

N_FEEDS = 300
N_SYNCED, SYNCED_FEEDS = 10_000, 100
PORT = 8321
ADDRESS = f"http://127.0.0.1:{PORT}/api/greader.php"
BODIES = 150  # articles that NetNewsWire gets in one call
BAR = "ids 300 ms, contents of 100 60 ms p50"


def run(n_articles: int) -> dict[str, Any]:
    """Ask for what apps ask for with `n_articles` unread; then let two apps sync for the first time."""
    with installation(f"apps_{n_articles}") as reader:
        _fill(reader, n_articles, N_FEEDS)
        _run(reader, "assessing_round")
        _run(reader, "rating_round")
        found = _run(reader, "apps_round")
    syncs = {"NetNewsWire's calls": _netnewswire}
    if shutil.which("newsboat"):
        syncs["Newsboat"] = _newsboat
    synced = {}
    for name, sync in syncs.items():
        with installation("first_sync") as reader:
            _fill(reader, N_SYNCED, SYNCED_FEEDS)
            account = _run(reader, "apps_round", "--setup")
            with _served(reader):
                began = time.perf_counter()
                n, n_calls = sync(account["user"], account["password"])
                synced[name] = {"seconds": time.perf_counter() - began, "n_articles": n, "n_calls": n_calls}
    return {"n_articles": n_articles, **found, "first_syncs": synced}


def _fill(reader: Installation, n_shown: int, n_feeds: int) -> None:
    """One user, to whom so many articles are shown; a tenth of all is folded."""
    _run(reader, "readership", str(n_shown * 10 // 9), "1", "--feeds", str(n_feeds))


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


@contextmanager
def _served(reader: Installation) -> Iterator[None]:
    """The web process alone."""
    reader.manage("collectstatic", "--noinput", "--verbosity", "0")
    command = web_command("127.0.0.1", PORT)
    process = subprocess.Popen(command, env=reader.environment, cwd=PROJECT, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _netnewswire(user: str, password: str) -> tuple[int, int]:
    """How many articles the calls of its first sync bring, in its order, and how many calls that are."""
    app = _Calls(user, password)
    app.get("tag/list?output=json")
    app.get("subscription/list?output=json")
    since = int(time.time()) - 10 * 365 * 86400
    states = "user/-/state/com.google"
    ids = app.ids(f"s={states}/reading-list&ot={since}")
    app.ids(f"s={states}/reading-list&xt={states}/read")
    app.ids(f"s={states}/starred")
    n = 0
    for start in range(0, len(ids), BODIES):
        form = [("T", "t"), ("output", "json"), *(("i", pk) for pk in ids[start : start + BODIES])]
        n += len(app.get("stream/items/contents", urllib.parse.urlencode(form).encode())["items"])
    return n, app.n_calls


class _Calls:
    def __init__(self, user: str, password: str) -> None:
        self.n_calls = 0
        self._headers = {"Accept-Encoding": "identity"}
        form = urllib.parse.urlencode({"Email": user, "Passwd": password, "output": "json"}).encode()
        token = self._answer(urllib.request.Request(f"{ADDRESS}/accounts/ClientLogin", form))["Auth"]
        self._headers["Authorization"] = f"GoogleLogin auth={token}"

    def get(self, call: str, form: bytes | None = None) -> dict[str, Any]:
        return self._answer(urllib.request.Request(f"{ADDRESS}/reader/api/0/{call}", form, self._headers))

    def ids(self, query: str) -> Sequence[str]:
        found: list[str] = []
        continuation = ""
        while True:
            answer = self.get(f"stream/items/ids?n=1000&output=json&{query}{continuation}")
            found += [ref["id"] for ref in answer["itemRefs"]]
            if "continuation" not in answer:
                return found
            continuation = f"&c={answer['continuation']}"

    def _answer(self, request: urllib.request.Request) -> dict[str, Any]:
        self.n_calls += 1
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))


def _newsboat(user: str, password: str) -> tuple[int, int]:
    """How many articles it has after its first reload, and that it makes a call for each feed."""
    with TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        (folder / "urls").write_text("")
        (folder / "config").write_text(
            f'urls-source "feedhq"\nfeedhq-url "{ADDRESS}"\nfeedhq-login "{user}"\nfeedhq-password "{password}"\n'
            f"feedhq-min-items {N_SYNCED // SYNCED_FEEDS}\nfeedhq-show-special-feeds no\nreload-threads 2\n"
        )
        files = {"-C": "config", "-u": "urls", "-c": "cache.db"}
        options = [part for flag, file in files.items() for part in (flag, str(folder / file))]
        environment = os.environ | {"HOME": name}
        subprocess.run(["newsboat", *options, "-x", "reload"], check=True, timeout=900, env=environment)
        with closing(sqlite3.connect(folder / "cache.db")) as cache:
            return cache.execute("SELECT count(*) FROM rss_item").fetchone()[0], SYNCED_FEEDS + 2


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"An app of one user with {found['n_unread']:,} unread articles of {N_FEEDS} feeds, SQLite; bar: {BAR}",
        "",
        "| call | p50 ms | p95 ms | CPU ms | statements | KB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {each['p50']:.0f} | {each['p95']:.0f} | {each['cpu']:.0f} | {each['n_statements']} "
        f"| {each['n_bytes'] / 1000:.0f} |"
        for name, each in found["calls"].items()
    ]
    lines += [
        "",
        f"First sync of {N_SYNCED:,} articles of {SYNCED_FEEDS} feeds, none shown before:",
        "",
        "| app | s | articles | calls |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {each['seconds']:.1f} | {each['n_articles']:,} | {each['n_calls']} |"
        for name, each in found["first_syncs"].items()
    ]
    return "\n".join(lines)
