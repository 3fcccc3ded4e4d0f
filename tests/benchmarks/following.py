"""Following a hundred real feeds in an empty reader: two worker processes, until the stories and ratings are there."""

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any
from xml.sax.saxutils import quoteattr

from tests.benchmarks.polling import Polled

FEEDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "feeds" / "real"
NOW = "2026-02-18T03:00:00"  # UTC, shortly after those files were saved
N_ADDRESSES = 199


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[list[str]]:
    """The URLs of the files, each of a loopback address as if of a publisher of its own."""
    server = ThreadingHTTPServer(("0.0.0.0", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    with (folder / "manifest.tsv").open() as lines:
        files = [row["file"] for row in csv.DictReader(lines, delimiter="\t")]
    try:
        yield [f"http://127.0.0.{2 + n % N_ADDRESSES}:{server.server_port}/{file}" for n, file in enumerate(files)]
    finally:
        server.shutdown()
        server.server_close()


def run() -> dict[str, Any]:
    """Seconds since the workers were started, of the slower one; start-up included."""
    with _served(FEEDS) as urls, tempfile.TemporaryDirectory() as name:
        reader = Polled(Path(name))
        outlines = "".join(f"<outline type='rss' xmlUrl={quoteattr(url)}/>" for url in urls)
        reader.follow(f"<opml version='2.0'><body>{outlines}</body></opml>".encode(), Path(name))
        reader.make_due()
        began = perf_counter()
        workers = [reader.start("following_round", NOW) for _ in range(2)]
        reports = [json.loads(worker.communicate()[0]) for worker in workers]
        whole = perf_counter() - began
        started = whole - max(report["seconds"]["rated"] for report in reports)
        return {
            "n_feeds": len(urls),
            "n_articles": sum(report["new"] for report in reports),
            "n_read": sum(report["read"] for report in reports),
            "n_rated": max(report["rated"] for report in reports),
            "peak_mb": max(report["peak_mb"] for report in reports),
            "seconds": {
                step: started + max(report["seconds"][step] for report in reports) for step in reports[0]["seconds"]
            },
        }


def table(found: dict[str, Any]) -> str:
    steps = "\n".join(f"| {step} | {seconds:.1f} |" for step, seconds in found["seconds"].items())
    return (
        f"{found['n_feeds']} real feeds with {found['n_articles']} articles, {found['n_read']} of them read for "
        f"events, {found['n_rated']} rated; 2 worker processes of at most {found['peak_mb']:.0f} MB, SQLite\n\n"
        f"| until | s |\n|---|---|\n{steps}\n"
    )
