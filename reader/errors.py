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


class TagRefused(ReaderError):
    """A tag cannot be called or made so; the message says why, to a person."""


class RuleRefused(ReaderError):
    """A rule cannot be made so; the message says why, to a person."""


class NotSaved(ReaderError):
    """A search could not be kept; says why, for the person."""


class FolderRefused(ReaderError):
    """A folder cannot be called so; the message says why, to a person."""


class FolderExists(ReaderError):
    """Another folder of the person has that name; they are asked whether the two become one."""
