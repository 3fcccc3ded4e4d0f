"""The registrable domain of a host: the unit of request limits. Which publisher it is: `feeds.publishers.hosts`.

It comes from the Public Suffix List with its private section: `alice.github.io` and `bob.github.io` are two publishers,
`news.bbc.co.uk` and `www.bbc.co.uk` are one. For IP addresses, single labels and public suffixes (`github.io`), it is
the host itself.
"""

import functools
import ipaddress
import re

import idna
from publicsuffixlist import PublicSuffixList

_HOST_FIRST = re.compile(r"(?P<host>[\w-][\w.-]*\.[^\W\d_][\w-]+)(?::\d{1,5})?(?P<after>[/?#]|\Z)")
_FILE_TYPES = frozenset((
    "ai", "app", "bz", "cab", "cc", "do", "la", "md", "mk", "ml", "mov", "pl", "pm", "ps", "py", "rs", "sh", "so",
    "zip",
))  # fmt: skip
_RESERVED = ".example"  # for documentation and tests, RFC 2606
_HOST_IN_URL = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?P<authority>[^/?#\\]*)")
_LONGEST_HOST = 260  # characters, with a port
_CACHED_HOSTS = 16_384  # about 4 MB; a large installation follows a few thousand hosts


@functools.cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=True, accept_encoded_idn=True)


def registrable_domain(host_or_url: str) -> str:
    """Return the registrable domain of a URL or of a host with or without port, in lower-case ASCII (IDNA).

    "" when there is no host. IP addresses (IPv6 without brackets) and single-label hosts are returned as they are.
    """
    return _domain_of_host(host_of(host_or_url))


def has_public_suffix(host: str) -> bool:
    """Whether the host is below a public suffix, so that its name may be known outside its own network."""
    return bool(_suffixes().privatesuffix(ascii_host(host), accept_unknown=False))


def with_scheme(url: str) -> str:
    """Return a URL that begins with a host instead of a scheme (`www.example.org/x`, `example.org/x`) with `http:`.

    Relative URLs stay as they are: the first part of a path has no public suffix, or one that is also a file type.
    """
    found = _HOST_FIRST.match(url, 0, _LONGEST_HOST)
    if found is None:
        return url
    host = found["host"].lower()
    is_path = found["after"] != "/" and host.rpartition(".")[2] in _FILE_TYPES
    is_host = host.startswith("www.") or (not is_path and (has_public_suffix(host) or host.endswith(_RESERVED)))
    return f"http://{url}" if is_host else url


def host_of(host_or_url: str) -> str:
    """Return the host of a URL, or of a host with or without port, as `hostname` does; "" if there is none."""
    match = _HOST_IN_URL.match(host_or_url)
    return hostname(match["authority"] if match else host_or_url)


def hostname(authority: str) -> str:
    """Return the host of `user:password@host:port` in lower-case ASCII, IPv6 without brackets; "" if there is none."""
    host = authority.strip().rpartition("@")[2]
    if host.startswith("["):
        address, closed, after = host[1:].partition("]")
        return _ipv6(address) if closed and (not after or after.startswith(":")) else ""
    if host.count(":") > 1:  # a bare IPv6 address
        return _ipv6(host)
    return ascii_host(host.partition(":")[0])


@functools.lru_cache(maxsize=_CACHED_HOSTS)
def ascii_host(host: str) -> str:
    """Return `host` in lower-case ASCII: IDNA 2008 with the mapping of UTS 46, no trailing dot.

    Labels that IDNA 2008 rejects (emoji of old registrations) are encoded anyway, as in browsers.
    """
    host = host.rstrip(".").lower()
    if host.isascii():
        return host
    try:
        host = idna.uts46_remap(host, std3_rules=False, transitional=False)
    except idna.IDNAError:
        host = host.replace("\u3002", ".")
    return ".".join(map(_ascii_label, host.split("."))).rstrip(".")


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except idna.IDNAError:
        return "xn--" + label.encode("punycode").decode("ascii")


@functools.lru_cache(maxsize=_CACHED_HOSTS)
def _domain_of_host(host: str) -> str:
    if not host or "." not in host or _is_address(host):
        return host
    return _suffixes().privatesuffix(host) or host


def _ipv6(host: str) -> str:
    """Return the address in lower case, "" if it is invalid or has a zone."""
    return host.lower() if host.isascii() and "%" not in host and _is_address(host) else ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
