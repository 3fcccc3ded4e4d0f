"""One parsed entry to one draft: SPEC §5's table, field by field."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType

from feeds.normalizing.canonical_url import absolute, canonical_url, key_of_canonical
from feeds.normalizing.categories import categories_of
from feeds.normalizing.dates import resolve_date
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.draft import Draft
from feeds.normalizing.language import checked_language
from feeds.normalizing.language_tag import primary_language
from feeds.normalizing.media import media_of
from feeds.normalizing.names import author_name
from feeds.normalizing.plain_text import cleaned, plain_text
from feeds.normalizing.text import clean_title, count_words, first_line, is_partial, reading_seconds, shorten
from feeds.parsing.feed import ParsedEntry

LONGEST_URL = 2000  # characters; what is longer is no link that a server would take
SUMMARY_LENGTH = 500  # characters, SPEC §5
LONGEST_GUID = 255  # characters, as the column is
UNTITLED = "Untitled"
NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


_MEDIA = re.compile(r"<(?:img|picture|video|audio|iframe|embed|object)\b", re.IGNORECASE)
_DESCRIPTION = re.compile(r"""\b(?:alt|title)\s*=\s*(?P<quote>["'])(?P<text>[^"'<>]{3,300})(?P=quote)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeedContext:
    """What an entry takes from its feed. `language` is declared, `detected_language` what its entries say together."""

    url: str
    link: str = ""
    language: str = ""
    detected_language: str = ""


def normalize(
    entry: ParsedEntry,
    *,
    feed: FeedContext,
    now: datetime,
    extra_trackers: frozenset[str] = frozenset(),
    synonyms: Mapping[str, str] = NO_SYNONYMS,
) -> Draft | None:
    """The draft of an entry, None when it has neither title nor body (malformed). Never raises.

    `now` is the time of the poll; `synonyms` maps categories in lower case to the one to file them under.
    """
    markup = storable(entry.markup)
    text = plain_text(markup, is_text=entry.markup_is_text)
    title = clean_title(entry.title) or first_line(text) or _title_of_picture(markup)
    if not title:
        return None
    site = absolute(feed.url, cleaned(feed.link)) or feed.url
    base = absolute(site, cleaned(entry.base)) or site
    url = _url(entry, base)
    canonical = canonical_url(url, extra_trackers) if url else ""
    guid = _guid(entry.guid, canonical, title)
    published_at, date_uncertain = resolve_date(entry.dates, now=now)
    n_words, n_characters = count_words(text)
    declared = primary_language(entry.language or feed.language) or feed.detected_language
    return Draft(
        guid=guid,
        url=url,
        canonical_url=canonical,
        url_key=key_of_canonical(canonical) if canonical else _key_without_url(feed.url, guid),
        domain=registrable_domain(canonical or feed.url),
        title=title,
        author=author_name(entry.author),
        published_at=published_at,
        date_uncertain=date_uncertain,
        markup=markup,
        markup_is_text=entry.markup_is_text,
        base_url="" if url and base in (feed.url, site) else cleaned(base),
        text=text,
        summary=_summary(plain_text(entry.summary) or text),
        language=checked_language(declared, f"{title} {text[:400]}"),
        word_count=n_words + n_characters,
        reading_seconds=reading_seconds(n_words, n_characters),
        partial_content=is_partial(text, n_words + n_characters),
        categories=categories_of(tuple(map(cleaned, entry.categories)), synonyms),
        media=media_of(entry.media, markup, base=url or base),
        content_hash=content_hash(title, text),
    )


def content_hash(title: str, text: str) -> int:
    """A signed 64-bit hash of what a reader sees; changes of markup alone (rotating ids, trackers) do not change it."""
    digest = blake2b(f"{title}\0{text}".replace("\n", " ").encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def storable(text: str) -> str:
    """Markup as published, but for NUL and lone surrogates, which no database takes."""
    try:
        text.encode()  # much faster than any search
    except UnicodeEncodeError:
        text = text.encode(errors="ignore").decode()
    return text.replace("\0", "") if "\0" in text else text


def _summary(text: str) -> str:
    return shorten(" ".join(text[: 2 * SUMMARY_LENGTH].split()), SUMMARY_LENGTH)


def _title_of_picture(markup: str) -> str:
    """The title of an entry that is a picture or a video and nothing else: its description, else UNTITLED."""
    if _MEDIA.search(markup) is None:
        return ""
    description = _DESCRIPTION.search(markup)
    return (clean_title(description["text"]) if description else "") or UNTITLED


def _url(entry: ParsedEntry, base: str) -> str:
    for candidate in (entry.link, entry.guid if entry.guid_is_permalink else ""):
        text = cleaned(candidate).strip()
        url = absolute(base, text) if text else ""
        if url and len(url) <= LONGEST_URL:
            return url
    return ""


def _guid(raw: str, canonical: str, title: str) -> str:
    guid = " ".join(cleaned(raw).split()) or canonical
    if not guid:
        return f"sha:{blake2b(title.encode(), digest_size=16).hexdigest()}"
    if len(guid) <= LONGEST_GUID:
        return guid
    return f"{guid[:190]}…{blake2b(guid.encode(), digest_size=16).hexdigest()}"


def _key_without_url(feed_url: str, guid: str) -> bytes:
    return blake2b(f"{feed_url}\0{guid}".encode("utf-8", "replace"), digest_size=16).digest()
