"""Reasons why an email was not sent; each message is a sentence for the user."""

from digests.errors import DigestsError


class MailError(DigestsError):
    """Base class."""


class NotAccepted(MailError):
    """The email was certainly not sent.

    `is_final`: don't try again. `is_for_all`: the server accepts no email at all right now.
    """

    def __init__(self, message: str, *, is_final: bool = False, is_for_all: bool = False) -> None:
        super().__init__(message)
        self.is_final, self.is_for_all = is_final, is_for_all


class Unconfirmed(MailError):
    """The server received the whole email but didn't confirm it, so it may have been sent."""


class ClaimLost(MailError):
    """The email was canceled, or the claim expired and another worker has it."""


class NothingToSend(MailError):
    """The user or the content no longer exists."""
