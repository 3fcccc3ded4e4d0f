"""Fetches images on behalf of users, so that publishers and trackers learn nothing about them.

The format is detected from the first bytes, never from headers. Only raster images are passed on: an SVG may contain
scripts and load other resources.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock

from django.conf import settings

from feeds.errors import FetchError
from feeds.fetching import DeadlineFetcher, Fetcher, FetchLimits
from feeds.normalizing.domains import registrable_domain

MAX_IMAGE_BYTES = 8 * 2**20  # decompressed; large press photos have 1 to 3 MiB
SECONDS = 10.0  # per image, including redirects
AT_ONCE = 16  # images fetched at once by a process; the web server has as many threads more
OF_ONE_DOMAIN = 12  # of these, so that a slow publisher doesn't block others
PER_DOMAIN = 6  # connections, as in browsers; further images wait for one
ACCEPT_IMAGE = "image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8"

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)

_in_progress: Counter[str] = Counter()  # by registrable domain
_lock = Lock()


class Busy(Exception):
    """Too many images are being fetched, in total or from this publisher."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Its bytes and their media type."""

    content: bytes
    mime_type: str


def fetch_picture(url: str, fetcher: Fetcher | DeadlineFetcher | None = None) -> Picture | None:
    """The raster image at `url`, None if there is none. Raises Busy without waiting.

    Sends no validators of the browser's cache: with unique ETags a publisher could track browsers.
    """
    with _slot(registrable_domain(url)):
        try:
            answer = (fetcher or image_fetcher()).fetch(url)
        except FetchError:
            return None
    mime_type = raster_type(answer.body) if answer.status == 200 else ""
    return Picture(answer.body, mime_type) if mime_type else None


@contextmanager
def _slot(domain: str) -> Iterator[None]:
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
