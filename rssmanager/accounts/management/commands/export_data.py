"""`manage.py export_data USER FILE`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from reader.management.user_option import find_user
from rssmanager.accounts.exporting import export_zip


class Command(BaseCommand):
    help = "Export all of a user's data as a ZIP file: feeds, read states, stars, rules, interests, settings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        user, path = find_user(options["user"]), options["file"]
        try:
            with path.open("wb") as file:
                n_bytes = sum(file.write(piece) for piece in export_zip(user, now=timezone.now()))
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from error
        self.stdout.write(f"{path}: {n_bytes:,} bytes.")
