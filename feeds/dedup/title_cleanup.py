"""Removes a newsroom's labels before a title and the publisher's name after it. Pure.

Theory. "BREAKING: …", "UPDATE 2-…", "【速報】…" before a headline and " - Reuters", " | BBC News", "_新浪网" after it
differ between copies of one article. A label counts only with its separator or brackets: "Breaking Bad" and
"Update 1.2" stay. "Update 2: …" stays too, since it may be the second part of a diary; Reuters writes "UPDATE 2-…".

A name after the last spaced dash, pipe or (in Chinese) underscore is the publisher's if the caller knows it, if it is a
host name, or if it ends like a newspaper's ("… Times", "…日报"); at most 4 words, and 4 tokens must remain. After a
pipe, up to 3 capitalized words (8 characters in scripts without spaces) are removed too, but returned as doubtful: they
distinguish "Weekly digest | Rust" from "Weekly digest | Go".
"""

import re
from collections.abc import Collection
from functools import lru_cache

from feeds.dedup.title_words import HOSTNAME, MEDIA_ENDINGS, MEDIA_WORDS, PREFIXES, SPACELESS, TAGS
from feeds.normalizing.text import words

MAX_SOURCE_WORDS = 4
MIN_TOKENS_LEFT = 4
MAX_DOUBTFUL_WORDS = 3
MAX_DOUBTFUL_CHARACTERS = 8  # in scripts without spaces
MAX_SOURCE_CHARACTERS = 16  # the same

_OPENING, _CLOSING = r"[\[(【〔「『<《]", r"[\])】〕」』>》]"
_PREFIX = re.compile(
    rf"(?:\s*(?:{_OPENING}\s*(?:{PREFIXES})\s*{_CLOSING}\s*[:|!-]?|(?:{PREFIXES})\s*(?::|\||!+|\s[-–—](?=\s)))\s*|"
    r"(?-i:(?:UPDATE|WRAPUP) \d{1,2}-|(?:RPT|REFILE|CORRECTED|BRIEF|EXCLUSIVE|FACTBOX|TIMELINE|ANALYSIS)-)(?=\S))+",
    re.IGNORECASE,
)
_PIPE = rf"\||(?<=[{SPACELESS}])_|_(?=[{SPACELESS}])"
_DASH = rf"(?<=\s)[-–—](?=\s)|(?<=[{SPACELESS}])-"
_SUFFIX = re.compile(rf"(?P<rest>.*\S)\s*(?:(?P<pipe>{_PIPE})|{_DASH})\s*(?P<suffix>\S.*)", re.DOTALL)
_TAG = re.compile(rf"(.*\S)\s*{_OPENING}(?:{TAGS}){_CLOSING}", re.IGNORECASE | re.DOTALL)
_TAG_ALONE = re.compile(TAGS, re.IGNORECASE)
_HOSTNAME = re.compile(HOSTNAME)
_MEDIA_ENDING = re.compile(rf".*(?:{MEDIA_ENDINGS})(?:\(.*\))?")
_SPACELESS = re.compile(f"[{SPACELESS}]")
_ENDS_BRACKETED = ("]", ")", "】", "〕", "」")


def without_prefixes(title: str) -> str:
    """Return the title without labels such as "Breaking:"; a title of only labels stays."""
    match = _PREFIX.match(title)
    return (title[match.end() :] or title) if match else title


def without_suffixes(title: str, source_names: Collection[str]) -> tuple[str, str]:
    """Return the title without its publisher's name, and the doubtful part that was removed, "" for none."""
    doubtful = ""
    while title.endswith(_ENDS_BRACKETED) and (tagged := _TAG.fullmatch(title)):
        title = tagged[1]
    while (match := _suffix(title)) is not None:
        rest, suffix = match["rest"].rstrip("|-–—_ "), match["suffix"]
        if not rest or len(words(rest)) < MIN_TOKENS_LEFT:
            break
        if not _is_source(suffix, source_names):
            if doubtful or not match["pipe"] or not _may_be_source(suffix):
                break
            doubtful = suffix.lower()
        title = rest
    return title, doubtful


def _suffix(title: str) -> re.Match[str] | None:
    if title.isascii() and "|" not in title and " - " not in title:
        return None
    return _SUFFIX.fullmatch(title)


def _is_source(suffix: str, source_names: Collection[str]) -> bool:
    if _TAG_ALONE.fullmatch(suffix):
        return True
    folded = _folded(suffix)
    if folded and any(folded == _folded(name) for name in source_names):
        return True
    if _HOSTNAME.fullmatch(suffix):
        return True
    if _SPACELESS.search(suffix) or not suffix.isascii():
        return len(suffix) <= MAX_SOURCE_CHARACTERS and _MEDIA_ENDING.fullmatch(suffix) is not None
    last = suffix.split()[-1]
    return len(suffix.split()) <= MAX_SOURCE_WORDS and last[0].isupper() and last.lower() in MEDIA_WORDS


def _may_be_source(suffix: str) -> bool:
    if any(map(str.isdigit, suffix)):
        return False
    if _SPACELESS.search(suffix):
        return len(suffix) <= MAX_DOUBTFUL_CHARACTERS
    parts = suffix.split()
    return len(parts) <= MAX_DOUBTFUL_WORDS and all(word[0].isupper() for word in parts)


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return " ".join(words(name))
