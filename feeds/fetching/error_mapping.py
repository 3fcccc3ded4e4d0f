"""Maps errors of requests, urllib3, http.client, ssl and sockets to our own, with a message for the user."""

import socket
import ssl
from http.client import HTTPException, IncompleteRead, RemoteDisconnected

from requests import ConnectTimeout, Timeout
from requests.exceptions import RequestException
from urllib3.exceptions import ConnectTimeoutError, HTTPError, LocationValueError, NewConnectionError
from urllib3.exceptions import TimeoutError as PoolTimeout

from feeds.errors import (
    BodyTooLarge,
    CertificateRejected,
    ConnectionFailed,
    FetchError,
    FetchTimeout,
    ForbiddenAddress,
)
from feeds.fetching.decoding import BodyLimitExceeded, UndecodableBody
from feeds.fetching.limits import FetchLimits
from feeds.fetching.ssrf_guard import AddressRefused
from feeds.fetching.transport import StaleConnection
from feeds.fetching.url_parsing import Location
from feeds.wording import format_number
from feeds.wording import gettext as _

TRANSPORT_ERRORS = (
    AddressRefused,
    BodyLimitExceeded,
    HTTPError,
    HTTPException,
    OSError,
    RequestException,
    UndecodableBody,
    ValueError,  # UnicodeError of the idna codec; http.client on invalid numbers
)


def fetch_error(error: Exception, location: Location, limits: FetchLimits) -> FetchError:
    """Return the FetchError for `error`, one of TRANSPORT_ERRORS."""
    chain = _chain(error)
    host, url = location.host, location.url
    for cause in chain:
        match cause:
            case AddressRefused():
                return ForbiddenAddress(_("%(reason)s.") % {"reason": cause}, url=url)
            case BodyLimitExceeded():
                return BodyTooLarge(
                    _("The response from %(host)s is larger than %(n)s bytes.")
                    % {"host": host, "n": format_number(limits.max_bytes)},
                    url=url,
                )
            case UndecodableBody():
                return FetchError(
                    _("The response from %(host)s is %(reason)s.") % {"host": host, "reason": cause}, url=url
                )
            case ssl.SSLCertVerificationError():
                return CertificateRejected(
                    _("The TLS certificate of %(host)s was rejected: %(reason)s.")
                    % {"host": host, "reason": cause.verify_message},
                    url=url,
                )
            case NewConnectionError() | socket.gaierror():
                pass
            case ConnectTimeoutError() | ConnectTimeout():
                return FetchTimeout(
                    _("%(host)s did not accept a connection within %(seconds)s s.")
                    % {"host": host, "seconds": format_number(limits.connect_seconds)},
                    url=url,
                )
            case PoolTimeout() | Timeout() | TimeoutError():
                return FetchTimeout(
                    _("%(host)s did not finish responding within %(seconds)s s.")
                    % {"host": host, "seconds": format_number(limits.total_seconds)},
                    url=url,
                )
    return _unclassified(chain[-1], location)


def is_stale_connection(error: Exception) -> bool:
    """Whether a pooled connection turned out to be closed, so that the request may be sent again on a new one."""
    return any(isinstance(cause, StaleConnection) for cause in _chain(error))


def _unclassified(cause: BaseException, location: Location) -> FetchError:
    host, url = location.host, location.url
    match cause:
        case socket.gaierror():
            return ConnectionFailed(
                _("%(host)s could not be resolved: %(reason)s.") % {"host": host, "reason": cause.strerror}, url=url
            )
        case ssl.SSLError():
            return ConnectionFailed(
                _("TLS with %(host)s failed: %(reason)s.") % {"host": host, "reason": cause.reason or cause}, url=url
            )
        case IncompleteRead():
            return ConnectionFailed(_("The response from %(host)s was cut short.") % {"host": host}, url=url)
        case RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
            return ConnectionFailed(
                _("%(host)s closed the connection before responding in full.") % {"host": host}, url=url
            )
        case OSError():
            return ConnectionFailed(
                _("Could not connect to %(host)s: %(reason)s.") % {"host": host, "reason": cause.strerror or cause},
                url=url,
            )
        case LocationValueError() | UnicodeError():
            return FetchError(_("%(url)s is not a valid URL.") % {"url": url}, url=url)
    return ConnectionFailed(
        _("%(host)s sent an invalid HTTP response (%(error)s).") % {"host": host, "error": type(cause).__name__},
        url=url,
    )


def _chain(error: BaseException) -> list[BaseException]:
    """Return `error` and the errors it wraps, outermost first; libraries wrap by `reason`, cause or argument."""
    chain: list[BaseException] = []
    inner: BaseException | None = error
    while inner is not None and inner not in chain:
        chain.append(inner)
        inner = _wrapped(inner)
    return chain


def _wrapped(error: BaseException) -> BaseException | None:
    candidates = (getattr(error, "reason", None), error.__cause__, *reversed(error.args))
    return next((candidate for candidate in candidates if isinstance(candidate, BaseException)), None)
