"""How requests to publishers introduce this installation."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from feeds.fetching.ssrf_guard import is_public
from feeds.normalizing.domains import has_public_suffix

_HOME = ".home.arpa"  # names of home networks (RFC 8375), although the list of public suffixes has it


def user_agent(version: str, base_url: str) -> str:
    """The `User-Agent` header. It names the site only if publishers could open it."""
    host = urlsplit(base_url).hostname or ""
    return f"rssmanager/{version} (+{base_url})" if is_public_host(host) else f"rssmanager/{version}"


def is_public_host(host: str) -> bool:
    """Whether a name or an address may be known outside its own network, as far as its spelling shows."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return has_public_suffix(host) and not host.endswith(_HOME)
