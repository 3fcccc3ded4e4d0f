"""`manage.py prepare`: everything an installation needs before it serves; safe to repeat."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from rssmanager.schedules import write_schedules


class Command(BaseCommand):
    help = "Bring the database up to date, collect static files and write the schedules; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        verbosity = options["verbosity"] - 1
        call_command("migrate", interactive=False, verbosity=verbosity)
        call_command("collectstatic", interactive=False, verbosity=verbosity)
        self.stdout.write(f"Ready: database and static files are up to date, {write_schedules()} recurring tasks.")
