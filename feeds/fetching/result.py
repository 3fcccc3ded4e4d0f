"""The result of a fetch. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect that was followed; URLs without credentials."""

    status: int
    from_url: str
    to_url: str


@dataclass(frozen=True, slots=True)
class FetchResult:
    """An HTTP response of any status, read within the limits.

    `url` is the final URL without credentials; `headers` has lower-case names; `body` is decompressed, and empty
    unless the status is 2xx. `seconds` is the duration of the last try, without waiting for a slot; `n_bytes` is the
    size of the body on the wire.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hops: tuple[Hop, ...] = ()
    seconds: float = 0.0
    n_tries: int = 1
    n_bytes: int = 0

    @property
    def moved_permanently_to(self) -> str:
        """The final URL when every hop was a 301 or 308, else ""."""
        if self.hops and all(hop.status in (301, 308) for hop in self.hops):
            return self.url
        return ""
