"""What isn't a sentence of the article: calls to subscribe, bylines, credits, headings, code. Pure.

Rules, cheapest first: a sentence has an end mark and enough words; it consists of letters; it isn't a question (which
is answered by what follows, or is bait); its quotation marks and brackets are balanced; it matches none of the
`boilerplate_…` patterns. Those are long enough to leave news about subscriptions, cookies or photographs alone.

Known errors: a caption that is a whole sentence in the past tense passes; a sentence that runs into a label before it
("READ MORE Shares of …") is lost with the label.
"""

import re
from functools import cache

from digests.summaries.language import SPACELESS
from digests.summaries.patterns import pattern, rows

MIN_WORDS = 3
MIN_CHARACTERS = 6  # in Chinese and Japanese
MIN_PLAIN = 0.7  # share of letters, digits and spaces; below are code, tables and formulas
MIN_PLAIN_SPACELESS = 0.6
MIN_LETTERS = 0.3
MAX_CAPITALS = 0.6  # share of capitals among the letters, unless the whole text is in capitals

_CLOSING = "\"'”’“»«)]」』）》〉*_ \u00a0"
_END_MARKS = (".", "!", "?", "。", "！", "？", "｡", "．", "…", "؟", "।", "۔")
_CUT_OFF = re.compile(rf"(?:(?<!\.)\.\.++|…|⋯|\[\s?(?:\.\.\.|…|&hellip;)\s?\])[{re.escape(_CLOSING)}]*\Z")
_BYLINE = re.compile(
    r"(?i:by|von|par|por|text|текст|words)[: ]\s?"
    r"(?:[^\W\d_a-zа-яß-ÿ][\w.’'-]*(?!\w),?\s?|(?:and|und|et|y|и|de|van|von) ){1,10}(?:[,|/–—-].{0,40})?\.?\Z"
)
_NAME = re.compile(r"\S+ [^\W\d_]\S+")
_NOT_PROSE = re.compile(
    r"</?[a-zA-Z][^<>]*>|\{\{|\}\}|\[/?[a-z]+\]|\]\(|&[a-z]{2,8};|<!--|"  # markup
    r"[{};=]\s*\Z|[=!]==?|=>|->|::|\(\)|&&|\|\||\$[a-z_{(\\]|\\[\w([]|\w\.\w+\(|^(?:#|//|>>>|\$ )|"  # code
    r"\b(?:var|const|let|def) \w+\s?[=(]|"
    r"https?:|www\.|\S@[^\s@]+\.\w|(?<![\w-])-*+\w[\w-]+\.(?:com|org|net|io|me|co\.uk)/\S"  # addresses
)
_WORD = re.compile(r"\w")
_BULLET = re.compile(r"(?:[•▪●◦‣·*►]|[–—-]\s|\d{1,2}[.)]\s)")
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("(", ")"), ("（", "）"), ("《", "》"), ("[", "]"))
_TRANSCRIPT = re.compile(r"(?:[A-Z]{2,}(?:[ .'-]+[A-Z]{2,}){0,3}|[QA]|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\s?:\s")


def is_ended(text: str) -> bool:
    """Whether a sentence has an end mark other than an ellipsis for omitted text."""
    return text.rstrip(_CLOSING).endswith(_END_MARKS) and not is_cut_off(text)


def is_cut_off(text: str) -> bool:
    """Whether a text ends in an ellipsis, as teasers do."""
    return _CUT_OFF.search(text) is not None


def is_prose(text: str, language: str, *, shouted: bool = False) -> bool:
    """Whether a line is a statement of the article. `shouted`: the whole text is in capitals."""
    return (
        _is_long_enough(text, language)
        and not text.rstrip(_CLOSING + "!！").endswith(("?", "？", "؟"))
        and _is_of_letters(text, language, shouted=shouted)
        and not (text[0] in "([（【［" or _BULLET.match(text))
        and (language in SPACELESS or not _TRANSCRIPT.match(text))
        and is_balanced(text)
        and not is_boilerplate(text)
    )


def is_boilerplate(text: str) -> bool:
    """Whether a sentence matches a boilerplate pattern or is a byline."""
    lowered = text.lower().lstrip("\"'“”‘’*•·-–—|>()[] \u00a0")
    return (
        pattern("boilerplate_start").match(lowered) is not None
        or any(key in lowered and regex.search(lowered) for key, regex in _anywhere())
        or (len(text) < 100 and _BYLINE.match(text) is not None and _NAME.search(text) is not None)
    )


def is_balanced(text: str) -> bool:
    """Whether quotation marks and brackets are closed in the text that opens them."""
    if text.count('"') % 2 or (text.count("``") % 2 and text.count("``") != text.count("''")):
        return False
    if "„" in text:
        return text.count("„") <= text.count("“") + text.count("”")
    if "»" in text and 0 <= text.find("»") < text.find("«"):
        return text.count("»") == text.count("«")  # »so« in German
    return all(_is_nested(text, opening, closing) for opening, closing in _PAIRS if opening in text or closing in text)


def _is_long_enough(text: str, language: str) -> bool:
    if language in SPACELESS:
        return len(_WORD.findall(text)) >= MIN_CHARACTERS
    return len(text.split()) >= MIN_WORDS


def _is_of_letters(text: str, language: str, *, shouted: bool) -> bool:
    if _NOT_PROSE.search(text):
        return False
    n_letters = sum(map(str.isalpha, text))
    n_plain = n_letters + sum(map(str.isdigit, text)) + text.count(" ")
    min_plain = MIN_PLAIN_SPACELESS if language in SPACELESS else MIN_PLAIN
    if n_plain < min_plain * len(text) or n_letters < MIN_LETTERS * len(text):
        return False
    return shouted or sum(map(str.isupper, text)) <= MAX_CAPITALS * n_letters


def _is_nested(text: str, opening: str, closing: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == opening) - (char == closing)
        if depth < 0:
            return False
    return depth == 0


@cache
def _anywhere() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Words with the pattern to search where they occur: finding a word is much faster than a pattern."""
    parts = (row.partition(" :: ") for row in rows("boilerplate_anywhere"))
    return tuple((key, re.compile(regex)) for keys, _, regex in parts for key in keys.split("|"))
