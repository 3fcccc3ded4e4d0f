"""`manage.py second_factor USER [--off]`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from reader.management.user_option import find_user
from rssmanager.authentication.second_factor import is_on, n_recovery_codes, switch_off


class Command(BaseCommand):
    help = "Show whether a user has a second factor; --off removes it, passkeys included, if they have lost access."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("--off", action="store_true", help="remove it, so that the password alone signs in")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["user"])
        if not is_on(user):
            self.stdout.write(f"{user} has no second factor.")
        elif options["off"]:
            switch_off(user)
            self.stdout.write(f"The second factor of {user} is off.")
        else:
            self.stdout.write(f"{user} has a second factor and {n_recovery_codes(user)} recovery codes left.")
