"""Text in scripts without spaces, split into pieces and characters for terms. Pure.

Pieces end at punctuation, numbers, function characters and, in Japanese, at hiragana, except in nouns ("引き上げ").
They consist of characters, whole Latin words, whole sequences of katakana, and syllables of Thai and similar scripts.
"""

import re
from collections.abc import Collection

from feeds.dedup.title_words import SPACELESS as _RANGES

LANGUAGES = frozenset(("ja", "km", "lo", "my", "th", "zh"))
MIN_SHARE = 0.2  # of the characters of a text
LONGEST = 8  # characters of a term; three times as many in Thai and similar scripts
SPACELESS = re.compile(f"[{_RANGES}]")

_GRAMMAR = "的了着過过於于和與与及是被將将把也就都又還还已之其并並而或由為为則则但這这那該该此們们吗嗎呢吧啊很最更曾"
_EDGES = "向就以對对從从至到再遭獲获稱称約约近逾達达有等個个名後后較较報报料"  # rarely in a word of two characters
_EMPTY = re.compile(
    "表示|指出|報道|报道|记者|記者|消息|認為|认为|宣布|宣佈|透露|強調|强调|新聞|新闻|視頻|视频|圖片|图片|最新|今日|今天|昨日|昨天|"
    "目前|可以|可能|進行|进行|相關|相关|有關|有关|問題|问题|其中|以及|他們|他们|我們|我们|沒有|没有|成為|成为|編輯|编辑|發布|发布|"
    "更新|直播|独家|快訊|快讯|正在|已經|已经|首次|因為|因为|星期|本報|本报|月份|年度|去年|今年|下午|上午|開始|开始|発表|速報|動画|"
    "写真|会見|ニュース|詳細|記事|続き|曜日|午前|午後|本日|現在|配信|関連"
)
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_SIGNS = "\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"  # after their consonant
_SYLLABIC = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
TOKEN = re.compile(
    r"(?P<atom>[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9]*(?:[.&+'-][A-Za-z0-9]+)*|(?<![0-9])[0-9]++[A-Za-z][A-Za-z0-9]*"
    rf"|[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]+|(?![{_GRAMMAR}])[{_HAN}]"
    rf"|(?<=[{_HAN}])(?:[きりちいしみえけげせび](?=[{_HAN}])|[げりみきけえ](?=[をがはにのでともへや、。]|$|[^ぁ-ん]))"
    rf"|[\u0e40-\u0e44\u0ec0-\u0ec4]?[\u0e01-\u0e2f\u0e81-\u0eae\u1000-\u102a\u1780-\u17b3][{_SIGNS}]*)|\S"
)


def is_spaceless(text: str) -> bool:
    """Whether a text is largely in a script without spaces."""
    return len(SPACELESS.findall(text)) > MIN_SHARE * len(text)


def trimmed(text: str, entity_forms: Collection[str]) -> str:
    """A term without the entity, empty words and partial words at its edges; "" if nothing is left."""
    for form in sorted(entity_forms, key=len, reverse=True):
        if len(text) > len(form) and not form.isascii():
            text = text.removeprefix(form).removesuffix(form)
    text = text[2:] if len(text) > 3 and _EMPTY.match(text) else text
    text = text[:-2] if len(text) > 3 and _EMPTY.fullmatch(text[-2:]) else text
    text = text[1:] if len(text) % 2 and text[0] in _EDGES else text
    text = text[:-1] if len(text) % 2 and text[-1] in _EDGES else text
    return "" if len(text) < 2 or _EMPTY.fullmatch(text) or is_half_a_sentence(text) else text


def is_half_a_sentence(text: str) -> bool:
    """Whether a string is too long for a term in its script."""
    return SPACELESS.search(text) is not None and len(text) > (3 * LONGEST if _SYLLABIC.search(text) else LONGEST)
