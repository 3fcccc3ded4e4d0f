"""Errors of signing in."""

from datetime import datetime


class SigningInError(Exception):
    """The root."""


class TooManyTries(SigningInError):
    """Somebody tries too often; `until` is when one more try is free."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"too many tries until {until:%Y-%m-%d %H:%M}")
        self.until = until


class NotConnected(SigningInError):
    """What the provider says cannot be tied to an account; a sentence for who tried."""
