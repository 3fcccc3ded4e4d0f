"""Errors of accounts; each message is a sentence for the user."""


class AccountError(Exception):
    """Base class."""


class DataRefused(AccountError):
    """The file isn't an export of this app, or exceeds its limits."""


class UndoRefused(AccountError):
    """A link that undoes a change was used already, or is unknown: never sent, cut off, or expired."""

    def __init__(self, *, is_used: bool) -> None:
        super().__init__("used" if is_used else "unknown")
        self.is_used = is_used


class ActionRefused(AccountError):
    """An administrator can't do this to that account."""
