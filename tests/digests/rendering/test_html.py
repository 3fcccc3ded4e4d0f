"""A digest as a page of its own."""

from itertools import pairwise

from lxml import html

from digests.edition.document import Finding, SectionName
from digests.edition.kinds import Kind
from digests.rendering.html import as_html
from tests.digests.editions import edition, entry, full_edition, topic
from tests.digests.rendered import hrefs, text_of
from tests.markup import tight

ONE = edition(
    topic(
        1,
        label="Geneva: talks",
        lead=entry(1, title="Talks & <more>", url="https://paper.example/1?a=1&b=2"),
        related=(entry(2, source="Reuters"),),
        sources=("Reuters",),
    ),
    topic(3, SectionName.ALSO),
)

ONE_PAGE = """\
<body>
<header>
<p class="dates">Saturday 21 November 2026</p>
<h1>Morning brief</h1>
<p class="meta">3 articles from 14 feeds · 9 duplicates removed</p>
<p class="meta">Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)</p>
</header>
<main>
<section aria-labelledby="section-top">
<h2 id="section-top">Top stories</h2>
<article class="top" id="topic-1">
<p class="label"><bdi>Geneva</bdi></p>
<h3 lang="en" dir="auto"><a href="https://paper.example/1?a=1&amp;b=2">Talks &amp; &lt;more&gt;</a></h3>
<p class="meta"><bdi>Paper</bdi> · major outlet · \
<time datetime="2026-11-21T05:50:00+00:00">Sat 21 Nov, 06:50</time> · importance&nbsp;84</p>
<p class="summary" lang="en" dir="auto">What article 1 says in a sentence.</p>
<details class="meta"><summary>1 more from Reuters</summary>
<ul>
<li><a href="https://paper.example/2" lang="en" dir="auto">Article 2</a> · <bdi>Reuters</bdi></li>
</ul>
</details>
</article>
</section>
<section aria-labelledby="section-also">
<h2 id="section-also">Also mentioned</h2>
<p class="also" id="topic-2"><span lang="en" dir="auto"><a href="https://paper.example/3">Article 3</a></span> \
<span class="meta"><bdi>Paper</bdi></span></p>
</section>
<section aria-labelledby="section-health">
<h2 id="section-health">Feed health</h2>
<p>14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.</p>
</section>
</main>
</body>
</html>
"""


def test_a_small_digest() -> None:
    head, _, body = as_html(ONE).partition("<body>")
    assert tight(f"<body>{body}") == tight(ONE_PAGE)
    assert head.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert "<title>Saturday 21 November 2026 · Morning brief</title>" in head
    assert head.count("<style>") == 1
    assert "@media print" in head


def test_an_empty_digest_is_a_short_note() -> None:
    shown = text_of(as_html(edition()))
    assert "Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00." in shown
    assert "14 feeds were polled 96 times" in shown


def test_contents_lead_to_their_targets() -> None:
    page = as_html(full_edition(Kind.WEEKLY))
    tree = html.document_fromstring(page)
    wanted = [href[1:] for href in hrefs(page) if href.startswith("#")]
    assert len(wanted) == 32
    assert set(wanted) <= set(tree.xpath("//@id"))
    assert len(tree.xpath("//@id")) == len(set(tree.xpath("//@id")))


def test_checks_are_in_a_details_element() -> None:
    findings = (Finding("Labels", True, "Repaired: one.", was_repaired=True), Finding("Sizes", True, "Good."))
    (fold,) = html.document_fromstring(as_html(edition(topic(), findings=findings))).xpath("//footer/details")
    assert (fold.findtext("summary") or "").strip() == "Self-checks: 1 of 2 found issues"
    assert [each.text for each in fold.iter("dt", "dd")] == ["Labels", "Repaired: one.", "Sizes", "Good."]
    (fold,) = html.document_fromstring(as_html(edition(topic(), findings=findings[1:]))).xpath("//footer/details")
    assert (fold.findtext("summary") or "").strip() == "Self-checks: all passed (1 check)"


def test_articles_that_are_not_listed_are_counted() -> None:
    shown = text_of(as_html(edition(topic(1, related=(entry(2),), n_unlisted=4))))
    assert "5 more from Paper Article 2 · Paper and 4 more" in shown


def test_headings_leave_no_level_out() -> None:
    levels = [
        int(each.tag[1]) for each in html.document_fromstring(as_html(full_edition())).iter("h1", "h2", "h3", "h4")
    ]
    assert levels[0] == 1
    assert all(second - first <= 1 for first, second in pairwise(levels))


def test_an_unchanged_top_story_has_one_line() -> None:
    shown = text_of(as_html(edition(topic(9, is_unchanged=True), topic(1))))
    assert "Still: Article 9 Paper" in shown
