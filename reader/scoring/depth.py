"""Depth: how much an article holds, by its length and by what its markup shows.

Source: SPEC §8, strategy.md step 4. Their classes of length overlap at the ends ("0–200, 200–500"). "1000+" takes 1,000
in, so each end belongs to the longer class: 200 words are in 200–500.

Length is in words. Scripts without spaces have none, and `Article.word_count` holds characters for them; 500 of these
are read in the minute that 238 words take (SPEC §5), so that many stand for each other here.

Reading markup is a heuristic. Structure counts where it carries text: a table has two rows of two cells with text and
no table inside (pages were once laid out with tables, newsletters still are, and a navigation is a table of one
column); a list's items have text. A reference is a link with words, not a picture, to the registrable domain of
somebody else; several to one domain are one. Sharing buttons lead elsewhere too, and are known by their addresses.
Figures in code are no data ("$1", "32-bit").

Known false readings: a list of related posts is a list, an advertisement's link is a reference. Known misses: lists
typed as lines of "- ", links of markup that is plain text.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.html_links import web_url
from feeds.normalizing.nesting import bounded
from feeds.normalizing.plain_text import without_double_escape
from feeds.normalizing.text import CHARACTERS_PER_MINUTE, WORDS_PER_MINUTE, count_words

from .figures import count_figures

LENGTH_POINTS = ((1000, 100), (500, 75), (200, 50), (0, 20))  # from so many words on; strategy.md step 4
DATA_BONUS = 15  # from one figure on: SPEC §8 sets no least number
STRUCTURE_BONUS = 10
REFERENCES_BONUS = 10
LEAST_LIST = 3  # items
MOST = 100
MOST_PARTIAL = 40  # what is cut off cannot be judged; strategy.md step 4

MAX_MARKUP = 200_000  # characters looked at
_MAX_NODES = 2_000  # rows, items and links of one article looked at; each is followed up to its table or list

_INTERESTING = re.compile(r"<(?:a|tr|li|dt|pre|code)[\s>]", re.IGNORECASE)
_IGNORED_TAGS = ["script", "style", "noscript", "template", "nav", "form", "select", "svg"]
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp)$", re.IGNORECASE)
_SHARING = {
    "facebook.com": r"/(?:sharer|share|dialog|plugins)\b",
    "twitter.com": r"/(?:intent|share|home)\b",
    "x.com": r"/(?:intent|share|home)\b",
    "linkedin.com": r"/(?:sharearticle|sharing|cws/share)\b",
    "reddit.com": r"/(?:submit|r/[^/]+/submit)\b",
    "whatsapp.com": r"/send\b",
    "wa.me": r"/$|/?\?",
    "t.me": r"/share\b",
    "telegram.me": r"/share\b",
    "pinterest.com": r"/pin/create\b",
    "tumblr.com": r"/(?:share|widgets/share)\b",
    "ycombinator.com": r"/submitlink\b",
    "threads.net": r"/intent\b",
    "threads.com": r"/intent\b",
    "bsky.app": r"/intent\b",
    "google.com": r"/share\b|/bookmarks\b",
    "line.me": r"/(?:lineit/share|r/msg|r/share)\b",
    "hatena.ne.jp": r"/(?:add|entry)\b",
    "weibo.com": r"/share\b",
    "qq.com": r"/.*(?:share|onekey)",
    "vk.com": r"/share\b",
    "ok.ru": r"/(?:offer|dk)\b",
    "xing.com": r"/(?:spi/shares|app/user)\b",
    "digg.com": r"/submit\b",
    "getpocket.com": r"/(?:save|edit)\b",
    "flipboard.com": r"/bookmarklet\b",
    "addtoany.com": "",
    "addthis.com": "",
    "sharethis.com": "",
    "buffer.com": r"/add\b",
    "bufferapp.com": r"/add\b",
    "feedburner.com": "",  # not sharing, but the feed's own machinery
}
_SHARING_PATHS = {domain: re.compile(path, re.IGNORECASE) for domain, path in _SHARING.items()}


@dataclass(frozen=True, slots=True)
class DepthFacts:
    """What depth is judged by.

    `n_words`: words, or for scripts without spaces what is read in the same time; `longest_list`: items of it;
    `n_references`: other registrable domains that are linked to; `is_partial`: only the beginning is in the feed.
    """

    n_words: int
    n_figures: int
    has_table: bool
    longest_list: int
    n_references: int
    is_partial: bool

    @property
    def has_data(self) -> bool:
        return self.n_figures > 0

    @property
    def has_list(self) -> bool:
        """Whether a list is long enough to be structure."""
        return self.longest_list >= LEAST_LIST

    @property
    def has_structure(self) -> bool:
        return self.has_table or self.has_list


def depth(facts: DepthFacts) -> float:
    """Points in [20, 100], at most 40 for a partial article."""
    points = next(points for least, points in LENGTH_POINTS if facts.n_words >= least)
    points += DATA_BONUS * facts.has_data
    points += STRUCTURE_BONUS * facts.has_structure
    points += REFERENCES_BONUS * (facts.n_references > 0)
    return float(min(points, MOST_PARTIAL if facts.is_partial else MOST))


def depth_facts(
    *, markup: str, text: str, word_count: int, is_partial: bool, own_domain: str, base_url: str = ""
) -> DepthFacts:
    """The facts of one article: `markup` as published (not trusted), `text` its plain text.

    `word_count` as `Article.word_count` holds it. `own_domain` is a host or URL of the article's publisher ("" when it
    is not known: all links lead elsewhere then), `base_url` what relative links hang on; its domain is the publisher's
    too.
    """
    tree = _tree(markup)
    own = {registrable_domain(own_domain), registrable_domain(base_url)}
    return DepthFacts(
        n_words=comparable_words(text, word_count),
        n_figures=max(0, count_figures(text) - count_figures(_code(tree))) if tree else count_figures(text),
        has_table=_has_table(tree) if tree else False,
        longest_list=_longest_list(tree) if tree else 0,
        n_references=len(set(_linked_domains(tree, base_url)) - own) if tree else 0,
        is_partial=is_partial,
    )


def comparable_words(text: str, word_count: int) -> int:
    """`word_count` with the characters of scripts without spaces, which it counts singly, turned into words."""
    n_characters = min(count_words(text)[1], word_count)
    return word_count - n_characters + round(n_characters * WORDS_PER_MINUTE / CHARACTERS_PER_MINUTE)


def _tree(markup: str) -> LexborHTMLParser | None:
    """The tree of the markup's beginning, without what is not the article; None where nothing is to be found in it."""
    markup = without_double_escape(markup[:MAX_MARKUP])
    if not _INTERESTING.search(markup):
        return None
    try:
        tree = LexborHTMLParser(bounded(markup))
    except (SelectolaxError, ValueError, UnicodeError):
        return None
    tree.strip_tags(_IGNORED_TAGS)
    return tree


