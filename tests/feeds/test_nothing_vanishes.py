"""What is shown of an entry has all the words that its source has, in every file at hand.

The source is counted by `source_words`, which shares nothing with our pipeline. Of several bodies the fullest must be
there, except for the tenth that a version without markup may have more.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from feeds.errors import ParseError
from feeds.normalizing.entry import FeedContext, normalize
from feeds.normalizing.html import sanitize_body
from feeds.parsing import parse
from rssmanager.env import PROJECT
from tests.feeds import source_words
from tests.feeds.source_words import Words, lost, words_of_markup

DATA = PROJECT.parent / "shared" / "data"
URL = "https://feed.example/feed.xml"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not here")

ESCAPED_TWICE = "tags that are escaped twice are markup to us, and words to the counter"
NOT_A_FEED = "a single entry, or a document of the Atom Publishing Protocol"
EXPECTED = {
    "lemon24+reader--relative.atom": "two contents, of which the text beside a script is shown",
    "rbren+rss-parser--reddit-atom.rss": ESCAPED_TWICE,
    "encodings/double_encoded_utf8.xml": "UTF-8 that was encoded twice has fewer characters once it is undone",
    "p14-double-body/feed.xml": ESCAPED_TWICE,
    "tests/encoding/double-encoded-html.xml": "UTF-8 that was encoded twice",
    "sanitize/item_content_encoded_script_nested_cdata.xml": "a script in the marks of a CDATA section",
    "atom10/entry_content_div_escaped_markup.xml": ESCAPED_TWICE,
    "rss/item_description_not_a_doctype2.xml": "a text that is only the start of a declaration",
    "atom/4.1.2/entry-source-author.xml": NOT_A_FEED,
    "atom/4.2.11/missing-self.xml": "an entry inside of a source",
    "atom/4.2.11/source-entry.xml": "an entry inside of a source",
    "atom/2/brief-entry-noerror.xml": NOT_A_FEED,
    "atom/must/entry_summary_contains_html.xml": "a text that is markup as a whole is read as markup",
    "atom/must/entry_summary_contains_html_cdata.xml": "a text that is markup as a whole is read as markup",
    "atom/must/entry_content_not_html.xml": "a text that is only the start of a tag",
    "atom/must/entry_summary_not_html.xml": "a text that is only the start of a tag",
    "atom/3.1.1.2/invalid_html.xml": "a text that is only the start of a tag",
    "rss/should/xml_double_encoded.xml": "UTF-8 that was encoded twice",
    "rss/should/xml_double_encoded2.xml": "UTF-8 that was encoded twice",
    "rss/should/system_entity_http.xml": "external entities are never read",
    "rss/should/system_entity.xml": "external entities are never read",
    "ext/app/invalid-draft.xml": NOT_A_FEED,
    "ext/app/invalid-edited.xml": NOT_A_FEED,
}
"""Ends of the names of files in which characters may be missing, and why."""


def shown(content: bytes) -> Iterator[Words]:
    """The words that a reader sees of each entry."""
    for entry in parse(content, url=URL).entries:
        draft = normalize(entry, feed=FeedContext(url=URL), now=NOW)
        if draft is None:
            yield Words()
            continue
        body = sanitize_body(draft.markup, base_url=draft.base_url or draft.url, is_text=draft.markup_is_text).html
        yield words_of_markup(body)


def problems(name: str, content: bytes) -> Iterator[str]:
    source = source_words.entries(content)
    if source is None:
        return
    try:
        ours = list(shown(content))
    except ParseError as error:
        if any(any(bodies) for bodies in source):
            yield f"{name}: {error.reason}"
        return
    if len(source) != len(ours):
        yield f"{name}: {len(source)} entries in the source, {len(ours)} read"
        return
    for index, (bodies, seen) in enumerate(zip(source, ours, strict=True)):
        fullest = max(bodies, key=Words.total, default=Words())
        missing = min((lost(body, seen) for body in bodies if body.total() * 1.25 + 12 >= fullest.total()), default=0)
        if missing:
            yield f"{name}: entry {index} lacks {missing} of {fullest.total()} characters"


def unexpected(folder: str) -> list[str]:
    found = [problem for name, content in source_words.files(DATA / folder) for problem in problems(name, content)]
    return [problem for problem in found if not problem.partition(":")[0].endswith(tuple(EXPECTED))]


@needs_data
@pytest.mark.parametrize("folder", ["feeds/broken", "reports"])
def test_every_word_of_a_feed_is_shown(folder: str) -> None:
    assert unexpected(folder) == []


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("folder", ["feeds/real", "feeds/fixtures", "feeds/conformance"])
def test_every_word_of_many_feeds_is_shown(folder: str) -> None:
    assert unexpected(folder) == []


MARKUP = {
    "text": ("<p>One <b>two</b></p>three", "One two three"),
    "references": ("caf&eacute; &lt;b&gt;", "café b"),
    "code and frames": ("a<script>b</script><style>c</style><iframe>d</iframe><object>e</object>f", "a f"),
    "closed in the XHTML way": ("a<iframe src='x'/>b", "a b"),
    "hidden": ("<p style='display: none'>a</p><div hidden>b</div>c", "c"),
    "a formula": ("<math><mi>x</mi><annotation encoding='TeX'>y</annotation></math>", "x"),
    "escaped CDATA": ("<![CDATA[<p>one</p>]]>two", "one two"),
    "an unfinished element": ("a<select><option>b", "a"),
}


@pytest.mark.parametrize(("markup", "words"), MARKUP.values(), ids=MARKUP)
def test_counter_sees_what_a_reader_should(markup: str, words: str) -> None:
    assert words_of_markup(markup) == source_words.words_of_text(words)


def test_counter_finds_a_missing_word() -> None:
    feed = b"<rss><channel><item><description>&lt;p&gt;one two&lt;/p&gt;</description></item></channel></rss>"

    assert source_words.entries(feed) == [[source_words.words_of_text("one two")]]
    assert list(problems("whole", feed)) == []
    assert lost(source_words.words_of_text("one two"), source_words.words_of_text("one")) == 3
