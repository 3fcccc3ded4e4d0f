"""Hostile documents one after the other, each in a fork of this process, started by `hostile_documents`.

Prints a line of JSON for each: CPU seconds and memory by stage, and what became of it.
"""

import json
import multiprocessing
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models.functions import Length
from django.utils import timezone

from feeds.content.extract import page_text
from feeds.content.sanitized import safe_html
from feeds.dedup.near_duplicate_policies import POLICIES
from feeds.discovery.find import discover
from feeds.errors import FeedsError
from feeds.fetching import FetchResult
from feeds.models import Article, Feed, FeedStatus
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from feeds.stories.comparables import subjects_of
from feeds.subscription_lists.detect import read_subscriptions
from reader.articles.word_diff import word_diff
from reader.search.parser import parse
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.zip_reader import parse_line, read_lines
from tests import make
from tests.benchmarks.hostile_documents import files
from tests.feeds.hostile_documents import FEEDS, LIMIT, LISTS, PAGES, TEXTS, ZIPS

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "feeds" / "broken"
CPU_SECONDS = 12  # after which a document is given up
MEMORY = 6 * 2**30  # bytes of address space
PAGE_LIMIT = 4 * 2**20
SHOWN = 5  # articles of a feed, those of the most markup


@dataclass
class Stages:
    """CPU seconds and MB beyond the beginning, by stage."""

    found: dict[str, dict[str, float]] = field(default_factory=dict)
    before: float = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        Path("/proc/self/clear_refs").write_text("5")
        began, watch = cpu(), Watch()
        try:
            yield
        finally:
            spent, most = cpu() - began, peak() - self.before
            self.found[name] = {"cpu": spent, "mb": most, "child_mb": watch.ended()}


class Watch(Thread):
    """Looks every few milliseconds at what the children of this process hold; `ru_maxrss` counts what was forked."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ending, self._most = Event(), 0.0
        self.start()

    def ended(self) -> float:
        """The most MB that one of them held."""
        self._ending.set()
        self.join()
        return self._most

    def run(self) -> None:
        while not self._ending.wait(0.004):
            for task in Path("/proc/self/task").iterdir():
                with suppress(OSError, StopIteration):
                    for pid in (task / "children").read_text().split():
                        if "confined_process" in Path(f"/proc/{pid}/cmdline").read_text():
                            self._most = max(self._most, _status("VmHWM:", pid))


def cpu() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _status(name: str, pid: str = "self") -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def peak() -> float:
    return _status("VmHWM:")


class _Answer:
    """Whoever is asked gives this body."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        body = self._path.read_bytes()
        return FetchResult(url, 200, {"content-type": "text/xml"}, body, n_bytes=len(body))


def feed(path: Path, stages: Stages) -> str:
    """Poll it, make the keys of its articles, show each of them."""
    followed = make.feed("https://paper.example/feed", next_poll_at=timezone.now())
    poller = Poller(_Answer(path), rules=NormalizingRules(), concurrency=1, per_domain=1, clock=timezone.now)
    with stages.stage("poll"):
        report = poller.run(only=[followed.pk])
    ids = list(Article.objects.filter(feed=followed).values_list("pk", flat=True))
    with stages.stage("keys"):
        for start in range(0, len(ids), 400):
            for subject in subjects_of(ids[start : start + 400]).values():
                POLICIES["layered"].keys(subject)
    worst, all_pages = {"cpu": 0.0, "mb": 0.0}, 0.0
    for article in Article.objects.filter(feed=followed).order_by(Length("markup").desc())[:SHOWN]:
        shown = Stages(before=stages.before)
        with shown.stage("show"):
            safe_html(article)
        worst = max(worst, shown.found["show"], key=lambda spent: spent["cpu"])
        all_pages += shown.found["show"]["cpu"]
    stages.found["show"] = worst
    poll = followed.polls.first()
    told = f"{poll.outcome} {len(ids)} {poll.message}" if poll else "no poll"
    parts = ", ".join(f"{name} {spent:.2f}" for name, spent in report.stages.items())
    return f"{told} ({parts}, {SHOWN} pages {all_pages:.1f})"


