"""`manage.py import_data USER FILE`."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from reader.management.user_option import find_user
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.importing import begin, confirm, run
from rssmanager.accounts.models import DataImport


class Command(BaseCommand):
    help = "Import a user's exported data into their account; safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        user, path, now = find_user(options["user"]), options["file"], timezone.now()
        try:
            with path.open("rb") as file:
                job = begin(user, file, name=path.name, now=now)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        except DataRefused as error:
            raise CommandError(f"{path.name}: {error}") from error
        confirm(job)
        job = run(job.pk, now=now, max_items=settings.ENV.FETCH_MAX_ITEMS, on_progress=self._show_progress)
        for line in job.lines.all():
            self.stdout.write(f"refused: line {line.line}: {line.label}: {line.reason}")
        self.stdout.write(f"{job.n_total:,} lines processed, {job.n_refused:,} refused.")

    def _show_progress(self, job: DataImport) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"{job.n_done:,} of {job.n_total:,}", ending="\r")
