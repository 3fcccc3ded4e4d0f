"""Decides which addresses may be connected to: the defence against server-side request forgery (SPEC §2).

Feed URLs come from strangers, so they must not reach what only this machine can: loopback, the home or company network,
a cloud's metadata service. The rule is about addresses, never about host names or spellings: `2130706433`, `0x7f.1`,
`localhost.` and DNS records are all checked when the socket is connected.

An address is public if the IANA registries call it globally reachable (`ipaddress.is_global`), and it is neither
multicast nor reserved. IPv6 addresses that embed an IPv4 address are checked by that: mapped and NAT64 ones by that
alone (IPv6-only networks reach everything by NAT64), 6to4 and Teredo ones by that as well. The list below covers
networks that older Python versions don't know.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from feeds.wording import gettext as _

_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # "this network"; Linux connects 0.0.0.0 to itself
        "100.64.0.0/10",  # shared address space of carriers (RFC 6598)
        "192.0.0.0/24",  # IETF protocol assignments
        "192.88.99.0/24",  # 6to4 relays, deprecated (RFC 7526)
        "198.18.0.0/15",  # benchmarking
        "::/96",  # IPv4-compatible, deprecated (RFC 4291)
        "64:ff9b:1::/48",  # NAT64 for local use (RFC 8215), meant for private networks
        "100::/64",  # discard-only
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation (RFC 9637)
        "5f00::/16",  # segment routing SIDs (RFC 9602)
        "fec0::/10",  # site-local, deprecated
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are the IPv4 address


class AddressRefused(Exception):
    """The address is not public. Not an `OSError`, so that no library retries it."""


class AddressGuard:
    """Checks addresses as `getaddrinfo` and `getpeername` return them. Pure and thread-safe."""

    def __init__(self, *, allow_private: bool, allowed_networks: tuple[IPv4Network | IPv6Network, ...] = ()) -> None:
        self._allow_private = allow_private
        self._allowed_networks = allowed_networks

    def permits(self, address: str) -> bool:
        """Whether a socket may be connected to `address` ("192.0.2.1", "fe80::1%eth0"); False if it is unreadable."""
        if self._allow_private:
            return True
        try:
            candidate = ip_address(address)
        except ValueError:
            return False
        if any(form in network for form in _forms(candidate) for network in self._allowed_networks):
            return True
        return is_public(candidate)

    def check(self, address: str) -> None:
        """Raise AddressRefused unless `address` is permitted."""
        if not self.permits(address):
            raise AddressRefused(_("%(address)s is not a public address") % {"address": address})


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether `address`, and every IPv4 address embedded in it, is on the public internet."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
        if not all(is_public(embedded) for embedded in _tunnel_addresses(address)):
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _NOT_PUBLIC)
    )


def _tunnel_addresses(address: IPv6Address) -> tuple[IPv4Address, ...]:
    return (*(address.teredo or ()), *([address.sixtofour] if address.sixtofour else ()))


def _forms(address: IPv4Address | IPv6Address) -> tuple[IPv4Address | IPv6Address, ...]:
    """Return the address, and the IPv4 address of a mapped one."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (address,) if mapped is None else (address, mapped)
