"""Taking user names and passwords out of URLs, before anything that logs or stores can see them.

Deliberately more tolerant than a parser: what is no URL at all must not leak its password either. Like browsers
(and urllib3), an authority ends at the first `/`, `\\`, `?` or `#`, and its last `@` ends the credentials.
"""

import re
from urllib.parse import quote, unquote

_AUTHORITY = re.compile(r"(?P<before>(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]*)(?P<credentials>[^/\\?#]*)@")
_IGNORED_IN_URLS = str.maketrans("", "", "\t\r\n")  # browsers drop them, so URLs with them exist


def without_credentials(url: str) -> str:
    """Return `url` without `user:password@`, white space around it and line breaks; whatever it is."""
    return split_credentials(url)[0]


def split_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return the URL without credentials, and user and password (percent-decoded as UTF-8); None if it has none."""
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
    """Return `url` with `user:password@` put back, percent-encoded."""
    scheme, separator, rest = url.partition("://")
    user, password = (quote(part, safe="") for part in credentials)
    return f"{scheme}{separator}{user}:{password}@{rest}"
