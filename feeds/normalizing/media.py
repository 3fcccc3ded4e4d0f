"""Collects the files and pictures of an entry: enclosures, Media RSS, else the first picture of its body.

One picture is often declared several times: in several sizes, as enclosure and by Media RSS, with a thumbnail. The
largest that is no larger than a screen is kept, with the description of any. The forms of one recording (a Media RSS
group) become one, too. Thumbnails are kept only where there is no picture, or as the posters of videos.

Pictures often come from URLs without a file extension (Unsplash, WordPress.com, newspapers' image servers), so they
have the type `image/*` where the URL has none.

Left out are authors' avatars, which WordPress.com declares as images of each article, and pictures that only decorate:
emoji, formulas, share buttons, badges, icons.
"""

import mimetypes
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import unescape

from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.draft import PLAYER, PREVIEW, Chapter, Media, TextFile
from feeds.normalizing.html_images import image_attributes, is_emoji
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.same_files import picture_marks, recording_marks
from feeds.parsing.feed import ParsedEntry, ParsedMedia, ParsedText

MAX_FILES = 50  # an entry with more is an archive, whose body links to the rest
MAX_URL = 2000  # characters
MAX_DESCRIPTION = 1500  # characters; Mastodon's limit
MAX_TITLE = 200  # characters of a recording's title; longer ones are its notes
MAX_SECONDS = 24 * 3600  # no recording is longer
_WIDEST = 2560  # pixels; larger pictures only take longer to load
_HEAVIEST = 8 * 2**20  # bytes; larger pictures aren't loaded
_UNKNOWN_WIDTH = 800  # pixels, assumed of a picture
_ORDER = {"enclosure": 0, "content": 1, "thumbnail": 2, "player": 3}
_SEARCHED = 200_000  # characters of a body
# Quoted values also end at the next "<", so that thousands of unfinished tags are searched in linear time.
_IMAGE = re.compile(r"""<(?:amp-)?img\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.I)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_MIME_TYPE = re.compile(r"[a-z]+/(?:[a-z0-9.+-]{1,100}|\*)")
_ANY_IMAGE = "image/*"
_SAYS_NOTHING = frozenset(("application/octet-stream", "binary/octet-stream", "application/force-download"))
_MIN_SIDE = 50  # pixels; images declared smaller are icons
_AVATAR = re.compile(r"https?://(?:[a-z0-9-]+\.)?gravatar\.com/avatar/", re.I)
_DECORATION_CLASS = re.compile(r"(?:^|\s)(?:latex|avatar|site-icon)(?:\s|$)", re.I)
_DECORATION_URL = re.compile(r"/latex\.php\?|//img\.shields\.io/|//static\.addtoany\.com/buttons/", re.I)


def collect_media(entry: ParsedEntry, markup: str, *, base: str, markup_base: str = "") -> tuple[Media, ...]:
    """Return each file once, ordered enclosure, media:content, thumbnail, player; if none is an image, then the first
    image of `markup`, whose URLs are relative to `markup_base`.

    URLs are absolute http(s) only. A missing MIME type is guessed from the file name's extension.
    """
    media: list[Media] = []
    known: dict[str, int] = {}  # by mark
    for file in (file for forms in _groups(entry.media, base) for file in _one_of_each(forms)):
        marks = _marks(file)
        at = next((known[mark] for mark in marks if mark in known), len(media))
        media[at:] = [_better(media[at], file), *media[at + 1 :]] if at < len(media) else [file]
        known |= dict.fromkeys(marks, at)
    media = _without_needless_previews(media)[:MAX_FILES]
    if not any(map(_is_picture, media)):
        media += _first_image(markup, markup_base or base)
    return tuple(_with_texts(_with_poster(media), entry, base))


def _groups(declared: Iterable[ParsedMedia], base: str) -> list[list[tuple[ParsedMedia, Media]]]:
    """Return the files by group, in the order of kinds; those of no group each for itself."""
    groups: dict[object, list[tuple[ParsedMedia, Media]]] = {}
    for number, item in enumerate(sorted(declared, key=lambda item: _ORDER.get(item.kind, len(_ORDER)))):
        url = _usable(item.url, base)
        if url and not _AVATAR.match(url) and not is_emoji({"src": url}):
            groups.setdefault(item.group or f"alone {number}", []).append((item, _medium(item, url)))
    return list(groups.values())


def _medium(item: ParsedMedia, url: str) -> Media:
    length, width, height = (_positive(size) for size in (item.length, item.width, item.height))
    if item.kind == "player":
        return Media(url, "text/html", use=PLAYER, seconds=item.seconds)
    if item.kind == "thumbnail":
        return Media(url, _image_type(url), None, width, height, use=PREVIEW)
    mime_type = _mime_type(item.mime_type, url)
    is_picture = mime_type.startswith("image/")
    is_recording = mime_type.startswith(("audio/", "video/"))
    description = " ".join(plain_text(item.description).split()) if is_picture or is_recording else ""
    return Media(
        url,
        mime_type,
        length,
        width,
        height,
        description=description[:MAX_DESCRIPTION] if is_picture or len(description) <= MAX_TITLE else "",
        seconds=item.seconds if item.seconds and not is_picture and item.seconds <= MAX_SECONDS else None,
    )


def _one_of_each(forms: Sequence[tuple[ParsedMedia, Media]]) -> list[Media]:
    """Return the best form of a group's recording or else picture, its other files, and a poster if there is one."""
    if len(forms) == 1:
        return [forms[0][1]]
    recordings = [pair for pair in forms if _is_recording(pair[1])]
    pictures = [pair for pair in forms if _is_picture(pair[1])]
    others = [file for _, file in forms if not _is_recording(file) and not _is_picture(file)]
    previews = [pair for pair in pictures if recordings or others or pair[1].use]
    attached = [pair for pair in pictures if pair not in previews]
    best = [max(kind, key=_rank)[1] for kind in (recordings, attached, previews) if kind]
    if attached:
        return [best[0], *others]
    if not previews:
        return [*best, *others]
    poster = replace(best.pop(), use=PREVIEW)
    return [*(replace(file, poster=poster.url) for file in (*best, *others)), poster]


def _rank(pair: tuple[ParsedMedia, Media]) -> tuple[bool, float, bool]:
    """How good a form is: of recordings the recommended, then the widest; of pictures the widest that fit."""
    item, file = pair
    if _is_picture(file):
        return True, _fit(file), item.is_default
    return item.is_default, _fit(file), _is_video(file)


def _fit(file: Media) -> float:
    width = file.width or (file.height * 4 / 3 if file.height else _UNKNOWN_WIDTH)
    is_too_large = width > _WIDEST or (_is_picture(file) and (file.length or 0) > _HEAVIEST)
    return -width if is_too_large else width


def _marks(file: Media) -> frozenset[str]:
    if _is_picture(file):
        return picture_marks(file.url, width=file.width, height=file.height)
    return recording_marks(file.url, file.length) if _is_recording(file) else frozenset((file.url,))


def _better(known: Media, other: Media) -> Media:
    """Return the file that is known by two declarations: of a picture the one that fits better, with what both say."""
    first, second = (other, known) if _is_picture(known) and _fit(other) > _fit(known) else (known, other)
    missing = {
        name: value
        for name in ("length", "description", "seconds", "poster")
        if not getattr(first, name) and (value := getattr(second, name))
    }
    return replace(first, use=known.use and other.use, **missing)


def _without_needless_previews(media: Sequence[Media]) -> list[Media]:
    """Return the files without previews that are neither posters nor the best picture of the entry or its video."""
    posters = {file.poster for file in media}
    spare = [file for file in media if file.use == PREVIEW and file.url not in posters]
    is_wanted = any(_is_video(file) and not file.poster for file in media) or not any(
        _is_picture(file) and file not in spare for file in media
    )
    needless = spare[:]
    if spare and is_wanted:
        needless.remove(max(spare, key=_fit))
    return [file for file in media if file not in needless]


def _with_poster(media: Sequence[Media]) -> list[Media]:
    """Return the files with the entry's preview as the poster of the first video, unless that has its own."""
    preview = next((file.url for file in media if file.use == PREVIEW), "")
    at = next((at for at, file in enumerate(media) if _is_video(file)), None)
    if not preview or at is None or media[at].poster:
        return list(media)
    return [*media[:at], replace(media[at], poster=preview), *media[at + 1 :]]


def _with_texts(media: Sequence[Media], entry: ParsedEntry, base: str) -> list[Media]:
    """Return the files, the first recording with the entry's chapters and transcripts."""
    at = next((at for at, file in enumerate(media) if _is_recording(file)), None)
    if at is None or not (entry.chapters or entry.chapters_file or entry.transcripts):
        return list(media)
    chapters = (
        Chapter(start, " ".join(plain_text(chapter.title).split()), _usable(chapter.url, base))
        for chapter in entry.chapters
        if (start := seconds_of(chapter.start)) is not None
    )
    told = replace(
        media[at],
        chapters=tuple(sorted(chapters, key=lambda chapter: chapter.start)),
        chapters_file=_text_file(entry.chapters_file, base) if entry.chapters_file else None,
        transcripts=tuple(filter(None, (_text_file(text, base) for text in entry.transcripts[:MAX_FILES]))),
    )
    return [*media[:at], told, *media[at + 1 :]]


def seconds_of(clock: str) -> float | None:
    """Return the seconds of a normal play time such as `75`, `1:15.250` or `01:01:15`; None for other text."""
    seconds = 0.0
    for part in clock.strip().split(":"):
        whole, _, fraction = part.partition(".")
        if not (whole.isascii() and whole.isdigit() and len(whole) <= 6) or (fraction and not fraction.isdecimal()):
            return None
        seconds = seconds * 60 + float(f"{whole}.{fraction[:3] or 0}")
    return seconds if seconds <= MAX_SECONDS else None


def _text_file(text: ParsedText, base: str) -> TextFile | None:
    url = _usable(text.url, base)
    return TextFile(url, _mime_type(text.mime_type, url), text.language[:20]) if url else None


def _is_picture(file: Media) -> bool:
    return file.mime_type.startswith("image/")


def _is_video(file: Media) -> bool:
    return file.mime_type.startswith("video/")


def _is_recording(file: Media) -> bool:
    return file.mime_type.startswith(("audio/", "video/"))


def _first_image(markup: str, base: str) -> tuple[Media, ...]:
    """Return the first image that the sanitized body shows too: lazy ones resolved, tracking pixels left out."""
    for match in _IMAGE.finditer(markup, 0, _SEARCHED):
        attributes = _attributes(match[1])
        image = image_attributes(attributes, base)
        url = _usable(image.get("src", ""), base)
        width, height = _pixels(image, "width"), _pixels(image, "height")
        is_icon = any(side is not None and side < _MIN_SIDE for side in (width, height))
        if url and not is_icon and not _is_decoration(url, attributes):
            return (Media(url, _image_type(url), None, width, height, use=PREVIEW),)
    return ()


def _is_decoration(url: str, attributes: dict[str, str]) -> bool:
    classes = attributes.get("class", "")
    return any(
        (is_emoji(attributes), _DECORATION_CLASS.search(classes), _DECORATION_URL.search(url), _AVATAR.match(url))
    )


def _attributes(tag: str) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(tag):
        attributes.setdefault(name.lower(), unescape("".join(values)))
    return attributes


def _pixels(image: dict[str, str], side: str) -> int | None:
    return _positive(int(image[side])) if side in image else None


def _usable(url: str, base: str) -> str:
    resolved = absolute(base, url.strip()) if url.strip() else ""
    return resolved if len(resolved) <= MAX_URL else ""


def _mime_type(declared: str, url: str) -> str:
    name = declared.strip().lower().partition(";")[0].strip()
    name = name if _MIME_TYPE.fullmatch(name) else ""
    if name and name not in _SAYS_NOTHING and not name.endswith("/*"):
        return name
    guessed = mimetypes.guess_type(url.partition("?")[0].partition("#")[0])[0] or ""
    return guessed if not name or guessed.startswith(name.partition("*")[0]) or name in _SAYS_NOTHING else name


def _image_type(url: str) -> str:
    """Guess the type of what is surely an image: never that of `image.php`."""
    guessed = _mime_type("", url)
    return guessed if guessed.startswith("image/") else _ANY_IMAGE


def _positive(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**53 else None
