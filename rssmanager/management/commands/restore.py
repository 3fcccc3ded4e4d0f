"""`manage.py restore FILE [--replace]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.backup.archive import BackupError
from rssmanager.backup.restore import Restored, restore


class Command(BaseCommand):
    help = "Restore a backup. Stop the app first, and start it again afterwards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--replace", action="store_true", help="replace existing data, after backing it up")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restored = restore(options["file"], replaces=options["replace"], now=timezone.now())
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join(_describe(restored)))


def _describe(restored: Restored) -> list[str]:
    lines = [f"Restored the backup from {restored.manifest.made_at}. All users must sign in again."]
    if restored.before:
        lines.append(f"The previous data is in {restored.before.path}.")
    if restored.held.n_mails or restored.held.n_digests:
        lines.append(
            f"To avoid sending anything twice, {restored.held.n_mails} waiting emails are held back and "
            f"{restored.held.n_digests} due digests are skipped."
        )
    if restored.has_key:
        lines.append("The secret key was restored too: restart the app.")
    return lines
