"""Errors of `reader`; their messages are shown to users."""


class ReaderError(Exception):
    """The base class."""


class NothingToFollow(ReaderError):
    """No feed was found at an address. `candidates` are URLs that were tried or found but could not be read."""

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class AlreadyOwned(ReaderError):
    """The owner account already exists."""


class LimitReached(ReaderError):
    """The user has as many rows of a kind as allowed (`reader.limits`)."""


class TagRefused(ReaderError):
    """The tag is invalid."""


class RuleRefused(ReaderError):
    """The rule is invalid."""


class HighlightRefused(ReaderError):
    """The highlight is empty or too long."""


class NotSaved(ReaderError):
    """The search can't be saved."""


class FolderRefused(ReaderError):
    """The folder's name is invalid."""


class FolderExists(ReaderError):
    """The user has another folder with that name; they can merge the two."""
