"""`manage.py import_data USER FILE`."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.account.errors import DataRefused
from rssmanager.account.importing import begin, confirm, run
from rssmanager.account.management.whose import user_named
from rssmanager.account.models import DataImport


class Command(BaseCommand):
    help = "Take what export_data wrote, or a person downloaded, into a user's account; safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        user, path, now = user_named(options["user"]), options["file"], timezone.now()
        try:
            with path.open("rb") as file:
                job = begin(user, file, name=path.name, now=now)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except DataRefused as error:
            raise CommandError(f"{path.name}: {error}") from error
        confirm(job)
        job = run(job.pk, now=now, max_items=settings.ENV.FETCH_MAX_ITEMS, on_progress=self._show_progress)
        for line in job.lines.all():
            self.stdout.write(f"refused: line {line.line}: {line.label}: {line.reason}")
        self.stdout.write(f"{job.n_total:,} lines handled, {job.n_refused:,} refused.")

    def _show_progress(self, job: DataImport) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"{job.n_done:,} of {job.n_total:,}", ending="\r")
