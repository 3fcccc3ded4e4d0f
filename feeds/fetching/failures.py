"""What requests, urllib3, http.client, ssl and sockets raise, as the errors of this project with a sentence each."""

import socket
import ssl
from http.client import HTTPException, IncompleteRead, RemoteDisconnected

from requests import ConnectTimeout, Timeout
from requests.exceptions import RequestException
from urllib3.exceptions import ConnectTimeoutError, HTTPError, LocationValueError, NewConnectionError
from urllib3.exceptions import TimeoutError as PoolTimeout

from feeds.errors import (
    BodyTooLarge,
    CertificateRefused,
    ConnectionFailed,
    FetchError,
    FetchTimeout,
    ForbiddenAddress,
)
from feeds.fetching.decoding import BodyPastLimit, UndecodableBody
from feeds.fetching.guard import AddressRefused
from feeds.fetching.limits import FetchLimits
from feeds.fetching.location import Location
from feeds.fetching.transport import IdleConnectionLost
from feeds.wording import gettext as _

TRANSPORT_ERRORS = (
    AddressRefused,
    BodyPastLimit,
    HTTPError,
    HTTPException,
    OSError,
    RequestException,
    UndecodableBody,
    ValueError,  # UnicodeError of the idna codec; http.client on numbers that are none
)


def fetch_error(error: Exception, location: Location, limits: FetchLimits) -> FetchError:
    """Return the FetchError that `error`, one of TRANSPORT_ERRORS, amounts to."""
    chain = _chain(error)
    host, url = location.host, location.url
    for cause in chain:
        match cause:
            case AddressRefused():
                return ForbiddenAddress(_("%(reason)s.") % {"reason": cause}, url=url)
            case BodyPastLimit():
                return BodyTooLarge(
                    _("The answer of %(host)s is larger than %(n)s bytes.")
                    % {"host": host, "n": f"{limits.max_bytes:,}"},
                    url=url,
                )
            case UndecodableBody():
                return FetchError(_("The answer of %(host)s is %(reason)s.") % {"host": host, "reason": cause}, url=url)
            case ssl.SSLCertVerificationError():
                return CertificateRefused(
                    _("The TLS certificate of %(host)s is not accepted: %(reason)s.")
                    % {"host": host, "reason": cause.verify_message},
                    url=url,
                )
            case NewConnectionError() | socket.gaierror():
                pass
            case ConnectTimeoutError() | ConnectTimeout():
                return FetchTimeout(
                    _("%(host)s did not accept a connection within %(seconds)s s.")
                    % {"host": host, "seconds": f"{limits.connect_seconds:g}"},
                    url=url,
                )
            case PoolTimeout() | Timeout() | TimeoutError():
                return FetchTimeout(
                    _("%(host)s did not answer in full within %(seconds)s s.")
                    % {"host": host, "seconds": f"{limits.total_seconds:g}"},
                    url=url,
                )
    return _unclassified(chain[-1], location)


def lost_while_idle(error: Exception) -> bool:
    """Say whether a kept connection was found closed, so that the same request may be sent again on a new one."""
    return any(isinstance(cause, IdleConnectionLost) for cause in _chain(error))


def _unclassified(cause: BaseException, location: Location) -> FetchError:
    host, url = location.host, location.url
    match cause:
        case socket.gaierror():
            return ConnectionFailed(
                _("The name %(host)s is not known: %(reason)s.") % {"host": host, "reason": cause.strerror}, url=url
            )
        case ssl.SSLError():
            return ConnectionFailed(
                _("TLS with %(host)s failed: %(reason)s.") % {"host": host, "reason": cause.reason or cause}, url=url
            )
        case IncompleteRead():
            return ConnectionFailed(_("The answer of %(host)s was cut short.") % {"host": host}, url=url)
        case RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
            return ConnectionFailed(
                _("%(host)s closed the connection without a whole answer.") % {"host": host}, url=url
            )
        case OSError():
            return ConnectionFailed(
                _("Could not connect to %(host)s: %(reason)s.") % {"host": host, "reason": cause.strerror or cause},
                url=url,
            )
        case LocationValueError() | UnicodeError():
            return FetchError(_("%(url)s is not a usable URL.") % {"url": url}, url=url)
    return ConnectionFailed(
        _("%(host)s does not speak proper HTTP (%(fault)s).") % {"host": host, "fault": type(cause).__name__}, url=url
    )


def _chain(error: BaseException) -> list[BaseException]:
    """Return `error` and what it wraps, outermost first; the libraries wrap by `reason`, by cause or by argument."""
    chain: list[BaseException] = []
    inner: BaseException | None = error
    while inner is not None and inner not in chain:
        chain.append(inner)
        inner = _wrapped(inner)
    return chain


def _wrapped(error: BaseException) -> BaseException | None:
    candidates = (getattr(error, "reason", None), error.__cause__, *reversed(error.args))
    return next((candidate for candidate in candidates if isinstance(candidate, BaseException)), None)
