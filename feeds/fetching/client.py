"""The Fetcher: one GET request that is polite, safe and limited in time and size (SPEC §2)."""

import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http.client import IncompleteRead
from pathlib import Path

import requests
from requests.structures import CaseInsensitiveDict
from urllib3.exceptions import ProtocolError
from urllib3.util import Timeout

from feeds.errors import FetchError, FetchTimeout, OutOfTime, TooManyRedirects
from feeds.fetching import challenges
from feeds.fetching.connect import Dialer
from feeds.fetching.cookies import FetchCookies
from feeds.fetching.decoding import decode_body
from feeds.fetching.domain_limiter import DomainLimiter
from feeds.fetching.error_mapping import TRANSPORT_ERRORS, fetch_error, is_stale_connection
from feeds.fetching.limits import FetchLimits
from feeds.fetching.meta_refresh import refresh_target
from feeds.fetching.result import PERMANENT, FetchResult, Hop
from feeds.fetching.ssrf_guard import AddressGuard
from feeds.fetching.transport import GuardedAdapter
from feeds.fetching.url_parsing import Location
from feeds.normalizing.domains import registrable_domain
from feeds.wording import gettext as _

ACCEPT = (  # best-practices §1, then JSON Feed and anything else
    "application/rss+xml, application/atom+xml, application/xml, text/xml;q=0.9, "
    "application/feed+json;q=0.8, application/json;q=0.7, */*;q=0.5"
)
ACCEPT_PAGE = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
REDIRECTS = PERMANENT | {302, 303, 307}

_CHUNK_BYTES = 2**16
_SMALL_LENGTH = re.compile(r"[0-9]{1,6}")  # a body of less than a megabyte is read in one go
_END_OF_FEED = re.compile(rb"(?:</(?:[\w.-]{1,40}:)?(?:rss|feed|rdf)\s?>|\})\s*\Z", re.IGNORECASE)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")


@dataclass(slots=True)
class _TimeBudget:
    """The seconds left for one fetch: for the requests of each try, waiting for a slot, and until a deadline.

    `used` is the time that the current try spent in requests.
    """

    per_try: float
    queue: float
    deadline: float
    used: float = 0.0

    def for_request(self) -> float:
        return min(self.per_try - self.used, self.deadline - time.monotonic())

    def for_queue(self) -> float:
        return max(0.0, min(self.queue, self.deadline - time.monotonic()))

    def allows_another_try(self, pause: float | None) -> bool:
        return pause is not None and self.queue > 0 and self.deadline - time.monotonic() > pause


