"""`manage.py evaluate topics`: arguments and output."""

import json
from argparse import ArgumentParser, ArgumentTypeError, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from feeds.dedup.in_memory import group
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.output import (
    MANY_DOCUMENTS,
    aligned,
    ignore_progress,
    refused_text,
    report_refusals,
    rounded,
)
from rssmanager.evaluation.topics import STORY, TRUTHS, Evaluation, Labelled, Measures, evaluate, read_file

SUMMARY = "are articles grouped into the right topics?"

_COLUMNS = ("topics", "noise", "largest", "V", "B³ P", "R", "F1", "pairs P", "R", "F1", "seconds")


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommand; `command` is the command it writes to."""
    task = tasks.add_parser("topics", help=SUMMARY, description=f"Measure: {SUMMARY}")
    task.add_argument("file", type=Path, help="one JSON object per line: title, text and the label")
    task.add_argument("--truth", choices=TRUTHS, default=STORY, help="the label to compare with; default: %(default)s")
    task.add_argument("--k", type=_number, metavar="K", help="create exactly K topics")
    task.add_argument("--labels", type=_number, default=0, metavar="N", help="print labels for the N largest topics")
    task.add_argument("--lang", default="", metavar="CODE", help="only articles in this language, such as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run(options, command))


def as_json(found: Evaluation, truth: str) -> dict[str, object]:
    """A JSON object in the common format of `evaluate`."""
    labels = [asdict(label) for label in found.labels]
    return {
        "n": found.n,
        "malformed": found.n_refused,
        "policy": found.policy,
        "truth": truth,
        **({} if found.k is None else {"k": found.k}),
        **rounded(asdict(found.measures)),
        "baselines": {name: rounded(asdict(measures)) for name, measures in found.baselines.items()},
        **({"labels": labels} if labels else {}),
    }


def as_text(found: Evaluation, truth: str) -> str:
    """A title line and an aligned table, one row for the topics and one per baseline; then the labels, if any."""
    rows = {found.policy: found.measures, **found.baselines}
    table = [("", *_COLUMNS), *((name, *_cells(measures)) for name, measures in rows.items())]
    title = f"{found.n:,} documents, labelled by {truth}{refused_text(found.n_refused)}"
    return "\n".join([title, *aligned(table), *map(_line, found.labels)])


def _run(options: Mapping[str, Any], command: Any) -> None:
    try:
        labelled, refusals = read_file(options["file"], truth=options["truth"], language=options["lang"])
    except LabelledFileError as error:
        report_refusals(error.refusals, command)
        raise CommandError(str(error)) from error
    report_refusals(refusals, command)
    is_watched = len(labelled) > MANY_DOCUMENTS and command.stderr.isatty()
    found = evaluate(
        labelled,
        k=options["k"],
        n_labels=options["labels"],
        n_refused=len(refusals),
        grouping=options.get("grouping", group),
        on_step=command.stderr.write if is_watched else ignore_progress,
    )
    shown = as_json(found, options["truth"])
    command.stdout.write(json.dumps(shown) if options["json"] else as_text(found, options["truth"]))


def _number(written: str) -> int:
    if not written.isascii() or not written.isdigit() or not int(written):
        raise ArgumentTypeError(f"{written} is not a number from 1")
    return int(written)


def _cells(measures: Measures) -> tuple[str, ...]:
    shares = [measures.noise, measures.largest, measures.v_measure]
    for scores in (measures.bcubed, measures.pairs):
        shares += [scores.precision, scores.recall, scores.f1]
    return f"{measures.topics:,}", *(f"{share:.3f}" for share in shares), f"{measures.seconds:.2f}"


def _line(labelled: Labelled) -> str:
    return f"{labelled.size:>5}  {labelled.label}\n       {' · '.join(labelled.titles)}"
