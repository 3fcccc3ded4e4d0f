"""Errors of signing in."""

from datetime import datetime
from math import ceil


class SigningInError(Exception):
    """The root."""


class TooManyTries(SigningInError):
    """Somebody tries too often; `until` is when one more try is free."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"too many tries until {until:%Y-%m-%d %H:%M}")
        self.until = until

    def seconds(self, now: datetime) -> int:
        """How long to wait, at least 1."""
        return max(1, ceil((self.until - now).total_seconds()))

    def minutes(self, now: datetime) -> int:
        """The same for people, rounded up."""
        return ceil(self.seconds(now) / 60)


class NotConnected(SigningInError):
    """What the provider says cannot be tied to an account; a sentence for who tried."""
