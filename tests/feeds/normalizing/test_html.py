"""Sanitizing: attacks leave nothing behind, ordinary bodies stay intact."""

import gzip
import io
import re
import threading
from base64 import b64decode
from html import escape
from urllib.parse import quote

import feedparser
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html as lxml_html
from selectolax.lexbor import LexborHTMLParser

from feeds.normalizing.html import sanitize_body
from feeds.normalizing.html_links import srcset_urls, web_url
from rssmanager.env import PROJECT
from tests.feeds import html_verdict
from tests.tables import table

BASE = "https://example.org/blog/post.html"
HOSTILE = PROJECT.parent / "shared" / "data" / "feeds" / "broken" / "hostile"


def violations(output: str) -> list[str]:
    """Everything in an output that is not on the lists, as three parsers (lexbor, html5lib, libxml2) read it."""
    return [*html_verdict.violations(output), *html_verdict.unlisted(_read_by_libxml2(output))]


def _read_by_libxml2(output):
    for node in lxml_html.fragment_fromstring(f"<div>{output}</div>", create_parent="section").iterdescendants():
        yield str(node.tag), dict(node.attrib)


def clean(markup: str) -> str:
    return sanitize_body(markup, base_url=BASE).html


ATTACKS = {
    "script": "<script>alert(1)</script>",
    "script_upper_case_with_space": "<SCRIPT >alert(1)</SCRIPT >",
    "script_slash_attribute": "<script/src=//evil.example/x.js></script>",
    "script_unclosed": "<p>x<script>alert(1)",
    "script_nested_to_rejoin": "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "script_null_in_name": "<scr\0ipt>alert(1)</scr\0ipt>",
    "script_in_attribute_break": '<img alt="><script>alert(1)</script>">',
    "script_after_unclosed_quote": '<a href="x><script>alert(1)</script>',
    "event_handler": '<img src="/a.png" onerror="alert(1)">',
    "event_handler_slash": '<img/src="/a.png"/onerror=alert(1)>',
    "event_handler_newline": "<p\nonmouseover\n=\nalert(1)>x</p>",
    "event_handler_backquote": "<p onclick=`alert(1)`>x</p>",
    "event_handler_unknown": "<b onanythingatall=alert(1)>x</b>",
    "event_handler_null": "<p on\0click=alert(1)>x</p>",
    "event_details_toggle": "<details open ontoggle=alert(1)>x</details>",
    "event_video_source": "<video><source onerror=alert(1)></video>",
    "event_autofocus": "<b autofocus tabindex=0 onfocus=alert(1)>x</b>",
    "javascript_href": '<a href="javascript:alert(1)">x</a>',
    "javascript_mixed_case": '<a href="JaVaScRiPt:alert(1)">x</a>',
    "javascript_decimal_entities": '<a href="&#106;&#97;&#118;&#97;script:alert(1)">x</a>',
    "javascript_hex_without_semicolon": '<a href="&#x6A&#x61vascript:alert(1)">x</a>',
    "javascript_padded_entities": '<a href="&#0000106avascript:alert(1)">x</a>',
    "javascript_named_colon_tab": '<a href="java&Tab;script&colon;alert(1)">x</a>',
    "javascript_newline": '<a href="java\nscript:alert(1)">x</a>',
    "javascript_carriage_return_entity": '<a href="java&#13;script:alert(1)">x</a>',
    "javascript_leading_control": '<a href="\x01\x02 javascript:alert(1)">x</a>',
    "javascript_leading_control_entity": '<a href="&#1;javascript:alert(1)">x</a>',
    "javascript_null_inside": '<a href="java\0script:alert(1)">x</a>',
    "javascript_leading_nbsp": '<a href="&nbsp;javascript:alert(1)">x</a>',
    "javascript_host_like": '<a href="javascript://example.org/%0aalert(1)">x</a>',
    "vbscript": '<a href="vbscript:msgbox(1)">x</a>',
    "data_html_link": '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
    "data_image_in_link": '<a href="data:image/png;base64,iVBORw0KGgo=">x</a>',
    "data_svg_image": '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
    "data_image_with_markup": '<img src="data:image/png,<script>alert(1)</script>">',
    "data_html_image": '<img src="data:text/html,x">',
    "javascript_image": '<img src="javascript:alert(1)">',
    "javascript_lazy_image": '<img data-src="javascript:alert(1)" src="/a.png">',
    "javascript_srcset": '<img srcset="javascript:alert(1) 1x, /a.png 2x">',
    "javascript_poster": '<video poster="javascript:alert(1)" src="/v.mp4"></video>',
    "javascript_cite": '<blockquote cite="javascript:alert(1)">x</blockquote>',
    "javascript_background": '<table background="javascript:alert(1)"><tr><td background="javascript:1">x</table>',
    "javascript_dynsrc": '<img src="/a.png" dynsrc="javascript:alert(1)" lowsrc="javascript:alert(1)">',
    "blob_and_filesystem": '<a href="blob:https://x/1">x</a><a href="filesystem:https://x/1">y</a><a href="file:///etc">z</a>',
    "view_source": '<a href="view-source:https://example.org">x</a>',
    "iframe": '<iframe src="https://evil.example/"></iframe>',
    "iframe_srcdoc": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "iframe_unclosed": "<iframe src=javascript:alert(1) <p>x",
    "object": '<object data="x.swf"><param name=a value=b><embed src=x.swf></object>',
    "embed": '<embed src="javascript:alert(1)">',
    "applet": "<applet code=x>y</applet>",
    "form_action": '<form action="javascript:alert(1)"><input name=q><button formaction=javascript:alert(1)>x</form>',
    "form_by_attribute": "<form id=f></form><button form=f formaction=//evil.example>x</button>",
    "isindex": "<isindex action=javascript:alert(1) type=image>",
    "meta_refresh": '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
    "base": '<base href="https://evil.example/"><a href="x">x</a>',
    "link_stylesheet": '<link rel=stylesheet href="//evil.example/x.css">',
    "style_element": "<style>body{background:url(javascript:alert(1))}</style>",
    "style_closing_inside": '<style><!--</style><img src="x" onerror=alert(1)>--></style>',
    "style_attribute_expression": '<p style="width:expression(alert(1))">x</p>',
    "style_attribute_overlay": '<a style="position:fixed;inset:0" href="https://evil.example">x</a>',
    "style_attribute_escaped": '<p style="xss:e\\78pression(alert(1))">x</p>',
    "svg_onload": "<svg onload=alert(1)>",
    "svg_script": "<svg><script>alert(1)</script></svg>",
    "svg_link_xlink": '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    "svg_animate": "<svg><a><animate attributeName=href values=javascript:alert(1) /><text>x</text></a></svg>",
    "svg_foreign_object": "<svg><foreignObject><iframe onload=alert(1)></iframe></foreignObject></svg>",
    "svg_style_mutation": '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "svg_title_mutation": "<svg><title><style><img title='</style><img src onerror=alert(1)>'></title></svg>",
    "svg_desc_breakout": "<svg><desc><p>x</desc></svg><img src=x onerror=alert(1)>",
    "svg_use": '<svg><use href="data:image/svg+xml,<svg id=x></svg>#x"></use></svg>',
    "math_mutation": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x&gt;'>",
    "math_link": '<math href="javascript:alert(1)">x</math>',
    "math_annotation": '<math><annotation-xml encoding="text/html"><script>alert(1)</script></annotation-xml></math>',
    "form_math_mutation": "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "noscript_mutation": '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "noscript_style": "<noscript><style></noscript><img src=x onerror=alert(1)></style>",
    "template_content": "<template><img src=x onerror=alert(1)><script>alert(1)</script></template>",
    "textarea_breakout": '<textarea><a title="</textarea><img src=x onerror=alert(1)>"></textarea>',
    "title_breakout": '<title><a title="</title><script>alert(1)</script>">',
    "xmp_breakout": '<xmp><p title="</xmp><script>alert(1)</script>">',
    "noembed_breakout": '<noembed><p title="</noembed><img src=x onerror=alert(1)>">',
    "plaintext": "<plaintext><script>alert(1)</script>",
    "select_breakout": "<select><option><style></option></select><img src=x onerror=alert(1)></style>",
    "comment_bang_close": "<!--x--!><img src=x onerror=alert(1)>-->",
    "comment_short": "<!--><script>alert(1)</script>-->",
    "comment_conditional": "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "comment_downlevel_revealed": "<![if !IE]><img src=x onerror=alert(1)><![endif]>",
    "cdata": "<![CDATA[<script>alert(1)</script>]]>",
    "cdata_in_svg": "<svg><![CDATA[><image xlink:href='x' onerror=alert(1) />]]></svg>",
    "processing_instruction": "<?xml-stylesheet href='javascript:alert(1)'?><?php echo 1 ?>",
    "doctype_entity": '<!DOCTYPE x [<!ENTITY y "<script>alert(1)</script>">]>&y;',
    "namespaced_element": "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
    "custom_element": "<my-widget onclick=alert(1)>x</my-widget>",
    "frameset": "<frameset onload=alert(1)><frame src=javascript:alert(1)></frameset>",
    "body_onload": "<body onload=alert(1)><html onclick=alert(1)>x",
    "dom_clobbering": "<img name=getElementById src=/a.png><a id=location href=/x>x</a><p id=cookie>y</p>",
    "class_of_the_reader": '<div class="modal overlay" data-action="delete" hx-get="/x">x</div>',
    "table_foster_parenting": "<table><script>alert(1)</script><img src=x onerror=alert(1)><tr><td>x</table>",
    "nested_links_in_tables": '<a href="/1"><table><tr><td><a href="javascript:1" onclick=x>b</table></a>',
    "image_alias": "<image src=x onerror=alert(1)>",
    "half_tag": "<img src=x onerror=alert(1)",
    "double_bracket": "<<script>alert(1);//<</script>",
    "entity_encoded_tag_is_text": "&lt;script&gt;alert(1)&lt;/script&gt;",
    "double_encoded_tag_is_text": "&amp;lt;script&amp;gt;alert(1)",
    "attribute_quote_break": "<a href='https://x.example/\"onmouseover=\"alert(1)'>x</a>",
    "attribute_backquote": '<img src=/a.png alt="``onerror=alert(1)">',
    "lang_attribute_break": "<p lang='en\" onclick=\"x'>x</p>",
    "srcset_quote_break": "<img srcset='/a.png\"onerror=alert(1) 1x'>",
    "portal_and_fenced_frame": "<portal src=//evil.example></portal><fencedframe src=x></fencedframe>",
    "keygen_command": "<keygen autofocus onfocus=alert(1)><command onclick=alert(1)>",
    "marquee": "<marquee onstart=alert(1)>x</marquee>",
    "audio_autoplay": "<audio autoplay onplay=alert(1) src=/a.mp3></audio>",
    "utf7": "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "lone_surrogates": "<scr\ud800ipt>alert(1)</scr\ud800ipt>\udfff",
    "right_to_left_override": "<a href='https://x.example/'>\u202egnp.exe</a>",
}