class Fetcher:
    """Fetches for one worker process. Thread-safe.

    `user_agent` and `accept` are sent as given. Where feeds are wanted (`ACCEPT`), a body that ends early is returned
    as far as it came, and a page that only leads on is followed. Fetchers with the same `slots_folder` share the
    connections to a domain, also across processes. `wait` is called with the seconds between two tries.
    """

    def __init__(
        self,
        limits: FetchLimits,
        *,
        user_agent: str,
        accept: str = ACCEPT,
        slots_folder: Path | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits = limits
        self._wait = wait
        self._wants_feed = accept == ACCEPT
        self._headers = {"User-Agent": user_agent, "Accept": accept, "Accept-Encoding": "gzip, deflate"}
        self._domains = DomainLimiter(limits.per_domain, slots_folder)
        guard = AddressGuard(allow_private=limits.allow_private_networks, allowed_networks=limits.allowed_networks)
        self._dialer = Dialer(guard)
        # An adapter without a session: no proxies or credentials from the environment; cookies last for one fetch.
        self._adapter = GuardedAdapter(self._dialer, max_bytes=limits.max_bytes, per_host=limits.per_domain)

    def fetch(
        self, url: str, *, etag: str = "", last_modified: str = "", referrer: str = "", seconds: float | None = None
    ) -> FetchResult:
        """Return the response to a GET of `url`, whatever its status, after redirects and retries.

        Takes no longer than the limits allow, nor than `seconds` if given. `referrer` is sent if given.

        The body is read for 2xx, else only its beginning where it may be a challenge, so that the size or pace of an
        error page can't hide its status. Connection errors, timeouts, 5xx and feeds that end early are retried, except
        a 503 with Retry-After; the last 5xx or incomplete feed is returned.

        Raises:
            ForbiddenAddress, BodyTooLarge, TooManyRedirects, CertificateRejected: at once.
            ConnectionFailed, FetchTimeout: after the last try.
            FetchError: `url` is not a usable URL, or the body cannot be decoded.
        """
        headers = _usable_headers(etag, last_modified, referrer)
        most = self._limits.all_seconds if seconds is None else min(seconds, self._limits.all_seconds)
        budget = _TimeBudget(self._limits.total_seconds, self._limits.queue_seconds, time.monotonic() + most)
        cookies = FetchCookies()
        pauses: list[float | None] = [*self._limits.retry_waits, None]
        for n_tries, pause in enumerate(pauses, start=1):
            try:
                result = self._try(url, headers, budget, cookies)
            except FetchError as error:
                if not error.retryable or not budget.allows_another_try(pause):
                    raise
            else:
                if not _is_retryable(result) or not budget.allows_another_try(pause):
                    return replace(result, n_tries=n_tries)
            self._wait(pause or 0.0)
        raise AssertionError("the last try neither returned nor raised")

    def close(self) -> None:
        """Close idle connections."""
        self._adapter.close()
        self._dialer.close()

    def _try(self, url: str, headers: dict[str, str], budget: _TimeBudget, cookies: FetchCookies) -> FetchResult:
        """Follow the redirects and return the final response."""
        location = Location.parse(url)
        hops: list[Hop] = []
        requested: set[tuple[str, str]] = set()  # URLs with the cookies sent
        budget.used = 0.0
        while True:
            requested.add((location.url, cookies.header(location.url)))
            result = self._request_in_slot(location, headers, budget, cookies)
            target = self._target(result)
            if not target:
                return replace(result, hops=tuple(hops), seconds=budget.used)
            destination = location.resolve_redirect(target, permanently=result.status in PERMANENT)
            hops.append(Hop(status=result.status, from_url=location.url, to_url=destination.url))
            self._check_hops(hops, is_loop=(destination.url, cookies.header(destination.url)) in requested)
            location = destination

    def _target(self, result: FetchResult) -> str:
        """Return where a response leads, "" for a final one."""
        if result.status == 200 and self._wants_feed:
            return refresh_target(result.body)
        return result.headers.get("location", "") if result.status in REDIRECTS else ""

    def _request_in_slot(
        self, location: Location, headers: dict[str, str], budget: _TimeBudget, cookies: FetchCookies
    ) -> FetchResult:
        queued_at = started_at = time.monotonic()
        try:
            with self._domains.slot(registrable_domain(location.host), seconds=budget.for_queue()):
                started_at = time.monotonic()
                budget.queue -= started_at - queued_at
                try:
                    return self._request(location, headers, budget.for_request(), cookies)
                finally:
                    budget.used += time.monotonic() - started_at
        except TimeoutError as error:
            budget.queue = 0.0
            message = _("Too many requests to %(host)s are already waiting.") % {"host": location.host}
            raise FetchTimeout(message, url=location.url) from error

    def _check_hops(self, hops: list[Hop], *, is_loop: bool) -> None:
        first = hops[0].from_url
        if is_loop:
            raise TooManyRedirects(_("%(url)s redirects in a loop.") % {"url": first}, url=first)
        if len(hops) > self._limits.max_redirects:
            raise TooManyRedirects(
                _("%(url)s redirects more than %(n)s times.") % {"url": first, "n": self._limits.max_redirects},
                url=first,
            )

    def _request(
        self, location: Location, headers: dict[str, str], seconds: float, cookies: FetchCookies
    ) -> FetchResult:
        deadline = time.monotonic() + seconds
        try:
            response = self._send(self._prepare(location, headers, cookies), deadline)
            cookies.store(response)
            try:
                return self._read(response, location)
            finally:
                response.raw.close()
        except TRANSPORT_ERRORS as error:
            raise fetch_error(error, location, self._limits) from error

    def _send(self, request: requests.PreparedRequest, deadline: float) -> requests.Response:
        while (seconds := deadline - time.monotonic()) > 0:
            timeout = Timeout(connect=self._limits.connect_seconds, total=seconds)
            try:
                return self._adapter.send(request, stream=True, timeout=timeout)  # type: ignore[arg-type]
            except requests.ConnectionError as error:
                if not is_stale_connection(error):  # each stale one leaves the pool, so the last try is on a new one
                    raise
        raise TimeoutError("no time is left")

    def _prepare(self, location: Location, headers: dict[str, str], cookies: FetchCookies) -> requests.PreparedRequest:
        """Prepare by hand: the URL is already normalized, and nothing from the environment may be added."""
        request = requests.PreparedRequest()
        request.method = "GET"
        request.url = location.url
        request.headers = CaseInsensitiveDict(self._headers | headers)
        if location.credentials is not None:
            token = b64encode(":".join(location.credentials).encode())
            request.headers["Authorization"] = f"Basic {token.decode()}"
        if cookie := cookies.header(location.url):
            request.headers["Cookie"] = cookie
        return request

    def _read(self, response: requests.Response, location: Location) -> FetchResult:
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers.pop("set-cookie", None)
        body, is_partial = b"", False
        if 200 <= response.status_code < 300 or response.status_code == 304:  # reading leaves the connection reusable
            chunks = _Chunks(response, headers.get("content-length", ""))
            body = decode_body(chunks, headers.get("content-encoding", ""), max_bytes=self._limits.max_bytes)
            is_partial = chunks.error is not None
            if chunks.error is not None and not (self._wants_feed and body):
                raise chunks.error
        elif response.status_code in challenges.STATUSES and "html" in headers.get("content-type", ""):
            with suppress(*TRANSPORT_ERRORS):  # an error page can't hide its status
                first = response.raw.read(challenges.READ_BYTES, decode_content=False)
                body = decode_body([first], headers.get("content-encoding", ""), max_bytes=self._limits.max_bytes)
        return FetchResult(
            url=location.url,
            status=response.status_code,
            headers=headers,
            body=body,
            n_bytes=response.raw.tell(),
            is_partial=is_partial,
            credentials=location.credentials,
        )


class DeadlineFetcher:
    """Fetches like `fetcher`, with `seconds` for all fetches together, counted from its creation.

    After that each fetch times out. With `raise_out_of_time` it raises OutOfTime instead, which is no FetchError: the
    caller should start again in the background.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        seconds: float,
        raise_out_of_time: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetcher, self._raise_out_of_time, self._clock = fetcher, raise_out_of_time, clock
        self._deadline = clock() + seconds

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "", referrer: str = "") -> FetchResult:
        """Raises what a Fetcher raises, or OutOfTime."""
        seconds = self._deadline - self._clock()
        try:
            if seconds <= 0:
                raise FetchTimeout(_("There was no time left to fetch %(url)s.") % {"url": url}, url=url)
            return self._fetcher.fetch(url, etag=etag, last_modified=last_modified, referrer=referrer, seconds=seconds)
        except FetchTimeout as error:
            if self._raise_out_of_time:
                raise OutOfTime(str(error)) from error
            raise


class _Chunks:
    """The body as received, still compressed. `error`: why it ended before its declared end, None if it didn't."""

    def __init__(self, response: requests.Response, content_length: str) -> None:
        self._raw = response.raw
        self._is_small = _SMALL_LENGTH.fullmatch(content_length) is not None
        self.error: ProtocolError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            if self._is_small:
                yield self._raw.read(decode_content=False)
                return
            while chunk := self._raw.read(_CHUNK_BYTES, decode_content=False):
                yield chunk
        except ProtocolError as error:
            self.error = error
            cause = error.__cause__
            while isinstance(cause, IncompleteRead):  # of a chunk inside of one of the body
                yield cause.partial if isinstance(cause.partial, bytes) else b""
                cause = cause.__cause__


def _usable_headers(etag: str, last_modified: str, referrer: str) -> dict[str, str]:
    """Return the headers of one request, without stored values that no header may hold."""
    values = {"If-None-Match": etag, "If-Modified-Since": last_modified, "Referer": referrer}
    return {name: value for name, value in values.items() if _HEADER_VALUE.fullmatch(value)}


def _is_retryable(result: FetchResult) -> bool:
    """Whether to retry at once: a 5xx, but not a 503 that says when to come back, or a feed without its end."""
    if result.is_partial:
        return _END_OF_FEED.search(result.body[-200:]) is None
    return result.status >= 500 and not (result.status == 503 and "retry-after" in result.headers)
