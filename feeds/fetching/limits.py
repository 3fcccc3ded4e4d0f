"""The limits that every request keeps to."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Seconds, bytes and counts; the defaults are SPEC's (best-practices §1–3).

    `connect_seconds` covers the look-up of the name, every address tried and the TLS handshake; `total_seconds` one
    attempt with all its redirects, the wait for other requests to the same domain not counted. `max_bytes` is the
    decompressed body. `per_domain` counts requests in flight in this process. `retry_waits` are the seconds before
    the second, third, … try. `allowed_networks` are private networks that may be reached all the same ("feeds at
    home"); `allow_private_networks` lifts the check of addresses altogether.
    """

    connect_seconds: float = 10.0
    total_seconds: float = 30.0
    max_bytes: int = 16 * 2**20
    max_redirects: int = 5
    per_domain: int = 2
    retry_waits: tuple[float, ...] = (1.0, 2.0)
    allow_private_networks: bool = False
    allowed_networks: tuple[IPv4Network | IPv6Network, ...] = ()
