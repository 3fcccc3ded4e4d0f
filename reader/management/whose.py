"""The `--user` option that commands share."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from reader.models import Owner


def add_user_option(parser: ArgumentParser) -> None:
    parser.add_argument("--user", metavar="NAME", help="whose subscriptions (default: the owner's)")


def user_of(options: dict[str, Any]) -> User:
    """The user named by `--user`, else the owner. Raises CommandError that says what to do."""
    name = options["user"]
    if name:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no user called {name}.")
        return user
    owner = Owner.objects.select_related("user").first()
    user = owner.user if owner else User.objects.filter(is_superuser=True).order_by("pk").first()
    if user is None:
        raise CommandError("There is no account yet. Open the reader in a browser and create it, then try again.")
    return user
