"""Errors of `reader`; each message is a sentence for the person who caused it."""


class ReaderError(Exception):
    """The root."""


class NothingToFollow(ReaderError):
    """No feed was found at an address. `candidates` are URLs that were tried or found but could not be read."""

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class AlreadyOwned(ReaderError):
    """The first account exists; nobody else may create it."""
