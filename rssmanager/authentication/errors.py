"""Errors raised while signing in."""

from datetime import datetime
from math import ceil


class SignInError(Exception):
    """The root."""


class TooManyTries(SignInError):
    """Too many attempts; `until` is when the next one is allowed."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"too many tries until {until:%Y-%m-%d %H:%M}")
        self.until = until

    def seconds(self, now: datetime) -> int:
        """How long to wait, at least 1."""
        return max(1, ceil((self.until - now).total_seconds()))

    def minutes(self, now: datetime) -> int:
        """The same in minutes, rounded up."""
        return ceil(self.seconds(now) / 60)


class NotConnected(SignInError):
    """The provider's answer matches no account; its message is shown to the user."""


class NotConfirmed(SignInError):
    """Neither the user's password nor one of their codes."""


class PasskeyRefused(SignInError):
    """A browser's answer is not from a passkey known here, or not to the challenge it was given."""
