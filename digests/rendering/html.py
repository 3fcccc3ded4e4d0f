"""HTML pages with their style sheet inlined, because files and emails can't load one."""

import re
from typing import Any

from django.template.loader import render_to_string

from digests.edition.document import Edition
from digests.rendering.layout import sheet_of

_INDENT = re.compile(r"\n\s+")


def as_html(edition: Edition) -> str:
    """The digest as one HTML document without scripts and external resources."""
    return with_style(render("digests/document.html", {"sheet": sheet_of(edition)}), "digests/document.css")


def render(template: str, context: dict[str, Any]) -> str:
    """The rendered template without blank lines and indentation."""
    return _INDENT.sub("\n", render_to_string(template, context)).strip() + "\n"


def with_style(page: str, style_sheet: str) -> str:
    """The page with the rendered style sheet in its head."""
    return page.replace("</head>", f"<style>\n{render_to_string(style_sheet).strip()}\n</style>\n</head>", 1)