@table("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_attacks_leave_only_allowed_markup(attack):
    assert violations(clean(attack)) == []
    assert violations(clean(f"<p>before {attack}<p>after")) == []


@table("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_attack_in_plain_text_is_shown_as_text(attack):
    output = sanitize_body(attack, base_url=BASE, is_text=True).html
    assert violations(output) == []
    assert set(re.findall(r"<(\w+)", output)) <= {"p", "a", "br"}


def test_libxml2_sees_only_allowed_markup():
    assert html_verdict.unlisted(_read_by_libxml2("<p onclick=x>y</p>")) != []


@pytest.mark.parametrize(
    "element",
    ["script", "style", "title", "textarea", "template", "iframe", "noembed", "noframes", "object", "svg"],
)
def test_hidden_content_is_removed(element):
    assert clean(f"<p>a</p><{element}>secret</{element}><p>b</p>") == "<p>a</p><p>b</p>"


IMAGE = ' alt="" loading="lazy" decoding="async">'
REL = ' rel="noopener noreferrer"'
GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9"

KEPT = {
    "empty": ("", ""),
    "bare_text": ("Just words", "Just words"),
    "spaces_alone": (" \n ", ""),
    "special_characters": ("1 < 2 & 3 > 2 \"q\" 'a'", "1 &lt; 2 &amp; 3 &gt; 2 \"q\" 'a'"),
    "named_references": ("caf&eacute;&nbsp;&mdash; &copy;", "café\xa0— ©"),
    "escaped_markup_stays_text": ("<p>&lt;b&gt; and &amp;lt;</p>", "<p>&lt;b&gt; and &amp;lt;</p>"),
    "emphasis": (
        "<p><em>a</em> <strong>b</strong> <b>c</b> <i>d</i> <u>e</u> <s>f</s></p>",
        "<p><em>a</em> <strong>b</strong> <b>c</b> <i>d</i> <u>e</u> <s>f</s></p>",
    ),
    "edits": (
        "<del>a</del><ins>b</ins><mark>c</mark><small>d</small>",
        "<del>a</del><ins>b</ins><mark>c</mark><small>d</small>",
    ),
    "top_heading_gives_way_to_the_title": ("<h1>A</h1><h2>B</h2><h6>C</h6>", "<h2>A</h2><h2>B</h2><h6>C</h6>"),
    "old_names": (
        "<strike>a</strike><tt>b</tt><acronym title=c>d</acronym>",
        '<s>a</s><code>b</code><abbr title="c">d</abbr>',
    ),
    "sections_keep_apart": ("<section>a</section><article>b</article>", "<div>a</div><div>b</div>"),
    "font_and_center": ("<center><font color=red>a</font></center>", "<div>a</div>"),
    "lists": (
        "<ul><li>a<li>b</ul><ol start=3><li value=7>c</ol>",
        '<ul><li>a</li><li>b</li></ul><ol start="3"><li value="7">c</li></ol>',
    ),
    "definitions": ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
    "table": (
        "<table border=1><caption>t</caption><tr><th colspan=2>a<tr><td rowspan=x>b<td>c</table>",
        '<table><caption>t</caption><tbody><tr><th colspan="2">a</th></tr>'
        "<tr><td>b</td><td>c</td></tr></tbody></table>",
    ),
    "code": ("<pre class=x><code>if a &lt; b:\n    c</code></pre>", "<pre><code>if a &lt; b:\n    c</code></pre>"),
    "keys": (
        "<kbd>Ctrl</kbd><samp>ok</samp>H<sub>2</sub>O<sup>3</sup>",
        "<kbd>Ctrl</kbd><samp>ok</samp>H<sub>2</sub>O<sup>3</sup>",
    ),
    "quotes": ('<blockquote cite="/x"><p>a <q>b</q></p></blockquote>', "<blockquote><p>a <q>b</q></p></blockquote>"),
    "time": ('<time datetime="2026-02-17T08:00:00Z">now</time>', '<time datetime="2026-02-17T08:00:00Z">now</time>'),
    "ruby": ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>"),
    "direction_and_language": (
        '<p dir=rtl lang="ar">سلام</p><span lang=ja>語</span>',
        '<p dir="rtl" lang="ar">سلام</p><span lang="ja">語</span>',
    ),
    "invalid_direction_and_language": ("<p dir=up lang='no way'>x</p>", "<p>x</p>"),
    "span_without_meaning": ("<p><span class=x>a</span>b</p>", "<p>ab</p>"),
    "break_and_rule": ("a<br/>b<hr>c", "a<br>b<hr>c"),
    "details": ("<details open><summary>a</summary>b</details>", "<details open><summary>a</summary>b</details>"),
    "figure": (
        "<figure class=x><img src=/a.png alt=A><figcaption>b</figcaption></figure>",
        '<figure><img src="https://example.org/a.png" alt="A" loading="lazy" decoding="async">'
        "<figcaption>b</figcaption></figure>",
    ),
    "link": (
        '<a href="https://x.example/?a=1&b=2" target=_blank rel=me title=t>x</a>',
        f'<a href="https://x.example/?a=1&amp;b=2" title="t"{REL}>x</a>',
    ),
    "link_relative": ('<a href="../c d">x</a>', f'<a href="https://example.org/c%20d"{REL}>x</a>'),
    "link_to_fragment": ('<a href="#n1">1</a>', f'<a href="https://example.org/blog/post.html#n1"{REL}>1</a>'),
    "link_without_scheme": ('<a href="//x.example/y">x</a>', f'<a href="https://x.example/y"{REL}>x</a>'),
    "link_by_mail": (
        '<a href="mailto:a@x.example?subject=b">x</a>',
        f'<a href="mailto:a@x.example?subject=b"{REL}>x</a>',
    ),
    "link_non_latin": ('<a href="/記事?q=語">x</a>', f'<a href="https://example.org/記事?q=語"{REL}>x</a>'),
    "link_to_telephone_keeps_its_text": ('<a href="tel:123">call</a>', "call"),
    "link_with_broken_host_keeps_its_text": ('<a href="http://[bad">x</a>', "x"),
    "link_to_itself": (
        '<a href="https://example.org/blog/post.html">x</a>',
        f'<a href="https://example.org/blog/post.html"{REL}>x</a>',
    ),
    "footnote": (
        '<p>a<sup><a id="r1" class="f" href="#n1">1</a></sup></p><ol><li id="n1">b <a href="#r1">back</a></li></ol>',
        '<p>a<sup><a id="text-r1" href="#text-n1">1</a></sup></p>'
        '<ol><li id="text-n1">b <a href="#text-r1">back</a></li></ol>',
    ),
    "footnote_by_the_address_of_the_page": (
        '<a href="http://www.example.org/blog/post.html?utm_source=rss#n1">1</a><p id="n1">b</p>',
        '<a href="#text-n1">1</a><p id="text-n1">b</p>',
    ),
    "footnote_by_a_relative_address": (
        '<a href="post.html#n1">1</a><p id="n1">b</p>',
        '<a href="#text-n1">1</a><p id="text-n1">b</p>',
    ),
    "footnote_of_another_page": (
        '<a href="/blog/other.html#n1">1</a><p id="n1">b</p>',
        f'<a href="https://example.org/blog/other.html#n1"{REL}>1</a><p>b</p>',
    ),
    "footnote_named": (
        '<a href="#n1">1</a><p><a name="n1"></a>b</p>',
        '<a href="#text-n1">1</a><p><span id="text-n1"></span>b</p>',
    ),
    "footnote_encoded": (
        '<a href="#fn%3A%C3%A4">1</a><p id="fn:ä">b</p>',
        '<a href="#text-fn:%C3%A4">1</a><p id="text-fn:%C3%A4">b</p>',
    ),
    "footnote_in_unknown_element": (
        '<a href="#n1">1</a><note id="n1">b</note>',
        '<a href="#text-n1">1</a><span id="text-n1">b</span>',
    ),
    "footnote_that_is_removed": (
        '<a href="#n1">1</a><form><button id="n1">b</button></form>',
        f'<a href="https://example.org/blog/post.html#n1"{REL}>1</a>',
    ),
    "footnotes_of_one_name": (
        '<a href="#n1">1</a><p id="n1">b</p><p id="n1">c</p>',
        '<a href="#text-n1">1</a><p id="text-n1">b</p><p>c</p>',
    ),
    "footnote_to_a_picture": (
        '<a href="#n1">1</a><img id="n1" src="/a.png">',
        '<a href="#text-n1">1</a><img id="text-n1" src="https://example.org/a.png"' + IMAGE,
    ),
    "footnote_with_a_prefix_already": (
        '<a href="#text-n1">1</a><p id="text-n1">b</p><p id="text-n2">c</p>',
        '<a href="#text-n1">1</a><p id="text-n1">b</p><p>c</p>',
    ),
    "footnote_with_too_long_a_name": (
        f'<a href="#{"n" * 300}">1</a><p id="{"n" * 300}">b</p>',
        f'<a href="https://example.org/blog/post.html#{"n" * 300}"{REL}>1</a><p>b</p>',
    ),
    "id_without_a_link": ('<p id="n1">b</p>', "<p>b</p>"),
    "link_to_a_host": (
        '<a href="www.x.example/y">x</a> <a href="x.org/y?z">x</a> <a href="x.org:8080">x</a> '
        '<img src="i.x.org/a.png">',
        f'<a href="http://www.x.example/y"{REL}>x</a> <a href="http://x.org/y?z"{REL}>x</a> '
        f'<a href="http://x.org:8080"{REL}>x</a> <img src="http://i.x.org/a.png"' + IMAGE,
    ),
    "link_to_a_file": (
        '<a href="y.html">x</a> <a href="readme.md">x</a> <a href="a.files/b.png">x</a> <a href="./x.org/y">x</a>',
        f'<a href="https://example.org/blog/y.html"{REL}>x</a> <a href="https://example.org/blog/readme.md"{REL}>x</a> '
        f'<a href="https://example.org/blog/a.files/b.png"{REL}>x</a> '
        f'<a href="https://example.org/blog/x.org/y"{REL}>x</a>',
    ),
    "base_of_an_element": (
        '<div xml:base="/a/"><p xml:base="b/"><a href="y">x</a></p><a href="y">x</a><br xml:base="/z/"></div>'
        '<a href="y">x</a>',
        f'<div><p><a href="https://example.org/a/b/y"{REL}>x</a></p><a href="https://example.org/a/y"{REL}>x</a>'
        f'<br></div><a href="https://example.org/blog/y"{REL}>x</a>',
    ),
    "anchor_name": ("<p><a name=top></a>x</p>", "<p>x</p>"),
    "image_with_size": (
        '<img src="a.png" width="640px" height="480" border=0>',
        '<img src="https://example.org/blog/a.png" width="640" height="480"' + IMAGE,
    ),
    "image_srcset": (
        '<img src="a.png" srcset="a.png 1x,b.png?w=1,2 2x, c.png" sizes="(max-width: 9em) 50vw, 9em">',
        '<img src="https://example.org/blog/a.png" srcset="https://example.org/blog/a.png 1x, '
        'https://example.org/blog/b.png?w=1,2 2x, https://example.org/blog/c.png" '
        'sizes="(max-width: 9em) 50vw, 9em"' + IMAGE,
    ),
    "image_srcset_alone": (
        '<img srcset="/a.png 2x">',
        '<img src="https://example.org/a.png" srcset="https://example.org/a.png 2x"' + IMAGE,
    ),
    "image_small_raster": (f'<img src="{PNG}">', f'<img src="{PNG}"' + IMAGE),
    "image_huge_raster_goes": (f'<p>a<img src="data:image/png;base64,{"A" * 70_000}"></p>', "<p>a</p>"),
    "lazy_over_placeholder": (f'<img src="{GIF}" data-src="/a.png">', '<img src="https://example.org/a.png"' + IMAGE),
    "lazy_over_blank": (
        '<img src="/blank.gif" data-lazy-src="/a.png">',
        '<img src="https://example.org/a.png"' + IMAGE,
    ),
    "lazy_original": ('<img data-original="/a.png">', '<img src="https://example.org/a.png"' + IMAGE),
    "lazy_settings_are_no_picture": (
        "<img src='/a.png' data-src='{\"a\":1}'>",
        '<img src="https://example.org/a.png"' + IMAGE,
    ),
    "lazy_srcset": (
        f'<img src="{GIF}" data-srcset="/a.png 300w, /b.png 600w">',
        '<img src="https://example.org/a.png" srcset="https://example.org/a.png 300w, https://example.org/b.png 600w"'
        + IMAGE,
    ),
    "noscript_after_placeholder": (
        f'<img src="{GIF}"><noscript><img src="/a.png"></noscript>',
        '<img src="https://example.org/a.png"' + IMAGE,
    ),
    "noscript_after_picture": (
        '<img data-src="/a.png"><noscript><img src="/a-full.png"></noscript>',
        '<img src="https://example.org/a.png"' + IMAGE,
    ),
    "noscript_alone": (
        "<p>x</p><noscript><img src=/a.png></noscript>",
        '<p>x</p><img src="https://example.org/a.png"' + IMAGE,
    ),
    "picture_is_folded": (
        '<picture><source srcset="/a.webp"><img src="/a.png"></picture>',
        '<img src="https://example.org/a.png" srcset="https://example.org/a.webp"' + IMAGE,
    ),
    "video": (
        '<video autoplay loop src="/v.mp4" poster="/p.png"><track src=x><a href="/v.mp4">v</a></video>',
        '<video src="https://example.org/v.mp4" poster="https://example.org/p.png" preload="none" controls>'
        f'<a href="https://example.org/v.mp4"{REL}>v</a></video>',
    ),
    "audio_sources": (
        '<audio><source src="/a.mp3" type="audio/mpeg"><source src="javascript:x"></audio>',
        '<audio preload="none" controls><source src="https://example.org/a.mp3" type="audio/mpeg"></audio>',
    ),
    "player_with_words_alone": ("<video src='javascript:x'>a <b>b</b></video>", "a <b>b</b>"),
    "player_with_nothing_to_play": ("<p>a</p><video></video>", "<p>a</p>"),
    "empty_paragraphs": ("<p></p><p>a</p><p><b></b></p>", "<p>a</p>"),
    "unclosed": ("<p>a <b>b<p>c", "<p>a <b>b</b></p><p><b>c</b></p>"),
    "form_keeps_words": ("<form><p>a</p><input value=b></form>", "<div><p>a</p></div>"),
    "frameset_keeps_words": ("<frameset></frameset><p>a</p>", "<p>a</p>"),
    "comment": ("a<!-- b -->c", "ac"),
    "control_characters": ("a\x00\x08b\x0bc\r\nd&#1;e&#12;f", "ab c\nde f"),
    "preformatted_first_line": ("<pre>\n\na</pre>", "<pre>a</pre>"),
    "document": ("<!DOCTYPE html><html><head><title>t</title></head><body><p>a</p></body></html>", "<p>a</p>"),
}


@table(("markup", "expected"), KEPT.values(), ids=KEPT.keys())
def test_keeps(markup, expected):
    assert clean(markup) == expected


@pytest.mark.parametrize(
    "pixel",
    [
        pytest.param('<img src="https://t.example/p?u=1" width="1" height="1">', id="one_by_one"),
        pytest.param('<img src="https://t.example/p?u=1" height="0">', id="no_height"),
        pytest.param('<img src="https://t.example/p" width="2px">', id="two_wide"),
        pytest.param('<img src="https://t.example/p" style="border:0;width: 1px;height:1px">', id="style"),
        pytest.param('<img src="https://t.example/p" style="display:none">', id="hidden"),
        pytest.param('<img src="http://feeds.feedburner.com/~r/Name/~4/abc">', id="feedburner"),
        pytest.param('<img src="http://feeds.feedburner.com/~ff/Name?d=yIl2">', id="feedburner_flare"),
        pytest.param('<img src="https://pixel.wp.com/b.gif?host=x">', id="wordpress"),
        pytest.param('<img src="https://stats.wordpress.com/b.gif?v=1">', id="wordpress_stats"),
        pytest.param('<img src="http://da.feedsportal.com/r/1/rc.img">', id="feedsportal"),
        pytest.param('<img src="https://ad.doubleclick.net/x">', id="doubleclick"),
        pytest.param('<img src="https://www.googletagmanager.com/ns">', id="googletagmanager"),
        pytest.param('<img src="https://www.facebook.com/tr?id=1">', id="facebook"),
        pytest.param('<img src="/img/1x1.gif">', id="one_by_one_path"),
        pytest.param('<img src="/px.gif?r=2">', id="px"),
        pytest.param('<img src="/pixel.gif">', id="pixel_path"),
        pytest.param('<img data-src="https://pixel.wp.com/g.gif">', id="lazy"),
        pytest.param('<img src="https://media.example/images/tracking/npr-rss-pixel.png?story=1">', id="tracking_path"),
        pytest.param('<noscript><img src="https://t.example/p" width=1 height=1></noscript>', id="noscript"),
        pytest.param('<a href="https://t.example/"><img src="/p" width=1></a>', id="with_its_link"),
    ],
)
def test_removes_tracking_pixels(pixel):
    assert clean(f"<p>a{pixel}</p>") == "<p>a</p>"


@pytest.mark.parametrize(
    "src",
    [
        pytest.param("https://example.org/pixel-art.gif", id="pixel_in_a_name"),
        pytest.param("https://doubleclick.net.example/a.png", id="pixel_host_as_a_prefix"),
        pytest.param("https://notdoubleclick.net/a.png", id="pixel_host_as_a_suffix_of_a_name"),
        pytest.param("https://pixel.example/photo.jpg", id="domain_called_pixel"),
    ],
)
def test_keeps_images_that_resemble_pixels(src):
    assert clean(f'<img src="{src}" width="10" height="20">') == f'<img src="{src}" width="10" height="20"' + IMAGE


AMP = (
    '<amp-img src="/a.jpg" width="16" height="9" layout="responsive"><noscript><img src="/a.jpg"></noscript></amp-img>'
)
DRAWING = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxyZWN0Lz48L3N2Zz4="
LAZY = ' loading="lazy" decoding="async">'
_LINE = 'width="20" height="20" '


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(AMP, f'<img src="https://example.org/a.jpg"{IMAGE}', id="amp_img_with_a_ratio"),
        pytest.param(
            '<amp-img src="/a.jpg" width="640" height="360"></amp-img>',
            f'<img src="https://example.org/a.jpg" width="640" height="360"{IMAGE}',
            id="amp_img_with_sizes",
        ),
        pytest.param('<amp-img src="/t" width="1" height="1" layout="fixed"></amp-img>', "", id="amp_tracking_pixel"),
        pytest.param(
            '<amp-img><noscript><img src="/a.jpg"></noscript></amp-img>',
            f'<img src="https://example.org/a.jpg"{IMAGE}',
            id="amp_img_with_a_fallback",
        ),
        pytest.param(
            '<amp-video src="/v.mp4" poster="/p.jpg"></amp-video>',
            '<video src="https://example.org/v.mp4" poster="https://example.org/p.jpg" preload="none" controls>'
            "</video>",
            id="amp_video",
        ),
        pytest.param(
            '<img src="/blank.gif" data-hires="/a.jpg?x=1">',
            f'<img src="https://example.org/a.jpg?x=1"{IMAGE}',
            id="unknown_lazy_attribute",
        ),
        pytest.param(
            '<img src="/small.jpg" data-hires="/a.jpg">',
            f'<img src="https://example.org/small.jpg"{IMAGE}',
            id="usual_address_goes_first",
        ),
        pytest.param('<img data-credit="a.jpg b.jpg" data-ref="/a">', "", id="no_address_in_attributes"),
        pytest.param(
            '<img class="lazy" src="/placeholder.png"> <noscript><img src="/a.jpg" alt="A"></noscript>',
            f'<img src="https://example.org/a.jpg" alt="A"{LAZY}',
            id="noscript_instead_of_a_placeholder",
        ),
        pytest.param(
            '<img alt="A" src="cid:1"><noscript><img src="/a.jpg"></noscript>',
            f'<img src="https://example.org/a.jpg"{IMAGE}',
            id="noscript_instead_of_a_description",
        ),
        pytest.param(
            '<img data-src="/a.jpg"><noscript><img src="/a-2x.jpg"></noscript>',
            f'<img src="https://example.org/a.jpg"{IMAGE}',
            id="noscript_after_a_resolved_image",
        ),
        pytest.param(
            '<img src="/a.jpg"><p>b</p><noscript><img src="/c.jpg"></noscript>',
            f'<img src="https://example.org/a.jpg"{IMAGE}<p>b</p><img src="https://example.org/c.jpg"{IMAGE}',
            id="noscript_of_its_own",
        ),
        pytest.param('<p>See <img alt="the roof" src="cid:1">.</p>', "<p>See the roof.</p>", id="description_alone"),
        pytest.param('<p>x<img alt="counter" src="cid:1" width="1"></p>', "<p>x</p>", id="no_description_of_a_pixel"),
        pytest.param(
            '<img class="custom-emoji" src="/e.png" alt=":wave:">',
            f'<img src="https://example.org/e.png" {_LINE}alt=":wave:"{LAZY}',
            id="emoji",
        ),
        pytest.param(
            '<img src="/i.png" width="16" height="16">',
            f'<img src="https://example.org/i.png" {_LINE[:-1]}{IMAGE}',
            id="icon",
        ),
        pytest.param(f'<img src="{DRAWING}">', f'<img src="{DRAWING}"{IMAGE}', id="drawing_in_an_address"),
        pytest.param(
            "<img src=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Cscript/%3E%3Crect/%3E%3C/svg%3E\">",
            f'<img src="{DRAWING}"{IMAGE}',
            id="drawing_with_a_script",
        ),
        pytest.param(
            "<img src=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/%3E\">",
            "",
            id="empty_drawing_as_placeholder",
        ),
        pytest.param(
            '<p>a<svg class="icon" viewBox="0 0 9 9"><path/></svg></p>', "<p>a</p>", id="icon_of_a_style_sheet"
        ),
        pytest.param('<p>a<svg width="9" height="9" aria-hidden="true"><path/></svg></p>', "<p>a</p>", id="decoration"),
        pytest.param(
            "<p>a<svg width='9' height='9'><foreignObject><br></svg>", "<p>a</p>", id="drawing_that_is_no_xml"
        ),
    ],
)
def test_shows_images_in_unusual_forms(markup, expected):
    assert clean(markup) == expected


NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def test_inline_drawing_becomes_an_image():
    drawn = clean(
        '<svg width="100%" viewBox="0 0 800 600" onload="x()"><title>Roof &amp; wall</title><path d="M0 0"/></svg>'
        '<svg width="120" height="60px" aria-label="Door"><rect/><script>alert(1)</script></svg>'
    )
    first, second = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"([^>]*)>', drawn)
    assert b64decode(first[0]).decode() == (
        f'<svg {NAMESPACES} width="100%" viewBox="0 0 800 600"><title>Roof &amp; wall</title><path d="M0 0"/></svg>'
    )
    assert first[1] == f' width="800" height="600" alt="Roof &amp; wall"{LAZY[:-1]}'
    assert b64decode(second[0]).decode() == (
        f'<svg {NAMESPACES} width="120" height="60px" aria-label="Door"><rect/></svg>'
    )
    assert second[1] == f' width="120" height="60" alt="Door"{LAZY[:-1]}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("one", "<p>one</p>", id="one"),
        pytest.param("a\nb\n\n\nc", "<p>a<br>b</p>\n<p>c</p>", id="lines_and_paragraphs"),
        pytest.param("a\r\n \r\nb", "<p>a</p>\n<p>b</p>", id="windows_lines"),
        pytest.param("x <b>y</b> & &amp;", "<p>x &lt;b&gt;y&lt;/b&gt; &amp; &amp;amp;</p>", id="markup_is_text"),
        pytest.param(
            "See https://x.example/a_(b)?c=1&d=2.",
            f'<p>See <a href="https://x.example/a_(b)?c=1&amp;d=2"{REL}>https://x.example/a_(b)?c=1&amp;d=2</a>.</p>',
            id="link",
        ),
        pytest.param(
            "(http://y.example/)", f'<p>(<a href="http://y.example/"{REL}>http://y.example/</a>)</p>', id="brackets"
        ),
        pytest.param(
            "詳細はhttps://x.example/記事。次",
            f'<p>詳細は<a href="https://x.example/記事"{REL}>https://x.example/記事</a>。次</p>',
            id="japanese",
        ),
        pytest.param("javascript:alert(1) http://", "<p>javascript:alert(1) http://</p>", id="no_link"),
    ],
)
def test_text_becomes_paragraphs(text, expected):
    assert sanitize_body(text, base_url="", is_text=True).html == expected


