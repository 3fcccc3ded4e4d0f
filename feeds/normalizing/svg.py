"""Makes SVG drawings harmless: no scripts, nothing loaded from elsewhere.

A browser runs nothing and loads nothing in a drawing that it shows as an image; this also holds for whoever opens the
drawing by itself. Entities of the document (Illustrator declares dozens) are expanded within libxml2's limits.
"""

import re
from base64 import b64decode, b64encode
from binascii import Error
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from lxml import etree

MAX_SVG = 2**20  # bytes; most drawings have a hundredth of it

_SVG = "{http://www.w3.org/2000/svg}svg"
_ACTIVE_NAMES = "script handler listener iframe object embed audio video source link meta base form input button"
_ACTIVE = frozenset(_ACTIVE_NAMES.split())
_ANIMATION = frozenset(("animate", "set", "animatemotion", "animatetransform"))
_EMBEDDED = re.compile(r"#|data:image/(?:png|jpe?g|gif|webp);base64,", re.IGNORECASE)
_DRAWN_NAMES = "path circle rect line polyline polygon ellipse text image use foreignobject"
_DRAWN = frozenset(_DRAWN_NAMES.split())
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<svg[\s>:]|<\?xml|<!--|<!DOCTYPE\s+svg\b)", re.IGNORECASE)
_DATA = re.compile(r"data:image/svg\+xml(;[^,]{0,60})?,", re.IGNORECASE)
_PREFIX = "data:image/svg+xml;base64,"


def safe_svg(content: bytes) -> bytes:
    """Return a drawing without what could run or load something; b"" if it is none or draws nothing."""
    if len(content) > MAX_SVG or not _BEFORE.match(content):
        return b""
    parser = etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]  # since lxml 5; its stubs are older
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError):
        return b""
    if root is None or root.tag != _SVG:
        return b""
    names = {_clean(element) for element in list(root.iter())}
    return etree.tostring(root, encoding="utf-8", with_tail=False) if names & _DRAWN else b""


@lru_cache(maxsize=64)  # of one body, which is written and checked several times
def safe_svg_url(url: str, *, most: int) -> str:
    """Return the `data:` URL of a drawing with the drawing made harmless; "" if it is none, or of over `most` bytes."""
    found = _DATA.match(url)
    if found is None or len(url) > 3 * most:
        return ""
    data = url[found.end() :]
    try:
        content = b64decode(unquote_to_bytes(data)) if "base64" in (found[1] or "").lower() else unquote_to_bytes(data)
    except (Error, ValueError):
        return ""
    return svg_url(content, most=most)


def svg_url(content: bytes, *, most: int) -> str:
    """Return a `data:` URL of a drawing made harmless; "" if it is none, or of over `most` bytes."""
    safe = safe_svg(content)
    return _PREFIX + b64encode(safe).decode() if safe and len(safe) <= most else ""


def _clean(element: etree._Element) -> str:
    """Remove what the element could run or load, perhaps itself; returns its name in lower case."""
    if not isinstance(element.tag, str):  # an entity that was not expanded
        _remove(element)
        return ""
    name = _local(element.tag)
    changed = (element.get("attributeName") or "").lower()
    if name in _ACTIVE or (name in _ANIMATION and (changed.endswith("href") or changed.startswith("on"))):
        _remove(element)
        return ""
    for key, value in [(str(key), str(value)) for key, value in element.items()]:
        local = _local(key)
        if local.startswith("on") or (local in ("href", "src") and not _EMBEDDED.match(value.strip())):
            del element.attrib[key]
    return name


def _local(name: str) -> str:
    return name.rpartition("}")[2].lower()


def _remove(element: etree._Element) -> None:
    if (parent := element.getparent()) is not None:
        parent.remove(element)
