"""`manage.py export_data USER FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.account.exporting import export_zip
from rssmanager.account.management.whose import user_named


class Command(BaseCommand):
    help = "Write everything of a user into a ZIP: feeds, what was read and starred, rules, interests, settings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        user, path = user_named(options["user"]), options["file"]
        try:
            with path.open("wb") as file:
                n_bytes = sum(file.write(piece) for piece in export_zip(user, now=timezone.now()))
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{path}: {n_bytes:,} bytes.")
