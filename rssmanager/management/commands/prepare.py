"""`manage.py prepare`: everything an installation needs before it serves; safe to repeat, and to begin twice."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from digests.restored import settle
from rssmanager.backup import workplace
from rssmanager.one_at_a_time import one_at_a_time
from rssmanager.schedules import write_schedules


class Command(BaseCommand):
    help = "Bring the database up to date, collect static files and write the schedules; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        verbosity = options["verbosity"] - 1
        with one_at_a_time(settings.DATA_DIR):
            call_command("migrate", interactive=False, verbosity=verbosity)
            call_command("collectstatic", interactive=False, verbosity=verbosity)
            n_schedules = write_schedules()
            workplace.clear(settings.DATA_DIR)  # these two where restoring a backup was interrupted
            settle(timezone.now())
        self.stdout.write(f"Ready: database and static files are up to date, {n_schedules} recurring tasks.")
