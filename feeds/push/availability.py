"""Whether hubs can reach this installation."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from feeds.fetching.ssrf_guard import AddressGuard
from feeds.fetching.user_agent import is_public_host


def why_off() -> str:
    """Why hubs aren't used: "setting" (`PUSH` is off) or "address" (`BASE_URL` isn't public); "" if they are.

    An address in `FETCH_ALLOWED_NETWORKS` counts as public, because hubs may be there, too.
    """
    if not settings.ENV.PUSH:
        return "setting"
    host = urlsplit(settings.BASE_URL).hostname or ""
    try:
        address = str(ip_address(host))
    except ValueError:
        return "" if is_public_host(host) else "address"
    guard = AddressGuard(
        allow_private=settings.ENV.FETCH_ALLOW_PRIVATE_NETWORKS, allowed_networks=settings.ENV.FETCH_ALLOWED_NETWORKS
    )
    return "" if guard.permits(address) else "address"
