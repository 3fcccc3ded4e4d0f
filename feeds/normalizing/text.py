"""Cleans titles, shortens texts, and splits and counts words, in languages with and without spaces.

In scripts without spaces (Han, Kana, Thai, Lao, Khmer, Burmese), a "word" is an overlapping pair of characters, texts
are cut between any two characters, and length is counted in characters without combining marks (SPEC §5). Hangul has
spaces.

Titles may contain any markup. Tags are removed by name, so "a < b" and "C++ <vector>" stay. References are decoded
twice, because "AT&amp;amp;T" is common. Of markup that only appears after the first decoding, pairs and line breaks are
removed, but single tags stay: "The <b> tag" is then a title about a tag.
"""

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from feeds.normalizing.plain_text import strip_invisible, unescape

MAX_TITLE = 1000  # characters
FIRST_LINE_LENGTH = 80  # SPEC §5
WORDS_PER_MINUTE = 238  # strategy.md step 2
CHARACTERS_PER_MINUTE = 500  # SPEC §5
PARTIAL_WORDS = 100  # strategy.md step 2

_SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
_BETWEEN_PARTS = re.compile("[,，、;；\n]")
_SPACELESS_CHARACTER = re.compile(f"[{_SPACELESS}]")
_TOKEN = re.compile(rf"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])[^\W_])+(?:['’](?:(?![{_SPACELESS}])[^\W_])+)*")
_RUN = re.compile(rf"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])[^\W_])+")
_SPACED_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ASCII_WORDS = str.maketrans({chr(n): chr(n).lower() if chr(n).isalnum() or n == ord("'") else " " for n in range(128)})
_OUTER_APOSTROPHE = re.compile("'(?!(?<=[a-z0-9]')[a-z0-9])")
_MARKS_OF_SPACELESS = re.compile(
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3]"
)

_TAG_NAMES = (
    "a abbr acronym address article aside b bdi bdo big blink blockquote body br button center cite code dd "
    "del dfn div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i "
    "iframe img input ins kbd label li link main mark marquee meta nav nobr object ol option p pre q rp rt "
    "ruby s samp script section select small source span strike strong style sub sup svg table tbody td "
    "textarea tfoot th thead time title tr tt u ul var video wbr"
).replace(" ", "|")
_TAG = re.compile(rf"</?(?:{_TAG_NAMES})(?:\s[^<>]*|/)?>|<!--.*?-->|<!\[CDATA\[|\]\]>", re.IGNORECASE | re.DOTALL)
_WITH_CONTENT = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_PAIRED_TAG = re.compile(
    r"<(/?)(a|b|i|em|strong|span|font|sup|sub|u|s|p|div|q|cite|code|small|mark)(?:\s[^<>]*)?>", re.IGNORECASE
)
_BREAK = re.compile(r"<(?:br|img|hr|wbr)\b[^<>]*>", re.IGNORECASE)
_NO_GAP = re.compile(
    r"</?(?:a|abbr|b|bdi|big|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|u|wbr)\b[^<>]*>", re.I
)
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")

_ELLIPSES = ("...", "…", "⋯", "。。。", "[..", "(more", "[more")
_MORE = (
    "read more|read on|continue reading|keep reading|full story|full article|read the rest|read the full article|"
    "weiterlesen|mehr lesen|mehr erfahren|lire la suite|lire plus|lire l'article|lire l’article|continuer la lecture|"
    "leer más|seguir leyendo|sigue leyendo|continuar leyendo|ler mais|leia mais|continue lendo|leggi tutto|"
    "leggi di più|continua a leggere|lees meer|lees verder|читать далее|читать дальше|читать полностью|czytaj dalej|"
    "czytaj więcej|läs mer|devamını oku|阅读全文|閱讀全文|继续阅读|繼續閱讀|"
    "查看全文|阅读更多|閱讀更多|阅读原文|閱讀原文|"
    "全文阅读|続きを読む|続きはこちら|もっと読む|全文を読む|記事全文|"
    "더 보기|더보기|계속 읽기|อ่านต่อ|อ่านเพิ่มเติม"
)
_MORE_PHRASES = tuple(_MORE.split("|"))
_MORE_ABOUT = re.compile(r"(?:continue reading|read more|weiterlesen|lire la suite|seguir leyendo)\b.{1,200}$", re.I)
_SYNDICATION_NOTE = re.compile(
    r"(?<!\s)\s*+The post .{1,400} (?:appeared first on|first appeared on) .{1,200}$", re.DOTALL
)

_READ_MORE = re.compile(
    rf"(?:(?P<cut>(?<!\.)\.{{3,}}+|(?<!…)…++|(?<!⋯)⋯++|\[\s?(?:\.\.\.|…)\s?\])\s*|\n)(?:{_MORE})"
    r"(?:\b[^\n.!?]{0,200})?\s*\Z",
    re.IGNORECASE,
)
_CUT_IN_BRACKETS = re.compile(r"\[\s?(?:\.\.\.|…|&hellip;)\s?\]\s*\Z")
_ESCAPED_LINK = re.compile(r"<a\s[^<>]{0,40}href=[^<>]{1,2000}>([^<>]{0,300})</a\s*>", re.IGNORECASE)
_ADDRESS = re.compile(r"\s*https?://\S+\s*\Z", re.IGNORECASE)


def clean_title(title: str) -> str:
    """Return a title as plain text on one line, at most 1,000 characters."""
    if "<" in title or "&" in title:
        title = unescape(_without_tags(title[: 4 * MAX_TITLE]))
        if "<" in title or "&" in title:
            title = unescape(_without_pairs(title))
    if not title.isascii():
        title = _DIRECTION.sub("", title)
    return shorten(" ".join(strip_invisible(title[: 4 * MAX_TITLE]).split()), MAX_TITLE)


