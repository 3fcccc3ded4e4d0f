"""Connects to a host by name and checks the address that was reached.

A name is resolved once. Only addresses that the guard permits are tried, each with its share of the time left, and
the peer of the connected socket is checked again before a byte is sent. So there is no second lookup that could give
another address, and redirects, numeric spellings and pooled connections can't bypass the check.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from ipaddress import ip_address
from typing import Any

from feeds.fetching.ssrf_guard import AddressGuard, AddressRefused
from feeds.wording import gettext as _

_LOOKUP_THREADS = 64  # lookups that slow name servers may keep pending before others have to wait

Endpoint = tuple[Any, ...]  # one row of getaddrinfo: family, type, protocol, canonical name, socket address
SocketOptions = Iterable[tuple[int, int, int | bytes]]


class Dialer:
    """Opens connections for one Fetcher. Thread-safe.

    `getaddrinfo` cannot be interrupted and may take half a minute, so names are resolved in threads that can be left
    behind; addresses need no thread. A retry joins the pending lookup, so a slow name server blocks one thread per
    name.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._lookups = ThreadPoolExecutor(_LOOKUP_THREADS, thread_name_prefix="lookup")
        self._pending: dict[tuple[str, int], Future[list[Endpoint]]] = {}
        self._lock = threading.Lock()

    def dial(self, host: str, port: int, *, seconds: float, options: SocketOptions) -> socket.socket:
        """Return a connected socket, its timeout set to what is left of `seconds`.

        Raises:
            AddressRefused: no address of `host` is permitted.
            TimeoutError: no address accepted a connection within `seconds`.
            OSError: the name can't be resolved, or every address refused.
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
        raise OSError(_("no IP address found for %(host)s") % {"host": host})

    def close(self) -> None:
        """Stop resolving names."""
        self._lookups.shutdown(wait=False, cancel_futures=True)

    def _look_up(self, host: str, port: int, seconds: float) -> list[Endpoint]:
        if _is_address(host):
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        return self._pending_lookup(host, port).result(timeout=seconds)

    def _pending_lookup(self, host: str, port: int) -> Future[list[Endpoint]]:
        with self._lock:
            lookup = self._pending.get((host, port))
            if lookup is None or lookup.done():
                lookup = self._lookups.submit(self._resolve, host, port)
                self._pending[host, port] = lookup
        return lookup

    def _resolve(self, host: str, port: int) -> list[Endpoint]:
        try:
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        finally:
            with self._lock:
                self._pending.pop((host, port), None)

    def _permitted(self, host: str, endpoints: list[Endpoint]) -> list[Endpoint]:
        permitted = [endpoint for endpoint in endpoints if self._guard.permits(endpoint[4][0])]
        if endpoints and not permitted:
            message = _("%(host)s resolves to %(address)s, which is not a public address")
            raise AddressRefused(message % {"host": host, "address": endpoints[0][4][0]})
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