@pytest.mark.parametrize("base_url", ["", "javascript:alert(1)", "http://[bad", "not a url", "/relative"])
def test_without_a_base_only_absolute_urls_stay(base_url):
    markup = '<a href="x">a</a><a href="https://x.example/">b</a><img src="y.png">'
    assert sanitize_body(markup, base_url=base_url).html == f'a<a href="https://x.example/"{REL}>b</a>'


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param(None, "", id="none"),
        pytest.param(" \n/a\tb ", "https://example.org/ab", id="white_space_as_browsers_do"),
        pytest.param("HTTP://X.example/", "http://X.example/", id="scheme_in_lower_case"),
        pytest.param("https:///x", "", id="no_host"),
        pytest.param("http:x", "", id="no_slashes"),
        pytest.param("/" + "a" * 9000, "", id="too_long"),
        pytest.param("/\"'<>`\\", "https://example.org/%22%27%3C%3E%60%5C", id="ends_of_attributes"),
    ],
)
def test_web_url(url, expected):
    assert web_url(url, BASE) == expected


@pytest.mark.parametrize(
    ("srcset", "expected"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("/a 1x , /b 2x", "https://example.org/a 1x, https://example.org/b 2x", id="space_before_comma"),
        pytest.param("/a 100w 50h,/b bold", "https://example.org/a 100w", id="unknown_descriptors"),
        pytest.param(",,,", "", id="commas"),
        pytest.param(
            "/a 1x,/b,, /c", "https://example.org/a 1x, https://example.org/b, https://example.org/c", id="tight"
        ),
        pytest.param(", ".join(["/a 1x"] * 30), ", ".join(["https://example.org/a 1x"] * 20), id="many"),
    ],
)
def test_srcset(srcset, expected):
    assert srcset_urls(srcset, BASE) == expected


