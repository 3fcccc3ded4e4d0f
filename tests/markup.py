"""Comparing HTML regardless of line breaks and indentation."""

import re

_SPACES = ((r"[ \n]+", " "), (r"(<(?!/)[^>]*>) ", r"\1"), (r" (</)", r"\1"), (r"> <", "><"), (r" >", ">"))


def tight(markup: str) -> str:
    """The markup with single spaces, and none at the edges of or between elements."""
    for pattern, replacement in _SPACES:
        markup = re.sub(pattern, replacement, markup)
    return markup
