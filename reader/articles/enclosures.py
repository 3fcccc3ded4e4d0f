"""An article's files, as its page offers them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file to play or download; `kind` is `audio`, `video`, `image` or `file`; unknown sizes are None."""

    url: str
    kind: str
    mime_type: str
    name: str
    n_bytes: int | None = None
    width: int | None = None
    height: int | None = None

    @property
    def key(self) -> str:
        """A hash of the file's URL, for forms and the database."""
        return file_key(self.url)

    @property
    def host(self) -> str:
        return host_of(self.url)


def enclosures(media: Sequence[dict[str, Any]], *, body_html: str) -> tuple[Enclosure, ...]:
    """The files to show with the body, each once: one image, and only if the body has none."""
    found: dict[str, Enclosure] = {}
    has_picture = "<img" in body_html
    for enclosure in map(_enclosure, media):
        if not is_web_address(enclosure.url) or enclosure.url in found:
            continue
        if enclosure.kind == "image":
            if has_picture:
                continue
            has_picture = True
        found[enclosure.url] = enclosure
    return tuple(found.values())


def file_key(url: str) -> str:
    """A hash of a file's URL, 32 characters."""
    return blake2b(url.encode(errors="replace"), digest_size=16).hexdigest()


def picture_of(media: Sequence[dict[str, Any]]) -> str:
    """The URL of the first image among an article's files; "" if there is none."""
    files = map(_enclosure, media)
    return next((file.url for file in files if file.kind == "image" and is_web_address(file.url)), "")


def is_web_address(url: str) -> bool:
    """Whether a URL is safe to link to: http and https only, never `javascript:`."""
    return url.lower().startswith(("http://", "https://"))


def web_address(url: str) -> str:
    """The URL if it is safe to link to, else ""."""
    return url if is_web_address(url) else ""


def host_of(url: str) -> str:
    """The host of a URL, without `www.`; "" for an invalid URL."""
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
