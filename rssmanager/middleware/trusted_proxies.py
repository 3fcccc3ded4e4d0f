"""The client's address behind reverse proxies. Nothing else reads forwarding headers.

Anyone can send `X-Forwarded-For`, so it is read only if the connection comes from a network in `TRUSTED_PROXIES`. Each
proxy appends the address of its own client. So the header is read from the right, past trusted proxies, to the first
address that isn't one; everything left of it could be forged.

`X-Forwarded-Proto` is removed unless a trusted proxy sent it. Forms behind https still work without it, because their
`Origin` is checked (`CSRF_TRUSTED_ORIGINS`).
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

Address = IPv4Address | IPv6Address
_FORWARDED = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_REAL_IP")


def is_from_proxy(request: HttpRequest) -> bool:
    """Whether the connection itself comes from a trusted proxy."""
    return _is_trusted(_address(request.META.get("REMOTE_ADDR", "")))


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser is on this machine, as far as a proxy or tunnel doesn't hide where it is."""
    nearest = _address(request.META.get("REMOTE_ADDR", ""))
    is_forwarded = any(header in request.META for header in _FORWARDED)
    is_near = nearest is not None and nearest.is_loopback and not is_forwarded
    return is_near and is_loopback(urlsplit(f"//{request.get_host()}").hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    address = _address(f"[{host}]")
    return address.is_loopback if address else host == "localhost"


def client_address(request: HttpRequest) -> str:
    """The client's address; "" if there is none, as behind a Unix socket."""
    nearest = _address(request.META.get("REMOTE_ADDR", ""))
    if _is_trusted(nearest):
        for hop in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            address = _address(hop)
            if address is None:  # nothing left of it can be trusted
                break
            nearest = address
            if not _is_trusted(address):
                break
    return str(nearest or "")


def trust_proxy_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware. Only a trusted proxy can tell that the client uses https."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not is_from_proxy(request):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        return get_response(request)

    return respond


def _is_trusted(address: Address | None) -> bool:
    return address is not None and any(address in network for network in settings.ENV.TRUSTED_PROXIES)


def _address(text: str) -> Address | None:
    """An address, possibly with a port; IPv4-mapped IPv6 becomes IPv4. None for anything else."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
