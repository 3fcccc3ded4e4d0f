"""Extracts the article from a web page: decodes it and runs trafilatura in a process with limits.

Hostile pages are limited by bytes, tags, and the CPU time and memory of the process (`feeds.content.confined`).
"""

import re
from dataclasses import dataclass

from feeds.content.confined import Exhausted, run_confined
from feeds.errors import PageError
from feeds.fetching.result import FetchResult
from feeds.normalizing.author_names import clean_author
from feeds.normalizing.entry import strip_unstorable
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import clean_title, count_words, reading_seconds
from feeds.parsing.encoding import decode
from feeds.wording import gettext as _

MAX_PAGE_BYTES = 4 * 2**20  # decompressed; article pages with inline scripts stay under 3 MiB
MAX_TAGS = 60_000  # "<" characters; long pages have 10,000
MAX_MARKUP = 2**19  # characters extracted; a short novel, sanitized in under a second
CPU_SECONDS = 1.3  # per page, after loading trafilatura (0.6); 4 MiB of prose take 0.7
MAX_MEMORY = 150 * 2**20  # bytes per page
MIN_WORDS = 25  # fewer are a cookie notice or a caption

_EXTRACTOR = "feeds.content.extractor_process:extracted"
_CHARSET = re.compile(r"charset\s*=\s*+[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*+[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_TITLE = re.compile(r"\A((?:\s*<(?:html|body)>)*\s*)<h1>[^<]{0,500}</h1>")
# A first paragraph like "Ada Miller ·", whose date was taken out, or "By Ada Miller": the author is above the text.
_BYLINE = re.compile(
    r"\A((?:\s*<(?:html|body)>)*\s*)<p>\s*(?:By\s[^<.!?:]{2,60}|[^<.!?:]{2,80}\s[·•|])\s*</p>", re.IGNORECASE
)
_HTML_TYPES = ("", "text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class PageText:
    """The article of a page: unsanitized HTML, and plain text. `title` and `author` are "" if unknown."""

    markup: str
    text: str
    n_words: int
    reading_seconds: int
    title: str = ""
    author: str = ""


def page_text(page: FetchResult) -> PageText:
    """The article in a page with status 200.

    Raises:
        PageError: it isn't HTML, is too large, or has no article.
    """
    kind = page.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _HTML_TYPES:
        raise PageError(_("The link leads to a file (%(value)s), not a web page.") % {"value": kind[:60]})
    html = _decoded(page)
    if html.count("<") > MAX_TAGS:
        raise PageError(_("The page is too large."))
    markup, title, author = _extracted(html, page.url)
    text = plain_text(markup)
    n_words, n_characters = count_words(text)
    if n_words + n_characters < MIN_WORDS:
        raise PageError(_("No article found on the page. It may require JavaScript or a subscription."))
    seconds = reading_seconds(n_words, n_characters)
    return PageText(markup, text, n_words + n_characters, seconds, clean_title(title), clean_author(author))


def _decoded(page: FetchResult) -> str:
    declared = _CHARSET.search(page.headers.get("content-type", ""))
    in_page = _META_CHARSET.search(page.body[:2048])
    label = declared[1] if declared else in_page[1].decode("ascii") if in_page else ""
    return decode(page.body, label).text


def _extracted(html: str, url: str) -> tuple[str, str, str]:
    """The markup of the article, its title and its author; without the latter if reading them takes too long."""
    results: list[str] = []
    try:
        results += map(str, run_confined(_EXTRACTOR, html, url, cpu_seconds=CPU_SECONDS, memory=MAX_MEMORY))
    except Exhausted as error:
        if not results:
            raise PageError(_("The page is too large or too complex to read.")) from error
    markup, title, author = [*results, "", ""][:3]
    markup = markup[:MAX_MARKUP]
    markup = markup.replace("<pre><pre>", "<pre>").replace("</pre></pre>", "</pre>")  # how trafilatura writes code
    markup = _BYLINE.sub(r"\1", _TITLE.sub(r"\1", markup))  # the article's own title is shown above the text
    return strip_unstorable(markup), strip_unstorable(title), strip_unstorable(author)
