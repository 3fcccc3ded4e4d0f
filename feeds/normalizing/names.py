"""Names of people without what feeds put around them.

Author fields hold "jane@example.com (Jane Doe)", "Jane Doe <jane@example.com>", "By Jane Doe", markup, lists, or an
address only, which gives no name: its local part ("editor", "info") seldom is one. Only the English byline is dropped
without a colon, and only before a capital letter, for "Von", "Di" and "Par" begin names.
"""

import re

from feeds.normalizing.text import clean_title, shorten

LONGEST_NAME = 200  # characters
_LONGEST_FIELD = 2000  # characters; what is beyond is no name
_ADDRESS = r"(?:mailto:)?[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})*"
_ADDRESS_THEN_NAME = re.compile(rf"<?{_ADDRESS}>?\s*\((?P<name>[^()]+)\)")  # a@b.c (Jane Doe), RSS 2.0
_BRACKETED = re.compile(rf"[<(\[]\s*{_ADDRESS}\s*[>)\]]")
_BARE = re.compile(_ADDRESS)
_BYLINE = re.compile(
    r"(?:(?:written |posted )?by:?\s+(?=(?-i:[^\W\d_a-z]))|"
    r"(?:by|von|par|por|di|door|av|author|authors|autor|auteur|autore):\s*|(?:文|作者|記者|记者|撰文|著者|筆者)\s*[:：/／]\s*)",
    re.IGNORECASE,
)
_AROUND = ' ,;|·–—/"<>[]'
_NOBODY = frozenset(
    {"", "-", "unknown", "admin", "administrator", "author", "none", "null", "n/a", "nobody", "anonymous", "noreply"}
    | {"undefined", "editor"}
)


def author_name(raw: str) -> str:
    """The name alone, at most 200 characters: no e-mail address, no "By"; "" when nothing or a placeholder is left.

    Several names stay together as they are written.
    """
    name = raw[:_LONGEST_FIELD]
    if "@" in name:
        name = _BRACKETED.sub(" ", _ADDRESS_THEN_NAME.sub(r"\g<name>", name))
    name = clean_title(name)
    if "@" in name:
        name = _BARE.sub(" ", name)
    name = _BYLINE.sub("", name.strip(_AROUND), count=1) if _BYLINE.match(name.strip(_AROUND)) else name
    name = _without_brackets(" ".join(name.split()).strip(_AROUND))
    if name.lower() in _NOBODY or name.lower().startswith(("http://", "https://")):
        return ""
    return shorten(name, LONGEST_NAME)


def _without_brackets(name: str) -> str:
    """`(Jane Doe)` without its brackets; brackets within a name stay."""
    if name.startswith("(") and name.endswith(")") and name.count("(") == 1:
        return name[1:-1].strip()
    return name
