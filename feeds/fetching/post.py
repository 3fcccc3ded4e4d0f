"""One POST request to an API, with the address check and the limits of every other request.

Redirects aren't followed, since they would take credentials elsewhere, and nothing is retried: the caller knows whether
sending twice does harm.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import requests
from urllib3.util import Timeout

from feeds.fetching.connect import Dialer
from feeds.fetching.decoding import decode_body
from feeds.fetching.error_mapping import TRANSPORT_ERRORS, fetch_error
from feeds.fetching.limits import FetchLimits
from feeds.fetching.ssrf_guard import AddressGuard
from feeds.fetching.transport import GuardedAdapter
from feeds.fetching.url_parsing import Location


@dataclass(frozen=True, slots=True)
class PostResult:
    """The response, whatever its status. `location`: where it redirects to, "" if it doesn't."""

    status: int
    body: bytes
    location: str = ""


def post(
    url: str, headers: Mapping[str, str], body: bytes, *, limits: FetchLimits, user_agent: str, max_bytes: int = 2**16
) -> PostResult:
    """Post `body` and return the response. Raises FetchError."""
    location = Location.parse(url)
    guard = AddressGuard(allow_private=limits.allow_private_networks, allowed_networks=limits.allowed_networks)
    dialer = Dialer(guard)
    adapter = GuardedAdapter(dialer, max_bytes=max_bytes, per_host=1)
    own = {"User-Agent": user_agent, "Accept-Encoding": "identity", "Connection": "close"}
    timeout = Timeout(connect=limits.connect_seconds, total=limits.total_seconds)
    try:
        # Prepared without a session, so that proxies and .netrc of the environment have no effect.
        request = requests.Request("POST", location.url, {**own, **headers}, data=body).prepare()
        response = adapter.send(request, stream=True, timeout=timeout)  # type: ignore[arg-type]
        try:
            pieces = iter(partial(response.raw.read, 2**12, decode_content=False), b"")
            content = decode_body(pieces, response.headers.get("content-encoding", ""), max_bytes=max_bytes)
        finally:
            response.raw.close()
    except TRANSPORT_ERRORS as error:
        raise fetch_error(error, location, limits) from error
    finally:
        adapter.close()
        dialer.close()
    return PostResult(response.status_code, content, response.headers.get("location", ""))
