"""Paragraphs and sentences of a plain text. Pure.

Sentences are split by the `sentencex` library, line by line. It splits too often: after abbreviations it doesn't know
("approx. 5 kg"), before lower case ("Yahoo! said"), after the number of a list item, and within quotations and
brackets. Such pieces are joined again, because half a sentence in a summary is worse than two. Where it splits too
seldom ("bread etc. Then"), two sentences stay one.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import sentencex

from digests.summaries.language import language_of
from digests.summaries.patterns import word_list

READ_CHARACTERS = 20_000  # about 3,000 words; later sentences are never in a summary
CHUNK_CHARACTERS = 3000  # passed to the library at once: many quotation marks take it quadratic time
QUOTE_CHARACTERS = 600  # a quotation that doesn't end within this is treated as never closed

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_WRAPPED = range(40, 121)  # characters of a line that may continue on the next one
_WRAPPED_SHARE = 0.2  # of lines that continue in lower case: from here on the text is hard-wrapped
_ENDS = tuple('.!?…:;。！？：；"”»“’)]」』）')
_JOINERS = "\u200c\u200d"  # format characters that are part of Persian words and of emoji
_SURROGATE = re.compile("[\ud800-\udfff]")  # the library can't take half a character
_ABBREVIATION = re.compile(r"(?:(?<=\s)|^|(?<=[(\[«“\"„]))((?:[^\W\d_]\.[\s-]?){1,3}[^\W\d_]|[^\W\d_][\w-]*|№)\.\Z")
_ITEM_NUMBER = re.compile(r"\(?(?:\d{1,3}|[^\W\d_])[.)]")
_ORDINAL_DE = re.compile(
    r"\b(?:d(?:er|ie|as|e[mns])|am|im|vom|zum|zur|seit|bis|\w*eine?[mn]?|ihre?[mn]?)\s\d{1,2}\.\Z", re.IGNORECASE
)
_JOINED_ON = re.compile(  # Node.js
    r"[-–]?[^\W\d_]\.|[-–]\w|(?:ru|com|net|org|io|de|fr|es|uk|eu|js|py|ai|tv|info|dev)\b", re.IGNORECASE
)
_CLOSING = "\"'”’“»«)]」』）》〉"
_OPENED_LAST = re.compile(r"\s[\"“«„‘(\[「『]+\s?\Z")  # marks that belong to the next sentence
_STRAIGHT_CLOSING = re.compile(r"(?<=\S)\"(?=[\s,.;:!?)—–-]|\Z)")
_STRAIGHT_OPENING = re.compile(r"(?:(?<=\s)|^)\"(?=\S)")
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("《", "》"), ("（", "）"), ("(", ")"), ("【", "】"))
_GERMAN_PAIRS = (("„", "“”"), ("»", "«"), ("‚", "‘’"), ("(", ")"))
_MONTH_DE = re.compile("Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez")
_SPOKEN_HAN = re.compile(
    "[がをにもの]|は(?!い)|と(?!ころ|にかく|ても|もに)|って|[，、]?(?:他|她|[^，。！？]{0,8})(?:说|說|道|称|稱|表示|问|問)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on one line, without control characters, with the number of its paragraph."""

    text: str
    paragraph: int


def sentences(text: str, language: str) -> list[Sentence]:
    """The sentences of the first 20,000 characters in order; `language` is ISO 639-1, "" if unknown."""
    language = language_of(text, language)
    numbered = enumerate(paragraphs(text))
    return [Sentence(sentence, n) for n, paragraph in numbered for sentence in split(paragraph, language)]


def paragraphs(text: str) -> list[str]:
    """The lines of a text that aren't blank; hard-wrapped lines are joined."""
    lines = [line.strip() for line in _LINE.findall(text[:READ_CHARACTERS]) if line.strip()]
    lower = sum(_continues(line, following) for line, following in pairwise(lines))
    longest = max(map(len, lines), default=0)
    is_wrapped = longest in _WRAPPED and lower >= 2 and lower > _WRAPPED_SHARE * len(lines)
    joined: list[str] = []
    last = ""
    for line in lines:
        is_full = is_wrapped and len(last) >= 0.7 * longest and not last.endswith(_ENDS)
        if last and (is_full or _continues(last, line)):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    return joined


def split(paragraph: str, language: str) -> list[str]:
    """The sentences of one paragraph."""
    uses_capitals = not paragraph.lstrip("\"'“«„‘( ")[:1].islower()
    sentences: list[str] = []
    rest = len(paragraph)
    for piece in _by_library(paragraph, language):
        if sentences and (mark := _OPENED_LAST.search(sentences[-1])):
            sentences[-1], piece, rest = sentences[-1][: mark.start()], mark[0] + piece, rest + len(mark[0])
        if sentences and _continues_sentence(sentences[-1], paragraph[-rest:], language, uses_capitals):
            sentences[-1] += piece
        else:
            sentences.append(piece)
        rest -= len(piece)
    return [line for piece in sentences if (line := on_one_line(piece))]


def on_one_line(text: str) -> str:
    """A text with single spaces, without control characters, direction marks and halves of characters."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    visible = (char if char in _JOINERS or unicodedata.category(char)[0] != "C" else "" for char in line)
    return " ".join("".join(visible).split())


def _continues(line: str, following: str) -> bool:
    return len(line) in _WRAPPED and not line.endswith(_ENDS) and following[:1].islower()


def _by_library(paragraph: str, language: str) -> Iterator[str]:
    """The library's sentences with the white space around them. Long paragraphs are passed in chunks."""
    begin, size = 0, CHUNK_CHARACTERS
    while begin < len(paragraph):
        chunk = paragraph[begin : begin + size]
        pieces = [len(piece) for piece in sentencex.segment(language or "en", _SURROGATE.sub("\ufffd", chunk))]
        if begin + len(chunk) < len(paragraph):
            pieces.pop()  # may continue in the next chunk
        size = CHUNK_CHARACTERS if pieces else 2 * size
        for length in pieces:
            yield paragraph[begin : begin + length]
            begin += length


def _continues_sentence(left: str, right: str, language: str, uses_capitals: bool) -> bool:
    """Whether `right` continues the sentence that `left` begins."""
    left, is_spaced, right = left.strip(), left[-1:].isspace() or right[:1].isspace(), right[:QUOTE_CHARACTERS].lstrip()
    if not left or _ITEM_NUMBER.fullmatch(left) or _is_open(left, right, language):
        return True
    if left[-1] in "》〉』" or (left[-1] in "」”" and _SPOKEN_HAN.match(right)):
        return True
    if uses_capitals and right.lstrip("–—- ")[:1].islower() and left.rstrip(_CLOSING)[-1:] in tuple(".!?…"):
        return not right[1:2].isupper()  # iPhone
    if left[-1] != ".":
        return False
    match = _ABBREVIATION.search(left[-40:])
    abbreviation = re.sub(r"\s", "", match[1]).lower() if match else ""
    return (
        (not is_spaced and _JOINED_ON.match(right) is not None)
        or abbreviation in word_list("abbreviation", language)
        or (right[:1].isdigit() and abbreviation in word_list("before_number", language))
        or (language == "ru" and re.fullmatch(r"\w\.\w", abbreviation) is not None)  # А. С. Пушкин
        or (language == "de" and _ORDINAL_DE.search(left[-24:]) is not None)
        or (language == "de" and left[-2:-1].isdigit() and _MONTH_DE.match(right) is not None)
    )


def _is_open(left: str, right: str, language: str) -> bool:
    """Whether `left` ends within a quotation or bracket that `right` closes."""
    for opening, closing in _GERMAN_PAIRS if language == "de" or "„" in left else _PAIRS:
        begin = left.rfind(opening)
        if begin < 0 or any(mark in left[begin + 1 :] for mark in closing):
            continue
        closes = min((at for mark in closing if (at := right.find(mark)) >= 0), default=-1)
        if closes >= 0 and not 0 <= right.find(opening) < closes:
            return True
    if left.count('"') % 2 == 0:
        return False
    closed, opened = _STRAIGHT_CLOSING.search(right), _STRAIGHT_OPENING.search(right)
    return closed is not None and (opened is None or opened.start() > closed.start())
