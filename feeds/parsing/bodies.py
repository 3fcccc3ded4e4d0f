"""Chooses the body of an entry among its texts: the first by priority, unless another one is clearly fuller.

Publishers fill `description` and `content:encoded` as they like: either may hold the article, and the other a teaser, a
copy without markup, or nothing. A copy without markup may be a few characters longer, and a body with pictures is
better, so a text must have a fifth more characters to be chosen before one. It then takes the pictures and players of
the other with it, if it has none of its own.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape

CLEARLY_FULLER = 1.2  # times the characters, and
MORE_CHARACTERS = 10
_SHORT = 200  # characters; only shorter texts are checked for being empty

_CODE = re.compile(r"<(?:script|style)\b[^<]*+(?:<(?!/(?:script|style)\b)[^<]*+)*+", re.IGNORECASE)
_TAG = re.compile(r"<!--(?:.*?-->|.*)|<[^<>]*>", re.DOTALL)
_MEDIA = re.compile(r"<(?:img|picture|video|audio|iframe|embed|object)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """One text of an entry; `is_plain`: declared as plain text, not as markup. `base`: of its relative URLs."""

    value: str
    is_plain: bool = False
    base: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """The text to show, and the first of the others."""

    markup: str = ""
    is_text: bool = False
    summary: str = ""
    base: str = ""


def choose_body(texts: Iterable[Text], captions: Iterable[Text] = ()) -> Body:
    """Return the body among texts in order of priority; those with neither words nor media don't count.

    `captions` describe a picture or repeat the title: they are body and summary only where there is no other text.
    """
    filled = _distinct(texts) or _distinct(captions)
    if not filled:
        return Body()
    best = _fullest(filled)
    preferred = filled[0]
    summary = next((text.value for text in filled if text.value != best.value), "")
    if best is not preferred and _has_media(preferred) and not _has_media(best):
        addition = f"<p>{escape(best.value, quote=False)}</p>" if best.is_plain else best.value
        return Body(f"{preferred.value}\n{addition}", summary=summary, base=preferred.base)
    return Body(best.value, best.is_plain, summary, best.base)


def _distinct(texts: Iterable[Text]) -> list[Text]:
    distinct: dict[str, Text] = {}
    for text in texts:
        if _has_content(text):
            distinct.setdefault(text.value, text)
    return list(distinct.values())


def _fullest(texts: list[Text]) -> Text:
    if len(texts) == 1:
        return texts[0]
    preferred, fullest = texts[0], max(texts, key=_size)
    size = _size(preferred)
    return fullest if _size(fullest) > CLEARLY_FULLER * size + (MORE_CHARACTERS if size else 0) else preferred


def _has_content(text: Text) -> bool:
    return len(text.value) > _SHORT or _has_media(text) or bool(_shown(text).strip())


def _has_media(text: Text) -> bool:
    return not text.is_plain and _MEDIA.search(text.value) is not None


def _size(text: Text) -> int:
    """Return the number of characters that a reader sees, white space not counted; also if markup is escaped twice."""
    shown = _shown(text)
    if not text.is_plain:
        shown = unescape(_TAG.sub(" ", shown))
    return len("".join(shown.split()))


def _shown(text: Text) -> str:
    return text.value if text.is_plain else unescape(_TAG.sub(" ", _CODE.sub("", text.value)))
