"""From what people and programs write for a feed's address to the URL that is polled.

Seen in subscription lists: `feed://host/path` (http), `feed:https://…` (the URL behind it), `pcast:`, `itpc:`,
`podcast:` and `rss:` used the same way, no scheme at all (http is meant: publishers with https redirect to it),
`//host/path`, spaces and line breaks inside, `&amp;` encoded twice. Newsboat's pipes, `exec:` and `filter:` name
programs to run on the reader's machine; those are refused, as is every scheme but http and https.
"""

import re
from urllib.parse import urlsplit

from feeds.errors import FeedsError
from feeds.normalizing.canonical_url import is_http_url
from feeds.wording import gettext as _

MAX_ADDRESS_LENGTH = 2000  # characters; what browsers and databases agree on
_FEED_SCHEME = re.compile(r"(?i)(?:feed|feeds|pcast|itpc|itms-pcast|podcast|rss):(?://)?(?P<rest>.*)", re.DOTALL)
_SCHEME = re.compile(r"(?i)(?P<name>[a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))")
_QUOTED = re.compile(r"""<[^<>]*>|"[^"]*"|'[^']*'""")
_COMMANDS = re.compile(r"(?i)\||exec:|filter:")
_DROPPED = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_BARE_HOST = re.compile(r"(?i)(?:[^\s/:.]+\.)+[^\s/:.]+(?:[:/?#]|$)|localhost\b|\[")
_ESCAPED_AND = re.compile("&(?:amp;)+")
_HOST = re.compile(r"[^\s/\\<>\"'`{}|^%]+")


class RefusedAddress(FeedsError):
    """An address that is not polled; `str(error)` says why."""


def feed_address(raw: str) -> str:
    """Return the http or https URL that `raw` means, otherwise as it was written.

    Raises RefusedAddress when there is none.
    """
    address = _DROPPED.sub("", raw).strip()
    if _QUOTED.fullmatch(address):
        address = address[1:-1].strip()
    if not address:
        raise RefusedAddress(_("no feed URL"))
    if _COMMANDS.match(address):
        raise RefusedAddress(_("it runs a command, and commands from a file are never run"))
    address = _ESCAPED_AND.sub("&", _with_web_scheme(address)).replace(" ", "%20")
    if len(address) > MAX_ADDRESS_LENGTH:
        raise RefusedAddress(_("the feed URL is longer than %(n)s characters") % {"n": f"{MAX_ADDRESS_LENGTH:,}"})
    _check_host(address)
    return address


def not_a_web_address() -> str:
    """Why what is no address at all is refused, in the language of the moment."""
    return _("the feed URL is not a web address")


def _with_web_scheme(address: str) -> str:
    """Return `address` with http or https in front, in lower case."""
    wrapped = _FEED_SCHEME.fullmatch(address)
    if wrapped:
        address = wrapped["rest"].strip()
    if address.startswith("//"):
        return f"https:{address}"
    scheme = _SCHEME.match(address)
    if scheme is None:
        if not _BARE_HOST.match(address):
            raise RefusedAddress(not_a_web_address())
        return f"http://{address}"
    name = scheme["name"].lower()
    if name not in ("http", "https"):
        raise RefusedAddress(_("only http and https addresses can be followed, not %(scheme)s:") % {"scheme": name})
    return name + address[len(name) :]


def _check_host(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname or "", parts.port  # reading a bad port raises
    except ValueError as error:
        raise RefusedAddress(not_a_web_address()) from error
    if not _HOST.fullmatch(host) or "\\" in parts.netloc or not is_http_url(address):
        raise RefusedAddress(not_a_web_address())
