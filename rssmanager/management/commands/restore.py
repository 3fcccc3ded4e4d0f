"""`manage.py restore FILE [--replace]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from rssmanager.backup.archive import BackupError
from rssmanager.backup.restoring import Restored, restore


class Command(BaseCommand):
    help = "Put what a backup holds in place of what is here. Stop the reader before, and start it again afterwards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--replace", action="store_true", help="even where the reader is in use, of which a backup is made first"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restored = restore(options["file"], replaces=options["replace"], now=timezone.now())
        except BackupError as error:
            raise CommandError(str(error)) from error
        for sentence in _said(restored):
            self.stdout.write(sentence)


def _said(restored: Restored) -> list[str]:
    said = [f"Restored as it was at {restored.manifest.made_at}. Everybody has to sign in again."]
    if restored.before:
        said.append(f"What was here before is in {restored.before.path}.")
    if restored.held.n_mails or restored.held.n_digests:
        said.append(
            f"Lest anything be mailed twice, {restored.held.n_mails} mails that waited are held back, and "
            f"{restored.held.n_digests} digests that were due are passed over."
        )
    if restored.has_key:
        said.append("The signing key was restored, too: start the reader anew.")
    return said