_OPENED = "p a b i table tr td li ul pre h1 form button select svg math style title q ruby rt dd marquee object nobr"
_CLOSED = "p a b i table tr td li ul pre h1 form button select svg math style br script annotation-xml"
_ODDMENTS = [
    "<",
    ">",
    "</",
    '"',
    "'",
    "&",
    "&#",
    "&lt",
    ";",
    "-->",
    "<!--",
    "]]>",
    "\0",
    "\n",
    " ",
    "x",
    "\u202e",
    "\x0c",
]
FRAGMENTS = st.sampled_from(
    [
        *ATTACKS.values(),
        *(markup for markup, _ in KEPT.values() if len(markup) < 1000),
        *_ODDMENTS,
        *(f"<{name}>" for name in _OPENED.split()),
        *(f"</{name}>" for name in _CLOSED.split()),
        *("<a href=/x>", "<b class=x>", "<caption>", "<annotation-xml>", "<mi>", "<desc>"),
    ]
)


@given(st.text())
@example("\ud800")
def test_any_markup_becomes_allowed_and_stable(text):
    output = clean(text)
    assert violations(output) == []
    assert clean(output) == output


@pytest.mark.slow
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_any_mix_of_fragments_becomes_allowed_and_stable(markup):
    output = clean(markup)
    assert violations(output) == []
    assert clean(output) == output


