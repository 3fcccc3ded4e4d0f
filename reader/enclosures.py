"""An article's files as its page offers them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file to hear, see or load; `kind` is `audio`, `video`, `image` or `file`, `n_bytes` None when unknown."""

    url: str
    kind: str
    mime_type: str
    name: str
    n_bytes: int | None = None


def enclosures(media: Sequence[dict[str, Any]], *, body_html: str) -> tuple[Enclosure, ...]:
    """What to show beside the body: no picture when the body has its own, one when it has none; each file once."""
    found: dict[str, Enclosure] = {}
    has_picture = "<img" in body_html
    for each in media:
        enclosure = _enclosure(each)
        if not is_web_address(enclosure.url) or enclosure.url in found:
            continue
        if enclosure.kind == "image":
            if has_picture:
                continue
            has_picture = True
        found[enclosure.url] = enclosure
    return tuple(found.values())


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: http and https only, never `javascript:`."""
    return url.lower().startswith(("http://", "https://"))


def _enclosure(medium: dict[str, Any]) -> Enclosure:
    url, mime_type = medium["url"], medium.get("mime_type") or ""
    main = mime_type.partition("/")[0]
    kind = main if main in ("audio", "video", "image") else "file"
    path = _path(url)
    if not mime_type and path.lower().endswith((".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif")):
        kind = "image"
    return Enclosure(url, kind, mime_type, path.rpartition("/")[2] or url, medium.get("length") or None)


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""
