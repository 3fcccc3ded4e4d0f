"""`manage.py rededuplicate`: the archive under the present settings, or, as a dry run, under any."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.change_examples import Example, examples
from feeds.dedup.changes import Changes, Kind
from feeds.dedup.policies import POLICIES
from feeds.enrichment import enrich
from feeds.normalizing.text import shorten
from feeds.pending import n_given_up
from feeds.rededuplication import Rededuplication, n_waiting, rededuplicate, regroup_linked, resume
from feeds.rehearsing import Rehearsal, rehearse, rehearse_regrouping
from feeds.stories import StoryRules
from reader.folding import fold_changes

SHOWN = 20  # examples of a dry run
TITLE_LENGTH = 100  # characters of a title that are shown
INTERRUPTED = 130  # exit status, as shells have it for Ctrl-C
SHOWN_EVERY = 0.5  # seconds between two lines of progress

Answer = dict[str, object]


class Command(BaseCommand):
    help = (
        "Deduplicate all articles again, under the policy and closeness that are set (DEDUP_POLICY, DEDUP_CLOSENESS). "
        "Interrupted, it goes on with --resume, or the worker does. --dry-run shows what would change under any policy."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="change nothing; print what would change")
        parser.add_argument("--policy", choices=tuple(POLICIES), help="with --dry-run: this one; default: as set")
        parser.add_argument("--closeness", type=_closeness, metavar="X", help="with --dry-run: 0.1 to 1.0")
        parser.add_argument("--since", type=_days, metavar="DAYS", help="only what was published in the last DAYS")
        parser.add_argument("--regroup", action="store_true", help="keep all links; only group the linked anew")
        parser.add_argument("--resume", action="store_true", help="go on with what an interrupted run left")
        parser.add_argument("--no-events", action="store_true", help="leave names and events to the worker")
        parser.add_argument("--show", type=int, default=SHOWN, metavar="N", help="examples; default: %(default)s")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        self._refuse(options)
        run = self._rehearse if options["dry_run"] else self._run
        try:
            answer, lines = run(options)
        except KeyboardInterrupt as error:
            raise CommandError(_interrupted(options), returncode=INTERRUPTED) from error
        self.stdout.write(json.dumps(answer) if options["json"] else "\n".join(lines))

    def _refuse(self, options: dict[str, Any]) -> None:
        if options["resume"] and (options["dry_run"] or options["regroup"] or options["since"]):
            raise CommandError("--resume goes on with an earlier run as it was; leave out the other choices.")
        if options["dry_run"]:
            return
        for name, variable in (("policy", "DEDUP_POLICY"), ("closeness", "DEDUP_CLOSENESS")):
            wanted, present = options[name], getattr(settings.ENV, variable)
            if wanted is not None and wanted != present:
                raise CommandError(
                    f"New articles are deduplicated with {variable}={present}, and the archive must not differ. Set "
                    f"{variable}={wanted} (in .env), restart the workers, and run this again; or see what would change "
                    f"with --dry-run."
                )

    def _rehearse(self, options: dict[str, Any]) -> tuple[Answer, list[str]]:
        policy = POLICIES[options["policy"] or settings.ENV.DEDUP_POLICY]
        rules = StoryRules(options["closeness"] or settings.ENV.DEDUP_CLOSENESS, newest_leads=policy.newest_leads)
        since, progress = _since(options), self._progress(options)
        if options["regroup"]:
            found = rehearse_regrouping(rules, since=since)
        else:
            found = rehearse(
                policy,
                rules,
                since=since,
                with_meaning=settings.ENV.DEDUP_MEANING,
                on_chunk=lambda done, total: progress("Compared", done, total),
            )
        shown = examples(found.changes, n=max(0, options["show"]), policy=None if options["regroup"] else policy)
        answer = {
            "dry_run": True,
            "policy": policy.name,
            "closeness": rules.least_average,
            "articles": found.n_articles,
            "without_names": found.n_without_names,
            **_counts(found),
            "examples": [_example_as_json(each) for each in shown],
        }
        return answer, _rehearsal_in_words(found, policy.name, rules.least_average, shown)

    def _run(self, options: dict[str, Any]) -> tuple[Answer, list[str]]:
        if options["resume"] and not n_waiting() and not n_given_up():
            raise CommandError("Nothing waits: there is no run to go on with. Start one without --resume.")
        began, progress = perf_counter(), self._progress(options)
        reading = None if options["no_events"] else _enrich
        if options["regroup"]:
            found = regroup_linked(since=_since(options), on_progress=progress)
        elif options["resume"]:
            found = resume(enrich=reading, on_progress=progress)
        else:
            found = rededuplicate(since=_since(options), enrich=reading, on_progress=progress)
        fold_changes()
        answer = {
            "dry_run": False,
            "policy": settings.ENV.DEDUP_POLICY,
            "closeness": settings.ENV.DEDUP_CLOSENESS,
            "compared": found.n_matched,
            "read": found.n_enriched,
            "waiting": found.n_waiting,
            "seconds": round(perf_counter() - began, 3),
            **_counts(found),
        }
        return answer, _run_in_words(found)

    def _progress(self, options: dict[str, Any]) -> Callable[[str, int, int], None]:
        if options["json"] or not sys.stderr.isatty():
            return _silent
        return _Progress(lambda line: self.stderr.write(line, ending=""))


class _Progress:
    """One line on the terminal, of the work at hand: how far it is, how fast, and how long it will take."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = perf_counter) -> None:
        self._write, self._clock = write, clock
        self._what, self._began, self._shown = "", clock(), 0.0

    def __call__(self, what: str, n_done: int, n_all: int) -> None:
        now = self._clock()
        if what != self._what:
            self._what, self._began, self._shown = what, now, 0.0
        is_last = n_done >= n_all
        if now - self._shown >= SHOWN_EVERY or is_last:
            self._write(f"\r\x1b[K{progress_line(what, n_done, n_all, now - self._began)}{chr(10) * is_last}")
            self._shown = now


