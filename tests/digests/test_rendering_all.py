"""What holds for a digest in every form: nothing is lost, and nothing that strangers wrote is more than text."""

import json
import re
from collections.abc import Iterator

import feedparser
import pytest
from django.test import override_settings
from hypothesis import given
from lxml import html
from markdown_it import MarkdownIt

from digests.edition.document import Edition, FeedReport, Finding, Movement, SectionName, Trend, UnhealthyFeed
from digests.rendering.as_json import as_json
from digests.rendering.clean_text import tidy
from digests.rendering.markdown import as_markdown
from digests.rendering.text import as_text
from digests.rendering.wrapping import width
from tests.digests.editions import edition, entry, topic
from tests.digests.rendered import FORMS, LINKS, SITE, atom, editions, hrefs, letter, markup, text_of
from tests.tables import table


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _markdown_text(made: Edition) -> tuple[str, list[str]]:
    """What a parser reads of the Markdown, and where its links lead."""
    inlines = [block for block in MarkdownIt("commonmark").parse(as_markdown(made)) if block.type == "inline"]
    children = [child for block in inlines for child in block.children or ()]
    text = "".join(child.content for child in children if child.type in ("text", "text_special", "softbreak"))
    return text, [str(child.attrs["href"]) for child in children if child.type == "link_open"]


@given(editions())
def test_the_text_holds_every_topic_address_and_source(made: Edition) -> None:
    written = _squeezed(as_text(made)).replace("\u2068", "").replace("\u2069", "")
    for each in tidy(made).topics:
        for wanted in (each.lead.title, each.lead.url, each.lead.source):
            assert _squeezed(wanted) in written
        if each.section is SectionName.TOP:
            assert _squeezed(each.entity) in written
            assert _squeezed(each.summary) in written


@given(editions())
def test_markdown_holds_every_topic_address_and_source(made: Edition) -> None:
    text, links = _markdown_text(made)
    text = _squeezed(text).replace("\u2068", "").replace("\u2069", "")
    for each in tidy(made).topics:
        assert _squeezed(each.lead.title) in text
        assert _squeezed(each.lead.source) in text
        assert not each.lead.url or MarkdownIt().normalizeLink(each.lead.url) in links
        if each.section is SectionName.TOP:
            assert _squeezed(each.entity) in text
            assert _squeezed(each.summary) in text


@given(editions())
def test_json_holds_every_topic_address_and_source(made: Edition) -> None:
    found = json.loads(json.dumps(as_json(made)))["topics"]
    tidied = tidy(made).topics
    assert [(each["label"], each["summary"]) for each in found] == [(each.label, each.summary) for each in tidied]
    articles = [
        (article["title"], article["url"] or "", article["source"]) for topic in found for article in _articles(topic)
    ]
    assert articles == [(each.title, each.url, each.source) for topic in tidied for each in topic.entries]


@given(editions())
def test_markup_holds_every_topic_address_and_source(made: Edition) -> None:
    for form in FORMS:
        page = markup(made, form)
        text, links = text_of(page), hrefs(page)
        for each in tidy(made).topics:
            assert _one_space(each.lead.title) in text
            assert _one_space(each.lead.source) in text
            address = (
                LINKS.act(each.lead.article_id, "read") if form == "mail" and each.lead.article_id else each.lead.url
            )
            assert not each.lead.url or address in links
            if each.section is SectionName.TOP:
                assert _one_space(each.entity) in text
                assert _one_space(each.summary) in text


@given(editions())
def test_whatever_is_written_is_well_formed_and_harmless(made: Edition) -> None:
    for form in FORMS:
        _assert_harmless(markup(made, form), made)
    assert feedparser.parse(atom(made)).bozo is False
    sent = letter(made)
    assert sent.subject == " ".join(sent.subject.split())
    assert all(line == line.rstrip() for line in sent.text.split("\n"))
    assert all(width(line) <= 76 or "http" in line.lower() for line in sent.text.split("\n"))


HOSTILE = {
    "a script": "<script>alert(1)</script>",
    "a handler": '"><img src=x onerror=alert(1)>',
    "an attribute": "' onmouseover='alert(1)' x='",
    "a style": "</style><style>*{background:url(//evil.example)}</style>",
    "an end": "</p></div></td></table></body></html>-->]]>",
    "a template": "{{ 7|add:7 }}{% debug %}",
    "references": "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &#60;b&#62;",
    "a link in Markdown": "[x](javascript:alert(1)) ![x](http://evil.example/x.png) <http://evil.example>",
    "blocks of Markdown": "# h\n\n> q\n\n```\ncode\n```\n- l\n\n    pre\n\n1. n\n---\n| a | b |",
    "headers": "x\r\nBcc: all@example.org\r\n\r\nbody",
    "overrides": "\u202egnp.exe\u202c\u2066\u2067",
    "controls": "\x00\x01\x08\x0b\x1b]0;title\x07\x7f\x9b31m\ufffe\ud800",
    "a long word": "W" * 5000,
    "wide": "語" * 3000,
}


