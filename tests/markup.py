"""Comparing HTML whatever its line breaks and indentation."""

import re

_SPACES = ((r"[ \n]+", " "), (r"(<(?!/)[^>]*>) ", r"\1"), (r" (</)", r"\1"), (r"> <", "><"), (r" >", ">"))


def tight(markup: str) -> str:
    """Markup with single spaces, and none within the ends of an element or between two."""
    for pattern, replacement in _SPACES:
        markup = re.sub(pattern, replacement, markup)
    return markup
