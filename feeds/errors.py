"""The errors of `feeds`; each carries what its caller needs to handle and explain it."""

from functools import partial


class FeedsError(Exception):
    """The base class. `str(error)` is a message for the user."""


class FetchError(FeedsError):
    """A URL gave no usable response.

    `url` never holds credentials. `retryable`: trying again within the same poll could help.
    """

    retryable = False

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class ConnectionFailed(FetchError):
    """Name not resolved, connection refused or reset, TLS failed, response cut short."""

    retryable = True


class CertificateRejected(ConnectionFailed):
    """The server's TLS certificate is invalid; the message gives the reason. Not retryable."""

    retryable = False


class FetchTimeout(FetchError):
    """Connecting or the whole fetch took longer than allowed."""

    retryable = True


class OutOfTime(FeedsError):
    """The user has waited long enough; the work continues in the background."""


class ForbiddenAddress(FetchError):
    """The URL resolves to an address that is not public, or is not http or https."""


class BodyTooLarge(FetchError):
    """The decompressed body exceeds the limit."""


class TooManyRedirects(FetchError):
    """More redirects than allowed, or a loop."""


class ParseError(FeedsError):
    """The bytes are not a feed, even after repair. `reason` is `empty`, `html`, `json`, `not_a_feed`, `unreadable` or
    `too_costly`."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[partial["ParseError"], tuple[str]]:
        """Pickle with `reason`, to pass between processes."""
        return partial(ParseError, reason=self.reason), (str(self),)


class PageError(FeedsError):
    """A page contains no article: it is not HTML, too large, or has no text."""


class ImportFileError(FeedsError):
    """A subscription list cannot be read at all."""


class TimeLimitExceeded(FeedsError):
    """Work on an entry, or on a batch of them, took longer than its limit, in seconds (`feeds.time_limit`)."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds
