"""What is no sentence of the article's own: calls to subscribe, bylines, credits, headings, code. Pure.

Rules, in order of cost: a sentence has an end mark and enough words; it is made of letters; it is no question (which is
either answered by what follows, or bait); quotation marks and brackets in it are whole; none of the phrases of
`boilerplate_phrases` stands in it. A line without an end mark is a heading, an item, a caption, a byline, a cell.

Known errors: a caption that is a whole sentence in the tense of news is taken for one; a sentence run together with a
label before it ("READ MORE Shares of …") is lost with the label.
"""

import re
from functools import cache

from digests.summaries.boilerplate_phrases import ANYWHERE, BEGINNINGS
from digests.summaries.languages import SPACELESS
from digests.summaries.tables import any_of, rows

LEAST_WORDS = 3  # of a sentence that says something
LEAST_CHARACTERS = 6  # likewise, in Chinese and Japanese
LEAST_PLAIN = 0.7  # share of letters, digits and spaces; what has fewer is code, a table, a formula
LEAST_PLAIN_SPACELESS = 0.6
LEAST_LETTERS = 0.3  # share of letters
MOST_CAPITALS = 0.6  # share of capitals among the letters of a sentence that is not shouted

_CLOSING = "\"'”’“»«)]」』）》〉*_ \u00a0"
_END_MARKS = (".", "!", "?", "。", "！", "？", "｡", "．", "…", "؟", "।", "۔")
_CUT_OFF = re.compile(rf"(?:\.\.+|…|⋯|\[\s?(?:\.\.\.|…|&hellip;)\s?\])[{re.escape(_CLOSING)}]*\Z")
_BYLINE = re.compile(
    r"(?i:by|von|par|por|text|текст|words)[: ]\s?"
    r"(?:[^\W\d_a-zа-яß-ÿ][\w.’'-]*,?\s?|(?:and|und|et|y|и|de|van|von) ){1,10}(?:[,|/–—-].{0,40})?\.?\Z"
)
_NAME = re.compile(r"\S+ [^\W\d_]\S+")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\{\{|\}\}|\[/?[a-z]+\]|\]\(|&[a-z]{2,8};|<!--")
_CODE = re.compile(
    r"[{};=]\s*\Z|[=!]==?|=>|->|::|\(\)|&&|\|\||\$[a-z_{(\\]|\\[\w([]|\w\.\w+\(|^(?:#|//|>>>|\$ )|"
    r"\b(?:var|const|let|def) \w+\s?[=(]"
)
_ADDRESS = re.compile(r"https?:|www\.|\S@\S+\.\w|\b\w[\w-]+\.(?:com|org|net|io|me|co\.uk)/\S")
_WORD = re.compile(r"\w")
_BULLET = re.compile(r"(?:[•▪●◦‣·*►]|[–—-]\s|\d{1,2}[.)]\s)")
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("(", ")"), ("（", "）"), ("《", "》"), ("[", "]"))
_TRANSCRIPT = re.compile(r"(?:[A-Z]{2,}(?:[ .'-]+[A-Z]{2,}){0,3}|[QA]|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\s?:\s")


def says_something(text: str, language: str, *, shouted: bool = False) -> bool:
    """Whether a sentence may stand in a summary; `shouted`: the whole text is in capitals."""
    return is_ended(text) and is_prose(text, language, shouted=shouted) and not is_question(text)


def is_ended(text: str) -> bool:
    """Whether a sentence has its end: an end mark that does not say that something was cut off."""
    return text.rstrip(_CLOSING).endswith(_END_MARKS) and not is_cut_off(text)


def is_cut_off(text: str) -> bool:
    """Whether a text ends in an ellipsis, as teasers do."""
    return _CUT_OFF.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a sentence asks, itself or with what it quotes last."""
    return text.rstrip(_CLOSING + "!！").endswith(("?", "？", "؟"))


def is_prose(text: str, language: str, *, shouted: bool = False) -> bool:
    """Whether a line is words of the article: long enough, of letters, whole, and none of the known phrases."""
    return (
        _is_long_enough(text, language)
        and _is_of_letters(text, language, shouted=shouted)
        and _is_whole(text, language)
        and not is_boilerplate(text)
    )


def is_boilerplate(text: str) -> bool:
    """Whether one of the known phrases stands in a sentence, or it is a byline."""
    lowered = text.lower().lstrip("\"'“”‘’*•·-–—|>()[] \u00a0")
    if _beginnings().match(lowered):
        return True
    if any(key in lowered and pattern.search(lowered) for key, pattern in _anywhere()):
        return True
    return _is_byline(text)


def is_balanced(text: str) -> bool:
    """Whether every quotation and every bracket that a text opens is closed in it, and none was opened before it."""
    if text.count('"') % 2 or (text.count("``") % 2 and text.count("``") != text.count("''")):
        return False
    if "„" in text:
        return text.count("„") <= text.count("“") + text.count("”")
    if "»" in text and 0 <= text.find("»") < text.find("«"):
        return text.count("»") == text.count("«")  # »so« in German
    return all(_nests(text, opening, closing) for opening, closing in _PAIRS if opening in text or closing in text)


def _is_long_enough(text: str, language: str) -> bool:
    if language in SPACELESS:
        return len(_WORD.findall(text)) >= LEAST_CHARACTERS
    return len(text.split()) >= LEAST_WORDS


def _is_of_letters(text: str, language: str, *, shouted: bool) -> bool:
    if _MARKUP.search(text) or _CODE.search(text) or _ADDRESS.search(text):
        return False
    n_letters = sum(map(str.isalpha, text))
    n_plain = n_letters + sum(map(str.isdigit, text)) + text.count(" ")
    least_plain = LEAST_PLAIN_SPACELESS if language in SPACELESS else LEAST_PLAIN
    if n_plain < least_plain * len(text) or n_letters < LEAST_LETTERS * len(text):
        return False
    return shouted or sum(map(str.isupper, text)) <= MOST_CAPITALS * n_letters


def _is_whole(text: str, language: str) -> bool:
    """Not a note in brackets, not half of a quotation, not a line of an interview's transcript."""
    if text[0] in "([（【［" or _BULLET.match(text) or (language not in SPACELESS and _TRANSCRIPT.match(text)):
        return False
    return is_balanced(text)


def _nests(text: str, opening: str, closing: str) -> bool:
    depth = 0
    for each in text:
        depth += (each == opening) - (each == closing)
        if depth < 0:
            return False
    return depth == 0


def _is_byline(text: str) -> bool:
    return len(text) < 100 and _BYLINE.match(text) is not None and _NAME.search(text) is not None


@cache
def _beginnings() -> re.Pattern[str]:
    return re.compile(any_of(rows(BEGINNINGS)))


@cache
def _anywhere() -> tuple[tuple[str, re.Pattern[str]], ...]:
    parts = (row.partition(" :: ") for row in rows(ANYWHERE))
    return tuple((key, re.compile(pattern)) for keys, _, pattern in parts for key in keys.split("|"))
