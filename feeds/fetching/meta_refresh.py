"""Finds where a page that only leads on would take a browser: `<meta http-equiv="refresh" content="0; url=…">`.

Such pages are left behind by feeds that moved on hosts without redirects. A page that reloads later, or that declares
feeds of its own, is a page to look at.
"""

import re
from html import unescape

MAX_SECONDS = 10  # before a page leads on
_SEARCHED = 65_536  # bytes
_IS_FEED = re.compile(r"<(?:rss|rdf:rdf|feed)\b|(?:rss|atom|rdf)\+xml|feed\+json", re.IGNORECASE)
_NOSCRIPT = re.compile(r"<noscript\b[^<]*+(?:<(?!/noscript)[^<]*+)*+", re.IGNORECASE)
_META = re.compile(r"""<meta\s((?:[^<>"']|"[^"<]*"|'[^'<]*')*+)>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,20})\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_CONTENT = re.compile(r"\s*([0-9]{1,3})(?:\.[0-9]*)?\s*[;,]\s*url\s*=\s*+(.+)", re.IGNORECASE | re.DOTALL)


def refresh_target(body: bytes) -> str:
    """Return the URL that a page leads to at once, perhaps relative and as in a header; "" for any other document."""
    page = body[:_SEARCHED].decode("latin-1")
    if "refresh" not in page.lower() or _IS_FEED.search(page):
        return ""
    for tag in _META.finditer(_NOSCRIPT.sub("", page)):
        attributes = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(tag[1])}
        content = _CONTENT.match(unescape(attributes.get("content", "")))
        if attributes.get("http-equiv", "").strip().lower() == "refresh" and content is not None:
            return content[2].strip().strip("\"'").strip() if int(content[1]) <= MAX_SECONDS else ""
    return ""