@given(st.one_of(st.text(), st.lists(FRAGMENTS, max_size=8).map("".join)))
def test_any_plain_text_becomes_stable(text):
    output = sanitize_body(text, base_url=BASE, is_text=True).html
    assert violations(output) == []
    assert clean(output) == output


LARGE = {
    "divs": "<div>" * 20_000 + "end",
    "formatting": "<b><i><font>" * 7_000 + "end",
    "formatting_reopened_in_paragraphs": "".join(f"<b x={n}><p>" for n in range(19_000)) + "end",
    "lists": "<ul><li>" * 10_000 + "end",
    "tables": "<table><tr><td>" * 6_000 + "end",
    "quotes": "<blockquote>" * 100_000 + "end",
    "links": "<a href=/x>" * 19_000 + "end",
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">end",
    "quoted_attributes": "<p " + " ".join(f'a{n}="1"' for n in range(60_000)) + ">end",
    "words": "word " * 200_000 + "end",
    "brackets": "<" * 1_000_000 + " end",
    "greater_than": ">" * 1_000_000 + "end",
    "references": "&amp;" * 200_000 + "end",
    "reference_in_attribute": '<p title="' + "&amp;" * 200_000 + '">end',
    "scripts": "<p>end</p>" + "<script>" * 100_000,
    "comments": "<!-- x -->" * 100_000 + "end",
    "elements": "<p>a <b>b</b></p>" * 60_000 + "end",
    "srcset": '<img srcset="' + "/a 1x, " * 100_000 + '">end',
    "picture_sources": "<picture>" + "<source srcset=/a>" * 10_000 + "<img src=/b.png>" * 8_000 + "</picture>end",
    "players": "<video>" * 19_000 + "end",
    "noscripts": "<noscript>" * 15_000 + "</noscript>" * 15_000 + "end",
    "svg": "<svg>" * 10_000 + "</svg>" * 10_000 + "end",
}


