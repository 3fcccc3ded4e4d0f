"""Plain text from titles and markup: what lists show and everything downstream compares.

Titles are the hardest: `AT&amp;amp;T` is encoded twice, `&lt;b&gt;Now&lt;/b&gt;` is markup in disguise, but `a < b` and
`std::vector<int>` are neither. So only tags that HTML knows are stripped, entities are decoded until nothing changes, at
most three times, and what remains is text.
"""

import re
from html import unescape

from selectolax.lexbor import LexborHTMLParser

LONGEST_TITLE = 1000  # characters
LONGEST_TEXT = 1_000_000  # characters; a book's worth
SUMMARY_LENGTH = 500  # characters, SPEC §5
FIRST_LINE_LENGTH = 80  # characters, SPEC §5
PARTIAL_BELOW = 100  # words, SPEC §5

_TAG_NAMES = (
    "a abbr acronym address article aside audio b bdi bdo big blockquote body br button caption center cite code col "
    "dd del details dfn div dl dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe "
    "img input ins kbd label li link main mark meta nav noscript object ol option p picture pre q rp rt ruby s samp "
    "script section select small source span strike strong style sub summary sup svg table tbody td template textarea "
    "tfoot th thead time title tr tt u ul var video wbr"
).split()
_TAG = re.compile(rf"<!--.*?-->|</?(?:{'|'.join(_TAG_NAMES)})(?:\s[^<>]{{0,2000}})?/?>", re.I | re.S)
_HIDDEN = re.compile(r"<(script|style|template)\b[^>]{0,2000}>.*?</\1\s*>", re.I | re.S)
_BREAK = re.compile(
    r"<(?=/?(?:p|div|br|li|ul|ol|h[1-6]|tr|table|blockquote|pre|hr|dt|dd|dl|figure|figcaption|section|article|header|"
    r"footer|aside|address|option|details|summary)\b)",
    re.I,
)
_INVISIBLE = ["script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head", "select", "textarea"]
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\ufeff]")
_CUT_OFF = re.compile(
    r"(?:\.\.\.|…|\[(?:\.\.\.|…)\]|\((?:more|\.\.\.|…)\)|"
    r"(?:read more|continue reading|read the full (?:story|article)|weiterlesen|mehr lesen|lire la suite|seguir leyendo|"
    r"leer más|continua a leggere|leia mais|читать далее|阅读全文|閱讀全文|继续阅读|繼續閱讀|阅读更多|続きを読む|もっと読む)"
    r"\s*(?:[»›→>]|\.\.\.|…|&raquo;)*)\s*$",
    re.I,
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\U00020000-\U0003134f]")


def storable(text: str) -> str:
    """`text` without NUL and lone surrogates, which no database takes."""
    try:
        text.encode()  # much faster than any search
    except UnicodeEncodeError:
        text = _SURROGATE.sub("", text)
    return text.replace("\0", "") if "\0" in text else text


def one_line(text: str) -> str:
    """`text` with its white space collapsed, control and zero-width characters gone."""
    return " ".join(_CONTROL.sub("", text).split())


def clean_title(raw: str) -> str:
    """A title as plain text on one line, at most 1,000 characters; "" when nothing is left."""
    text = raw[: 4 * LONGEST_TITLE]
    for _ in range(3):
        before = text
        if "<" in text:
            text = _TAG.sub("", _HIDDEN.sub("", text))
        if "&" in text:
            text = unescape(text)
        if text == before:
            break
    return one_line(storable(text))[:LONGEST_TITLE].rstrip()


def plain_text(markup: str) -> str:
    """The text of markup, a line for each block, without script and style; at most a million characters."""
    if "<" in markup:
        tree = LexborHTMLParser(_BREAK.sub("\n<", markup))
        tree.strip_tags(_INVISIBLE)
        text = tree.body.text(deep=True) if tree.body is not None else ""
    else:
        text = unescape(markup)
    lines = (" ".join(line.split()) for line in _CONTROL.sub("", text[:LONGEST_TEXT]).split("\n"))
    return storable("\n".join(filter(None, lines)))


def first_line(text: str) -> str:
    """The first line of a text as a title: 80 characters, whole words."""
    return shorten(text.partition("\n")[0], FIRST_LINE_LENGTH)


def shorten(text: str, length: int) -> str:
    """`text` on one line, cut after a whole word (a whole character where words are not spaced) to at most `length`
    characters, the ellipsis included."""
    line = " ".join(text[: 2 * length + 2].split())
    if len(line) <= length and len(text) <= 2 * length + 2:
        return line
    cut = line[: length - 1]
    if len(line) > length - 1 and not line[length - 1].isspace() and not _UNSPACED.match(line[length - 1]):
        words, _, tail = cut.rpartition(" ")
        if words and not _UNSPACED.search(tail):
            cut = words
    return f"{cut.rstrip(' ,;:–-')}…"


def is_partial(text: str, n_words: int) -> bool:
    """Whether a body is a teaser: under 100 words and cut off, or with an invitation to read on, at its end."""
    return 0 < n_words < PARTIAL_BELOW and _CUT_OFF.search(text[-200:]) is not None
