"""`manage.py export_opml`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from reader.management.user_option import add_user_option, user_of
from reader.subscriptions.opml_export import export_opml


class Command(BaseCommand):
    help = "Export the user's subscriptions as OPML 2.0, to standard output or a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", metavar="FILE", type=Path)
        add_user_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options)
        title = f"{user.get_username()}'s feeds"
        document = export_opml(user, title=title, now=timezone.now())
        if options["output"]:
            options["output"].write_bytes(document)
        else:
            self.stdout.write(document.decode())
