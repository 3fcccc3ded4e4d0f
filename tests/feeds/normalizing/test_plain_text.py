import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.depth_limit import MAX_DEPTH, MAX_MARKUP, limit_markup
from feeds.normalizing.plain_text import MAX_TEXT, plain_text
from tests.tables import table

TEXTS = {
    "paragraphs": ("<p>One  two</p>\n<p>three</p>", "One two\nthree"),
    "source_line_breaks_are_spaces": ("<p>One\ntwo</p>", "One two"),
    "br": ("One<br>two<br/>three", "One\ntwo\nthree"),
    "inline_tags_join": ("<p>un<b>believ</b>able</p>", "unbelievable"),
    "list": ("<ul><li>One</li><li>two</li></ul>", "One\ntwo"),
    "table": ("<table><tr><td>One</td><td>two</td></tr></table>", "One\ntwo"),
    "script_and_style": ("<p>One</p><script>var two = '<p>'</script><style>p{}</style>three", "One\nthree"),
    "noscript": ("One<noscript><p>two</p></noscript>", "One\ntwo"),
    "notice_about_javascript": ("One<noscript>Please enable JavaScript.</noscript>", "One"),
    "preview_text": ("<p style='display:none'>One</p><p>two</p>", "two"),
    "formula": ("<math><mi>x</mi><mo>=</mo><mn>5</mn><annotation encoding='TeX'>x=5</annotation></math>", "x=5"),
    "formula_drawn_twice": (
        "<span class=katex-mathml><math><mi>x</mi></math></span><span class=katex-html>x</span>",
        "x",
    ),
    "old_listing": ("<xmp>a <b></xmp>", "a <b>"),
    "replaced_content": ("<canvas>One</canvas> <meter>two</meter>", "One two"),
    "iframe_and_object": ("One<iframe>two</iframe><object>three</object>", "One"),
    "textarea_and_template": ("One<textarea>two</textarea><template>three</template>", "One"),
    "comment": ("One<!-- two -->", "One"),
    "entities": ("<p>AT&amp;T &lt;b&gt; caf&eacute;</p>", "AT&T <b> café"),
    "entities_without_tags": ("AT&amp;T &#8230;", "AT&T …"),
    "attribute_with_a_greater_sign": ('<img alt="a > b">One', "One"),
    "escaped_once_too_often": ("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;", "One\ntwo"),
    "markup_about_markup_stays": ("<p>The &lt;p&gt; tag</p>", "The <p> tag"),
    "less_than_without_tags": ("a < b", "a < b"),
    "lines_without_tags_stay_lines": ("One\n\n two ", "One\ntwo"),
    "nul": ("<p>One\x00 two\x07</p>", "One two"),
    "surrogate": ("<p>One\ud800</p>", "One"),
    "chinese": ("<p>今天</p><p>天气</p>", "今天\n天气"),
    "thai": ("<div>ข่าว</div>วันนี้", "ข่าว\nวันนี้"),
    "non_breaking_space": ("<p>One&nbsp;two</p>", "One two"),
    "broken_markup": ("<p>One <b>two <p>three</i> <a href='x>four", "One two\nthree"),
    "empty": ("", ""),
}  # fmt: skip


@table(("markup", "expected"), TEXTS.values(), ids=TEXTS)
def test_gives_the_text_of_markup(markup: str, expected: str) -> None:
    assert plain_text(markup) == expected


def test_declared_text_is_not_read_as_markup() -> None:
    assert plain_text("a <b>c</b>\n\n d &amp; e", is_text=True) == "a <b>c</b>\nd &amp; e"


def test_very_long_text_is_cut() -> None:
    assert len(plain_text("<p>" + "word " * 150_000)) <= MAX_TEXT
    assert plain_text(f"<p>one{' ' * MAX_TEXT}two</p>") == "one two"  # only text counts


BOMBS = {
    "div": "<div>" * 20_000 + "end",
    "unclosed_formatting": "".join(f"<b id={i}>" for i in range(90)) + "<p>x" * 20_000,
    "formatting_in_paragraphs": ("<p>" + "".join(f"<i id={i}>" for i in range(20))) * 2_000,
    "self_closed_div": "<div/>" * 20_000,
    "table": "<table>" * 20_000,
    "list": "<ul><li>" * 20_000,
    "svg": "<svg><g>" * 20_000,
    "misnested": "<b><div></b>" * 20_000,
}


@pytest.mark.parametrize("markup", BOMBS.values(), ids=BOMBS)
def test_limits_bombs(markup: str) -> None:
    once = limit_markup(markup)
    assert len(once) < 3 * len(markup) + 2_000
    plain_text(markup)


def test_limiting_drops_tags_but_no_words() -> None:
    markup = "<div>" * 20_000 + "<p>end" + "</div>" * 20_000
    assert limit_markup(markup).count("<div>") == MAX_DEPTH
    assert plain_text(markup) == "end"


ATTRIBUTES = " ".join(f"x{i}=1" for i in range(20_000))


@pytest.mark.parametrize("tag", [f"<a {ATTRIBUTES}>", f'<a x="<" {ATTRIBUTES}>', f"<a x='>' {ATTRIBUTES}"])
def test_limiting_drops_thousands_of_attributes(tag: str) -> None:
    assert len(limit_markup(tag)) < 10
    assert plain_text(f"<p>one</p>{tag}") == "one"


def test_limiting_keeps_an_embedded_image() -> None:
    markup = f'<p><img src="data:image/png;base64,{"A" * 100_000}" alt="x"> one</p>'
    assert limit_markup(markup) == markup


def test_limiting_keeps_ordinary_markup() -> None:
    markup = "<p>a <b>b<p>c</i>" * 50
    assert limit_markup(markup) == markup


def test_limiting_keeps_long_flat_documents() -> None:
    markup = "<ul>" + "<li>one <b>two</b>" * 2_000 + "</ul>" + "<p>three<br>" * 2_000
    assert plain_text(markup) == "\n".join(["one two"] * 2_000 + ["three"] * 2_000)


def test_limiting_cuts_before_a_tag() -> None:
    markup = "<p>" + "<b>word</b> " * 100_000
    assert len(limit_markup(markup)) <= MAX_MARKUP + 10
    assert not limit_markup(markup).endswith("<")


@given(st.text() | st.text(alphabet="<>/abpdiv \"'=&;!-\n").map(lambda text: "<p>" + text))
def test_takes_any_text(markup: str) -> None:
    text = plain_text(markup)
    assert "\x00" not in text
    assert text == text.encode().decode()
    assert all(line and line == " ".join(line.split()) for line in text.split("\n") if text)