@pytest.mark.slow
@pytest.mark.parametrize("markup", LARGE.values(), ids=LARGE.keys())
def test_deep_or_large_markup_keeps_its_words_and_stays_safe(markup):
    output = clean(markup)
    assert LexborHTMLParser(output).text().rstrip().endswith("end")
    assert not re.search(r"<(?!/?(?:h[2-6]|p|br|div|b|i|ul|li|table|tbody|tr|td|blockquote|a|img)\b)", output)
    assert clean(output) == output


def test_limits_the_depth_of_output():
    output = clean("<blockquote>" * 500 + "x")
    assert output == "<blockquote>" * 100 + "x" + "</blockquote>" * 100


@pytest.mark.parametrize("name", ["location", "getElementById", "text", "main", "__proto__", "a 'b\"c", "text12-x"])
def test_ids_of_a_body_shadow_no_name_of_the_page(name):
    shown = quote(name)
    output = sanitize_body(f"<a href='#{shown}'>1</a><p id='{escape(name)}'>b</p>", base_url=BASE, article=7).html
    assert output == f'<a href="#text7-{shown}">1</a><p id="text7-{shown}">b</p>'
    assert violations(output) == []


def test_too_many_elements_become_plain_paragraphs():
    output = clean("<p>a <b>b</b></p><script>c</script>" * 20_000)
    assert output == "\n".join(["<p>a b</p>"] * 20_000)


def test_cleaners_of_threads_do_not_mix():
    markups = [f"<p>{letter}<b>{letter}</b></p>" * 20 for letter in "abcdefgh"]
    outputs: dict[str, str] = {}
    threads = [threading.Thread(target=lambda m=m: outputs.__setitem__(m, clean(m))) for m in markups]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {markup: markup for markup in markups}


