"""`manage.py second_factor USER [--off]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from rssmanager.account.management.whose import user_named
from rssmanager.signing_in.second_factor import is_on, n_recovery_codes, switch_off


class Command(BaseCommand):
    help = "Say whether a user has a second factor; with --off, switch it off for who lost it and all recovery codes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("--off", action="store_true", help="switch it off; the password alone signs in then")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_named(options["user"])
        if not is_on(user):
            self.stdout.write(f"{user} has no second factor.")
        elif options["off"]:
            switch_off(user)
            self.stdout.write(f"The second factor of {user} is off.")
        else:
            self.stdout.write(f"{user} has a second factor, and {n_recovery_codes(user)} recovery codes left.")
