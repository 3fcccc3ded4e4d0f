"""Normalizes a parsed entry into a draft, field by field (SPEC §5)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from html import escape
from types import MappingProxyType

from selectolax.lexbor import LexborHTMLParser

from feeds.normalizing.author_names import clean_author
from feeds.normalizing.body import repair_body
from feeds.normalizing.canonical_url import (
    Removed,
    absolute,
    canonical_url,
    is_http_url,
    key_of_canonical,
    without_session,
)
from feeds.normalizing.dates import resolve_date
from feeds.normalizing.depth_limit import MAX_MARKUP
from feeds.normalizing.draft import Draft, Media
from feeds.normalizing.identity import key_in_feed, limited_guid
from feeds.normalizing.language import check_language, primary_language
from feeds.normalizing.media import collect_media
from feeds.normalizing.plain_text import plain_text, strip_invisible
from feeds.normalizing.text import (
    clean_excerpt,
    clean_title,
    count_words,
    first_line,
    is_partial,
    reading_seconds,
    shorten,
)
from feeds.parsing.feed import ParsedEntry
from feeds.publishers.hosts import publisher_at

MAX_URL = 2000  # characters that servers accept
SUMMARY_LENGTH = 500  # characters, SPEC §5
UNTITLED = "Untitled"
MAX_CATEGORIES = 40
MAX_CATEGORY = 100  # characters; longer ones are sentences
_ACRONYM_LETTERS = 4  # words of up to 4 capitals are acronyms: AI, NASA
NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


_BASE = re.compile(r"<base\s[^<>]*>", re.IGNORECASE)
_MEDIA = re.compile(r"<(?:img|picture|video|audio|iframe|embed|object)\b", re.IGNORECASE)
_DESCRIPTION = re.compile(r"""\b(?:alt|title)\s*=\s*(?P<quote>["'])(?P<text>[^"'<>]{3,300})(?P=quote)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeedContext:
    """Properties of the feed that its entries need.

    `set_language` takes precedence over the entries' own; `language` is declared, `detected_language` guessed from all
    entries. `clock_ahead`: by how much its dates without a zone are ahead of UTC.
    """

    url: str
    link: str = ""
    set_language: str = ""
    language: str = ""
    detected_language: str = ""
    clock_ahead: timedelta = timedelta(0)


def normalize(
    entry: ParsedEntry,
    *,
    feed: FeedContext,
    now: datetime,
    undated: datetime | None = None,
    extra_trackers: frozenset[str] = frozenset(),
    synonyms: Mapping[str, str] = NO_SYNONYMS,
) -> Draft | None:
    """Return the draft of an entry, None when it has neither title nor body (malformed). Never raises.

    Its guid and key are those that it has if no other entry of its document has its guid or link (`identify`).

    The body is cut off after MAX_MARKUP characters. `now` is the time of the poll, `undated` the date of an entry
    without one (None for `now`); `synonyms` maps lower-case category names to the ones to use.
    """
    markup, is_text = repair_body(strip_unstorable(entry.markup[:MAX_MARKUP]), is_text=entry.markup_is_text)
    text = plain_text(markup, is_text=is_text)
    site = _site_url(feed.url, feed.link)
    base = absolute(site, strip_invisible(entry.base)) if entry.base else ""
    url = _url(entry, base or site)
    related = absolute(base or site, strip_invisible(entry.related_url)) if entry.related_url else ""
    markup = _with_related(markup, related, url, is_text=is_text)
    base_url = _declared_base(markup, base or url or site) or base or ("" if url else site)
    media = collect_media(entry, markup, base=url or site, markup_base=base_url)
    title = clean_title(entry.title) or first_line(text) or _title_of_image(markup) or _title_of_media(media)
    if not title:
        return None
    page = canonical_url(url, extra_trackers) if url else ""
    link = canonical_url(url, extra_trackers, removed=Removed.SURE) if url else ""
    published_guid = limited_guid(without_session(" ".join(strip_invisible(entry.guid).split())))
    guid = published_guid or limited_guid(page) or f"sha:{blake2b(title.encode(), digest_size=16).hexdigest()}"
    alone = key_in_feed(feed.url, guid)
    key = key_of_canonical(page) if page else alone
    author = clean_author(entry.author)
    categories = clean_categories(tuple(map(strip_invisible, entry.categories)), synonyms)
    published_at, date_uncertain = resolve_date(entry.dates, now=now, undated=undated, ahead=feed.clock_ahead)
    n_words, n_characters = count_words(text)
    declared = primary_language(feed.set_language or entry.language or feed.language) or feed.detected_language
    return Draft(
        guid=guid,
        published_guid=published_guid,
        url=url,
        canonical_url=link,
        url_key=key,
        page_key=key,
        own_key=alone,
        domain=publisher_at(page or feed.url),
        title=title,
        author=author,
        published_at=published_at,
        date_uncertain=date_uncertain,
        markup=markup,
        markup_is_text=is_text,
        base_url=base_url,
        text=text,
        summary=_summary(plain_text(entry.summary) or text),
        language=check_language(declared, f"{title} {text[:400]}"),
        word_count=n_words + n_characters,
        reading_seconds=reading_seconds(n_words, n_characters),
        partial_content=is_partial(text, n_words + n_characters),
        categories=categories,
        media=media,
        content_hash=content_hash(title, text),
        details_hash=_signed_hash(
            repr((link, author, None if date_uncertain else published_at, categories, media, markup))
        ),
    )


@lru_cache(maxsize=16)
def _site_url(feed_url: str, link: str) -> str:
    """The site that a feed links to, absolute; else the feed's own URL. The same for all its entries."""
    return absolute(feed_url, strip_invisible(link)) or feed_url


def content_hash(title: str, text: str) -> int:
    """Return a signed 64-bit hash of title and text, unaffected by changes in markup alone (rotating ids, trackers)."""
    return _signed_hash(f"{title}\0{text}".replace("\n", " "))


def _signed_hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def strip_unstorable(text: str) -> str:
    """Return markup without NUL and lone surrogates, which databases reject."""
    try:
        text.encode()  # much faster than a search
    except UnicodeEncodeError:
        text = text.encode(errors="ignore").decode()
    return text.replace("\0", "") if "\0" in text else text


def _summary(text: str) -> str:
    text = clean_excerpt(text) if len(text) <= 2 * SUMMARY_LENGTH else text[: 2 * SUMMARY_LENGTH]
    return shorten(" ".join(text.split()), SUMMARY_LENGTH)


def _title_of_image(markup: str) -> str:
    """Return the title of an entry that is only an image or a video: its description, else UNTITLED."""
    if _MEDIA.search(markup) is None:
        return ""
    description = _DESCRIPTION.search(markup)
    return (clean_title(description["text"]) if description else "") or UNTITLED


def _title_of_media(media: tuple[Media, ...]) -> str:
    """Return the title of an entry that only has files: the description of one, else UNTITLED."""
    described = next((file.description for file in media if file.description), "")
    return (clean_title(first_line(described)) or UNTITLED) if media else ""


def _url(entry: ParsedEntry, base: str) -> str:
    """Return the entry's link, else its guid if that is a URL, even one that is said to be no link."""
    for candidate in (entry.link, entry.guid if is_http_url(entry.guid) else ""):
        text = strip_invisible(candidate).strip()
        url = absolute(base, text) if text else ""
        if url and len(url) <= MAX_URL:
            return url
    return ""


def _with_related(markup: str, related: str, url: str, *, is_text: bool) -> str:
    """Return the body with a link to the page that it is about in front, unless it has that link or is that page."""
    shown = escape(related)
    if not related or related == url or related in markup or shown in markup:
        return markup
    if is_text:
        return f"{related}\n\n{markup}"
    name = shown.partition("://")[2].removeprefix("www.").rstrip("/")
    return f'<p><a href="{shown}">{name}</a></p>{markup}'


def _declared_base(markup: str, around: str) -> str:
    """The absolute URL of a body's `<base>`, "" if it has none."""
    found = _BASE.search(markup)
    node = LexborHTMLParser(found[0], is_fragment=True).css_first("base[href]") if found else None
    return absolute(around, node.attributes["href"] or "") if node else ""


def clean_categories(raw: tuple[str, ...], synonyms: Mapping[str, str]) -> tuple[str, ...]:
    """Return each category once, whatever its case; `synonyms` has lower-case keys."""
    categories: dict[str, str] = {}
    for text in raw:
        name = " ".join(text.split())[:MAX_CATEGORY].rstrip()
        if not name:
            continue
        name = synonyms.get(name.lower()) or _normal_case(name)
        categories.setdefault(name.casefold(), name)
        if len(categories) == MAX_CATEGORIES:
            break
    return tuple(categories.values())


def _normal_case(name: str) -> str:
    """`TECHNOLOGY` and `technology` become `Technology`; `AI`, `iOS` and `New York` stay."""
    if name.islower() or (name.isupper() and any(len(word) > _ACRONYM_LETTERS for word in name.split())):
        return name[:1].upper() + name[1:].lower()
    return name
