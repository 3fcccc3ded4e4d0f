"""The cookies of one fetch: those that a response sets are sent back along its redirects, and forgotten with it.

Sites check that cookies work before they show anything: they set one and redirect to the same or another address, where
they expect it. Which cookies are sent where is decided by `http.cookiejar`; in addition, no cookie is shared by the
sites of a public suffix.
"""

from http.cookiejar import Cookie, DefaultCookiePolicy
from typing import Any

from requests import PreparedRequest, Response
from requests.cookies import RequestsCookieJar, extract_cookies_to_jar, get_cookie_header

from feeds.normalizing.domains import has_public_suffix

MAX_COOKIES = 50  # that are kept; sites set a handful
MAX_HEADER = 8_192  # characters; servers reject longer ones


class _Policy(DefaultCookiePolicy):
    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        if cookie.domain_specified and not has_public_suffix(cookie.domain.lstrip(".")):
            return False
        return super().set_ok(cookie, request)


class FetchCookies:
    """Starts empty, and ends with the fetch."""

    def __init__(self) -> None:
        self._jar = RequestsCookieJar(policy=_Policy())

    def __len__(self) -> int:
        return len(self._jar)

    def store(self, response: Response) -> None:
        """Keep what the response sets."""
        if "set-cookie" in response.headers and len(self._jar) < MAX_COOKIES:
            extract_cookies_to_jar(self._jar, response.request, response.raw)

    def header(self, url: str) -> str:
        """Return the value of the Cookie header for a request of `url`, "" for none."""
        if not len(self._jar):
            return ""
        request = PreparedRequest()
        request.url, request.headers = url, {}  # type: ignore[assignment]
        header = get_cookie_header(self._jar, request) or ""
        return header if len(header) <= MAX_HEADER else ""
