"""Pictures fetched for the people who read, so that publishers and trackers learn nothing of them.

What comes is believed by its first bytes alone, never by what its server calls it. Only formats of pixels are passed
on: an SVG is a document that may hold scripts and load from elsewhere.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock

from django.conf import settings

from feeds.errors import FetchError
from feeds.fetching import Fetcher, FetchLimits
from feeds.normalizing.domains import registrable_domain

MAX_IMAGE_BYTES = 8 * 2**20  # decompressed; large photographs of the press have 1 to 3 MiB
SECONDS = 10.0  # for a picture with its redirects, once it is asked for; whoever reads has gone on by then
AT_ONCE = 16  # pictures under way in one process, of the 24 threads that `web_server.py` then gives it
OF_ONE_DOMAIN = 12  # of these, so that a slow publisher leaves some to others
PER_DOMAIN = 6  # as many connections as a browser opens; the others of its pictures wait for one
ACCEPT_IMAGE = "image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8"

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)

_under_way: Counter[str] = Counter()  # by registrable domain
_lock = Lock()


class Busy(Exception):
    """As many pictures are under way as may be, in all or of their publisher."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Its bytes and their media type."""

    content: bytes
    mime_type: str


def fetch_picture(url: str) -> Picture | None:
    """The picture there; None where there is none that may be shown. Raises Busy without waiting for a turn.

    What a browser has of it already is not asked with: by a tag of its own for every answer a publisher could tell one
    browser from another.
    """
    with _turn(registrable_domain(url)):
        try:
            answer = image_fetcher().fetch(url)
        except FetchError:
            return None
    mime_type = raster_type(answer.body) if answer.status == 200 else ""
    return Picture(answer.body, mime_type) if mime_type else None


@contextmanager
def _turn(domain: str) -> Iterator[None]:
    with _lock:
        if _under_way.total() >= AT_ONCE or _under_way[domain] >= OF_ONE_DOMAIN:
            raise Busy
        _under_way[domain] += 1
    try:
        yield
    finally:
        with _lock:
            _under_way[domain] -= 1
            if not _under_way[domain]:
                del _under_way[domain]


def raster_type(content: bytes) -> str:
    """The media type of a picture of pixels; "" for everything else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:8] == b"ftyp" and (b"avif" in content[8:32] or b"avis" in content[8:32]):
        return "image/avif"
    return next((mime_type for beginning, mime_type in _BEGINNINGS if content.startswith(beginning)), "")


@cache
def image_fetcher() -> Fetcher:
    """This process's own; it sends no cookies, no referrer, and nothing of who reads."""
    env = settings.ENV
    limits = FetchLimits(
        connect_seconds=min(env.FETCH_CONNECT_TIMEOUT, SECONDS),
        total_seconds=min(env.FETCH_TIMEOUT, SECONDS),
        max_bytes=min(env.FETCH_MAX_BYTES, MAX_IMAGE_BYTES),
        max_redirects=env.FETCH_MAX_REDIRECTS,
        per_domain=PER_DOMAIN,
        retry_waits=(),
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )
    return Fetcher(limits, user_agent=settings.USER_AGENT, accept=ACCEPT_IMAGE)
