"""Who asks, where a proxy stands between: the one place that believes what a header says of it.

Anybody can send `X-Forwarded-For`, so it is read only when the connection comes from a network of `TRUSTED_PROXIES`.
Each proxy adds at the right the address it was asked from. So it is read from the right, past the proxies that are
trusted, to the first address that is not: what stands left of that one was written by whoever sat there.

`X-Forwarded-Proto` follows the same rule. Who sends it deceives only about their own request, and forms of a reader
behind https are taken by their `Origin` (`CSRF_TRUSTED_ORIGINS`) without it; so what is not believed is dropped.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

Address = IPv4Address | IPv6Address


def is_from_proxy(request: HttpRequest) -> bool:
    """Whether the connection itself comes from a proxy that the operator trusts."""
    return _is_trusted(_address(request.META.get("REMOTE_ADDR", "")))


def client_address(request: HttpRequest) -> str:
    """The address that asks; "" where there is none, as behind a Unix socket."""
    nearest = _address(request.META.get("REMOTE_ADDR", ""))
    if _is_trusted(nearest):
        for hop in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            address = _address(hop)
            if address is None:  # nor is what stands left of it
                break
            nearest = address
            if not _is_trusted(address):
                break
    return str(nearest or "")


def believe_proxies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: only a trusted proxy says whether its visitor came by https."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if not is_from_proxy(request):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        return get_response(request)

    return respond


def _is_trusted(address: Address | None) -> bool:
    return address is not None and any(address in network for network in settings.ENV.TRUSTED_PROXIES)


def _address(text: str) -> Address | None:
    """An address, also with a port; one of IPv4 written as IPv6 is itself. None for anything else."""
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
