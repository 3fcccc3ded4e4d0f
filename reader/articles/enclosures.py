"""An article's files, as its page offers them. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from feeds.normalizing.draft import PLAYER, PREVIEW
from feeds.normalizing.html_images import IN_LINE
from feeds.normalizing.same_files import picture_marks, recording_marks

_IMAGE_NAMES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg", ".jxl")
_READABLE = {"text/html": 0, "text/plain": 1, "text/vtt": 2, "application/x-subrip": 3, "application/srt": 3}
# Of the sanitizer's output: the elements with an address, and links around images.
_LOADING = re.compile(r"""<(img|audio|video|source)((?: [a-z-]+(?:=(?:"[^"]*"|'[^']*'))?)+)""")
_LINKED_IMAGE = re.compile(r"""<a(?: id="[^"]*")? href="([^"]*)"[^>]*><img """)
_ADDRESS = re.compile(r""" (src|srcset|poster)=(?:"([^"]*)"|'([^']*)')""")
_IN_LINE = f' width="{IN_LINE}" height="{IN_LINE}"'


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file to show, play or download; `kind` is `audio`, `video`, `image` or `file`; unknown sizes are None.

    `description` is of a picture, or a recording's title; `seconds` its duration, `poster` the address of its image.
    `chapters` have `start` in seconds, `title` and perhaps `url`; `chapters_url` is the address of a file with them.
    """

    url: str
    kind: str
    mime_type: str
    name: str
    n_bytes: int | None = None
    width: int | None = None
    height: int | None = None
    description: str = ""
    seconds: int | None = None
    poster: str = ""
    chapters: tuple[dict[str, Any], ...] = ()
    chapters_url: str = ""
    transcripts: tuple[dict[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """A hash of the file's URL, for forms and the database."""
        return file_key(self.url)

    @property
    def host(self) -> str:
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class _Body:
    """What a body shows already: the marks of its pictures and recordings."""

    pictures: frozenset[str]
    recordings: frozenset[str]
    has_picture: bool


def enclosures(
    media: Sequence[dict[str, Any]], *, body_html: str, is_page: bool = False, has_video: bool = False
) -> tuple[Enclosure, ...]:
    """The files to show with the body, each once, without those that it shows itself.

    Of previews at most one is shown, where nothing else is. `is_page`: the body is of the article's page, which has
    the pictures that belong to it. `has_video`: the entry's video is offered in the player of its site.
    """
    body = _read_body(body_html)
    files = {file.url: (file, _is_preview(medium)) for file, medium in _offered(media)}
    posters = {file.poster for file, _ in files.values()}
    shown = [
        file
        for file, is_preview in files.values()
        if not is_preview and not _is_in(body, file) and not (has_video and file.kind == "video")
    ]
    if body.has_picture and is_page:
        shown = [file for file in shown if file.kind != "image"]
    if not body.has_picture and not any(file.kind == "image" for file in shown):
        previews = (file for file, is_preview in files.values() if is_preview and file.url not in posters)
        shown += [file for file in previews if not has_video][:1]
    return tuple(shown)


def _offered(media: Iterable[dict[str, Any]]) -> Iterator[tuple[Enclosure, dict[str, Any]]]:
    """Yield the files with their values; addresses of players and Flash files are none."""
    for medium in media:
        if medium.get("use") != PLAYER and is_web_address(medium["url"]):
            file = _enclosure(medium)
            if "flash" not in file.mime_type and not file.name.lower().endswith(".swf"):
                yield file, medium


def _is_preview(medium: dict[str, Any]) -> bool:
    """Whether it stands for pictures; also each of an article that was stored before pictures were told apart."""
    return medium.get("use", PREVIEW) == PREVIEW and _kind(medium) == "image"


def _read_body(body_html: str) -> _Body:
    pictures: set[str] = set()
    recordings: set[str] = set()
    has_picture = False
    for tag, attributes in _LOADING.findall(body_html):
        has_picture = has_picture or (tag == "img" and _IN_LINE not in attributes)
        for name, *values in _ADDRESS.findall(attributes):
            value = unescape("".join(values))
            if tag in ("audio", "source") or (tag == "video" and name == "src"):
                recordings |= recording_marks(value)
                continue
            urls = (url.partition(" ")[0] for url in value.split(", ")) if name == "srcset" else (value,)
            pictures |= frozenset().union(*map(picture_marks, urls))
    for url in _LINKED_IMAGE.findall(body_html):
        pictures |= picture_marks(unescape(url))
    return _Body(frozenset(pictures), frozenset(recordings), has_picture)


def _is_in(body: _Body, file: Enclosure) -> bool:
    if file.kind == "image":
        return not body.pictures.isdisjoint(picture_marks(file.url, width=file.width, height=file.height))
    return not body.recordings.isdisjoint(recording_marks(file.url))


def files_of(media: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """An article's files for apps: all with a web address, without those of players."""
    return [file for file in media if file.get("use") != PLAYER and is_web_address(file.get("url", ""))]


def seconds_of(media: Iterable[dict[str, Any]]) -> int | None:
    """How long an article's first recording plays; None if unknown."""
    return next((file["seconds"] for file in media if file.get("seconds")), None)


def file_key(url: str) -> str:
    """A hash of a file's URL, 32 characters."""
    return blake2b(url.encode(errors="replace"), digest_size=16).hexdigest()


def picture_of(media: Sequence[dict[str, Any]]) -> str:
    """The URL of the first image among an article's files; "" if there is none."""
    return next((file.url for file, _ in _offered(media) if file.kind == "image"), "")


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
    url = medium["url"]
    chapters_file = medium.get("chapters_file") or {}
    return Enclosure(
        url,
        _kind(medium),
        medium.get("mime_type") or "",
        _path(url).rpartition("/")[2] or url,
        n_bytes=medium.get("length") or None,
        width=medium.get("width") or None,
        height=medium.get("height") or None,
        description=medium.get("description", ""),
        seconds=medium.get("seconds"),
        poster=web_address(medium.get("poster", "")),
        chapters=tuple(
            chapter | {"url": web_address(chapter.get("url", ""))} for chapter in medium.get("chapters", ())
        ),
        chapters_url=web_address(chapters_file.get("url", "")),
        transcripts=tuple(_one_by_language(medium.get("transcripts", ()))),
    )


def _one_by_language(transcripts: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the transcript that is best to read for each language."""
    seen = set()
    for text in sorted(transcripts, key=lambda text: _READABLE.get(text.get("mime_type", ""), len(_READABLE))):
        language = text.get("language", "")
        if is_web_address(text["url"]) and language not in seen:
            seen.add(language)
            yield text


def _kind(medium: dict[str, Any]) -> str:
    mime_type = medium.get("mime_type") or ""
    main = mime_type.partition("/")[0]
    if not mime_type and _path(medium["url"]).lower().endswith(_IMAGE_NAMES):
        return "image"
    return main if main in ("audio", "video", "image") else "file"


def _path(url: str) -> str:
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""
