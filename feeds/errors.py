"""Every error that `feeds` raises on purpose; each carries what its caller needs to act and to explain."""


class FeedsError(Exception):
    """The root: `str(error)` is a sentence that a person may read."""


class FetchError(FeedsError):
    """No usable answer came from a URL.

    `url` never holds credentials. `retryable` says whether trying again within the same poll could help
    (connection errors, timeouts, 5xx).
    """

    retryable = False

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class ConnectionFailed(FetchError):
    """Name not resolved, connection refused or reset, TLS failed, answer cut short."""

    retryable = True


class CertificateRefused(ConnectionFailed):
    """The server's TLS certificate was not accepted; the message says why. Another try would see the same one."""

    retryable = False


class FetchTimeout(FetchError):
    """Connecting or the whole attempt took longer than allowed."""

    retryable = True


class ForbiddenAddress(FetchError):
    """The URL leads to an address that is not public, or is not http or https."""


class BodyTooLarge(FetchError):
    """The decompressed body passed the limit; what was read is thrown away."""


class TooManyRedirects(FetchError):
    """More hops than allowed, or a loop."""


class ParseError(FeedsError):
    """The bytes are not a feed, even after repair. `reason` is a short machine word: `empty`, `html`, `json`,
    `not_a_feed`, `unreadable`."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageError(FeedsError):
    """A page that came gives no article: not HTML, too large, or nothing in it that reads like a text."""


class ImportFileError(FeedsError):
    """A subscription list that cannot be read at all."""
