"""`manage.py rededuplicate`: deduplicates the archive under the current settings; a dry run can try others."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from datetime import timedelta
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.dedup.near_duplicate_policies import POLICIES
from feeds.dedup.partition_diff import Kind
from feeds.normalizing.text import shorten
from feeds.search import indexer
from feeds.storage.work_queue import n_given_up
from feeds.stories.event_engine import enrich
from feeds.stories.rebuild import (
    Example,
    Rededuplication,
    find_examples,
    n_waiting,
    rededuplicate,
    regroup_linked,
    resume,
    rolled_back,
)
from reader.stories.collapse import fold_queued

N_EXAMPLES = 20  # shown by a dry run
TITLE_LENGTH = 100  # characters of a title that are shown
INTERRUPTED = 130  # exit status after Ctrl-C, as in shells
PROGRESS_INTERVAL = 0.5  # seconds between updates


class Command(BaseCommand):
    help = (
        "Deduplicate all articles again with the current DEDUP_POLICY and DEDUP_CLOSENESS. After an interruption, "
        "--resume or the worker finishes the run. --dry-run shows what would change, also with another policy or "
        "closeness: it does everything in one transaction and rolls it back, so it takes as long as the real run, and "
        "on SQLite nothing else can write in the meantime."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        parser.add_argument("--policy", choices=tuple(POLICIES), help="policy of a dry run; default: DEDUP_POLICY")
        parser.add_argument("--closeness", type=_closeness, metavar="X", help="closeness of a dry run: 0.1 to 1.0")
        parser.add_argument("--since", type=_days, metavar="DAYS", help="only articles published in the last DAYS days")
        parser.add_argument("--regroup", action="store_true", help="keep all links; only group linked articles again")
        parser.add_argument(
            "--resume",
            action="store_true",
            help="continue an interrupted run, and try again what was set aside",
        )
        parser.add_argument("--no-events", action="store_true", help="leave names and events to the worker")
        parser.add_argument(
            "--show", type=int, default=N_EXAMPLES, metavar="N", help="examples of a dry run; default: %(default)s"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options)
        began = perf_counter()
        try:
            with _dedup_settings(options["policy"], options["closeness"]):
                answer, lines = self._run(options)
        except KeyboardInterrupt as error:
            raise CommandError(_interrupted(options), returncode=INTERRUPTED) from error
        answer["seconds"] = round(perf_counter() - began, 3)
        self.stdout.write(json.dumps(answer) if options["json"] else "\n".join(lines))

    def _check(self, options: dict[str, Any]) -> None:
        if options["resume"] and (options["dry_run"] or options["regroup"] or options["since"]):
            raise CommandError("--resume continues an earlier run; it can't be combined with other options.")
        if options["resume"] and not (n_waiting() or n_given_up() or indexer.n_given_up()):
            raise CommandError("Nothing to resume. Start a run without --resume.")
        if options["dry_run"]:
            return
        for name, variable in (("policy", "DEDUP_POLICY"), ("closeness", "DEDUP_CLOSENESS")):
            wanted, current = options[name], getattr(settings.ENV, variable)
            if wanted is not None and wanted != current:
                raise CommandError(
                    f"New articles are deduplicated with {variable}={current}, and the archive must match. Set "
                    f"{variable}={wanted} in .env, restart the workers and run this again; or use --dry-run to see "
                    f"what would change."
                )

    def _run(self, options: dict[str, Any]) -> tuple[dict[str, object], list[str]]:
        is_dry = options["dry_run"]
        with rolled_back() if is_dry else nullcontext():
            result = self._rededuplicate(options)
            examples = find_examples(result.changes, n=max(0, options["show"])) if is_dry else []
        if not is_dry:
            fold_queued()
        answer: dict[str, object] = {
            "dry_run": is_dry,
            "policy": settings.ENV.DEDUP_POLICY,
            "closeness": settings.ENV.DEDUP_CLOSENESS,
            "compared": result.n_matched,
            "read": result.n_enriched,
            "waiting": result.n_waiting,
            "stories": {
                "before": result.n_stories_before,
                "after": result.n_stories_after,
                **{kind.value: result.changes.count(kind) for kind in Kind},
            },
            "moved": len(result.changes.moved),
            "links": {"before": result.n_links_before, "after": result.n_links_after},
        }
        if is_dry:
            answer["examples"] = [_as_json(example) for example in examples]
        lines = _summary(result, is_dry=is_dry)
        return answer, lines + [line for example in examples for line in _example_lines(example)]

    def _rededuplicate(self, options: dict[str, Any]) -> Rededuplication:
        progress = self._progress(options)
        since = None if options["since"] is None else timezone.now() - timedelta(days=options["since"])
        if options["regroup"]:
            return regroup_linked(since=since, on_progress=progress)
        enricher = None if options["no_events"] else _enrich
        if options["resume"]:
            return resume(enrich=enricher, on_progress=progress)
        return rededuplicate(since=since, enrich=enricher, on_progress=progress)

    def _progress(self, options: dict[str, Any]) -> Callable[[str, int, int], None]:
        if options["json"] or not sys.stderr.isatty():
            return _silent
        return _Progress(lambda line: self.stderr.write(line, ending=""))


@contextmanager
def _dedup_settings(policy: str | None, closeness: float | None) -> Iterator[None]:
    """Run with this policy and closeness; None leaves the setting as it is."""
    current = settings.ENV
    settings.ENV = replace(
        current,
        DEDUP_POLICY=policy or current.DEDUP_POLICY,
        DEDUP_CLOSENESS=closeness or current.DEDUP_CLOSENESS,
    )
    try:
        yield
    finally:
        settings.ENV = current


class _Progress:
    """One terminal line per step: how much is done, how fast, and the time left."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = perf_counter) -> None:
        self._write, self._clock = write, clock
        self._step, self._began, self._shown_at = "", clock(), 0.0

    def __call__(self, step: str, n_done: int, n_all: int) -> None:
        now = self._clock()
        if step != self._step:
            self._step, self._began, self._shown_at = step, now, 0.0
        is_last = n_done >= n_all
        if now - self._shown_at >= PROGRESS_INTERVAL or is_last:
            self._write(f"\r\x1b[K{progress_line(step, n_done, n_all, now - self._began)}{chr(10) * is_last}")
            self._shown_at = now


