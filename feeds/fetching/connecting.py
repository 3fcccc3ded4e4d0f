"""From a host's name to a connected socket whose peer has been checked.

A name is looked up once. Only addresses that the guard permits are tried, each with its share of the time left, and
the peer of the connected socket is checked again before anyone may send a byte: there is no second look-up that
could answer differently, and no way round it for redirects, numeric spellings or pooled connections.
"""

import contextlib
import socket
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any

from feeds.fetching.guard import AddressGuard, AddressRefused
from feeds.wording import gettext as _

_LOOKUP_THREADS = 8  # names that a slow server may keep pending before others have to wait

Endpoint = tuple[Any, ...]  # one row of getaddrinfo: family, type, protocol, canonical name, socket address
SocketOptions = Iterable[tuple[int, int, int | bytes]]


class Dialer:
    """Connects on behalf of one Fetcher. Thread-safe.

    `getaddrinfo` cannot be interrupted and may take half a minute, so names are looked up by threads that can be left
    behind; addresses, which need no look-up, do not pay for that.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._lookups = ThreadPoolExecutor(_LOOKUP_THREADS, thread_name_prefix="lookup")

    def dial(self, host: str, port: int, *, seconds: float, options: SocketOptions) -> socket.socket:
        """Return a connected socket, its timeout set to what is left of `seconds`.

        Raises:
            AddressRefused: nothing that `host` leads to is permitted.
            TimeoutError: no address accepted within `seconds`.
            OSError: the name is unknown, or every address refused.
        """
        deadline = time.monotonic() + seconds
        endpoints = self._permitted(host, self._look_up(host, port, seconds))
        for index, endpoint in enumerate(endpoints):
            share = (deadline - time.monotonic()) / (len(endpoints) - index)
            try:
                connected = self._connect(endpoint, share, options)
            except OSError:
                if index == len(endpoints) - 1:
                    raise
            else:
                connected.settimeout(max(deadline - time.monotonic(), 0.001))
                return connected
        raise OSError(_("no addresses are known for %(host)s") % {"host": host})

    def close(self) -> None:
        """Stop looking up names."""
        self._lookups.shutdown(wait=False, cancel_futures=True)

    def _look_up(self, host: str, port: int, seconds: float) -> list[Endpoint]:
        if _is_address(host):
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        lookup = self._lookups.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        return list(lookup.result(timeout=seconds))

    def _permitted(self, host: str, endpoints: list[Endpoint]) -> list[Endpoint]:
        permitted = [endpoint for endpoint in endpoints if self._guard.permits(endpoint[4][0])]
        if endpoints and not permitted:
            told = _("%(host)s leads to %(address)s, which is not a public address")
            raise AddressRefused(told % {"host": host, "address": endpoints[0][4][0]})
        return permitted

    def _connect(self, endpoint: Endpoint, seconds: float, options: SocketOptions) -> socket.socket:
        if seconds <= 0:
            raise TimeoutError("timed out")
        family, kind, protocol, _, address = endpoint
        with contextlib.ExitStack() as on_failure:
            candidate = on_failure.enter_context(socket.socket(family, kind, protocol))
            for option in options:
                candidate.setsockopt(*option)
            candidate.settimeout(seconds)
            candidate.connect(address)
            self._guard.check(candidate.getpeername()[0])
            on_failure.pop_all()
        return candidate


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
