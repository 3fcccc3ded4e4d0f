"""`manage.py backup [FILE] [--keep N]`."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.backup.archive import BackupError
from rssmanager.backup.making import make_backup, usual_place


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError("a whole number from 1")
    return int(text)


class Command(BaseCommand):
    help = "Write everything into one file, while the reader goes on: the database and the signing key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="usually one in DATA_DIR/backups")
        parser.add_argument("--keep", metavar="N", type=_at_least_one, help="take all but the newest N away there")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            made = make_backup(options["file"] or usual_place(now), now=now, keep=options["keep"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            removed = [str(each) for each in made.removed]
            self.stdout.write(json.dumps({"file": str(made.path), "n_bytes": made.n_bytes, "removed": removed}))
        else:
            self.stdout.write(f"{made.path}: {made.n_bytes:,} bytes.")
            for each in made.removed:
                self.stdout.write(f"{each} was taken away.")
