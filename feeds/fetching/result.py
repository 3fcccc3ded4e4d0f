"""The result of a fetch. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from feeds.fetching.credentials import split_credentials, with_credentials

PERMANENT = frozenset({301, 308})  # statuses of redirects
READABLE = frozenset({200, 203, 206})  # with a document; some servers call a whole one partial content


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect that was followed, or with status 200 a page that only leads on; URLs without credentials."""

    status: int
    from_url: str
    to_url: str


@dataclass(frozen=True, slots=True)
class FetchResult:
    """An HTTP response of any status, read within the limits.

    `url` is the final URL without credentials; `headers` has lower-case names; `body` is decompressed, and empty
    unless the status is 2xx or the response may be a challenge; `is_partial`: it ended before its declared end.
    `seconds` is the duration of the last try, without waiting for a slot; `n_bytes` is the size of the body on the
    wire. `credentials` were sent to `url`: those of the original URL, those of a redirect, or None.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hops: tuple[Hop, ...] = ()
    seconds: float = 0.0
    n_tries: int = 1
    n_bytes: int = 0
    is_partial: bool = False
    credentials: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def moved_permanently_to(self) -> str:
        """The final URL when every hop was a 301 or 308, else ""."""
        if self.hops and all(hop.status in PERMANENT for hop in self.hops):
            return self.url
        return ""

    def url_to_store(self, url: str) -> str:
        """Return the new URL of `url` after permanent redirects, with its credentials.

        It stays as it is if its credentials weren't sent to the new one, or if a redirect had its own.
        """
        bare, credentials = split_credentials(url)
        moved_to = self.moved_permanently_to
        if moved_to in ("", bare) or self.credentials != credentials:
            return url
        return with_credentials(moved_to, credentials) if credentials is not None else moved_to
