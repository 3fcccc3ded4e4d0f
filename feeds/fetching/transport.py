"""requests' transport with our own sockets: checked addresses, limited reading, one TLS context, no cookies.

requests and urllib3 do the HTTP. Overridden at their extension points: how a connection gets its socket and response
class, how the pool manager creates pools, how the adapter finds a pool and builds a response. The adapter leaves out
what doesn't apply here: proxies, client certificates, a certificate store per connection, a cookie jar per response.
"""

import socket
import ssl
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import certifi
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPResponse, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.util.ssl_ import create_urllib3_context

from feeds.fetching.body_reader import LimitedResponse
from feeds.fetching.connect import Dialer

_MAX_POOLS = 256  # hosts with one or two idle connections each; the least recently used is closed first


class StaleConnection(ConnectionResetError):
    """The server had closed an idle connection; the request can be sent again on a new one."""


class _GuardedConnection(HTTPConnection):
    """A connection whose socket comes from a Dialer, so that its peer is checked before a byte is sent."""

    def __init__(self, *args: Any, dialer: Dialer, max_bytes: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._dialer = dialer
        self.response_class = partial(LimitedResponse, max_bytes=max_bytes)  # type: ignore[assignment]
        self._was_used = False

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        """Return the response. Raises StaleConnection if the server had closed the connection after an earlier one."""
        try:
            response = super().getresponse()
        except ConnectionResetError as error:  # http.client's RemoteDisconnected is one
            if self._was_used:
                raise StaleConnection(f"{self.host} had closed the connection") from error
            raise
        self._was_used = True
        return response

    def _new_conn(self) -> socket.socket:
        self._was_used = False
        seconds = self.timeout or 0.0
        try:
            return self._dialer.dial(self._dns_host, self.port, seconds=seconds, options=self.socket_options or ())
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except TimeoutError as error:
            raise ConnectTimeoutError(self, f"{self.host} did not accept within {seconds:g} s") from error
        except OSError as error:
            raise NewConnectionError(self, str(error)) from error


class _GuardedTlsConnection(_GuardedConnection, HTTPSConnection):
    """The same with TLS, which starts after the check."""

    def connect(self) -> None:
        """Connect; a TLS handshake that takes too long counts as a connection timeout."""
        try:
            super().connect()
        except TimeoutError as error:
            raise ConnectTimeoutError(self, f"{self.host} did not finish the TLS handshake in time") from error


class _GuardedPools(PoolManager):
    def __init__(self, *, dialer: Dialer, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._settings: dict[str, Any] = {"dialer": dialer, "max_bytes": max_bytes}

    def _new_pool(
        self, scheme: str, host: str, port: int, request_context: dict[str, Any] | None = None
    ) -> HTTPConnectionPool:
        pool = super()._new_pool(scheme, host, port, request_context=request_context)
        connection = _GuardedTlsConnection if scheme == "https" else _GuardedConnection
        pool.ConnectionCls = partial(connection, **self._settings)  # type: ignore[assignment]
        return pool


class GuardedAdapter(HTTPAdapter):
    """Sends http and https requests; always verifies TLS against certifi's authorities."""

    def __init__(self, dialer: Dialer, *, max_bytes: int, per_host: int) -> None:
        self._dialer = dialer
        self._max_bytes = max_bytes
        super().__init__(pool_connections=_MAX_POOLS, pool_maxsize=per_host)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any) -> None:
        """Called by HTTPAdapter's own `__init__`."""
        self.poolmanager = _GuardedPools(
            dialer=self._dialer,
            max_bytes=self._max_bytes,
            ssl_context=_verifying_context(),
            num_pools=connections,
            maxsize=maxsize,
            block=block,
            **pool_kwargs,
        )

    def get_connection_with_tls_context(
        self, request: PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> HTTPConnectionPool:
        """Return the pool for the request's host, never a proxy's."""
        parts = urlsplit(request.url or "")
        pool: HTTPConnectionPool = self.poolmanager.connection_from_host(parts.hostname, parts.port, parts.scheme)
        return pool

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Do nothing: the pool's TLS context verifies."""

    def request_url(self, request: PreparedRequest, proxies: Any) -> str:
        """Return path and query, as no proxy is ever used."""
        return request.path_url

    def build_response(self, req: PreparedRequest, resp: BaseHTTPResponse) -> Response:
        """Return status, headers and the raw stream, without cookies."""
        response = Response()
        response.status_code = resp.status
        response.headers = CaseInsensitiveDict(resp.headers.itermerged())
        response.raw = resp
        response.url = req.url or ""
        response.request = req
        return response


def _verifying_context() -> ssl.SSLContext:
    """Load the certificate store once; urllib3 would load it for every connection, at 20 ms each."""
    context = create_urllib3_context()
    context.load_verify_locations(certifi.where())
    return context
