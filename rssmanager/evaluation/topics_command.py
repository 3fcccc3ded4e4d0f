"""`manage.py evaluate topics`: its arguments, and what it prints."""

import json
from argparse import ArgumentParser, ArgumentTypeError, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from feeds.dedup.corpus import group
from rssmanager.evaluation.labelled import LabelledFileError, Refusal
from rssmanager.evaluation.topics import STORY, TRUTHS, Evaluation, Labelled, Measures, evaluate, read_file

DIGITS = 4  # of figures in JSON
SHOWN_REFUSALS = 20  # lines; of the others the number is told
MANY_DOCUMENTS = 1000  # from which somebody who watches is told what is going on
SUMMARY = "are articles gathered into the topics that people see in them?"

_COLUMNS = ("topics", "noise", "largest", "V", "B³ P", "R", "F1", "pairs P", "R", "F1", "seconds")


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommand; `command` is the command it writes to."""
    task = tasks.add_parser("topics", help=SUMMARY, description=f"Measure: {SUMMARY}")
    task.add_argument("file", type=Path, help="one JSON object a line: title, text and what is true of them")
    task.add_argument("--truth", choices=TRUTHS, default=STORY, help="what tells them apart; default: %(default)s")
    task.add_argument("--k", type=_number, metavar="K", help="gather into K topics, not into as many as there are")
    task.add_argument("--labels", type=_number, default=0, metavar="N", help="name the N largest topics, for judging")
    task.add_argument("--lang", default="", metavar="CODE", help="only what is in this language, as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run(options, command))


def as_json(found: Evaluation, truth: str) -> dict[str, object]:
    """One object of the shape that all tasks of `evaluate` share."""
    labels = [asdict(each) for each in found.labels]
    return {
        "n": found.n,
        "malformed": found.n_refused,
        "policy": found.policy,
        "truth": truth,
        **({} if found.k is None else {"k": found.k}),
        **_figures(found.measures),
        "baselines": {name: _figures(measures) for name, measures in found.baselines.items()},
        **({"labels": labels} if labels else {}),
    }


def as_text(found: Evaluation, truth: str) -> str:
    """A title line and an aligned table, one row for the topics and one a baseline; then the labels, if there are."""
    rows = {found.policy: found.measures, **found.baselines}
    table = [("", *_COLUMNS), *((name, *_cells(measures)) for name, measures in rows.items())]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in table]
    refused = f", {found.n_refused:,} lines refused" if found.n_refused else ""
    return "\n".join([f"{found.n:,} documents, told apart by {truth}{refused}", *lines, *map(_line, found.labels)])


def _run(options: Mapping[str, Any], command: Any) -> None:
    try:
        labelled, refusals = read_file(options["file"], truth=options["truth"], language=options["lang"])
    except LabelledFileError as error:
        _report(error.refusals, command)
        raise CommandError(str(error)) from error
    _report(refusals, command)
    is_watched = len(labelled) > MANY_DOCUMENTS and command.stderr.isatty()
    found = evaluate(
        labelled,
        k=options["k"],
        n_labels=options["labels"],
        n_refused=len(refusals),
        grouping=options.get("grouping", group),
        on_step=command.stderr.write if is_watched else _silent,
    )
    shown = as_json(found, options["truth"])
    command.stdout.write(json.dumps(shown) if options["json"] else as_text(found, options["truth"]))


def _number(written: str) -> int:
    if not written.isascii() or not written.isdigit() or not int(written):
        raise ArgumentTypeError(f"{written} is no number from 1 on")
    return int(written)


def _report(refusals: tuple[Refusal, ...], command: Any) -> None:
    for refusal in refusals[:SHOWN_REFUSALS]:
        command.stderr.write(f"line {refusal.line}: {refusal.reason}")
    if len(refusals) > SHOWN_REFUSALS:
        command.stderr.write(f"… and {len(refusals) - SHOWN_REFUSALS:,} more lines refused")


def _figures(measures: Measures) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in asdict(measures).items():
        if isinstance(value, dict):  # of scores no threshold was chosen
            found[name] = {part: round(share, DIGITS) for part, share in value.items() if share is not None}
        else:
            found[name] = round(value, DIGITS)
    return found


def _cells(measures: Measures) -> tuple[str, ...]:
    shares = [measures.noise, measures.largest, measures.v_measure]
    for scores in (measures.bcubed, measures.pairs):
        shares += [scores.precision, scores.recall, scores.f1]
    return f"{measures.topics:,}", *(f"{share:.3f}" for share in shares), f"{measures.seconds:.2f}"


def _line(labelled: Labelled) -> str:
    return f"{labelled.size:>5}  {labelled.label}\n       {' · '.join(labelled.titles)}"


def _silent(step: str) -> None:
    """No progress where nobody watches."""
