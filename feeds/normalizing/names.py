"""Names of people without what feeds put around them."""

import re

from feeds.normalizing.text import clean_title

LONGEST_NAME = 200  # characters
_ADDRESS = r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_IN_BRACKETS = re.compile(rf"^\s*<?{_ADDRESS}>?\s*\((?P<name>[^()]+)\)\s*$")  # a@b.c (Jane Doe), RSS 2.0
_AROUND = re.compile(rf"[<(\[]?\s*(?:mailto:)?{_ADDRESS}\s*[>)\]]?")
_BY = re.compile(r"^(?:by|von|par|por|di|posted by|written by)\s*:?\s+(?=\S)", re.I)
_NOBODY = {"", "unknown", "admin", "administrator", "none", "null", "n/a", "nobody", "anonymous", "noreply", "editor@", "-"}


def author_name(raw: str) -> str:
    """The name alone: no e-mail address, no "By"; "" when nothing but an address or a placeholder is given."""
    name = raw.strip()
    if "@" in name:
        match = _IN_BRACKETS.match(name)
        name = match["name"] if match else _AROUND.sub(" ", name)
    name = _BY.sub("", clean_title(name)).strip(" ,;|·-–—\"'()<>[]")
    return "" if name.lower() in _NOBODY else name[:LONGEST_NAME].rstrip()