FORMULAS = {
    "presentation": (
        '<math display="block" class=x><msup><mi mathvariant="normal">e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup>'
        "</math>",
        '<math display="block"><msup><mi mathvariant="normal">e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup></math>',
    ),
    "tex_becomes_the_alternative_text": (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>x</mi><mo>&lt;</mo><mn>5</mn></mrow>'
        '<annotation encoding="application/x-tex">x<5</annotation></semantics></math>',
        '<math alttext="x&lt;5"><mrow><mi>x</mi><mo>&lt;</mo><mn>5</mn></mrow></math>',
    ),
    "tex_alone": ('<p>a <math><annotation encoding="LaTeX">x^2</annotation></math></p>', "<p>a <code>x^2</code></p>"),
    "alternative_text_alone": ('<math alttext="x^2"></math>', "<code>x^2</code>"),
    "empty": ("<p>a<math></math></p>", "<p>a</p>"),
    "fences": (
        '<math><mfenced open="[" separators=";"><mi>a</mi><mi>b</mi><mi>c</mi></mfenced></math>',
        "<math><mrow><mo>[</mo><mi>a</mi><mo>;</mo><mi>b</mi><mo>;</mo><mi>c</mi><mo>)</mo></mrow></math>",
    ),
    "unknown_elements_are_rows": (
        "<math><menclose notation=box><mi>a</mi></menclose></math>",
        "<math><mrow><mi>a</mi></mrow></math>",
    ),
    "content_elements_keep_their_words": (
        "<math><apply><ci>x</ci><cn>1</cn></apply></math>",
        "<math><mrow><mi>x</mi><mn>1</mn></mrow></math>",
    ),
    "text_outside_of_its_elements": (
        "<math><mi>x</mi> is small</math>",
        "<math><mi>x</mi><mtext> is small</mtext></math>",
    ),
    "html_in_text": (
        "<math><mtext>a <b>b</b><img src=/c><script>d</script></mtext></math>",
        "<math><mtext>a b</mtext></math>",
    ),
    "link_goes_and_its_formula_stays": (
        '<math href="https://evil.example/"><mi href="javascript:x" style="color:red" onclick=x>y</mi></math>',
        "<math><mi>y</mi></math>",
    ),
    "lengths": (
        '<math><mspace width="2em" height="900em"/><mspace width="-9em"/><mi>x</mi></math>',
        '<math><mspace width="2em"></mspace><mspace></mspace><mi>x</mi></math>',
    ),
    "prefixed_as_in_journals": (
        "<mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>",
        "<math><msup><mi>x</mi><mn>2</mn></msup></math>",
    ),
    "drawn_twice": (
        '<span class="katex"><span class="katex-mathml"><math><mi>x</mi></math></span>'
        '<span class="katex-html" aria-hidden="true"><span>x</span></span></span>',
        "<math><mi>x</mi></math>",
    ),
    "drawn_before": (
        '<span class="MathJax"><nobr aria-hidden="true">x</nobr><span class="MJX_Assistive_MathML"><math><mi>x</mi>'
        "</math></span></span>",
        "<math><mi>x</mi></math>",
    ),
    "elements_without_a_formula": ("<mi>x</mi>", "x"),
}


@table(("markup", "expected"), FORMULAS.values(), ids=FORMULAS)
def test_formulas_are_shown(markup, expected):
    output = clean(markup)

    assert output == expected
    assert violations(output) == []
    assert clean(output) == output


@pytest.mark.parametrize(
    "formula",
    [
        pytest.param("<math>" + "<mrow>" * 300 + "<mi>x</mi>" + "</mrow>" * 300 + "</math>", id="deep"),
        pytest.param("<math>" + "<mi>x</mi>" * 9_000 + "</math>", id="long"),
        pytest.param("<math>" + "x<mspace/>" * 9_000 + "</math>", id="long-text"),
    ],
)
def test_huge_formulas_keep_their_text(formula):
    output = clean(formula)

    assert output.count("x") - output.count("mtext") - output.count("max") >= formula.count("x") // 4
    assert violations(output) == []
    assert clean(output) == output


HIDDEN = {
    "preview_text": (
        '<div style="display:none;max-height:0">Preview \u200c \u200c</div><h1>Hello</h1>',
        "<h2>Hello</h2>",
    ),
    "preview_after_a_style": (
        '<style>p{}</style><img src="/p.gif" width=1><span style="VISIBILITY: hidden">Preview</span><p>a</p>',
        "<p>a</p>",
    ),
    "two_previews": ("<p hidden>a</p> <div style='max-height: 0px; overflow:hidden'>b</div>c", "c"),
    "in_a_frame_of_tables": (
        "<table role=presentation><tr><td><span style='display:none!important'>a</span><p>b</p></table>",
        "<div><p>b</p></div>",
    ),
    "further_on_it_waits_for_a_click": (
        "<p>Question</p><p style='display:none'>Answer</p>",
        "<p>Question</p><p>Answer</p>",
    ),
    "all_of_it": ("<div style='display:none'><p>a</p></div>", "<div><p>a</p></div>"),
    "long": (f"<div style='display:none'>{'word ' * 99}</div><p>a</p>", f"<div>{'word ' * 99}</div><p>a</p>"),
    "with_a_picture": (
        '<div style="display:none"><img src="/a.png"></div><p>a</p>',
        f'<div><img src="https://example.org/a.png"{IMAGE}</div><p>a</p>',
    ),
    "until_found": ("<p hidden=until-found>a</p><p>b</p>", "<p>a</p><p>b</p>"),
    "no_hiding_style": ("<p style='display:block;max-height:0.5em'>a</p>b", "<p>a</p>b"),
    "notice_about_scripts": ("<p>a</p><noscript>Please enable JavaScript.</noscript>", "<p>a</p>"),
    "instead_of_scripts": (
        "<p>a</p><noscript><a href='/poll'>Vote</a></noscript>",
        f'<p>a</p><a href="https://example.org/poll"{REL}>Vote</a>',
    ),
}


@table(("markup", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_hidden_text_before_the_first_is_left_out(markup, expected):
    assert clean(markup) == expected


TABLES = {
    "says_so": ("<table role=presentation><tr><td>a<td>b</table>", "<div>a</div><div>b</div>"),
    "one_column": ("<table width=600><tr><td><p>a</p><tr><td>b</table>", "<div><p>a</p></div><div>b</div>"),
    "a_table_in_a_frame": (
        "<table><tr><td><table><tr><td>a<td>b</table></table>",
        "<div><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table></div>",
    ),
    "with_a_heading": (
        "<table><tr><th>a<tr><td>b</table>",
        "<table><tbody><tr><th>a</th></tr><tr><td>b</td></tr></tbody></table>",
    ),
}


@table(("markup", "expected"), TABLES.values(), ids=TABLES)
def test_tables_that_only_arrange_are_blocks(markup, expected):
    assert clean(markup) == expected


def test_words_around_an_empty_block_stay_apart():
    assert clean("six<p></p>seven <i></i>eight") == "six\nseven eight"


def _hostile_bodies():
    for path in sorted(HOSTILE.glob("*.xml*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for entry in feedparser.parse(io.BytesIO(data), sanitize_html=False).entries:
            bodies = [content.value for content in entry.get("content", [])] + [entry.get("summary", "")]
            yield from ((path.name, body) for body in bodies if body)


@pytest.mark.slow
def test_no_script_of_hostile_feeds_survives():
    if not HOSTILE.is_dir():
        pytest.skip("../shared/data is not here")
    bodies = list(_hostile_bodies())
    assert {"xss_cdata_content.xml", "xss_script_escaped.xml"} <= {name for name, _ in bodies}
    problems = {name: violations(clean(body)) for name, body in bodies}
    assert [name for name, violated in problems.items() if violated] == []
