"""`manage.py evaluate audit`: arguments and output."""

import json
from argparse import ArgumentParser, _SubParsersAction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from feeds.dedup.in_memory import POLICIES, Document
from rssmanager.evaluation.audit import as_json, as_text, audit_database, audit_documents
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.items import read_items
from rssmanager.evaluation.output import report_refusals

SUMMARY = "show every story that grouping makes of real feeds, with its evidence"
DATABASE = "database"


def add_to(tasks: "_SubParsersAction[ArgumentParser]", command: Any) -> None:
    """Add the subcommand; `command` is the command it writes to."""
    task = tasks.add_parser("audit", help=SUMMARY, description=SUMMARY.capitalize() + ".")
    task.add_argument(
        "source",
        nargs="+",
        help=f"files in JSON Lines, feed documents or folders of them; or `{DATABASE}`: the stories of this app",
    )
    task.add_argument("--policy", choices=POLICIES, default=POLICIES[0], help="default: %(default)s")
    task.add_argument("--json", action="store_true", help="print only counts, as one JSON object")
    task.set_defaults(run=lambda options: _run(options, command))


def _run(options: dict[str, Any], command: Any) -> None:
    if options["source"] == [DATABASE]:
        audit = audit_database()
    else:
        documents: list[Document] = []
        for source in options["source"]:
            try:
                found, refusals = read_items(Path(source))
            except LabelledFileError as error:
                report_refusals(error.refusals, command)
                raise CommandError(str(error)) from error
            report_refusals(refusals, command)
            documents += found
        audit = audit_documents(documents, policy=options["policy"])
    command.stdout.write(json.dumps(as_json(audit)) if options["json"] else as_text(audit))
