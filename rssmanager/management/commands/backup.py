"""`manage.py backup [FILE] [--keep N]`."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.backup.archive import BackupError
from rssmanager.backup.create import default_path, make_backup


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError("a whole number from 1")
    return int(text)


class Command(BaseCommand):
    help = "Save the database and the secret key in one file, while the app runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="default: one in DATA_DIR/backups")
        parser.add_argument("--keep", metavar="N", type=_at_least_one, help="delete all but the newest N backups there")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            backup = make_backup(options["file"] or default_path(now), now=now, keep=options["keep"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            removed = [str(path) for path in backup.removed]
            self.stdout.write(json.dumps({"file": str(backup.path), "n_bytes": backup.n_bytes, "removed": removed}))
        else:
            self.stdout.write(f"{backup.path}: {backup.n_bytes:,} bytes.")
            for path in backup.removed:
                self.stdout.write(f"Deleted {path}.")
