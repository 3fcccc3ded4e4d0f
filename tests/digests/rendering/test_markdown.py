"""Digests as CommonMark: what is written, and what a parser reads of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from digests.edition.document import SectionName
from digests.rendering.clean_text import one_line, web_address
from digests.rendering.markdown import as_markdown, escaped, linked
from tests.digests.editions import edition, entry, full_edition, topic
from tests.digests.rendering.test_text import SMALL

SMALL_MARKDOWN = """\
# Saturday 21 November 2026 · Morning brief

Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)\\
5 articles from 14 feeds · 9 duplicates removed · 1 feed needs attention

## <a id="section-top"></a>Top stories

### <a id="topic-1"></a>[Iran and US end second round](<https://paper.example/1>)

▲ Emerging · Geneva\\
BBC News · major outlet · Sat 21 Nov, 06:50 · importance 84

Delegations of both countries left Geneva on Friday evening after two days of talks. The mediator said that they had \
agreed on guiding principles for a text, and that experts would meet again within two weeks to write it. No date was \
given for a third round, and neither side answered questions on the way to the airport.

2 more from Reuters and DW\\
Changed since the evening recap: now also covered by DW.

## <a id="section-noteworthy"></a>Noteworthy

### Science

- <a id="topic-2"></a>[Article 4](<https://paper.example/4>)\\
  A probe sent images.\\
  Paper · Sat 21 Nov · ▼ Fading

## <a id="section-also"></a>Also mentioned

- \u2068الجزيرة\u2069\\
  \u2068הארץ\u2069

6 more topics didn't fit; 3 are unchanged since the last digest.

## Feed health

14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.

1 feed needs attention:

- Morgenpost: It has not answered since Tuesday.

Trending topics:

- ▲ Emerging: Geneva (3 articles, none before)

Self-check “Labels”: Repaired: one.
"""


def test_a_small_digest() -> None:
    assert as_markdown(SMALL) == SMALL_MARKDOWN


def test_an_empty_digest_is_a_short_note() -> None:
    assert as_markdown(edition()) == (
        "# Saturday 21 November 2026 · Morning brief\n\n"
        "Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)\\\n0 articles from 14 feeds · 9 duplicates removed\n\n"
        "Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00.\n\n"
        "## Feed health\n\n14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, with: marks (that) mean nothing!", "plain, with: marks (that) mean nothing!"),
        ("*a* _b_ `c` ~~d~~", r"\*a\* \_b\_ \`c\` \~\~d\~\~"),
        ("[a](b) ![c][d]", r"\[a\](b) !\[c\]\[d\]"),
        ("<b> | a > b", r"\<b\> \| a \> b"),
        ("a \\ b", r"a \\ b"),
        ("AT&T & &amp; &#60;", r"AT&T & \&amp; \&\#60;"),
        ("# heading", r"\# heading"),
        ("- point", r"\- point"),
        ("+ point", r"\+ point"),
        ("=== line", r"\=== line"),
        ("1. point", r"1\. point"),
        ("12) point", r"12\) point"),
        ("2026 was - a year. 1. of them", "2026 was - a year. 1. of them"),
        ("", ""),
    ],
)
def test_marks_are_escaped(text: str, expected: str) -> None:
    assert escaped(text) == expected


MARKED = st.text(st.sampled_from("*_`[]()<>#|~!&;\\-+=.:1a \u2068ä日“") | st.characters(codec="utf-8"), max_size=40)


@given(MARKED)
def test_a_parser_reads_escaped_text_as_it_was(text: str) -> None:
    text = one_line(text)
    blocks = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(escaped(text))
    if not text:
        assert blocks == []
        return
    assert [block.type for block in blocks] == ["paragraph_open", "inline", "paragraph_close"]
    assert _plain(blocks[1]) == text


@given(MARKED, MARKED)
def test_a_parser_reads_a_link_as_it_was(text: str, path: str) -> None:
    text, url = one_line(text) or "a", web_address(f"https://paper.example/{path}")
    inline = MarkdownIt("commonmark").parse(f"**{linked(text, url)}**")[1]
    (link,) = [child for child in inline.children or () if child.type == "link_open"]
    assert link.attrs["href"] == MarkdownIt().normalizeLink(url)
    assert _plain(inline) == text


def test_a_title_without_address_is_no_link() -> None:
    assert linked("[a]", "") == r"\[a\]"


def test_contents_lead_to_their_targets() -> None:
    written = as_markdown(full_edition())
    inlines = [block for block in MarkdownIt("commonmark").parse(written) if block.type == "inline"]
    children = [child for block in inlines for child in block.children or ()]
    targets = {child.content[7:-2] for child in children if child.type == "html_inline" and "id=" in child.content}
    hrefs = [str(child.attrs["href"]) for child in children if child.type == "link_open"]
    wanted = [href[1:] for href in hrefs if href.startswith("#")]
    assert wanted == [*(f"topic-{number}" for number in range(1, 16)), "section-noteworthy", "section-also"]
    assert set(wanted) <= targets


def test_a_whole_digest_has_no_trailing_spaces() -> None:
    assert all(line == line.rstrip() for line in as_markdown(full_edition()).split("\n"))


@pytest.mark.parametrize("section", list(SectionName))
def test_a_title_cannot_break_out_of_its_line(section: SectionName) -> None:
    title = "1. # a](https://evil.example) **b** <script>x</script> `c` | d\n\n# e"
    written = as_markdown(edition(topic(1, section, lead=entry(1, title=title))))
    blocks = MarkdownIt("commonmark").parse(written)
    assert [block.tag for block in blocks if block.type == "heading_open" and block.tag == "h1"] == ["h1"]
    inlines = [block for block in blocks if block.type == "inline"]
    hrefs = [
        str(child.attrs["href"]) for block in inlines for child in block.children or () if child.type == "link_open"
    ]
    assert hrefs == ["https://paper.example/1"]
    markup = [child.content for block in inlines for child in block.children or () if child.type == "html_inline"]
    assert all(each == "</a>" or each.startswith('<a id="') for each in markup)


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or () if child.type in ("text", "text_special"))


def test_an_unchanged_top_story_has_one_line() -> None:
    written = as_markdown(edition(topic(9, is_unchanged=True), topic(1)))
    assert "\n- Still: [Article 9](<https://paper.example/9>) · Paper\n" in written
