"""Fetches images on behalf of users, so that publishers and trackers learn nothing about them.

The format is detected from the first bytes, never from headers. Drawings (SVG) are passed on without what could run or
load something. Servers that only give images to visitors of their own pages are told the origin of the article's page,
then their own.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock
from urllib.parse import urlsplit

from django.conf import settings

from feeds.errors import FetchError
from feeds.fetching import DeadlineFetcher, Fetcher, FetchLimits
from feeds.normalizing.domains import ascii_host, registrable_domain
from feeds.normalizing.svg import safe_svg

MAX_IMAGE_BYTES = 8 * 2**20  # decompressed; large press photos have 1 to 3 MiB
SECONDS = 10.0  # per image, including redirects
AT_ONCE = 16  # images fetched at once by a process; the web server has as many threads more
OF_ONE_DOMAIN = 12  # of these, so that a slow publisher doesn't block others
PER_DOMAIN = 6  # connections, as in browsers; further images wait for one
SVG = "image/svg+xml"
ACCEPT_IMAGE = "image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8"

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\xff\x0a", "image/jxl"),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", "image/jxl"),
)

_FINAL = frozenset((404, 410, 429))  # refusals that another referrer wouldn't change

_in_progress: Counter[str] = Counter()  # by registrable domain
_lock = Lock()


class Busy(Exception):
    """Too many images are being fetched, in total or from this publisher."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Its bytes and their media type."""

    content: bytes
    mime_type: str


def fetch_picture(url: str, fetcher: Fetcher | DeadlineFetcher | None = None, *, page: str = "") -> Picture | None:
    """The image at `url`, None if there is none; `page` is the article's. Raises Busy without waiting.

    Sends no validators of the browser's cache: with unique ETags a publisher could track browsers.
    """
    with slot(registrable_domain(url)):
        fetcher = fetcher or DeadlineFetcher(image_fetcher(), seconds=SECONDS)
        for referrer in dict.fromkeys(("", origin_of(page), origin_of(url))):
            try:
                answer = fetcher.fetch(url, referrer=referrer)
            except FetchError:
                return None
            if answer.status == 200 and (picture := _picture(answer.body)):
                return picture
            if answer.status != 200 and (answer.status not in range(400, 500) or answer.status in _FINAL):
                return None
    return None


def origin_of(url: str) -> str:
    """The origin of a URL with a slash, which is all that other sites are told of a page; "" if it has none."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else ascii_host(parts.hostname or "")
    return f"{parts.scheme}://{host}{port}/" if parts.scheme in ("http", "https") and host else ""


def _picture(content: bytes) -> Picture | None:
    if mime_type := raster_type(content):
        return Picture(content, mime_type)
    return Picture(drawing, SVG) if (drawing := safe_svg(content)) else None


@contextmanager
def slot(domain: str) -> Iterator[None]:
    """Hold one of the places for what is fetched while a user waits. Raises Busy without waiting."""
    with _lock:
        if _in_progress.total() >= AT_ONCE or _in_progress[domain] >= OF_ONE_DOMAIN:
            raise Busy
        _in_progress[domain] += 1
    try:
        yield
    finally:
        with _lock:
            _in_progress[domain] -= 1
            if not _in_progress[domain]:
                del _in_progress[domain]


def raster_type(content: bytes) -> str:
    """The media type of a raster image; "" for everything else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:8] == b"ftyp" and (b"avif" in content[8:32] or b"avis" in content[8:32]):
        return "image/avif"
    return next((mime_type for beginning, mime_type in _BEGINNINGS if content.startswith(beginning)), "")


@cache
def image_fetcher(*, max_bytes: int = MAX_IMAGE_BYTES, accept: str = ACCEPT_IMAGE) -> Fetcher:
    """The fetcher of this process; it sends no cookies, referrer or data of the user."""
    env = settings.ENV
    limits = FetchLimits(
        connect_seconds=min(env.FETCH_CONNECT_TIMEOUT, SECONDS),
        total_seconds=min(env.FETCH_TIMEOUT, SECONDS),
        max_bytes=min(env.FETCH_MAX_BYTES, max_bytes),
        max_redirects=env.FETCH_MAX_REDIRECTS,
        per_domain=PER_DOMAIN,
        retry_waits=(),
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )
    return Fetcher(limits, user_agent=settings.USER_AGENT, accept=accept)
