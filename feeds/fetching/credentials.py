"""Removes user names and passwords from URLs before they are logged or stored.

More tolerant than a URL parser on purpose: a malformed URL must not leak its password either. As in browsers and
urllib3, an authority ends at the first `/`, `\\`, `?` or `#`, and its last `@` ends the credentials.
"""

import re
from urllib.parse import quote, unquote

_AUTHORITY = re.compile(r"(?P<before>(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]*)(?P<credentials>[^/\\?#]*)@")
_IGNORED_IN_URLS = str.maketrans("", "", "\t\r\n")  # browsers drop them, so URLs with them exist


def without_credentials(url: str) -> str:
    """Return `url` without `user:password@`, surrounding white space and line breaks."""
    return split_credentials(url)[0]


def split_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return the URL without credentials, and (user, password), percent-decoded as UTF-8, or None without any."""
    url = url.strip().translate(_IGNORED_IN_URLS)
    match = _AUTHORITY.match(url) if "@" in url else None
    if match is None:
        return url, None
    bare = match["before"] + url[match.end() :]
    user, _, password = match["credentials"].partition(":")
    if not user and not password:
        return bare, None
    return bare, (unquote(user), unquote(password))


def with_credentials(url: str, credentials: tuple[str, str]) -> str:
    """Return `url` with `user:password@` added, percent-encoded."""
    scheme, separator, rest = url.partition("://")
    user, password = (quote(part, safe="") for part in credentials)
    return f"{scheme}{separator}{user}:{password}@{rest}"
