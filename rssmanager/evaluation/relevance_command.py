"""`manage.py evaluate relevance`, `evaluate readers` and `evaluate for_you`: arguments and output."""

import json
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from rssmanager.evaluation import for_you, relevance, simulated_readers
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.items import read_items
from rssmanager.evaluation.output import DIGITS, aligned, refused_text, report_refusals, rounded, warn_without_meaning
from rssmanager.evaluation.ranking import Measures

RELEVANCE = "are articles that a user found relevant ranked above the others?"
FOR_YOU = "does For you begin with what simulated users like?"
READERS = "how fast does relevance learn what simulated users like?"


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommands; `command` is the command they write to."""
    task = tasks.add_parser("relevance", help=RELEVANCE, description=f"Measure: {RELEVANCE}")
    task.add_argument("file", type=Path, help="one JSON object per line: title, text, label 0 or 1, or a grade")
    task.add_argument("--positive-from", type=float, metavar="GRADE", help="labels are grades, relevant from here")
    task.add_argument("--prequential", action="store_true", help="in order, each scored by a model of the earlier ones")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run_relevance(options, command))
    task = tasks.add_parser("readers", help=READERS, description=f"Measure: {READERS}")
    task.add_argument("file", type=Path, help="one JSON object per line: title, text, category")
    task.add_argument("--as-they-come", action="store_true", help="label articles as they come, not half of them liked")
    task.add_argument("--lang", default="", metavar="CODE", help="only articles in this language, such as `en`")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run_readers(options, command))
    task = tasks.add_parser("for_you", help=FOR_YOU, description=f"Measure: {FOR_YOU}")
    task.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="a folder of feeds, or JSON Lines")
    task.add_argument("--json", action="store_true", help="print one JSON object")
    task.set_defaults(run=lambda options: _run_for_you(options, command))


def relevance_as_json(found: relevance.Evaluation) -> dict[str, object]:
    """A JSON object in the common format of `evaluate`."""
    return {
        "n": found.n,
        "relevant": found.n_relevant,
        "malformed": found.n_refused,
        "policy": found.policy,
        **rounded(asdict(found.measures)),
        "baselines": {name: rounded(asdict(measures)) for name, measures in found.baselines.items()},
        "seconds": round(found.seconds, 2),
    }


def relevance_as_text(found: relevance.Evaluation) -> str:
    """A title line and an aligned table, one row for the model and one per baseline."""
    rows: Mapping[str, Measures] = {found.policy: found.measures, **found.baselines}
    table = [("", *(name.replace("_", " ") for name in rounded(asdict(found.measures))))]
    table += [
        (name, *(f"{value:.3f}" for value in rounded(asdict(measures)).values())) for name, measures in rows.items()
    ]
    documents = f"{found.n:,} documents, {found.n_relevant:,} relevant{refused_text(found.n_refused)}"
    return "\n".join([f"{documents}, {found.seconds:.1f} seconds", *aligned(table)])


def readers_as_json(found: simulated_readers.Curve) -> dict[str, object]:
    """A JSON object; `curve` has one object per number of labels, with AUC by method."""
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


def readers_as_text(found: simulated_readers.Curve) -> str:
    """A title line and an aligned table, one row per number of labels: mean AUC ± standard deviation."""
    table: list[tuple[str, ...]] = [("labels", *simulated_readers.WAYS, "worst used", "by model")]
    for step in found.steps:
        cells = [f"{step.figures[way].auc:.3f} ±{step.figures[way].deviation:.3f}" for way in simulated_readers.WAYS]
        worst = f"{step.figures[simulated_readers.USED].worst:.3f}"
        table.append((str(step.n_labels), *cells, worst, f"{step.n_by_model} of {step.n_runs}"))
    title = (
        f"{found.n:,} documents{refused_text(found.n_refused)}, {found.n_readers} readers, {found.seconds:.1f} seconds"
    )
    return "\n".join([title, "AUC on articles that weren't shown, by number of labels:", *aligned(table)])


def for_you_as_text(found: for_you.Report) -> str:
    """A title line and an aligned table, one row per reader and number of choices."""
    table: list[tuple[str, ...]] = [("reader", "choices", "ours", "TF-IDF", "of second", "of a publisher")]
    for row in found.figures:
        cells = (f"{row.precision:.2f}", f"{row.baseline:.2f}", f"{row.n_second:.1f}", f"{row.n_of_a_publisher:.1f}")
        table.append((row.reader, str(row.n_choices), *cells))
    title = f"{found.n:,} documents, {for_you.SEEDS} runs each, {found.seconds:.1f} seconds"
    return "\n".join([title, f"Share of the first {for_you.SHOWN} rows on their subjects:", *aligned(table)])


def _run_for_you(options: Mapping[str, Any], command: Any) -> None:
    try:
        found = for_you.for_you([document for path in options["paths"] for document in read_items(path)[0]])
    except LabelledFileError as error:
        raise CommandError(str(error)) from error
    warn_without_meaning(command)
    command.stdout.write(json.dumps(asdict(found)) if options["json"] else for_you_as_text(found))


def _run_relevance(options: Mapping[str, Any], command: Any) -> None:
    positive_from = options["positive_from"]
    try:
        rated, refusals = relevance.read_file(options["file"], positive_from=positive_from)
        report_refusals(refusals, command)
        found = relevance.evaluate(
            rated,
            n_refused=len(refusals),
            positive_from=1 if positive_from is None else positive_from,
            prequential=options["prequential"],
        )
    except LabelledFileError as error:
        report_refusals(error.refusals, command)
        raise CommandError(str(error)) from error
    warn_without_meaning(command)
    command.stdout.write(json.dumps(relevance_as_json(found)) if options["json"] else relevance_as_text(found))


def _run_readers(options: Mapping[str, Any], command: Any) -> None:
    try:
        rated, refusals = simulated_readers.read_file(options["file"], language=options["lang"])
        report_refusals(refusals, command)
        found = simulated_readers.learning_curve(rated, as_they_come=options["as_they_come"], n_refused=len(refusals))
    except LabelledFileError as error:
        report_refusals(error.refusals, command)
        raise CommandError(str(error)) from error
    warn_without_meaning(command)
    command.stdout.write(json.dumps(readers_as_json(found)) if options["json"] else readers_as_text(found))
