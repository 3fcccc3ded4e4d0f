"""Text in scripts without spaces, split into pieces for terms. Pure.

Pieces are characters, whole Latin words, whole sequences of katakana, and syllables of Thai and similar scripts.
Between them are punctuation, numbers, function characters and, in Japanese, hiragana, except in nouns ("引き上げ").
"""

import re

from feeds.dedup.title_words import SPACELESS as _RANGES

LANGUAGES = frozenset(("ja", "km", "lo", "my", "th", "zh"))
MIN_SHARE = 0.2  # of the characters of a text
SPACELESS = re.compile(f"[{_RANGES}]")
SYLLABIC = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai and similar scripts

_GRAMMAR = "的了着過过於于和與与及是被將将把也就都又還还已之其並并而或由為为則则但這这那該该此们們吗嗎呢吧啊很最更曾"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_SIGNS = "\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"  # after their consonant
TOKEN = re.compile(
    r"(?P<atom>[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9]*(?:[.&+'-][A-Za-z0-9]+)*|(?<![0-9])[0-9]++[A-Za-z][A-Za-z0-9]*"
    rf"|[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]+|(?![{_GRAMMAR}])[{_HAN}]"
    rf"|(?<=[{_HAN}])(?:[きりちいしみえけげせび](?=[{_HAN}])|[げりみきけえ](?=[をがはにのでともへや、。]|$|[^ぁ-ん]))"
    rf"|[\u0e40-\u0e44\u0ec0-\u0ec4]?[\u0e01-\u0e2f\u0e81-\u0eae\u1000-\u102a\u1780-\u17b3][{_SIGNS}]*)|\S"
)


def is_spaceless(text: str) -> bool:
    """Whether a text is largely in a script without spaces."""
    return len(SPACELESS.findall(text)) > MIN_SHARE * len(text)
