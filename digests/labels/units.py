"""What is read of a topic's articles, cut into words that know how they stand in the text. Pure.

A topic of thousands is labelled by those nearest its centroid: titles of the first `MOST_TITLES`, the beginnings of the
texts of the first `MOST_TEXTS`. Titles and texts are hostile: before anything is read of them they become one line of
plain text (`plain`), without what a newsroom's template put around a title.

A word with hyphens is one word ("e-cigarettes", "Wi-Fi"), with the stems of its parts, and so is a number ("6.1", also
before a hyphen), which is never cut.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from digests.labels.topic_text import Member
from digests.topics.texts import stems
from feeds.dedup.name_rules import is_title_case
from feeds.dedup.title_trimming import without_prefixes, without_suffixes
from feeds.dedup.title_words import SPACELESS

MOST_TITLES = 30  # that are read of a topic
MOST_TEXTS = 8
TITLE_CHARACTERS = 1000  # as titles are stored at most
TEXT_CHARACTERS = 400  # leads say what matters
LONGEST_WORD = 40  # characters; what is longer is no word of any language
_KNOWN_WORDS = 2**16

_MARKUP = re.compile(r"<[a-zA-Z/!?][^<>]{0,300}>")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|[@#]\w[\w.]*")
_LETTERS_WITH_DOTS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_CAPITALISED = "[A-ZÀ-ÞА-ЯЁ][^\\W\\d_]{0,29}"
_DATELINE = re.compile(  # "LONDON (Reuters) - ", "NEW YORK, March 5 — "
    rf"{_CAPITALISED}(?:[ .,/'’-]{{1,3}}(?:{_CAPITALISED}|\d{{1,2}})){{0,4}}\.?(?: ?\([^()]{{2,30}}\))? ?[-–—]{{1,2}} "
)
_MARKS = "\u0300-\u036f\u0900-\u0963\u0971-\u0dff\u200c\u200d"  # that belong to the letter before
_LETTER = f"(?:(?![{SPACELESS}])(?:[^\\W_]|[{_MARKS}]))"
_WORD = re.compile(rf"{_LETTER}+(?:(?:['’‐‑-]|(?<=\d)[.,](?=\d)){_LETTER}+)*")
_BREAK = re.compile(r"[.!?…:;\n•|()\[\]，。、：；！？]|(?:^|\s)[-–—]|[-–—]\s|[«»„“”\"'‘’「『]$")
_ELIDED = re.compile(r"^[^\W\d_]{1,5}['’](?=[^\W_])")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_PLAIN = str.maketrans("’‐‑", "'--")
_ELIDING = frozenset(("ca", "fr", "it"))


class Word(NamedTuple):
    """A word of a unit. `text` as it stands there, without elided article or possessive, `low` in lower case, `stems`
    of its parts, `joined`: nothing but a space, or the article, is between it and the word before; `begins` a sentence.
    """

    text: str
    low: str
    stems: tuple[str, ...]
    start: int
    end: int
    joined: bool
    begins: bool


@dataclass(frozen=True, slots=True)
class Unit:
    """A title, or the beginning of a text, of the member at this place. `key` is its words in lower case between single
    spaces, and the whole text where it is not ASCII: what names are looked for in. `capitals` are its words that are
    all in capitals while others are not; `tells_case`: capitals inside its sentences mean something.
    """

    member: int
    is_title: bool
    text: str
    words: tuple[Word, ...]
    key: str
    capitals: frozenset[str]
    tells_case: bool


def read(members: Sequence[Member]) -> list[Unit]:
    """The units of a topic: for each member in turn its title, then its text, those that say something."""
    return [unit for at, member in enumerate(members[:MOST_TITLES]) for unit in _units(at, member)]


def plain(text: str) -> str:
    """The text on one line: no control or invisible characters, no markup, no marks of direction."""
    if not text.isprintable():
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or _is_visible(c))
    return " ".join((_MARKUP.sub(" ", text) if "<" in text else text).split())


def trimmed_title(member: Member) -> str:
    """The title on one line without labels such as "Breaking:" before it and the publisher's name behind it."""
    title = plain(member.title[:TITLE_CHARACTERS])
    return without_suffixes(without_prefixes(title), [name for name in (member.source, member.publisher) if name])[0]


@lru_cache(maxsize=_KNOWN_WORDS)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, as they stand in a unit's key."""
    found = _WORD.findall(name.lower().translate(_PLAIN))
    return tuple(_POSSESSIVE.sub("", word) or word for word in found) if "'" in name or "’" in name else tuple(found)


def _is_visible(character: str) -> bool:
    return character in "\u200c\u200d" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")


def _units(at: int, member: Member) -> Iterator[Unit]:
    title = _readable(trimmed_title(member))
    if title:
        yield _unit(at, title, member.language, is_title=True)
    if at < MOST_TEXTS and member.text:
        text = _readable(plain(member.text[:TEXT_CHARACTERS])).removeprefix(title)
        if dateline := _DATELINE.match(text):
            text = text[dateline.end() :]
        if text:
            yield _unit(at, text, member.language, is_title=False)


def _readable(text: str) -> str:
    text = _ADDRESS.sub(" ", text) if "/" in text or "@" in text or "#" in text or "www." in text else text
    if "." in text:
        text = _LETTERS_WITH_DOTS.sub(lambda match: match[0].replace(".", ""), text)
    return text.strip()


def _unit(at: int, text: str, language: str, *, is_title: bool) -> Unit:
    words = tuple(_words(text, language))
    capitals = frozenset() if text.isupper() else frozenset(word.text for word in words if word.text.isupper())
    return Unit(at, is_title, text, words, _key(text, words), capitals, _tells_case(text, words))


def _words(text: str, language: str) -> Iterator[Word]:
    end = 0
    for match in _WORD.finditer(text):
        start, before = match.start(), end
        shown, low, found, offset = _known(match[0], language)
        end = match.end()
        joined = start == before + 1 and text[before] == " "
        begins = not before or (not joined and _BREAK.search(text[before:start]) is not None)
        yield Word(shown, low, found, start + offset, start + offset + len(shown), joined, begins)


@lru_cache(maxsize=_KNOWN_WORDS)
def _known(word: str, language: str) -> tuple[str, str, tuple[str, ...], int]:
    """A word without the article that an apostrophe joins to it, or the possessive; that in lower case; the stems of
    its parts; and where it begins in the word."""
    shown, offset = word, 0
    if "'" in word or "’" in word:
        if language in _ELIDING and (elided := _ELIDED.match(word)):
            shown, offset = word[elided.end() :], elided.end()
        else:
            shown = _POSSESSIVE.sub("", word) or word
    found = tuple(each.stem for each in stems(shown, language)) if len(shown) <= LONGEST_WORD else ()
    return shown, shown.lower().translate(_PLAIN), found, offset


def _key(text: str, words: tuple[Word, ...]) -> str:
    spaced = " ".join(word.low for word in words)
    return f" {spaced} " if text.isascii() else f" {spaced} \n{unicodedata.normalize('NFKC', text).lower()}"


def _tells_case(text: str, words: tuple[Word, ...]) -> bool:
    """Whether some longer word inside a sentence is in lower case, and not nearly all are capitalised."""
    return any(len(word.text) > 3 and word.text.islower() for word in words[1:]) and not is_title_case(text[:400])
