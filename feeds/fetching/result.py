"""What fetching gives. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect that was followed: its status, where it came from and went to (no credentials)."""

    status: int
    from_url: str
    to_url: str


@dataclass(frozen=True, slots=True)
class FetchResult:
    """An HTTP answer of any status, read within the limits.

    `url` is the final URL without credentials; `headers` has lower-case names; `body` is decompressed, and empty
    unless the status is 2xx. `seconds` is the time that the attempt that answered took, without waiting for its turn
    at the domain; `n_tries` says how many attempts there were, `n_bytes` how long the body was on the wire.
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
