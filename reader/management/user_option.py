"""The `--user` option that commands share."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from reader.models import Owner


def add_user_option(parser: ArgumentParser) -> None:
    parser.add_argument("--user", metavar="NAME", help="user name (default: the owner)")


def find_user(name: str) -> User:
    """The user with that name. Raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"No user is called {name}.")
    return user


def user_of(options: dict[str, Any]) -> User:
    """The user named by `--user`, else the owner. Raises CommandError."""
    if options["user"]:
        return find_user(options["user"])
    owner = Owner.objects.select_related("user").first()
    user = owner.user if owner else User.objects.filter(is_superuser=True).order_by("pk").first()
    if user is None:
        raise CommandError("There is no account yet. Open the app in a browser to create one, then try again.")
    return user
