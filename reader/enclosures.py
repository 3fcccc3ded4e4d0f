"""An article's files as its page offers them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file to hear, see or load; `kind` is `audio`, `video`, `image` or `file`; None for a size that is unknown."""

    url: str
    kind: str
    mime_type: str
    name: str
    n_bytes: int | None = None
    width: int | None = None
    height: int | None = None

    @property
    def key(self) -> str:
        """What the file's address is known by, in forms and in the database."""
        return file_key(self.url)

    @property
    def host(self) -> str:
        """Who is asked for the file."""
        return host_of(self.url)


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


def file_key(url: str) -> str:
    """32 characters that stand for the address of a file."""
    return blake2b(url.encode(errors="replace"), digest_size=16).hexdigest()


def picture_of(media: Sequence[dict[str, Any]]) -> str:
    """The address of the first picture among an article's own files; "" when there is none."""
    files = map(_enclosure, media)
    return next((each.url for each in files if each.kind == "image" and is_web_address(each.url)), "")


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: http and https only, never `javascript:`."""
    return url.lower().startswith(("http://", "https://"))


def web_address(url: str) -> str:
    """The URL if a link may lead there, else ""."""
    return url if is_web_address(url) else ""


def host_of(url: str) -> str:
    """The host that a URL leads to, without `www.`; "" for what is no URL."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _enclosure(medium: dict[str, Any]) -> Enclosure:
    url, mime_type = medium["url"], medium.get("mime_type") or ""
    main = mime_type.partition("/")[0]
    kind = main if main in ("audio", "video", "image") else "file"
    path = _path(url)
    if not mime_type and path.lower().endswith((".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif")):
        kind = "image"
    sizes = (medium.get(name) or None for name in ("length", "width", "height"))
    return Enclosure(url, kind, mime_type, path.rpartition("/")[2] or url, *sizes)


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""
