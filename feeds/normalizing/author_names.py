"""Extracts the name from an author field.

Author fields contain "jane@example.com (Jane Doe)", "Jane Doe <jane@example.com>", "By Jane Doe", markup, lists, or an
email address alone, which gives no name: its local part ("editor", "info") is rarely one. Some have a word in place of
the address: "hidden (Jane Doe)". Only the English byline is dropped without a colon, and only before a capital letter,
because "Von", "Di" and "Par" can start a name.
"""

import re

from feeds.normalizing.text import clean_title, shorten

MAX_NAME = 200  # characters
_MAX_FIELD = 2000  # characters that are read
_ADDRESS = r"(?:mailto:)?[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})*"
_ADDRESS_THEN_NAME = re.compile(rf"<?{_ADDRESS}>?\s*\((?P<name>[^()]+)\)")  # a@b.c (Jane Doe), RSS 2.0
_BRACKETED = re.compile(rf"[<(\[]\s*{_ADDRESS}\s*[>)\]]")
_BARE = re.compile(_ADDRESS)
_BYLINE = re.compile(
    r"(?:(?:written |posted )?by:?\s+(?=(?-i:[^\W\d_a-z]))|"
    r"(?:by|von|par|por|di|door|av|author|authors|autor|auteur|autore):\s*|(?:文|作者|記者|记者|撰文|著者|筆者)\s*[:：/／]\s*)",
    re.IGNORECASE,
)
_SURROUNDING = ' ,;|·–—/"<>[]'
_COMMA = re.compile(" ?, ?")
_PLACEHOLDERS = frozenset(
    {"", "-", "unknown", "admin", "administrator", "author", "none", "null", "n/a", "nobody", "anonymous", "noreply"}
    | {"undefined", "editor", "hidden", "no-reply"}
)


def clean_author(raw: str) -> str:
    """Return the name without email address and byline, at most 200 characters; "" for none or a placeholder.

    Several names are kept as written, except for the spaces around commas.
    """
    name = raw[:_MAX_FIELD]
    if "@" in name:
        name = _BRACKETED.sub(" ", _ADDRESS_THEN_NAME.sub(r"\g<name>", name))
    name = clean_title(name)
    if "@" in name:
        name = _BARE.sub(" ", name)
    name = _BYLINE.sub("", name.strip(_SURROUNDING), count=1) if _BYLINE.match(name.strip(_SURROUNDING)) else name
    name = _without_brackets(_COMMA.sub(", ", " ".join(name.split())).strip(_SURROUNDING))
    if name.lower() in _PLACEHOLDERS or name.lower().startswith(("http://", "https://")):
        return ""
    return shorten(name, MAX_NAME)


def _without_brackets(name: str) -> str:
    """Return `(Jane Doe)` and `hidden (Jane Doe)` without brackets; brackets within a name stay."""
    before, _, inside = name.partition("(")
    if inside.endswith(")") and "(" not in inside and before.strip().lower() in _PLACEHOLDERS:
        return inside[:-1].strip()
    return name