def page(path: Path, stages: Stages) -> str:
    """Look for feeds and for an article in it."""
    body = path.read_bytes()
    with stages.stage("discover"):
        found = discover(body, url="https://paper.example/", content_type="text/html")
    with stages.stage("extract"):
        try:
            text = page_text(FetchResult("https://paper.example/", 200, {"content-type": "text/html"}, body)).text
        except FeedsError as error:
            text = str(error)
    return f"{len(found)} feeds; {text[:40]}"


def subscriptions(path: Path, stages: Stages) -> str:
    """Read a list of subscriptions."""
    with stages.stage("read"):
        try:
            found = read_subscriptions(path.read_bytes(), path.name)
        except FeedsError as error:
            return str(error)
    return f"{len(found.feeds)} feeds, {len(found.refusals)} refused"


def account(path: Path, stages: Stages) -> str:
    """Read the lines of an export."""
    with stages.stage("read"):
        n_lines = 0
        try:
            with path.open("rb") as file:
                for line in read_lines(file):
                    parse_line(line)
                    n_lines += 1
        except DataRefused as error:
            return str(error)
    return f"{n_lines} lines"


def text(path: Path, stages: Stages) -> str:
    """Compare two versions of a text, and ask for it in a search."""
    before, _, after = path.read_text().partition("\0")
    with stages.stage("changes"):
        n_pieces = len(word_diff(before, after or before[::-1]).pieces)
    with stages.stage("query"):
        parse(before, today=timezone.now().date())
    return f"{n_pieces} pieces"


KINDS: dict[str, tuple[Callable[[Path, Stages], str], dict[str, Callable[[int], bytes]], int]] = {
    "feed": (feed, FEEDS, LIMIT),
    "page": (page, PAGES, PAGE_LIMIT),
    "list": (subscriptions, LISTS, LIMIT),
    "account": (account, ZIPS, 100 * 2**20),
    "text": (text, TEXTS, 2**20),
}


def main() -> None:
    matching = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _warm(folder)
        for path in files(DATA):
            if matching in f"file: {path.name}":
                _report("file", path.name, path, feed)
        for kind, (work, makers, size) in KINDS.items():
            for title, maker in makers.items():
                if matching in f"{kind}: {title}":
                    path = folder / ("feeds.yaml" if title.startswith("YAML") else "document")
                    _apart(partial(_write, path, maker, size))
                    _report(kind, title, path, work)


def _warm(folder: Path) -> None:
    """Load what every worker has loaded."""
    path = folder / "ordinary"
    _write(path, FEEDS["500 entries of 30 KB of prose"], 70_000)
    _apart(partial(_one, path, feed))  # its own database, as all
    subjects_of([])
    from feeds.normalizing.html import sanitize_body
    from feeds.normalizing.language import guess_language
    from feeds.parsing import parse as parse_feed

    guess_language("A few words of English, enough of them to tell the language of")
    sanitize_body("<p>x", base_url="")
    parse_feed(path.read_bytes(), url="https://a.example/")
    connection.close()


def _write(path: Path, maker: Callable[[int], bytes], size: int) -> None:
    path.write_bytes(maker(size))


def _report(kind: str, title: str, path: Path, work: Callable[[Path, Stages], str]) -> None:
    size = path.stat().st_size
    found = _apart(partial(_one, path, work)) or {
        "cpu": float(CPU_SECONDS),
        "mb": 0.0,
        "stages": {},
        "outcome": "KILLED",
    }
    print(json.dumps({"kind": kind, "name": title, "size": size} | found), flush=True)


def _one(path: Path, work: Callable[[Path, Stages], str]) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    database = Path(settings.DATABASES["default"]["NAME"])
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "copy.sqlite3"
        shutil.copy(database, copy)
        connection.settings_dict["NAME"] = str(copy)
        Feed.objects.filter(status=FeedStatus.ACTIVE).count()
        stages = Stages(before=_status("VmRSS:"))
        try:
            outcome = work(path, stages)
        except MemoryError:
            outcome = "MEMORY"
        connection.close()
    total = sum(each["cpu"] for each in stages.found.values())
    return {
        "cpu": total,
        "mb": max((max(each["mb"], each.get("child_mb", 0.0)) for each in stages.found.values()), default=0.0),
        "stages": stages.found,
        "outcome": outcome,
    }


def _apart(call: Callable[[], Any]) -> Any:
    """What the call returns in a fork of this process; None where it was killed."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(call, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _send(call: Callable[[], Any], pipe: Connection) -> None:
    pipe.send(call())


if __name__ == "__main__":
    main()