def first_line(text: str) -> str:
    """Return the first line of a plain text as a title: at most 80 characters, whole words."""
    return shorten(text.partition("\n")[0], FIRST_LINE_LENGTH)


def clean_excerpt(text: str) -> str:
    """Return an excerpt, as plain text, without what only makes sense on the publisher's page.

    That is, at its end, WordPress's "The post … appeared first on …", and "Read more" or the like after an ellipsis or
    on a line of its own; `[…]` becomes `…`. Links that are still escaped, as in WordPress's feeds of comments, become
    their text. "" if only a URL is left.
    """
    if "The post " in text:
        text = _SYNDICATION_NOTE.sub("", text)
    text = _READ_MORE.sub(lambda match: "…" if match["cut"] else "", text)
    text = _CUT_IN_BRACKETS.sub("…", text)
    if "</a" in text:
        text = _ESCAPED_LINK.sub(r"\1", text)
    return "" if _ADDRESS.match(text) else text


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, cut between words, or between characters in scripts without spaces.

    A word longer than the limit is cut. No ellipsis is added.
    """
    if len(text) <= limit:
        return text
    cut = limit
    while cut > 0 and not _may_cut(text, cut):
        cut -= 1
    if cut == 0:
        cut = limit
        while cut > limit // 2 and _splits_character(text, cut):
            cut -= 1
    return text[:cut].rstrip()


def words(text: str, language: str = "") -> list[str]:
    """Return the words in lower case without punctuation; character pairs in scripts without spaces.

    `language` (ISO 639-1, "" if unknown) only matters for Korean, where Han characters form words with spaces.
    """
    if text.isascii():  # five times as fast as the regular expression
        text = text.translate(_ASCII_WORDS)
        return (_OUTER_APOSTROPHE.sub(" ", text) if "'" in text else text).split()
    text = text.lower()
    if language == "ko" or not _SPACELESS_CHARACTER.search(text):
        return _SPACED_TOKEN.findall(text)
    result: list[str] = []
    for token in _TOKEN.findall(text):
        if len(token) > 1 and _SPACELESS_CHARACTER.match(token):
            result.extend(map("".join, itertools.pairwise(token)))
        else:
            result.append(token)
    return result


def split_list(text: str) -> list[str]:
    """The non-empty parts between commas, semicolons and line breaks, those of Chinese and Japanese included."""
    return [part.strip() for part in _BETWEEN_PARTS.split(text) if part.strip()]


def runs(text: str) -> Iterator[re.Match[str]]:
    """Find the words of a text, with their positions; runs of a script without spaces are one match."""
    return _RUN.finditer(text)


def is_spaceless(run: str) -> bool:
    """Whether a run is in a script without spaces, so that its words are unknown."""
    return _SPACELESS_CHARACTER.match(run) is not None


def count_words(text: str) -> tuple[int, int]:
    """Return the number of words, and of characters in scripts without spaces."""
    if text.isascii() or not (n_characters := len(_SPACELESS_CHARACTER.findall(text))):
        return len(text.split()), 0
    n_characters -= len(_MARKS_OF_SPACELESS.findall(text))
    spaced = _SPACELESS_CHARACTER.sub(" ", text)
    return len(_SPACED_TOKEN.findall(spaced)), n_characters


def reading_seconds(n_words: int, n_characters: int) -> int:
    """Return the reading time at 238 words and 500 characters per minute, rounded."""
    return round(60 * (n_words / WORDS_PER_MINUTE + n_characters / CHARACTERS_PER_MINUTE))


def is_partial(text: str, word_count: int) -> bool:
    """Whether the text is only the start of an article: under 100 words, ending in "…", "Read more" or similar."""
    if word_count >= PARTIAL_WORDS or not text:
        return False
    end = text[-1000:]
    if "The post " in end:
        end = _SYNDICATION_NOTE.sub("", end)
    return (
        end.rstrip(" \n\"'”’»›)]").endswith(_ELLIPSES)
        or end[-80:].lower().rstrip(" \n:»›→>])）】").endswith(_MORE_PHRASES)
        or _MORE_ABOUT.match(end.rpartition("\n")[2]) is not None
    )


def _without_tags(title: str) -> str:
    if "<" not in title:
        return title
    title = _WITH_CONTENT.sub(" ", title)
    return _TAG.sub(lambda match: "" if _NO_GAP.match(match[0]) else " ", title)


def _without_pairs(title: str) -> str:
    if "<" not in title:
        return title
    title = _BREAK.sub(" ", _WITH_CONTENT.sub(" ", title))
    opened: dict[str, list[tuple[int, int]]] = defaultdict(list)
    paired: list[tuple[int, int]] = []
    for tag in _PAIRED_TAG.finditer(title):
        waiting = opened[tag[2].lower()]
        if not tag[1]:
            waiting.append(tag.span())
        elif waiting:
            paired += [waiting.pop(), tag.span()]
    for start, end in sorted(paired, reverse=True):
        title = title[:start] + title[end:]
    return title


def _may_cut(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before.isspace() or after.isspace():
        return True
    if _splits_character(text, at):
        return False
    return bool(_SPACELESS_CHARACTER.match(before) or _SPACELESS_CHARACTER.match(after))


def _splits_character(text: str, at: int) -> bool:
    """Whether a cut would separate a letter from its marks, or the parts of an emoji."""
    before, after = text[at - 1], text[at]
    if "\u200d" in (before, after) or after in "\ufe0e\ufe0f" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return unicodedata.category(after)[0] == "M"