def _hostile(text: str, url: str) -> Edition:
    """An edition in which everything that a stranger may write is this."""
    bad = entry(1, title=text, source=text, url=url, language=text[:8])
    told = {"label": text, "lead": bad, "related": (bad, bad), "sources": (text,), "category": text, "moved": text}
    return edition(
        *(topic(1, section, **told, summary=text, trend=Trend.FADING) for section in SectionName for _ in range(2)),
        report=FeedReport(1, 2, 1, (UnhealthyFeed(text, text),), (Movement(text, Trend.FADING, 1, 2),)),
        findings=(Finding(text, False, text),),
    )


@table("text", HOSTILE.values(), ids=HOSTILE.keys())
@table("form", FORMS)
def test_hostile_texts_are_text_in_markup(form: str, text: str) -> None:
    made = _hostile(text, "https://paper.example/1")
    page = markup(made, form)
    _assert_harmless(page, made)
    assert _one_space(tidy(made).topics[0].label) in text_of(page)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_text_in_lines(text: str) -> None:
    made = _hostile(text, "https://paper.example/1")
    sent = letter(made)
    for written in (as_text(made), as_markdown(made), sent.text, sent.subject, json.dumps(as_json(made))):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\ud800-\udfff]", written)
    assert "\n" not in sent.subject
    assert width(sent.subject) <= 78
    _, links = _markdown_text(made)
    assert {link for link in links if not link.startswith("#")} == {"https://paper.example/1"}
    tags = {
        child.content
        for block in MarkdownIt("commonmark").parse(as_markdown(made))
        for child in block.children or ()
        if child.type in ("html_inline", "image")
    }
    assert all(re.fullmatch(r'</a>|<a id="[a-z0-9-]+">', tag) for tag in tags)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "",
    ],
)
def test_non_web_url_is_not_linked(url: str) -> None:
    made = _hostile("A title", url)
    for form in FORMS:
        assert not any(url and url.strip() in link for link in hrefs(markup(made, form)))
        assert "<a>" not in markup(made, form)
        assert 'href=""' not in markup(made, form)
    _, links = _markdown_text(made)
    assert all(link.startswith("#") for link in links)
    assert "script:" not in as_text(made)
    assert all(article["url"] is None for each in as_json(made)["topics"] for article in _articles(each))


def test_an_address_cannot_leave_its_attribute() -> None:
    made = _hostile("A title", 'https://paper.example/" onclick="alert(1)"><script>')
    for form in FORMS:
        page = markup(made, form)
        _assert_harmless(page, made)
        is_signed = "/mail/act/read." in page
        assert is_signed or "https://paper.example/%22%20onclick=%22alert(1)%22%3E%3Cscript%3E" in hrefs(page)


def test_markup_needs_neither_static_files_nor_a_request() -> None:
    with override_settings(STATIC_ROOT="/nowhere", STATIC_URL="/nothing/"):
        for form in FORMS:
            assert "/nothing/" not in markup(edition(topic()), form)


def _articles(found: dict) -> Iterator[dict]:
    yield found["lead"]
    yield from found["related"]


def _one_space(text: str) -> str:
    return " ".join(text.split())


def _assert_harmless(page: str, made: Edition) -> None:
    """No script, no handler, nothing loaded, no link but those of the digest."""
    tree = html.document_fromstring(page)
    names = {str(each.tag) for each in tree.iter() if isinstance(each.tag, str)}
    assert not names & {"script", "iframe", "object", "embed", "img", "link", "form", "input", "svg", "base", "video"}
    assert not [name for name in tree.xpath("//@*") if name.attrname.lower().startswith("on")]
    assert not [
        name for name in tree.xpath("//@*") if name.attrname.lower() in ("src", "srcset", "action", "background")
    ]
    own = {LINKS.page, LINKS.settings, LINKS.unsubscribe}
    allowed = own | {each.url for each_topic in tidy(made).topics for each in each_topic.entries}
    for href in hrefs(page):
        assert href in allowed or href.startswith(("#topic-", "#section-", f"{SITE}/mail/act/", f"{SITE}/digests/"))
    for style in [*tree.xpath("//@style"), *tree.xpath("//style/text()")]:
        assert not re.search(r"url\(|@import|expression|javascript", str(style))
