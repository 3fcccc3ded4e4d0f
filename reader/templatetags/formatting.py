"""Template tags and filters for times, counts, icons and letter tiles."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from zlib import crc32

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from feeds import wording
from feeds.models import Article
from reader.articles.enclosures import picture_of, web_address
from reader.articles.image_proxy import image_address
from reader.lists.queries import COUNTED_UP_TO
from reader.preferences import relative_time
from reader.preferences.shortcuts import KEYS

register = template.Library()

_SENTENCE_END = re.compile(  # not after an abbreviation, which has two letters or fewer
    r"(?:[^\W\d_]{3,}|\d{3,})[”\"’)\]]*[.!?][”\"’)\]]*(?=\s+[“\"‘(]?(?:[^\W\d_a-z]|\d))|[。！？][”」』）]*(?=.)"
)
N_TILE_COLOURS = 8  # `.tile-0` to `.tile-7` in components.css
_PLACE = object()  # where `fill` puts a value


def fill(template_name: str, **values: object) -> SafeString:
    """Render a template several times faster than `render_to_string`, for rows of lists.

    The template is rendered once per language, with placeholders for `values`, and then formatted. It can print
    values, and test whether one is empty: empty values and booleans are rendered as they are.
    """
    fixed = tuple((name, value if not value or value is True else _PLACE) for name, value in values.items())
    markup = _with_placeholders(template_name, fixed, get_language(), get_script_prefix())
    return format_html(markup, **{name: value for name, value in values.items() if value and value is not True})


@lru_cache(maxsize=1024)
def _with_placeholders(
    template_name: str, fixed: tuple[tuple[str, object], ...], _language: str | None, _prefix: str
) -> str:
    context = {name: f"{{{name}}}" if value is _PLACE else value for name, value in fixed}
    return render_to_string(template_name, context).strip()


@register.simple_tag
def when(moment: datetime, now: datetime) -> SafeString:
    """A relative time, with the absolute time in its title."""
    local = timezone.localtime(moment)
    return fill(
        "components/_time.html",
        iso=moment.isoformat(timespec="seconds"),
        exactly=relative_time.exactly(local),
        ago=relative_time.ago(local, timezone.localtime(now)),
    )


@register.filter
def reading_time(seconds: int) -> str:
    return relative_time.reading_time(seconds)


@register.filter
def since(moment: datetime, now: datetime) -> str:
    return relative_time.since(timezone.localtime(moment), timezone.localtime(now))


@register.filter
def exactly(moment: datetime) -> str:
    return relative_time.exactly(timezone.localtime(moment))


@register.filter
def capped(count: int) -> str:
    """A count as lists show it: `999+` where counting stopped."""
    return f"{COUNTED_UP_TO - 1}+" if count >= COUNTED_UP_TO else str(count)


register.filter(web_address)
register.filter(image_address)


@register.filter
def from_second(url: str, seconds: float | str) -> str:
    """A file's address with the second to begin at, as every player understands it (Media Fragments)."""
    return f"{url.partition('#')[0]}#t={seconds}" if seconds else url


@register.filter
def clock(seconds: float) -> str:
    """A place in a recording, or its duration: `4:05`, `1:02:00`."""
    return relative_time.clock(int(seconds))


@register.filter
def picture(article: Article) -> str:
    """What a picture of the article's own is loaded from; "" when it has none."""
    return image_address(picture_of(article.media), article.link)


@register.simple_tag
def comma() -> str:
    """What stands between the names of a list."""
    return wording.comma()


@register.simple_tag
def colon() -> str:
    """What stands between a label and its text."""
    return wording.colon()


@register.filter
def whole_sentences(excerpt: str) -> str:
    """An excerpt that was cut within a sentence, up to the end of the sentence before; itself if it has none."""
    if not excerpt.rstrip().endswith(("…", "...")):
        return excerpt
    ends = [match.end() for match in _SENTENCE_END.finditer(excerpt.rstrip(" .…"))]
    return excerpt[: ends[-1]] if ends else excerpt


@register.filter
def listed(names: Sequence[str]) -> str:
    """The names, with what stands between them."""
    return wording.comma().join(names)


@register.simple_tag
def icon(name: str) -> SafeString:
    """A drawing from `static/icons/sprite.svg`. Decoration: the text beside it has to say it all."""
    return _icon(name, get_script_prefix())


@cache
def _icon(name: str, _prefix: str) -> SafeString:
    return fill("components/_icon.html", name=name)


@register.simple_tag
def tile(name: str, icon: str | None = None) -> SafeString:
    """The icon with this digest, else the first letter of the name, on a colour that is always the same for it."""
    return _tile(name, icon or "", get_script_prefix())


@lru_cache(maxsize=4096)
def _tile(name: str, icon: str, _prefix: str) -> SafeString:
    letter = next((character for character in name if character.isalnum()), "·").upper()[:1]
    colour = crc32(name.encode(errors="replace")) % N_TILE_COLOURS
    src = reverse("icon", args=[icon]) if icon else ""
    return fill("components/_tile.html", colour=str(colour), letter=letter, src=src)


@register.inclusion_tag("components/_keys.html")
def keys(heading: str) -> dict[str, object]:
    """The table of keys, under headings of that element."""
    return {"groups": KEYS, "heading": heading}