def progress_line(what: str, n_done: int, n_all: int, seconds: float) -> str:
    """How far the work is after so many seconds; without a speed while nothing can be said of it."""
    line = f"{what} {n_done:,} of {n_all:,} articles"
    if seconds <= 0 or not n_done:
        return line
    a_second = n_done / seconds
    left = timedelta(seconds=round((n_all - n_done) / a_second))
    return f"{line}, {a_second:,.0f} a second, {left} left"


def _enrich(on_batch: Callable[[int], None]) -> None:
    enrich(on_batch=on_batch)


def _silent(what: str, n_done: int, n_all: int) -> None:
    """No progress where nobody watches."""


def _closeness(text: str) -> float:
    value = float(text)
    if not 0.1 <= value <= 1.0:
        raise ArgumentTypeError("between 0.1 and 1.0")
    return value


def _days(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 36_500:
        raise ArgumentTypeError("a number of days, 1 at least")
    return value


def _since(options: dict[str, Any]) -> datetime | None:
    return None if options["since"] is None else timezone.now() - timedelta(days=options["since"])


def _interrupted(options: dict[str, Any]) -> str:
    if options["dry_run"]:
        return "Interrupted; nothing was changed."
    if options["regroup"]:
        return "Interrupted; what was grouped stays. Run it again to group the rest."
    return f"Interrupted; {n_waiting():,} articles wait. Go on with --resume, or leave them to the worker."


def _counts(found: Rehearsal | Rededuplication) -> Answer:
    kinds = {kind.value: found.changes.count(kind) for kind in Kind}
    return {
        "stories": {"before": found.n_stories_before, "after": found.n_stories_after, **kinds},
        "moved": len(found.changes.moved),
        "links": {"before": found.n_links_before, "after": found.n_links_after},
    }


def _example_as_json(example: Example) -> Answer:
    return {
        "kind": example.kind.value,
        "articles": example.n_articles,
        "parts": [list(part) for part in example.parts],
        "layer": example.layer,
        "evidence": example.evidence,
    }


def _rehearsal_in_words(found: Rehearsal, policy: str, closeness: float, shown: list[Example]) -> list[str]:
    lines = [
        f"A dry run over {found.n_articles:,} articles under {policy}, closeness {closeness:g}. Nothing was changed.",
        f"Stories: {found.n_stories_before:,} now, {found.n_stories_after:,} then ({_kinds(found.changes)}).",
        f"Articles that would move: {len(found.changes.moved):,}. "
        f"Links: {found.n_links_before:,} now, {found.n_links_after:,} then.",
    ]
    if found.n_without_names:
        lines.append(
            f"{found.n_without_names:,} articles are not enriched, not yet or no longer: "
            f"their events are left as they are linked now."
        )
    return lines + [line for example in shown for line in _example_in_words(example)]


def _example_in_words(example: Example) -> list[str]:
    tie = f" ({example.layer}: {printable(example.evidence)})" if example.layer else ""
    lines = ["", f"{example.kind.value}, {example.n_articles} articles{tie}"]
    for part in example.parts:
        lines += [f"  {'-' if n == 0 else ' '} {printable(title)}" for n, title in enumerate(part)]
    return lines


def _run_in_words(found: Rededuplication) -> list[str]:
    lines = [
        f"{found.n_matched:,} articles compared, {found.n_enriched:,} read for events.",
        f"Stories: {found.n_stories_before:,} before, {found.n_stories_after:,} now ({_kinds(found.changes)}).",
        f"Articles that moved: {len(found.changes.moved):,}. "
        f"Links: {found.n_links_before:,} before, {found.n_links_after:,} now.",
    ]
    if found.n_waiting:
        lines.append(f"{found.n_waiting:,} articles still wait, for the worker or for --resume.")
    return lines


def _kinds(found: Changes) -> str:
    return ", ".join(f"{found.count(kind):,} {kind.value}" for kind in Kind)


def printable(text: str) -> str:
    """A title on one line of a terminal, without anything that would steer it or turn its direction."""
    return shorten("".join(letter for letter in " ".join(text.split()) if letter.isprintable()), TITLE_LENGTH)
