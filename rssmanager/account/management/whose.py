"""Whose data a command is about."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError


def user_named(name: str) -> User:
    """The user of that name. Raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user called {name}.")
    return user
