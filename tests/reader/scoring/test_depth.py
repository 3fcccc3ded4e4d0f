"""Depth from features, and features from publishers' markup."""

from dataclasses import replace

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import count_words
from reader.scoring.depth import DepthFeatures, comparable_words, depth, depth_features, is_sharing
from rssmanager.env import PROJECT
from tests.tables import table

REAL = PROJECT.parent / "shared" / "data" / "feeds" / "real"
OWN = "example.org"
COUNTS = st.integers(0, 5000)
FACTS = st.builds(
    DepthFeatures,
    n_words=COUNTS,
    n_figures=COUNTS,
    has_table=st.booleans(),
    longest_list=COUNTS,
    n_references=COUNTS,
    is_partial=st.booleans(),
)


def facts(
    n_words: int = 0,
    *,
    n_figures: int = 0,
    has_table: bool = False,
    longest_list: int = 0,
    n_references: int = 0,
    is_partial: bool = False,
) -> DepthFeatures:
    """An article of `n_words` words with no other features by default."""
    return DepthFeatures(n_words, n_figures, has_table, longest_list, n_references, is_partial)


def facts_of(markup: str, **others: str) -> DepthFeatures:
    """The features of an article of example.org with this markup."""
    text = plain_text(markup)
    known = {"own_domain": OWN, "base_url": "https://www.example.org/2026/x"} | others
    return depth_features(markup=markup, text=text, word_count=sum(count_words(text)), is_partial=False, **known)


@table(
    ("given_facts", "points"),
    [
        pytest.param(facts(0), 20, id="nothing"),
        pytest.param(facts(199), 20, id="short"),
        pytest.param(facts(200), 50, id="200 words are in 200-500"),
        pytest.param(facts(499), 50, id="under 500"),
        pytest.param(facts(500), 75, id="500 words are in 500-1000"),
        pytest.param(facts(999), 75, id="under 1000"),
        pytest.param(facts(1000), 100, id="1000 words are in 1000+"),
        pytest.param(facts(100_000), 100, id="a novel"),
        pytest.param(facts(100, n_figures=1), 35, id="one figure is data"),
        pytest.param(facts(100, n_figures=90), 35, id="many figures are no more"),
        pytest.param(facts(100, has_table=True), 30, id="a table"),
        pytest.param(facts(100, longest_list=2), 20, id="a list of two is no structure"),
        pytest.param(facts(100, longest_list=3), 30, id="a list of three"),
        pytest.param(facts(100, has_table=True, longest_list=9), 30, id="structure counts once"),
        pytest.param(facts(100, n_references=1), 30, id="a reference"),
        pytest.param(facts(300, n_figures=1, longest_list=3, n_references=1), 85, id="all bonuses"),
        pytest.param(facts(700, n_figures=1, has_table=True, n_references=2), 100, id="capped"),
        pytest.param(facts(50, is_partial=True), 20, id="partial and short"),
        pytest.param(facts(90, n_figures=1, n_references=1, is_partial=True), 40, id="partial is capped"),
        pytest.param(facts(2000, is_partial=True), 40, id="partial, however long"),
    ],
)
def test_gives_the_published_points(given_facts: DepthFeatures, points: float) -> None:
    assert depth(given_facts) == points


@given(FACTS, COUNTS)
def test_stays_in_range_and_never_falls_with_words(given_facts: DepthFeatures, more: int) -> None:
    longer = replace(given_facts, n_words=given_facts.n_words + more)
    assert 20 <= depth(given_facts) <= depth(longer) <= (40 if given_facts.is_partial else 100)


@pytest.mark.parametrize(
    ("text", "n_words"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("five words of plain English", 5, id="English"),
        pytest.param("字" * 500, 238, id="500 characters are read in the time of 238 words"),
        pytest.param("字" * 1000 + " with three words", 479, id="mixed"),
        pytest.param("문장은 띄어쓰기를 한다", 3, id="Korean has spaces"),
        pytest.param("ก" * 100, 48, id="Thai"),
    ],
)
def test_counts_words_that_can_be_compared(text: str, n_words: int) -> None:
    assert comparable_words(text, sum(count_words(text))) == n_words


def test_word_count_is_never_negative() -> None:
    assert comparable_words("字" * 500, 100) == 48


TWO_BY_TWO = "<table><tr><th>Year</th><th>Sales</th></tr><tr><td>one</td><td>two</td></tr></table>"


