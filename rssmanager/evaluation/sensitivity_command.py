"""`manage.py evaluate sensitivity`: arguments and output."""

import json
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.output import refused_text, report_refusals, rounded, warn_without_meaning
from rssmanager.evaluation.sensitivity import (
    Evaluation,
    LabelledSensitivity,
    Measures,
    evaluate,
    read_file,
    read_items_by_url,
)

SUMMARY = "how fast does an article lose relevance?"


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommand; `command` is the command it writes to."""
    task = tasks.add_parser("sensitivity", help=SUMMARY, description=f"Measure: {SUMMARY}")
    task.add_argument(
        "file", nargs="+", type=Path, help="one JSON object per line: title, text, score 1–5 or label 0 or 1"
    )
    task.add_argument(
        "--labels",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="scores by URL (tab-separated: url, score); the files are then items or folders of feeds",
    )
    task.add_argument(
        "--cross-validate", action="store_true", help="a classifier trained on these labels, not the built-in one"
    )
    task.add_argument("--lang", default="", metavar="CODE", help="only articles in this language, such as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run(options, command))


def as_json(found: Evaluation) -> dict[str, object]:
    """A JSON object in the common format of `evaluate`."""
    return {
        "n": found.n,
        "malformed": found.n_refused,
        "policy": found.policy,
        **rounded(asdict(found.measures)),
        "baselines": {name: rounded(asdict(measures)) for name, measures in found.baselines.items()},
        "seconds": round(found.seconds, 2),
    }


def as_text(found: Evaluation) -> str:
    """A title line and an aligned table, one row for the classifier and one per baseline."""
    rows: Mapping[str, Measures] = {found.policy: found.measures, **found.baselines}
    columns = list(dict.fromkeys(name for measures in rows.values() for name in rounded(asdict(measures))))
    width = max(map(len, rows))
    lines = [" ".join([" " * width, *(name.replace("_", " ").rjust(_width(name)) for name in columns)])]
    for row, measures in rows.items():
        figures = rounded(asdict(measures))
        cells = (f"{figures[name]:.3f}" if name in figures else "" for name in columns)
        lines.append(" ".join([row.ljust(width), *map(str.rjust, cells, map(_width, columns))]).rstrip())
    return "\n".join([f"{found.n:,} documents{refused_text(found.n_refused)}, {found.seconds:.1f} seconds", *lines])


def _run(options: Mapping[str, Any], command: Any) -> None:
    try:
        labelled = _labelled(options["file"], options["labels"], options["lang"])
        report_refusals(labelled.refusals, command)
        found = evaluate(labelled, cross_validate=options["cross_validate"])
    except LabelledFileError as error:
        report_refusals(error.refusals, command)
        raise CommandError(str(error)) from error
    warn_without_meaning(command)
    command.stdout.write(json.dumps(as_json(found)) if options["json"] else as_text(found))


def _labelled(files: list[Path], labels: list[Path], language: str) -> LabelledSensitivity:
    if labels:
        return read_items_by_url(labels, files, language=language)
    if len(files) > 1:
        raise CommandError("Several files need --labels.")
    return read_file(files[0], language=language)


def _width(name: str) -> int:
    return max(8, len(name))
