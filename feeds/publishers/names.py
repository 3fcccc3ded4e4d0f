"""The title of a feed, followed by its domain if the name belongs to another publisher.

Theory. A feed can have any title. If it looks like the name of a known publisher (`registry.tsv`) or like the title of
an existing feed of another publisher, its domain is added in parentheses: "BBC News (liar.example)". That is stored as
the feed's title, so every list, page, digest, email and export shows it.

Two names look alike if their `name_key` is equal: after NFKD, without accents and invisible characters, with look-alike
Cyrillic and Greek letters and digits as Latin letters, without case, spaces, punctuation and generic words ("The",
"News", "Latest", "RSS"). Known false positives: a blog called "Nature" gets its domain. Known misses: letters of other
alphabets, "rn" for "m", a known name followed by another word ("BBC Leaks").

A title that says nothing ("RSS", "Latest News") is replaced by the publisher's name if it's known, otherwise by the
domain, and one of a known publisher that is long or machine-made ("NDTV News Search Records Found 1000") by the
publisher's name. Short ones stay, because they tell the feeds of a publisher apart ("NYT > World News").
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from django.db import connection

from feeds.models import Feed
from feeds.normalizing.text import clean_title
from feeds.publishers.hosts import is_shared, publisher_at, speaks_for
from feeds.publishers.registry import load_registry

LONGEST_TITLE = 300  # characters, as the column is
LONGEST_KEY = 100
LONGEST_TIDY = 40  # characters that fit beside the list of feeds
_EARLIER = """
SELECT url FROM feeds_feed
WHERE name_key = %s AND source_id <> %s AND (%s IS NULL OR id < %s) AND NOT is_private LIMIT 10
"""
_NUMBER = re.compile(r"\d{3}")  # a count or an id
_LOOK_ALIKES = str.maketrans(
    # Cyrillic capitals and small letters, Greek capitals and small letters, digits and marks
    "АВЕЅІЈКМНОРСТУХԚԜҮӀавеѕіјкмнорстухԁһԛԝӏүΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεηικνορτυχγω01|łøıſ",
    "ABESIJKMHOPCTYXQWYlabesijkmhopctyxdhqwlyABEZHIKMNOPTYXabenikvoptyxywollloIs",
)
_GENERIC = frozenset(
    {"the", "a", "an", "news", "rss", "atom", "feed", "feeds", "official", "top", "stories", "story", "latest", "world",
     "headlines", "online", "home", "page", "all"}
)  # fmt: skip
_INVISIBLE = re.compile(  # accents, controls, marks of direction, fillers, variation selectors, tags
    "[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_WITH_DOMAIN = re.compile(r" \((?:[\w-]+\.)+[\w-]+\)\Z")


def name_key(name: str) -> str:
    """A key that is equal for names that look alike, "" for a name without letters and digits."""
    words = _words_of(name)
    return "".join(_specific(words) or words)[:LONGEST_KEY]


def distinct_title(feed: Feed, title: str, *, origin: str) -> str:
    """The title to store for `feed`, "" for an empty one. `origin` is the domain its document came from."""
    title = _tidy(clean_title(title).removesuffix(_suffix(origin)), origin)
    key = name_key(name_without_domain(title))
    if _claims_a_domain(title) or _is_publishers(key, origin) or _is_other_feeds(key, feed, origin):
        return _with_domain(title, origin)
    return title[:LONGEST_TITLE]


def distinct_name(name: str, *, origin: str) -> str:
    """The same for a name from an imported list; compares only with known publishers."""
    name = _telling(name.removesuffix(_suffix(origin)), origin)
    if _claims_a_domain(name) or _is_publishers(name_key(name_without_domain(name)), origin):
        return _with_domain(name, origin)
    return name[:LONGEST_TITLE]


def name_without_domain(title: str) -> str:
    """The title without the domain that `distinct_title` may have added."""
    return _WITH_DOMAIN.sub("", title)


def contains_name(title: str, name: str) -> bool:
    """Whether the title contains the name as words, in any case, or looks like it."""
    return f" {name} ".casefold() in f" {' '.join(title.split())} ".casefold() or name_key(name) == name_key(title)


def _tidy(title: str, origin: str) -> str:
    """The title, or a better one if it says nothing or too much."""
    title = _telling(title, origin)
    name = _names_by_domain().get(publisher_at(origin), "")
    is_noisy = len(title) > LONGEST_TIDY or _NUMBER.search(title) is not None
    return name if name and is_noisy and contains_name(title, name) else title


def _telling(title: str, origin: str) -> str:
    """The title; the publisher's name or the domain if all its words are generic."""
    words = _words_of(title)
    says_nothing = len("".join(words)) > 1 and not _specific(words)
    return _names_by_domain().get(publisher_at(origin), origin) if says_nothing else title


@cache
def _names_by_domain() -> dict[str, str]:
    return {entry.domain: entry.name for entry in load_registry() if not is_shared(entry.domain)}


def _suffix(origin: str) -> str:
    return f" ({origin})"


def _with_domain(title: str, origin: str) -> str:
    suffix = _suffix(origin)
    return title[: LONGEST_TITLE - len(suffix)].rstrip() + suffix


def _claims_a_domain(title: str) -> bool:
    """Whether it ends like a title with an added domain."""
    return name_without_domain(title) != title


def _words_of(name: str) -> list[str]:
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKD", name)).translate(_LOOK_ALIKES)
    return _BETWEEN_WORDS.sub(" ", visible).casefold().replace("i", "l").split()


def _specific(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _generic_words()]


@cache
def _generic_words() -> frozenset[str]:
    return frozenset(word.replace("i", "l") for word in _GENERIC)


@cache
def _publishers_by_key() -> dict[str, frozenset[str]]:
    """The domains of known publishers by the key of their name."""
    by_key: dict[str, set[str]] = {}
    for publisher in load_registry():
        by_key.setdefault(name_key(publisher.name), set()).add(publisher.domain)
    return {key: frozenset(domains) for key, domains in by_key.items()}


def _is_publishers(key: str, origin: str) -> bool:
    domains = _publishers_by_key().get(key, frozenset())
    return bool(domains and key) and not any(speaks_for(origin, domain) for domain in domains)


def _is_other_feeds(key: str, feed: Feed, origin: str) -> bool:
    """Whether an earlier feed of another publisher has the name."""
    if not key:
        return False
    with connection.cursor() as cursor:  # every poll of a changed document does this; six times as fast as models
        cursor.execute(_EARLIER, [key, feed.source_id, feed.pk, feed.pk])
        urls = [url for (url,) in cursor.fetchall()]
    return any(not speaks_for(origin, url) and not speaks_for(publisher_at(url), origin) for url in urls)