def progress_line(step: str, n_done: int, n_all: int, seconds: float) -> str:
    """The progress after so many seconds; without a speed when there is nothing to compute it from."""
    line = f"{step} {n_done:,} of {n_all:,} articles"
    if seconds <= 0 or not n_done:
        return line
    per_second = n_done / seconds
    left = timedelta(seconds=round((n_all - n_done) / per_second))
    return f"{line}, {per_second:,.0f} per second, {left} left"


def _enrich(on_batch: Callable[[int], None]) -> None:
    enrich(on_batch=on_batch)


def _silent(step: str, n_done: int, n_all: int) -> None:
    """No progress line."""


def _closeness(text: str) -> float:
    value = float(text)
    if not 0.1 <= value <= 1.0:
        raise ArgumentTypeError("must be between 0.1 and 1.0")
    return value


def _days(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 36_500:
        raise ArgumentTypeError("must be a number of days, at least 1")
    return value


def _interrupted(options: dict[str, Any]) -> str:
    if options["dry_run"]:
        return "Interrupted. Nothing was changed."
    if options["regroup"]:
        return "Interrupted; stories grouped so far are saved. Run it again to group the rest."
    return f"Interrupted; {n_waiting():,} articles are waiting. Continue with --resume, or leave them to the worker."


def _as_json(example: Example) -> dict[str, object]:
    values = asdict(example)
    return {"kind": example.kind.value, "articles": values.pop("n_articles"), **values}


def _summary(result: Rededuplication, *, is_dry: bool) -> list[str]:
    kinds = ", ".join(f"{result.changes.count(kind):,} {kind.value}" for kind in Kind)
    after = "after" if is_dry else "now"
    lines = [
        f"{result.n_matched:,} articles compared, {result.n_enriched:,} checked for events.",
        f"Stories: {result.n_stories_before:,} before, {result.n_stories_after:,} {after} ({kinds}).",
        f"Articles moved: {len(result.changes.moved):,}. "
        f"Links: {result.n_links_before:,} before, {result.n_links_after:,} {after}.",
    ]
    if is_dry:
        policy, closeness = settings.ENV.DEDUP_POLICY, settings.ENV.DEDUP_CLOSENESS
        return [f"Dry run with policy {policy}, closeness {closeness:g}. Nothing was changed.", *lines]
    if result.n_waiting:
        lines.append(f"{result.n_waiting:,} articles are still waiting, for the worker or --resume.")
    return lines


def _example_lines(example: Example) -> list[str]:
    evidence = f" ({example.layer}: {printable(example.evidence)})" if example.layer else ""
    lines = ["", f"{example.kind.value}, {example.n_articles} articles{evidence}"]
    for part in example.parts:
        lines += [f"  {' ' if n else '-'} {printable(title)}" for n, title in enumerate(part)]
    return lines


def printable(text: str) -> str:
    """The text on one line, without control characters and marks of direction."""
    return shorten("".join(letter for letter in " ".join(text.split()) if letter.isprintable()), TITLE_LENGTH)
