"""What the reader's templates say with: times, counts, icons, letter tiles, sparklines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from zlib import crc32

from django import template
from django.templatetags.static import static
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from feeds.models import Article, Poll, PollOutcome
from reader import moments
from reader.enclosures import picture_of, web_address
from reader.image_addresses import image_address
from reader.keys import KEYS
from reader.queries import COUNTED_UP_TO

register = template.Library()

N_TILE_COLOURS = 8  # `.tile-0` to `.tile-7` in components.css
BAR_STEP = 4  # units of the sparkline's own grid from one bar to the next
BAR_HEIGHTS = {"new": 16, "same": 5, "failed": 16}


@register.simple_tag
def when(moment: datetime, now: datetime) -> SafeString:
    """A relative time with the absolute one in its title."""
    local, local_now = timezone.localtime(moment), timezone.localtime(now)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        moments.exactly(local),
        moments.ago(local, local_now),
    )


@register.filter
def reading_time(seconds: int) -> str:
    return moments.reading_time(seconds)


@register.filter
def exactly(moment: datetime) -> str:
    return moments.exactly(timezone.localtime(moment))


@register.filter
def capped(count: int) -> str:
    """A count as lists show it: `999+` where counting stopped."""
    return f"{COUNTED_UP_TO - 1}+" if count >= COUNTED_UP_TO else str(count)


register.filter(web_address)
register.filter(image_address)


@register.filter
def from_second(url: str, seconds: int | str) -> str:
    """A file's address with the second to begin at, as every player understands it (Media Fragments)."""
    return f"{url.partition('#')[0]}#t={seconds}" if seconds else url


@register.filter
def clock(seconds: int) -> str:
    """A place in a recording: `4:05`, `1:02:00`."""
    return moments.clock(seconds)


@register.filter
def picture(article: Article) -> str:
    """What a picture of the article's own is loaded from; "" when it has none."""
    return image_address(picture_of(article.media))


@register.simple_tag
def icon(name: str) -> SafeString:
    """One of the drawings in `static/icons/sprite.svg`; decoration, so the text beside it must say it all."""
    return _drawn(name, get_script_prefix())


@cache  # a list asks for four hundred of them, and static files are the same for as long as the process runs
def _drawn(name: str, _prefix: str) -> SafeString:
    return format_html(
        '<svg class="icon" width="20" height="20" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons/sprite.svg"),
        name,
    )


@register.simple_tag
def tile(name: str) -> SafeString:
    """The first letter of a name on a colour that is always the same for that name."""
    letter = next((character for character in name if character.isalnum()), "·").upper()[:1]
    colour = crc32(name.encode(errors="replace")) % N_TILE_COLOURS
    return format_html('<span class="tile tile-{}" aria-hidden="true">{}</span>', colour, letter)


@register.inclusion_tag("components/_keys.html")
def keys(heading: str) -> dict[str, object]:
    """The table of keys, under headings of that element."""
    return {"groups": KEYS, "heading": heading}


@dataclass(frozen=True, slots=True)
class Bar:
    """One poll drawn: where, how high, and of which kind (`new`, `same`, `failed`)."""

    x: int
    y: int
    height: int
    kind: str
    words: str


@register.inclusion_tag("components/_sparkline.html")
def sparkline(polls: Sequence[Poll]) -> dict[str, object]:
    """The polls as bars, oldest first, with the same in words."""
    kinds = [_kind(poll) for poll in polls]
    bars = [
        Bar(BAR_STEP * place, 18 - BAR_HEIGHTS[kind], BAR_HEIGHTS[kind], kind, str(PollOutcome(poll.outcome).label))
        for place, (poll, kind) in enumerate(zip(polls, kinds, strict=True))
    ]
    counts = {kind: kinds.count(kind) for kind in BAR_HEIGHTS}
    return {"bars": bars, "width": max(BAR_STEP * len(bars), BAR_STEP), "n": len(bars), "counts": counts}


def _kind(poll: Poll) -> str:
    if not poll.succeeded:
        return "failed"
    return "new" if poll.outcome == PollOutcome.NEW else "same"