def _code(tree: LexborHTMLParser) -> str:
    return "\n".join(node.text() for node in tree.css("pre, :not(pre) > code")[:_MAX_NODES])


def _has_table(tree: LexborHTMLParser) -> bool:
    n_rows: Counter[int] = Counter()
    for row in tree.css("tr")[:_MAX_NODES]:
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th") and cell.text().strip()]
        if len(cells) < 2 or any(cell.css_first("table") for cell in cells):
            continue
        table = _closest(row, "table")
        if table is not None and table.attributes.get("role") not in ("presentation", "none"):
            n_rows[table.mem_id] += 1
            if n_rows[table.mem_id] == 2:
                return True
    return False


def _longest_list(tree: LexborHTMLParser) -> int:
    n_items: Counter[int] = Counter()
    for item in tree.css("li, dt")[:_MAX_NODES]:
        if item.parent is not None and item.parent.tag in ("ul", "ol", "dl") and item.text().strip():
            n_items[item.parent.mem_id] += 1
    return max(n_items.values(), default=0)


def _linked_domains(tree: LexborHTMLParser, base_url: str) -> Iterator[str]:
    for link in tree.css("a[href]")[:_MAX_NODES]:
        url = web_url(link.attributes["href"], base_url)
        if url and link.text().strip() and not is_sharing(url) and not _PICTURE.search(url.partition("?")[0]):
            domain = registrable_domain(url)
            if "." in domain:  # else it is no site of the web: `localhost`, `[broken`
                yield domain


def is_sharing(url: str) -> bool:
    """Whether an absolute URL is of a button to share, save or submit a page, and not of a page that is cited."""
    path = _SHARING_PATHS.get(registrable_domain(url))
    if path is None:
        return False
    _, _, rest = url.partition("//")
    return path.match("/" + rest.partition("/")[2]) is not None


def _closest(node: LexborNode, tag: str) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != tag:
        above = above.parent
    return above
