"""A digest as a page of its own: one file that needs nothing else, for a browser, a printer, an archive."""

from digests.edition import Edition
from digests.rendering.markup import with_style, written
from digests.rendering.sheet import sheet_of


def as_html(edition: Edition) -> str:
    """The whole document, in the light and the dark, without scripts and without anything from elsewhere."""
    return with_style(written("digests/document.html", {"sheet": sheet_of(edition)}), "digests/document.css")
