"""The base of `import_opml` and `import_feeds_yaml`: imports a file with progress and reports refused lines."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.errors import ImportFileError
from reader.errors import LimitReached
from reader.management.user_option import add_user_option, user_of
from reader.models import Import, ImportStatus
from reader.subscriptions.importer import import_file


class ImportCommand(BaseCommand):
    """Import a subscription file; exit status 1 if it can't be read or lists no feed."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        add_user_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CommandError(f"Can't read {path}: {error.strerror}.") from error
        try:
            job = import_file(
                user_of(options),
                data,
                name=path.name,
                now=timezone.now(),
                default_max_items=settings.ENV.FETCH_MAX_ITEMS,
                on_progress=self._show_progress,
            )
        except (ImportFileError, LimitReached) as error:
            raise CommandError(f"{path.name}: {error}") from error
        if job.status == ImportStatus.FAILED:
            raise CommandError(f"{path.name}: {job.message}")
        for line in job.lines.all():
            where = f"line {line.line}: " if line.line else ""
            self.stdout.write(f"refused: {where}{line.label}: {line.reason}")
        note = f" {job.message}" if job.message else ""
        if not job.n_total:
            raise CommandError(f"{path.name}: This file lists no feed that can be followed.{note}")
        self.stdout.write(
            f"{job.n_added} feeds followed, {job.n_known} already followed, {job.lines.count()} refused.{note}"
        )

    def _show_progress(self, job: Import) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"{job.n_done} of {job.n_total}", ending="\r")
