"""Converts a feed's address, as written by users and programs, to the URL to poll.

Seen in subscription lists: `feed://host/path` (http), `feed:https://…` (the URL after it), `pcast:`, `itpc:`,
`podcast:` and `rss:` used the same way, no scheme (http: publishers with https redirect to it), `//host/path`, spaces
and line breaks, `&amp;` encoded twice. Newsboat's pipes, `exec:` and `filter:` run programs on the user's machine; they
are rejected, as is every scheme except http and https.
"""

import re
from urllib.parse import urlsplit

from feeds.errors import FeedsError
from feeds.normalizing.canonical_url import is_http_url
from feeds.wording import format_number
from feeds.wording import gettext as _

MAX_ADDRESS_LENGTH = 2000  # characters that browsers and databases support
_FEED_SCHEME = re.compile(r"(?i)(?:feed|feeds|pcast|itpc|itms-pcast|podcast|rss):(?://)?(?P<rest>.*)", re.DOTALL)
_SCHEME = re.compile(r"(?i)(?P<name>[a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))")
_QUOTED = re.compile(r"""<[^<>]*>|"[^"]*"|'[^']*'""")
_COMMANDS = re.compile(r"(?i)\||exec:|filter:")
_DROPPED = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_BARE_HOST = re.compile(r"(?i)(?:[^\s/:.]+\.)+[^\s/:.]+(?:[:/?#]|$)|localhost\b|\[")
_ESCAPED_AND = re.compile("&(?:amp;)+")
_HOST = re.compile(r"[^\s/\\<>\"'`{}|^%]+")


class InvalidAddress(FeedsError):
    """The address can't be polled; `str(error)` is the reason."""


def feed_address(raw: str) -> str:
    """Return the http or https URL for `raw`, otherwise unchanged. Raises InvalidAddress if there is none."""
    address = _DROPPED.sub("", raw).strip()
    if _QUOTED.fullmatch(address):
        address = address[1:-1].strip()
    if not address:
        raise InvalidAddress(_("no feed URL"))
    if _COMMANDS.match(address):
        raise InvalidAddress(_("it is a command, and commands from a file are never run"))
    address = _ESCAPED_AND.sub("&", _with_web_scheme(address)).replace(" ", "%20")
    if len(address) > MAX_ADDRESS_LENGTH:
        raise InvalidAddress(
            _("the feed URL is longer than %(n)s characters") % {"n": format_number(MAX_ADDRESS_LENGTH)}
        )
    _check_host(address)
    return address


def not_a_url_reason() -> str:
    return _("the feed URL is not a valid web address")


def _with_web_scheme(address: str) -> str:
    """Return `address` with a lower-case http or https scheme."""
    wrapped = _FEED_SCHEME.fullmatch(address)
    if wrapped:
        address = wrapped["rest"].strip()
    if address.startswith("//"):
        return f"https:{address}"
    scheme = _SCHEME.match(address)
    if scheme is None:
        if not _BARE_HOST.match(address):
            raise InvalidAddress(not_a_url_reason())
        return f"http://{address}"
    name = scheme["name"].lower()
    if name not in ("http", "https"):
        raise InvalidAddress(_("only http and https URLs can be followed, not %(scheme)s") % {"scheme": name})
    return name + address[len(name) :]


def _check_host(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname or "", parts.port  # reading a bad port raises
    except ValueError as error:
        raise InvalidAddress(not_a_url_reason()) from error
    if not _HOST.fullmatch(host) or "\\" in parts.netloc or not is_http_url(address):
        raise InvalidAddress(not_a_url_reason())
