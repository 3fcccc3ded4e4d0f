"""Secrets in URLs: user names and passwords, which are removed before a URL is logged or shown, and addresses that are
secrets themselves, which make a feed private.

More tolerant than a URL parser on purpose: a malformed URL must not leak its password either. As in browsers and
urllib3, an authority ends at the first `/`, `\\`, `?` or `#`, and its last `@` ends the credentials.
"""

import re
from itertools import pairwise
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_AUTHORITY = re.compile(r"(?P<before>(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]*)(?P<credentials>[^/\\?#]*)@")
_IGNORED_IN_URLS = str.maketrans("", "", "\t\r\n")  # browsers drop them, so URLs with them exist

# Of parameters, in lower case and without "_" and "-".
_SECRET_NAME = re.compile(r"token|secret|passw|pwd|auth|signature|credential|session|ticket|jwt|bearer|hmac")
_SECRET_NAMES = frozenset(
    {"sig", "sid", "pw", "pass", "accesskey", "apikey", "feedkey", "privatekey", "rsskey", "userkey"}
)
_MAYBE_SECRET_NAMES = frozenset({"hash", "code", "private", "id", "uid", "u", "k", "t", "s", "h"})
_PUBLIC_NAMES = frozenset({"channelid", "playlistid", "list", "author", "authors", "authorid"})
# Hosts that publish for everyone under random ids.
_PUBLIC_HOSTS = (
    "acast.com", "bsky.app", "megaphone.fm", "news.google.com", "omny.fm", "omnycontent.com", "redcircle.com",
    "simplecast.com",
)  # fmt: skip
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_LONG_HEX = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{24,}", re.IGNORECASE)
_SECRET_PART = re.compile(r"(?:private|secret)(?:[:-].{8,})?", re.IGNORECASE)  # a part of a path
_BETWEEN = re.compile(r"[.:,;@]")
_MIN_RANDOM, _MIN_VALUE = 16, 8  # characters of a random part, and of a value whose name may be that of a secret
_MIN_CHANGES = 0.2  # between capitals, small letters and digits, per pair of characters: words have far fewer
_MIN_CASE_CHANGES = 0.4  # the same without digits


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


def is_secret_address(url: str) -> bool:
    """Whether only those who know the URL should read what it returns: it has credentials, a parameter such as `token`,
    or a long random part. Source: SPEC §2, private feeds.

    Known errors: a feed under a random id that isn't a secret is private too, which only costs merging; a secret of
    words or of digits alone isn't recognized.
    """
    bare, credentials = split_credentials(url)
    if credentials is not None:
        return True
    try:
        parts = urlsplit(bare)
        host = parts.hostname or ""
        parameters = parse_qsl(parts.query, max_num_fields=200)
    except ValueError:
        return True  # unreadable: rather private
    if any(_is_secret(name, value) for name, value in parameters):
        return True
    folders = unquote(parts.path).split("/")
    if any(_SECRET_PART.fullmatch(part) for part in folders):
        return True
    is_public = any(host == public or host.endswith(f".{public}") for public in _PUBLIC_HOSTS)
    return not is_public and any(_is_random(part) for part in folders)


def _is_secret(name: str, value: str) -> bool:
    name = name.lower().replace("_", "").replace("-", "")
    if name in _PUBLIC_NAMES or not value:
        return False
    if name in _SECRET_NAMES or _SECRET_NAME.search(name):
        return True
    if name == "key":
        return len(value) >= _MIN_VALUE
    is_telling = name in _MAYBE_SECRET_NAMES and len(value) >= _MIN_VALUE and _has_both(value)
    return is_telling or _is_random(value)


def _is_random(part: str) -> bool:
    """Whether a part of a path or a value looks drawn by chance: a UUID, or long and mixed."""
    if _UUID.search(part):
        return True
    words = [word for word in _BETWEEN.split(part) if len(word) >= _MIN_RANDOM]
    return any(_LONG_HEX.fullmatch(word) or _is_mixed(word) for word in words)


def _is_mixed(word: str) -> bool:
    words = re.split(r"[-_]", word)
    if len(words) > 1 and all(len(one) < _MIN_VALUE for one in words):
        return False  # words with hyphens
    word = "".join(words)
    changes = sum(_kind(one) != _kind(other) for one, other in pairwise(word))
    return changes >= (_MIN_CHANGES if _has_both(word) else _MIN_CASE_CHANGES) * (len(word) - 1)


def _has_both(word: str) -> bool:
    """Whether it has letters and digits."""
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _kind(character: str) -> str:
    return "0" if character.isdigit() else "A" if character.isupper() else "a"
