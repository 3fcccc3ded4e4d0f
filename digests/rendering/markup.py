"""What the forms in HTML share: a template written out, and its style sheet put into its head.

Templates escape whatever they are given. A style sheet is text of ours; it stands in the page, for a file or a mail has
nowhere to load it from.
"""

import re
from typing import Any

from django.template.loader import render_to_string

_INDENT = re.compile(r"\n\s+")


def written(template: str, context: dict[str, Any]) -> str:
    """The template as one text without blank lines and indentation."""
    return _INDENT.sub("\n", render_to_string(template, context)).strip() + "\n"


def with_style(page: str, style_sheet: str) -> str:
    """The page with the style sheet, a template too, in its head."""
    return page.replace("</head>", f"<style>\n{render_to_string(style_sheet).strip()}\n</style>\n</head>", 1)
