"""Depth: how substantial an article is, by its length and its markup.

Source: SPEC §8, strategy.md step 4. Their length classes overlap at the ends ("0–200, 200–500"); each end belongs to
the longer class, so 200 words are in 200–500.

Length is in words. For scripts without spaces `Article.word_count` holds characters; 500 of these take as long to read
as 238 words (SPEC §5) and are converted accordingly.

Reading markup is a heuristic. Structure counts if it has text: a table has two rows of two cells with text and no
nested table (layout tables, as in newsletters, don't count); a list has items with text. A reference is a text link to
another registrable domain; several to one domain count once. Share buttons are recognized by their URLs. Numbers in
code are no data ("$1", "32-bit").

Known false positives: a list of related posts, a link in an advertisement. Known misses: lists typed as lines of "- ",
links in plain text.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from statistics import median

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from feeds.normalizing.depth_limit import limit_markup
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.html_links import web_url
from feeds.normalizing.plain_text import without_double_escape
from feeds.normalizing.text import CHARACTERS_PER_MINUTE, WORDS_PER_MINUTE, count_words
from feeds.word_lists import read_rows
from reader.scoring.numeric_facts import count_figures

LENGTH_POINTS = ((1000, 100), (500, 75), (200, 50), (0, 20))  # minimum words, points; strategy.md step 4
DATA_BONUS = 15  # for at least one figure: SPEC §8 sets no minimum
STRUCTURE_BONUS = 10
REFERENCES_BONUS = 10
MIN_LIST = 3  # items
MAX_DEPTH = 100
MAX_PARTIAL = 40  # the rest is unknown; strategy.md step 4
OF_EXCERPTS = 40  # for feeds that publish only excerpts; SPEC §8
EXCERPT_WORDS = 60  # median of a feed's articles, below which it publishes only excerpts; SPEC §8

MAX_MARKUP = 200_000  # characters
_MAX_NODES = 2_000  # rows, items and links per article

_INTERESTING = re.compile(r"<(?:a|tr|li|dt|pre|code)[\s>]", re.IGNORECASE)
_IGNORED_TAGS = ["script", "style", "noscript", "template", "nav", "form", "select", "svg"]
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp)$", re.IGNORECASE)
_SHARING_PATHS = {
    domain: re.compile(path[0] if path else "", re.IGNORECASE)
    for domain, *path in read_rows("reader.scoring", "sharing_urls.tsv")
}


@dataclass(frozen=True, slots=True)
class DepthFeatures:
    """Inputs of depth.

    `n_words`: words, or the equivalent for scripts without spaces; `longest_list`: its items; `n_references`: linked
    other registrable domains; `is_partial`: the feed has only the beginning. `is_of_excerpts`: all its articles are so
    short that their length says nothing.
    """

    n_words: int
    n_figures: int
    has_table: bool
    longest_list: int
    n_references: int
    is_partial: bool
    is_of_excerpts: bool = False

    @property
    def has_data(self) -> bool:
        return self.n_figures > 0

    @property
    def has_list(self) -> bool:
        """Whether a list is long enough to count as structure."""
        return self.longest_list >= MIN_LIST

    @property
    def has_structure(self) -> bool:
        return self.has_table or self.has_list


def depth(features: DepthFeatures) -> float:
    """Points in [20, 100], at most 40 for a partial article, 40 for one of a feed of excerpts."""
    if features.is_of_excerpts:
        return float(OF_EXCERPTS)
    points = next(points for least, points in LENGTH_POINTS if features.n_words >= least)
    points += DATA_BONUS * features.has_data
    points += STRUCTURE_BONUS * features.has_structure
    points += REFERENCES_BONUS * (features.n_references > 0)
    return float(min(points, MAX_PARTIAL if features.is_partial else MAX_DEPTH))


def depth_features(
    *,
    markup: str,
    text: str,
    word_count: int,
    is_partial: bool,
    own_domain: str,
    base_url: str = "",
    is_of_excerpts: bool = False,
) -> DepthFeatures:
    """The features of one article: `markup` as published (untrusted), `text` its plain text.

    `word_count` as in `Article.word_count`. `own_domain` is a host or URL of the publisher ("" if unknown: then every
    link counts), `base_url` the base of relative links, whose domain is the publisher's too.
    """
    tree = _tree(markup)
    own = {registrable_domain(own_domain), registrable_domain(base_url)}
    return DepthFeatures(
        n_words=comparable_words(text, word_count),
        n_figures=max(0, count_figures(text) - count_figures(_code(tree))) if tree else count_figures(text),
        has_table=_has_table(tree) if tree else False,
        longest_list=_longest_list(tree) if tree else 0,
        n_references=len(set(_linked_domains(tree, base_url)) - own) if tree else 0,
        is_partial=is_partial,
        is_of_excerpts=is_of_excerpts,
    )


def is_excerpts(n_words: Collection[int]) -> bool:
    """Whether a feed with articles of these lengths, in comparable words, publishes only excerpts."""
    return bool(n_words) and median(n_words) < EXCERPT_WORDS


def comparable_words(text: str, word_count: int) -> int:
    """`word_count` with the characters of scripts without spaces converted into words."""
    n_characters = min(count_words(text)[1], word_count)
    return word_count - n_characters + round(n_characters * WORDS_PER_MINUTE / CHARACTERS_PER_MINUTE)


def _tree(markup: str) -> LexborHTMLParser | None:
    """The parsed markup without navigation and scripts; None if it holds nothing of interest."""
    markup = without_double_escape(markup[:MAX_MARKUP])
    if not _INTERESTING.search(markup):
        return None
    try:
        tree = LexborHTMLParser(limit_markup(markup))
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
            if "." in domain:  # else it isn't a public site: `localhost`, `[broken`
                yield domain


def is_sharing(url: str) -> bool:
    """Whether an absolute URL is a share, save or submit button instead of a cited page."""
    path = _SHARING_PATHS.get(registrable_domain(url))
    if path is None:
        return False
    _, _, rest = url.partition("//")
    return path.match("/" + rest.partition("/")[2]) is not None


def _closest(node: LexborNode, tag: str) -> LexborNode | None:
    parent = node.parent
    while parent is not None and parent.tag != tag:
        parent = parent.parent
    return parent
