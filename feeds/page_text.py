"""A page of the web in, the article in it out: decoded here, extracted by trafilatura in a process with limits.

What bounds a hostile page: its bytes, its tags, the processor time and memory of the process, and a clock on the wall.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from feeds.errors import PageError
from feeds.fetching.result import FetchResult
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import count_words, reading_seconds
from feeds.parsing.encoding import decode
from feeds.wording import gettext as _

MAX_PAGE_BYTES = 4 * 2**20  # decompressed; articles' pages with all their scripts in them stay under 3 MiB
MAX_TAGS = 60_000  # "<" in a page; long ones have 10,000
MAX_MARKUP = 2**19  # characters of what is extracted; a short novel, which is sanitized in under a second
EXTRACTION_SECONDS = 20.0  # on the clock; an ordinary page takes one, most of it for loading trafilatura
LEAST_WORDS = 25  # fewer are a notice about cookies or a caption, and no article

_PROGRAM = Path(__file__).with_name("page_extracting.py")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_TITLE = re.compile(r"\A((?:\s*<(?:html|body)>)*\s*)<h1>[^<]{0,500}</h1>")
_HTML_TYPES = ("", "text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class PageText:
    """The article of a page: HTML that nobody has sanitized yet, and the same as plain text."""

    markup: str
    text: str
    reading_seconds: int


def page_text(page: FetchResult) -> PageText:
    """The article in a page that was answered with 200.

    Raises:
        PageError: it is no HTML, too much of it, or holds no article.
    """
    kind = page.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _HTML_TYPES:
        raise PageError(_("The address leads to a file (%(value)s) and not to a page.") % {"value": kind[:60]})
    html = _decoded(page)
    if html.count("<") > MAX_TAGS:
        raise PageError(_("The page is too large to look for the article in it."))
    markup = _extracted(html, page.url)
    text = plain_text(markup)
    n_words, n_characters = count_words(text)
    if n_words + n_characters < LEAST_WORDS:
        raise PageError(_("No article was found in the page. It may need a script or a subscription to show it."))
    return PageText(markup, text, reading_seconds(n_words, n_characters))


def _decoded(page: FetchResult) -> str:
    declared = _CHARSET.search(page.headers.get("content-type", ""))
    in_page = _META_CHARSET.search(page.body[:2048])
    label = declared[1] if declared else in_page[1].decode("ascii") if in_page else ""
    return decode(page.body, label).text


def _extracted(html: str, url: str) -> str:
    command = [sys.executable, "-I", str(_PROGRAM), url]  # -I: modules of the installation, none of the folder
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    try:
        ended = subprocess.run(  # noqa: S603 - our own program; the address is one argument, read by no shell
            command,
            input=html.encode(errors="replace"),
            capture_output=True,
            timeout=EXTRACTION_SECONDS,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PageError(_("Looking for the article in the page took too long.")) from error
    if ended.returncode != 0:
        raise PageError(_("The page could not be read; it is too large or too deeply nested."))
    markup = ended.stdout.decode(errors="replace")[:MAX_MARKUP]
    markup = markup.replace("<pre><pre>", "<pre>").replace("</pre></pre>", "</pre>")  # how trafilatura writes code
    return _TITLE.sub(r"\1", markup)  # it stands above the text already
