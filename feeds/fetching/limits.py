"""Limits for every request."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from math import inf


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Seconds, bytes and counts; the defaults are SPEC's (best-practices §1–3).

    `connect_seconds` covers the DNS lookup, every address tried and the TLS handshake. `total_seconds` is for one try
    with its redirects, slow drips of bytes included. `queue_seconds` is the longest wait for other requests to the same
    domain, in all tries together, and not part of `total_seconds`. `retry_waits` are the seconds before the second,
    third, … try; none starts after `all_seconds`, which end the fetch. `max_bytes` is for the decompressed body.
    `per_domain` limits the requests in flight in this process. `allowed_networks` are private networks that may be
    fetched from; `allow_private_networks` switches the address check off.
    """

    connect_seconds: float = 10.0
    total_seconds: float = 30.0
    queue_seconds: float = 30.0
    max_bytes: int = 16 * 2**20
    max_redirects: int = 5
    per_domain: int = 2
    retry_waits: tuple[float, ...] = (1.0, 2.0)
    all_seconds: float = inf
    allow_private_networks: bool = False
    allowed_networks: tuple[IPv4Network | IPv6Network, ...] = ()
