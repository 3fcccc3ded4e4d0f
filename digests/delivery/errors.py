"""Why a mail did not go out; each message is a sentence for the person who waits for it."""

from digests.errors import DigestsError


class MailError(DigestsError):
    """The root."""


class NotTaken(MailError):
    """The mail surely did not go out.

    `is_final`: it never will, so it is not tried again. `is_for_all`: the server takes no mail at all at present.
    """

    def __init__(self, message: str, *, is_final: bool = False, is_for_all: bool = False) -> None:
        super().__init__(message)
        self.is_final, self.is_for_all = is_final, is_for_all


class Unanswered(MailError):
    """The mail server had the whole mail and did not say whether it took it: perhaps it went out."""


class ClaimLost(MailError):
    """The mail is no longer this worker's: it was called off, or the claim expired and another worker has it."""


class NothingToSend(MailError):
    """There is nobody, or nothing, to send it for any more."""
