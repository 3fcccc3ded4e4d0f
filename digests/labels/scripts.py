"""Whether a text is written without spaces between words, and with wide punctuation. Pure."""

import re

from feeds.dedup.title_words import SPACELESS

LEAST_SHARE = 0.3  # of a title's letters and Latin words, from which on it counts as written without spaces

_SPACELESS = re.compile(f"[{SPACELESS}]")
_WIDE = re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_OTHER_WORD = re.compile(f"(?:(?![{SPACELESS}])[^\\W_])+")


def has_no_spaces(text: str) -> bool:
    """Whether a good part of it is in such a script; a Latin word counts for one character."""
    n_spaceless = len(_SPACELESS.findall(text))
    return n_spaceless > 0 and n_spaceless >= LEAST_SHARE * (n_spaceless + len(_OTHER_WORD.findall(text)))


def has_wide_punctuation(text: str) -> bool:
    """Whether it is Chinese or Japanese, of the scripts without spaces."""
    return _WIDE.search(text) is not None
