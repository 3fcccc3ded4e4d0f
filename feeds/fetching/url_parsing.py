"""Parses a URL into what a request needs: an ASCII URL, with the credentials apart."""

import re
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from feeds.errors import FetchError, ForbiddenAddress
from feeds.fetching.credentials import split_credentials
from feeds.normalizing.domains import ascii_host
from feeds.wording import format_number
from feeds.wording import gettext as _

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PARTS = re.compile(r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*)://(?P<host>[^/?#:\[\]]*)(?P<rest>.*)", re.DOTALL)
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!\d)")
_MAX_URL = 8192  # what servers commonly accept; more is a mistake or an attack


@dataclass(frozen=True, slots=True)
class Location:
    """The target of a request. `url` is absolute ASCII without credentials and fragment; `host` has no brackets."""

    url: str
    scheme: str
    host: str
    port: int
    credentials: tuple[str, str] | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> "Location":
        """Parse a URL as a user or a `Location` header gives it: international names, spaces, any alphabet.

        Raises:
            ForbiddenAddress: it is not http or https.
            FetchError: it is not a valid absolute URL.
        """
        bare, credentials = split_credentials(url)
        if len(bare) > _MAX_URL:
            raise FetchError(
                _("The URL is longer than %(n)s characters.") % {"n": format_number(_MAX_URL)},
                url=bare[:_MAX_URL],
            )
        try:
            parsed = parse_url(_with_ascii_host(_with_slashes(bare)))
        except (LocationParseError, ValueError) as error:
            raise FetchError(_("%(url)s is not a valid URL.") % {"url": bare}, url=bare) from error
        return cls._from_parsed(parsed, bare, credentials)

    @classmethod
    def _from_parsed(cls, parsed: Url, bare: str, credentials: tuple[str, str] | None) -> "Location":
        scheme = parsed.scheme or ""
        if scheme not in _DEFAULT_PORTS and _SCHEME.match(bare):
            raise ForbiddenAddress(_("Only http and https URLs can be fetched, not %(url)s.") % {"url": bare}, url=bare)
        if not scheme or not parsed.host or not parsed.host.strip(".") or parsed.auth is not None:
            raise FetchError(_("%(url)s is not an absolute URL.") % {"url": bare}, url=bare)
        port = _DEFAULT_PORTS[scheme] if parsed.port is None else parsed.port
        netloc = parsed.host if port == _DEFAULT_PORTS[scheme] else f"{parsed.host}:{port}"
        query = "" if parsed.query is None else f"?{parsed.query}"
        return cls(
            url=f"{scheme}://{netloc}{parsed.path or '/'}{query}",
            scheme=scheme,
            host=parsed.host.strip("[]"),
            port=port,
            credentials=credentials,
        )

    def may_share_credentials(self, target: "Location") -> bool:
        """Whether credentials for this location may be stored for `target`: on the same host and port, with the same
        scheme or with https instead of http."""
        if self.host != target.host or (self.scheme, target.scheme) == ("https", "http"):
            return False
        return self.port == target.port or (self._has_default_port and target._has_default_port)

    @property
    def _has_default_port(self) -> bool:
        return self.port == _DEFAULT_PORTS[self.scheme]

    def resolve_redirect(self, header: str, *, permanently: bool) -> "Location":
        """Return the target of a `Location` header (as http.client decodes it), relative to this location.

        Credentials stay within one origin: they are dropped when scheme, host or port change, unless the header has
        its own, or the redirect is permanent and only changes http to https.

        Raises:
            ForbiddenAddress, FetchError: like `parse`.
        """
        try:
            target = urljoin(self.url, _utf8(header).strip())
        except ValueError as error:
            raise FetchError(_("%(url)s redirects to an invalid URL.") % {"url": self.url}, url=self.url) from error
        new = Location.parse(target)
        keeps = self.may_share_credentials(new) and (permanently or new.scheme == self.scheme)
        return replace(new, credentials=self.credentials) if keeps and new.credentials is None else new


def may_share_credentials(url: str, target: str) -> bool:
    """The same for two URLs; False if one is invalid."""
    try:
        return Location.parse(url).may_share_credentials(Location.parse(target))
    except FetchError:
        return False


def _utf8(header: str) -> str:
    """Undo http.client's Latin-1 decoding where the bytes are UTF-8, as they are in practice."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def _with_slashes(url: str) -> str:
    """Read `\\` before the query as `/`, as browsers do, so that no two parsers see different hosts in one URL."""
    if "\\" not in url:
        return url
    end = next((index for index, character in enumerate(url) if character in "?#"), len(url))
    return url[:end].replace("\\", "/") + url[end:]


def _with_ascii_host(url: str) -> str:
    match = None if url.isascii() else _PARTS.fullmatch(url)
    if match is None or match["host"].isascii():
        return url
    return f"{match['scheme']}://{ascii_host(match['host'])}{match['rest']}"
