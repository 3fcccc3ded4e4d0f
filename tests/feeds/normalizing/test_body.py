"""What publishing software did to a body by mistake is undone before it is stored."""

from datetime import UTC, datetime

from feeds.normalizing.entry import FeedContext, normalize
from feeds.parsing.feed import ParsedEntry
from tests.tables import table

FEED = FeedContext(url="https://paper.example/feed.xml")
NOW = datetime(2026, 11, 28, tzinfo=UTC)


def stored(markup: str, *, is_text: bool = False) -> tuple[str, bool, str]:
    """The markup, whether it is plain text, and the text."""
    draft = normalize(ParsedEntry(title="T", markup=markup, markup_is_text=is_text), feed=FEED, now=NOW)
    assert draft is not None
    return draft.markup, draft.markup_is_text, draft.text


MARKUP = {
    "sound": ("<p>One</p>", "<p>One</p>", "One"),
    "marks of CDATA around it": ("<![CDATA[<p>One</p>]]>", "<p>One</p>", "One"),
    "marks of CDATA in it": ("<p>One</p><![CDATA[two > one]]>three", "<p>One</p>two > onethree", "One\ntwo > onethree"),
    "marks of CDATA without an end": ("<![CDATA[One", "One", "One"),
    "marks of CDATA twice": ("<![CDATA[<![CDATA[One]]]]>", "One]]", "One]]"),
    "escaped marks of CDATA": ("&lt;![CDATA[<p>One</p>]]&gt;", "<p>One</p>", "One"),
    "escaped twice in it": ("&lt;![CDATA[&lt;p&gt;One&lt;/p&gt;]]&gt;", "<p>One</p>", "One"),
    "an end without a start": ("a[b[0]]> c", "a[b[0]]> c", "a[b[0]]> c"),
    "talk about CDATA": ("<p>Write &lt;![CDATA[x]]&gt;</p>", "<p>Write &lt;![CDATA[x]]&gt;</p>", "Write <![CDATA[x]]>"),
    "escaped twice": ("&lt;p&gt;Stra&amp;szlig;e&lt;/p&gt;", "<p>Stra&szlig;e</p>", "Straße"),
    "begins with text": ("One &lt;b&gt;two&lt;/b&gt;&lt;br /&gt;", "One <b>two</b><br />", "One two"),
    "a link in text": ("a &lt;a href=&quot;/2&quot;&gt;b&lt;/a&gt; c", 'a <a href="/2">b</a> c', "a b c"),
    "up to the first tag": (
        "&lt;!-- on --&gt;&lt;div&gt;One&lt;/div&gt; by <a href='/u'>Ann</a>",
        "<!-- on --><div>One</div> by <a href='/u'>Ann</a>",
        "One\nby Ann",
    ),
    "talk about tags": ("<p>Use &lt;p&gt; like &lt;p&gt;this&lt;/p&gt;</p>", None, "Use <p> like <p>this</p>"),
    "talk about tags without any": ("Use &lt;b&gt; for bold text", None, "Use <b> for bold text"),
    "talk that begins with a tag": ("&lt;b&gt; makes <b>bold</b>", None, "<b> makes bold"),
    "line breaks of XHTML": ("a<br></br>b<br id='x'></br>c<br/>d", "a<br>b<br id='x'>c<br/>d", "a\nb\nc\nd"),
    "line breaks on purpose": ("One<br><br>two</br>three", None, "One\ntwo\nthree"),
    "self-closed frame": ("One<iframe src='/v' />two", "One<iframe src='/v' ></iframe>two", "Onetwo"),
    "self-closed script": ("One<script/>two", "One<script></script>two", "Onetwo"),
    "self-closed film": ("One<video src='/v.mp4'/>two", "One<video src='/v.mp4'></video>two", "Onetwo"),
    "slash of an address": ("<iframe src=https://v.example/></iframe>two", None, "two"),
    "closed as it should be": ("<iframe src='/v'></iframe>two<br/>", None, "two"),
    "inline TeX": ('<script type="math/tex">a_1 < b</script>.', r"\(a_1 &lt; b\).", r"\(a_1 < b\)."),
    "TeX in a block": ("<script type='math/tex; mode=display'>% <![CDATA[\nx^2 %]]></script>", r"\[x^2\]", r"\[x^2\]"),
    "MathML in a script": ('<script type="math/mml"><math><mi>x</mi></math></script>', "<math><mi>x</mi></math>", "x"),
    "another script": ('<script type="text/javascript">x()</script>One', None, "One"),
}  # fmt: skip


@table(("markup", "expected", "text"), MARKUP.values(), ids=MARKUP)
def test_markup_is_stored_as_it_was_meant(markup: str, expected: str | None, text: str) -> None:
    result, is_text, plain = stored(markup)

    assert (result, is_text, plain) == (markup if expected is None else expected, False, text)
    assert stored(result)[0] == result


TEXTS = {
    "plain": ("if a < b then c > d\ne", True),
    "about a tag": ("<p> is a tag", True),
    "ends with a tag": ("The tag <p>", True),
    "an unknown tag": ("<int>x</int>", True),
    "markup as a whole": ("<p>One</p>\n<p>two</p> ", False),
    "a picture": ('<img src="/a.png" alt="x">', False),
    "a link and a line break": ('<a href="/1">One</a> and more<br />', False),
    "marks of CDATA": ("<![CDATA[<p>One</p>]]>", False),
}


@table(("text", "is_text"), TEXTS.values(), ids=TEXTS)
def test_text_that_is_markup_as_a_whole_is_markup(text: str, is_text: bool) -> None:
    assert stored(text, is_text=True)[1] is is_text