@pytest.mark.parametrize(
    ("markup", "has_table"),
    [
        pytest.param(TWO_BY_TWO, True, id="two by two"),
        pytest.param(TWO_BY_TWO.replace("<table>", "<TABLE border=1><tbody>"), True, id="upper case, a body"),
        pytest.param("<table><tr><td>a<td>b<tr><td>c<td>d", True, id="nothing closed"),
        pytest.param(
            "&lt;table&gt;&lt;tr&gt;&lt;td&gt;a&lt;td&gt;b&lt;tr&gt;&lt;td&gt;c&lt;td&gt;d", True, id="escaped"
        ),
        pytest.param("<p>no table</p>", False, id="none"),
        pytest.param("<table></table>", False, id="empty"),
        pytest.param("<table><tr><td>alone</td></tr></table>", False, id="one cell"),
        pytest.param("<table><tr><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr></table>", False, id="a column"),
        pytest.param("<table><tr><td>a</td><td>b</td></tr></table>", False, id="a row"),
        pytest.param("<table><tr><td><img src=x></td><td>b</td></tr>" * 2, False, id="pictures beside text"),
        pytest.param(TWO_BY_TWO.replace("<table>", "<table role=presentation>"), False, id="declared as layout"),
        pytest.param(f"<nav>{TWO_BY_TWO}</nav>", False, id="a navigation"),
        pytest.param(
            "<table>" + "<tr><td>menu</td><td><table><tr><td>text</td></tr></table></td></tr>" * 2 + "</table>",
            False,
            id="layout around layout",
        ),
        pytest.param(f"<table><tr><td>menu</td><td>{TWO_BY_TWO}</td></tr></table>", True, id="data within layout"),
        pytest.param("<table><tr><td>a</td><td>b</td></tr></table>" * 2, False, id="two tables of one row"),
    ],
)
def test_detects_data_tables(markup: str, has_table: bool) -> None:
    assert facts_of(markup).has_table is has_table


@pytest.mark.parametrize(
    ("markup", "longest"),
    [
        pytest.param("<p>one, two, three</p>", 0, id="none"),
        pytest.param("<ul><li>一</li><li>二</li><li>三</li></ul>", 3, id="three"),
        pytest.param("<ol><li>a<li>b<li>c<li>d</ol>", 4, id="nothing closed"),
        pytest.param("<ul><li>a</li></ul><ul><li>b</li></ul><ul><li>c</li></ul>", 1, id="three lists of one"),
        pytest.param("<ul><li>a<ul><li>b</li><li>c</li><li>d</li></ul></li></ul>", 3, id="a list in a list"),
        pytest.param("<ul><li> </li><li><img src=x></li><li>a</li></ul>", 1, id="items without text"),
        pytest.param("<dl><dt>a<dd>1<dt>b<dd>2<dt>c<dd>3</dl>", 3, id="definitions"),
        pytest.param("<li>a</li><li>b</li><li>c</li>", 0, id="items without a list"),
        pytest.param("<nav><ul><li>a<li>b<li>c</ul></nav>", 0, id="a navigation"),
    ],
)
def test_measures_the_longest_list(markup: str, longest: int) -> None:
    assert facts_of(markup).longest_list == longest


def link(url: str, text: str = "source") -> str:
    return f'<p>See <a href="{url}">{text}</a>.</p>'


@pytest.mark.parametrize(
    ("markup", "n_references"),
    [
        pytest.param("<p>none</p>", 0, id="none"),
        pytest.param(link("https://who.int/report"), 1, id="one"),
        pytest.param(link("//who.int/report"), 1, id="without a scheme"),
        pytest.param(link("https://who.int/a") + link("http://www.who.int/b"), 1, id="one site twice"),
        pytest.param(link("https://who.int/a") + link("https://例え.jp/記事"), 2, id="two sites"),
        pytest.param(link("https://a.github.io/") + link("https://b.github.io/"), 2, id="tenants of one host"),
        pytest.param(link("https://news.example.org/x"), 0, id="a host of the same publisher"),
        pytest.param(link("/2025/y") + link("#notes") + link("?p=1"), 0, id="relative"),
        pytest.param(link("mailto:a@who.int") + link("javascript:alert(1)") + link("tel:123"), 0, id="no web page"),
        pytest.param(link("https://cdn.net/a", '<img src="https://cdn.net/a">'), 0, id="a picture as a link"),
        pytest.param(link("https://cdn.net/a.JPG?w=100", "enlarge"), 0, id="a link to a picture"),
        pytest.param(
            link("https://[broken", "x") + link("http:///x", "x") + link("//localhost/x") + "<a href>x</a>",
            0,
            id="broken",
        ),
        pytest.param(link("https://twitter.com/intent/tweet?url=x", "Tweet"), 0, id="a share button"),
        pytest.param(link("https://x.com/who/status/1", "said"), 1, id="a post that is cited"),
        pytest.param("<nav>" + link("https://who.int/") + "</nav>", 0, id="a navigation"),
    ],
)
def test_counts_links_to_other_sites(markup: str, n_references: int) -> None:
    assert facts_of(markup).n_references == n_references


def test_base_url_counts_as_publishers_domain() -> None:
    markup = link("/x") + link("https://proxy.net/y")
    assert facts_of(markup, base_url="https://proxy.net/feed").n_references == 0
    assert facts_of(markup, base_url="").n_references == 1


def test_unknown_publisher_owns_no_links() -> None:
    assert facts_of(link("https://example.org/x"), own_domain="", base_url="").n_references == 1


