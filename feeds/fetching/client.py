"""The Fetcher: one GET with everything that politeness, safety and patience ask for (SPEC §2)."""

import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.cookiejar import DefaultCookiePolicy

import requests
from requests.structures import CaseInsensitiveDict
from urllib3.util import Timeout

from feeds.errors import FetchError, TooManyRedirects
from feeds.fetching.connecting import Dialer
from feeds.fetching.decoding import decoded
from feeds.fetching.domain_slots import DomainSlots
from feeds.fetching.failures import TRANSPORT_ERRORS, fetch_error, lost_while_idle
from feeds.fetching.guard import AddressGuard
from feeds.fetching.limits import FetchLimits
from feeds.fetching.location import Location
from feeds.fetching.result import FetchResult, Hop
from feeds.fetching.transport import GuardedAdapter
from feeds.normalizing.domains import registrable_domain
from feeds.wording import gettext as _

ACCEPT = (  # best-practices §1, then JSON Feed and whatever else there is
    "application/rss+xml, application/atom+xml, application/xml, text/xml;q=0.9, "
    "application/feed+json;q=0.8, application/json;q=0.7, */*;q=0.5"
)
ACCEPT_PAGE = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_PIECE_BYTES = 2**16
_SMALL_LENGTH = re.compile(r"[0-9]{1,6}")  # a body that says it is under a megabyte is read in one go
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")


class Fetcher:
    """Fetches for one worker process; safe to use from many threads at once.

    `user_agent` and `accept` are sent as they are. `wait` is called with the seconds between two tries.
    """

    def __init__(
        self,
        limits: FetchLimits,
        *,
        user_agent: str,
        accept: str = ACCEPT,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits = limits
        self._wait = wait
        self._headers = {"User-Agent": user_agent, "Accept": accept, "Accept-Encoding": "gzip, deflate"}
        self._slots = DomainSlots(limits.per_domain)
        guard = AddressGuard(allow_private=limits.allow_private_networks, allowed_networks=limits.allowed_networks)
        self._dialer = Dialer(guard)
        adapter = GuardedAdapter(self._dialer, max_bytes=limits.max_bytes, per_host=limits.per_domain)
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        """Return the answer to a GET of `url`, whatever its status, after its redirects and tries.

        The body is read for a status of 2xx only, so that an error page's size or pace cannot hide its status.
        Connection errors, timeouts and 5xx are tried again, except a 503 that says when to come back; a 5xx that
        stays is returned.

        Raises:
            ForbiddenAddress, BodyTooLarge, TooManyRedirects, CertificateRefused: at once.
            ConnectionFailed, FetchTimeout: after the last try.
            FetchError: `url` is no usable URL, or the body cannot be decoded.
        """
        validators = _validators(etag, last_modified)
        waits: list[float | None] = [*self._limits.retry_waits, None]
        for n_tries, seconds in enumerate(waits, start=1):
            try:
                result = self._attempt(url, validators)
            except FetchError as error:
                if seconds is None or not error.retryable:
                    raise
            else:
                if seconds is None or not _may_pass_by_itself(result):
                    return replace(result, n_tries=n_tries)
            if seconds is not None:
                self._wait(seconds)
        raise AssertionError("the last try neither returned nor raised")

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._session.close()
        self._dialer.close()

    def _attempt(self, url: str, validators: dict[str, str]) -> FetchResult:
        """Return the answer at the end of the redirects. Only the time that requests take counts, not the queue."""
        location = Location.of(url)
        hops: list[Hop] = []
        spent = 0.0
        while True:
            with self._slots.held(registrable_domain(location.host)):
                begun_at = time.monotonic()
                answer = self._exchange(location, validators, self._limits.total_seconds - spent)
                spent += time.monotonic() - begun_at
            target = answer.headers.get("location", "") if answer.status in REDIRECTS else ""
            if not target:
                return replace(answer, hops=tuple(hops), seconds=spent)
            there = location.redirected(target)
            hops.append(Hop(status=answer.status, from_url=location.url, to_url=there.url))
            self._check_hops(hops)
            location = there

    def _check_hops(self, hops: list[Hop]) -> None:
        first, last = hops[0].from_url, hops[-1].to_url
        if any(last == hop.from_url for hop in hops):
            raise TooManyRedirects(_("%(url)s redirects in a circle.") % {"url": first}, url=first)
        if len(hops) > self._limits.max_redirects:
            raise TooManyRedirects(
                _("%(url)s redirects more than %(n)s times.") % {"url": first, "n": self._limits.max_redirects},
                url=first,
            )

    def _exchange(self, location: Location, validators: dict[str, str], seconds: float) -> FetchResult:
        deadline = time.monotonic() + seconds
        try:
            response = self._send(self._request(location, validators), deadline)
            try:
                return self._read(response, location)
            finally:
                response.raw.close()
        except TRANSPORT_ERRORS as error:
            raise fetch_error(error, location, self._limits) from error

    def _send(self, request: requests.PreparedRequest, deadline: float) -> requests.Response:
        adapter = self._session.get_adapter(request.url or "")
        while (seconds := deadline - time.monotonic()) > 0:
            timeout = Timeout(connect=self._limits.connect_seconds, total=seconds)
            try:
                return adapter.send(request, stream=True, timeout=timeout)  # type: ignore[arg-type]
            except requests.ConnectionError as error:
                if not lost_while_idle(error):  # each of these uses up a kept connection, so it ends with a new one
                    raise
        raise TimeoutError("no time is left")

    def _request(self, location: Location, validators: dict[str, str]) -> requests.PreparedRequest:
        """Prepare by hand: the URL is normalized already, and nothing of the environment may join in."""
        request = requests.PreparedRequest()
        request.method = "GET"
        request.url = location.url
        request.headers = CaseInsensitiveDict(self._headers | validators)
        if location.credentials is not None:
            token = b64encode(":".join(location.credentials).encode())
            request.headers["Authorization"] = f"Basic {token.decode()}"
        return request

    def _read(self, response: requests.Response, location: Location) -> FetchResult:
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers.pop("set-cookie", None)
        body = b""
        if 200 <= response.status_code < 300 or response.status_code == 304:  # reading leaves the connection reusable
            pieces = _pieces(response, headers.get("content-length", ""))
            body = decoded(pieces, headers.get("content-encoding", ""), max_bytes=self._limits.max_bytes)
        return FetchResult(
            url=location.url,
            status=response.status_code,
            headers=headers,
            body=body,
            n_bytes=response.raw.tell(),
        )


def _pieces(response: requests.Response, content_length: str) -> Iterator[bytes]:
    """Yield the body as it comes over the wire, still compressed."""
    if _SMALL_LENGTH.fullmatch(content_length):
        yield response.raw.read(decode_content=False)
        return
    while piece := response.raw.read(_PIECE_BYTES, decode_content=False):
        yield piece


def _validators(etag: str, last_modified: str) -> dict[str, str]:
    """Return the headers of a conditional request; a stored value that no header may hold is left out."""
    values = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in values.items() if _HEADER_VALUE.fullmatch(value)}


def _may_pass_by_itself(result: FetchResult) -> bool:
    """Say whether to try again at once: a 5xx, but not a 503 that tells when to come back."""
    return result.status >= 500 and not (result.status == 503 and "retry-after" in result.headers)
