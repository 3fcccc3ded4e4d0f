"""`manage.py evaluate`: measures quality on labelled files, without a database."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from feeds.dedup.in_memory import POLICIES, group
from rssmanager.evaluation import audit_command, relevance_command, sensitivity_command, topics_command
from rssmanager.evaluation.datasets import LabelledFile, LabelledFileError, read
from rssmanager.evaluation.dedup import Evaluation, Grouping, Measures, evaluate
from rssmanager.evaluation.items import across_publishers, join_labels, mixed_with, read_items, read_labels
from rssmanager.evaluation.output import MANY_DOCUMENTS, ignore_progress, report_refusals
from rssmanager.evaluation.report import SETS, MarksMissing, as_json, as_markdown, as_text, with_table

ALL = "all"

Result = TypeVar("Result")

_GROUPINGS = (  # name, whether coverage of one event is tied, help
    ("dedup", False, "are copies and near-copies of an article in one story?"),
    ("stories", True, "are all articles about one event in one story?"),
)


class Command(BaseCommand):
    help = "Measure quality on labelled files, next to simple baselines."
    requires_system_checks = ()
    stealth_options = ("grouping",)  # a replacement for the app's own function, for tests

    def add_arguments(self, parser: ArgumentParser) -> None:
        tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
        for name, events, summary in _GROUPINGS:
            task = tasks.add_parser(name, help=summary, description=f"Measure: {summary}")
            task.add_argument("file", type=Path, help="one JSON object per line: documents with story, or pairs")
            task.add_argument("--policy", choices=(*POLICIES, ALL), default=POLICIES[0], help="default: %(default)s")
            task.add_argument("--lang", default="", metavar="CODE", help="only articles in this language, such as `en`")
            task.add_argument(
                "--labels", type=Path, metavar="FILE", help="labels by URL (tab-separated: url, event, ignore_with)"
            )
            task.add_argument(
                "--ordinary", nargs="+", type=Path, default=[], metavar="PATH", help="feeds whose items report no event"
            )
            task.add_argument(
                "--across-publishers", action="store_true", help="leave out events that only one publisher reports"
            )
            task.add_argument("--json", action="store_true", help="print one JSON object")
            task.set_defaults(run=self._measure_grouping, events=events)
        audit_command.add_to(tasks, self)
        sensitivity_command.add_to(tasks, self)
        relevance_command.add_to(tasks, self)
        topics_command.add_to(tasks, self)
        table = tasks.add_parser("table", help="the table of all labelled sets and policies, as in docs/evaluation.md")
        table.add_argument("--folder", type=Path, help="folder of the labelled files")
        table.add_argument("--write", type=Path, metavar="FILE", help="update the table in this file")
        table.set_defaults(run=self._show_table)

    def handle(self, *args: Any, **options: Any) -> None:
        options["run"](options)

    def _measure_grouping(self, options: dict[str, Any]) -> None:
        labelled = self._labelled(options)
        policies = POLICIES if options["policy"] == ALL else (options["policy"],)
        report = self._evaluate(labelled, policies, events=options["events"], grouping=options.get("grouping", group))
        self.stdout.write(json.dumps(as_json(report, policies[0])) if options["json"] else as_text(report))

    def _labelled(self, options: dict[str, Any]) -> LabelledFile:
        if options["labels"] is None:
            labelled = self._read(options["file"], options["lang"])
        else:
            items, refusals = self._reported(read_items, options["file"])
            labels = self._reported(read_labels, options["labels"])
            labelled = LabelledFile(self._reported(join_labels, items, labels), refusals=refusals)
        if options["across_publishers"]:
            labelled = across_publishers(labelled)
        ordinary = [item for path in options["ordinary"] for item in self._reported(read_items, path)[0]]
        return mixed_with(labelled, ordinary) if ordinary else labelled

    def _show_table(self, options: dict[str, Any]) -> None:
        folder = options["folder"] or settings.BASE_DIR.parent / "shared" / "data" / "labelled"
        sets = [labelled_set for labelled_set in SETS if (folder / labelled_set.file).is_file()]
        if not sets:
            raise CommandError(f"None of the labelled files is in {folder}.")
        grouping = options.get("grouping", group)
        measured = [(one.name, self._by_method(self._read(folder / one.file, one.language), grouping)) for one in sets]
        table = as_markdown(measured)
        if options["write"]:
            self._write(options["write"], table)
        else:
            self.stdout.write(table)

    def _by_method(self, labelled: LabelledFile, grouping: Grouping) -> dict[str, Measures]:
        stories = self._evaluate(labelled, POLICIES, events=True, grouping=grouping)
        copies = self._evaluate(labelled, POLICIES[:1], events=False, grouping=grouping)
        return {
            **stories.policies,
            f"{POLICIES[0]}, copies only": copies.policies[POLICIES[0]],
            "equal titles": stories.baselines["exact_title"],
            "TF-IDF, best threshold": stories.baselines["tfidf_best_threshold"],
        }

    def _write(self, path: Path, table: str) -> None:
        try:
            path.write_text(with_table(path.read_text(encoding="utf-8"), table), encoding="utf-8")
        except (OSError, MarksMissing) as error:
            raise CommandError(f"{path} is unchanged: {error}.") from error
        self.stdout.write(f"Updated the table in {path}.")

    def _evaluate(
        self, labelled: LabelledFile, policies: tuple[str, ...], *, events: bool, grouping: Grouping
    ) -> Evaluation:
        n = len(labelled.documents) + 2 * len(labelled.pairs)
        on_step = self.stderr.write if n > MANY_DOCUMENTS and self.stderr.isatty() else ignore_progress
        return evaluate(labelled, policies=policies, events=events, grouping=grouping, on_step=on_step)

    def _read(self, path: Path, language: str) -> LabelledFile:
        labelled = self._reported(partial(read, language=language), path)
        report_refusals(labelled.refusals, self)
        return labelled

    def _reported(self, reader: Callable[..., Result], *arguments: object) -> Result:
        """What the reader returns; its errors as messages of the command."""
        try:
            return reader(*arguments)
        except LabelledFileError as error:
            report_refusals(error.refusals, self)
            raise CommandError(str(error)) from error