@pytest.mark.parametrize(
    ("url", "is_button"),
    [
        pytest.param("https://www.facebook.com/sharer/sharer.php?u=x", True, id="facebook"),
        pytest.param("https://www.facebook.com/sharer.php?u=x", True, id="facebook, short"),
        pytest.param("https://x.com/intent/post?url=x", True, id="x"),
        pytest.param("https://twitter.com/share?url=x", True, id="twitter"),
        pytest.param("https://www.linkedin.com/shareArticle?mini=true&url=x", True, id="linkedin"),
        pytest.param("https://api.whatsapp.com/send?text=x", True, id="whatsapp"),
        pytest.param("https://wa.me/?text=x", True, id="wa.me"),
        pytest.param("https://wa.me?text=x", True, id="wa.me without a path"),
        pytest.param("https://reddit.com/submit?url=x", True, id="reddit"),
        pytest.param("https://t.me/share/url?url=x", True, id="telegram"),
        pytest.param("https://service.weibo.com/share/share.php?url=x", True, id="weibo"),
        pytest.param("https://b.hatena.ne.jp/entry/https://example.org/", True, id="hatena"),
        pytest.param("https://www.addtoany.com/share#url=x", True, id="addtoany"),
        pytest.param("https://www.facebook.com/who/posts/1", False, id="a post on facebook"),
        pytest.param("https://twitter.com/sharetheworld/status/1", False, id="a name that begins so"),
        pytest.param("https://www.reddit.com/r/news/comments/1", False, id="a thread"),
        pytest.param("https://wa.me/4912345", False, id="a number on whatsapp"),
        pytest.param("https://docs.google.com/document/d/1", False, id="a document"),
        pytest.param("https://example.org/share", False, id="a page called share"),
    ],
)
def test_recognizes_share_buttons_by_url(url: str, is_button: bool) -> None:
    assert is_sharing(url) is is_button


@pytest.mark.parametrize(
    ("markup", "n_figures"),
    [
        pytest.param("<p>Sales rose 5 % to $3bn</p>", 2, id="in the text"),
        pytest.param("Sales rose 5 % to $3bn", 2, id="without markup"),
        pytest.param("<pre>echo $1 && sleep 5ms</pre>", 0, id="in a program"),
        pytest.param("<p>Call <code>f($1)</code>, 5 % faster</p>", 1, id="beside code"),
        pytest.param("<pre><code>echo $1</code></pre><p>5 % faster</p>", 1, id="code in a program"),
    ],
)
def test_counts_figures_outside_code(markup: str, n_figures: int) -> None:
    assert facts_of(markup).n_figures == n_figures


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<div>" * 50_000 + link("https://who.int"), id="deep"),
        pytest.param("<table><tr><td>" * 20_000, id="tables in tables"),
        pytest.param("<ul><li>" * 30_000 + "x", id="lists in lists"),
        pytest.param("<a href=https://a.net/>" * 20_000, id="links never closed"),
        pytest.param("<tr><td>" * 30_000, id="rows without a table"),
        pytest.param("<p " + "a=b " * 100_000 + ">", id="attributes"),
        pytest.param("<a href='\x00\ud800'>x</a>", id="what cannot be encoded"),
    ],
)
def test_bounds_work_for_hostile_markup(markup: str) -> None:
    features = depth_features(markup=markup, text="", word_count=0, is_partial=False, own_domain=OWN)
    assert (features.n_words, features.has_table, depth(features) <= 40) == (0, False, True)


def test_reads_only_the_beginning_of_huge_markup() -> None:
    end = link("https://who.int/") + TWO_BY_TWO
    assert facts_of("<p>" + "word " * 50_000 + end).n_references == 0
    assert facts_of("<p>" + "word " * 500 + end).n_references == 1


@given(st.text(alphabet=st.sampled_from("<>/&;=\"' atrdlihefpc:x5%$n\x00")))
def test_accepts_any_markup(markup: str) -> None:
    features = depth_features(markup=markup, text=markup, word_count=3, is_partial=False, own_domain=OWN)
    assert 20 <= depth(features) <= 55


@pytest.mark.skipif(not REAL.exists(), reason="../shared/data is not here")
def test_varies_for_real_articles() -> None:
    features_of_all = []
    for path in sorted(REAL.glob("*.xml"))[:30]:
        for entry in feedparser.parse(path.read_bytes(), sanitize_html=False, resolve_relative_uris=False).entries:
            markup = entry.content[0].value if "content" in entry else entry.get("summary", "")
            features_of_all.append(facts_of(markup, own_domain=entry.get("link", "")))
    assert len({depth(features) for features in features_of_all}) >= 8
    assert all(
        any(getattr(features, name) for features in features_of_all) for name in ("has_data", "has_table", "has_list")
    )
    assert 0 < sum(features.n_references > 0 for features in features_of_all) < len(features_of_all)
