"""Digests as plain text: what a terminal and a text mailer show."""

from itertools import pairwise

from digests.edition.document import FeedReport, Finding, LeftOut, Movement, SectionName, Trend, UnhealthyFeed
from digests.edition.kinds import Kind
from digests.rendering.text import as_text
from digests.rendering.wrapping import width
from tests.digests.editions import SUMMARY, edition, entry, full_edition, topic

SMALL = edition(
    topic(
        1,
        label="Geneva: talks, second round",
        trend=Trend.EMERGING,
        lead=entry(1, title="Iran and US end second round", source="BBC News"),
        related=(entry(2), entry(3)),
        sources=("Reuters", "DW"),
        summary=SUMMARY,
        moved="Changed since the evening recap: now also covered by DW.",
    ),
    topic(4, SectionName.NOTEWORTHY, category="Science", summary="A probe sent images.", trend=Trend.FADING),
    topic(5, SectionName.ALSO, lead=entry(5, title="الجزيرة", url="", source="הארץ")),
    left_out=LeftOut(6, 3),
    report=FeedReport(
        n_polled=14,
        n_polls=96,
        n_successes=94,
        unhealthy=(UnhealthyFeed("Morgenpost", "It has not answered since Tuesday."),),
        movements=(Movement("Geneva", Trend.EMERGING, 3, 0),),
    ),
    findings=(Finding("Labels", True, "Repaired: one.", was_repaired=True), Finding("Sizes", True, "Good.")),
)

SMALL_TEXT = """\
Saturday 21 November 2026 · Morning brief
=========================================

Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)
5 articles from 14 feeds · 9 duplicates removed · 1 feed needs attention

On the web:
https://reader.example/digests/1/

Top stories
-----------

1. ▲ Emerging · Geneva

   Iran and US end second round
   https://paper.example/1
   BBC News · major outlet · Sat 21 Nov, 06:50 · importance 84

   Delegations of both countries left Geneva on Friday evening after two
   days of talks. The mediator said that they had agreed on guiding
   principles for a text, and that experts would meet again within two weeks
   to write it. No date was given for a third round, and neither side
   answered questions on the way to the airport.

   2 more from Reuters and DW
   Changed since the evening recap: now also covered by DW.

Noteworthy
----------

Science

2. Article 4
   https://paper.example/4
   A probe sent images.
   Paper · Sat 21 Nov · ▼ Fading

Also mentioned
--------------

3. \u2068الجزيرة\u2069
   \u2068הארץ\u2069

6 more topics didn't fit; 3 are unchanged since the last digest.

Feed health
-----------

14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.

1 feed needs attention:
- Morgenpost: It has not answered since Tuesday.

Trending topics:
- ▲ Emerging: Geneva (3 articles, none before)

Self-check “Labels”: Repaired: one.
"""

EMPTY_TEXT = """\
14–21 November 2026 · Weekly roundup
====================================

Sat 14 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)
0 articles from 14 feeds · 9 duplicates removed

Nothing new between Sat 14 Nov, 07:00 and Sat 21 Nov, 07:00.

Feed health
-----------

14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.
"""


def test_a_small_digest() -> None:
    assert as_text(SMALL, link="https://reader.example/digests/1/") == SMALL_TEXT


def test_an_empty_digest() -> None:
    assert as_text(edition(kind=Kind.WEEKLY)) == EMPTY_TEXT


def test_contents_are_shown_for_more_than_five_topics() -> None:
    topics = [topic(number) for number in range(1, 6)]
    assert "Contents" not in as_text(edition(*topics))
    listed = as_text(edition(*topics, topic(6, SectionName.ALSO, label="Not listed")))
    lines = "\n".join(f"- Article {number}" for number in range(1, 6))
    assert f"Contents\n--------\n\n{lines}\n- Also mentioned: 1 topic\n\nTop stories\n" in listed
    assert "- Article 6\n" not in listed


def test_contents_list_headlines_of_the_first_section() -> None:
    listed = as_text(edition(*(topic(number, SectionName.NOTEWORTHY) for number in range(1, 7))))
    assert "- Article 1\n" in listed
    assert "- Article 6\n" in listed
    assert "Topic" not in listed


def test_lines_of_a_digest_fit_the_width() -> None:
    for columns in (40, 76):
        lines = as_text(full_edition(Kind.WEEKLY), width=columns).split("\n")
        assert all(width(line) <= columns or line.strip().startswith("https://") for line in lines)
        assert all(line == line.rstrip() for line in lines)
        assert not any(first == second == "" for first, second in pairwise(lines))


def test_urls_are_on_lines_of_their_own() -> None:
    url = "https://paper.example/" + "long-" * 40
    assert f"\n   {url}\n" in as_text(edition(topic(1, lead=entry(1, url=url))))


def test_numbers_are_aligned() -> None:
    text = as_text(edition(*(topic(number) for number in range(1, 11))))
    assert "\n 1. Article 1\n" in text
    assert "\n10. Article 10\n" in text


def test_noteworthy_topics_without_any_category_are_not_divided() -> None:
    text = as_text(edition(topic(1, SectionName.NOTEWORTHY), topic(2, SectionName.NOTEWORTHY)))
    assert "Noteworthy\n----------\n\n1. Article 1\n" in text
    assert "Other" not in text


def test_noteworthy_topics_without_category_are_other() -> None:
    first = topic(1, SectionName.NOTEWORTHY, category="Science")
    text = as_text(edition(first, topic(2, SectionName.NOTEWORTHY)))
    assert "\nScience\n\n1. Article 1\n" in text
    assert "\nOther\n\n2. Article 2\n" in text


def test_of_many_unwell_feeds_the_first_are_named() -> None:
    unhealthy = tuple(UnhealthyFeed(f"Feed {number}", "It is dead.") for number in range(13))
    text = as_text(edition(report=FeedReport(1, 1, 1, unhealthy=unhealthy)))
    assert "13 feeds need attention:\n- Feed 0: It is dead.\n" in text
    assert "- Feed 9: It is dead.\n- and 3 others\n" in text
    assert "Feed 10" not in text


def test_an_unchanged_top_story_has_one_line_and_no_number() -> None:
    unchanged = topic(9, lead=entry(9, title="Dam bursts", source="BBC News"), is_unchanged=True)
    text = as_text(edition(unchanged, topic(1), topic(2, SectionName.ALSO)))
    assert "\n- Still: Dam bursts · BBC News\n  https://paper.example/9\n\nAlso mentioned\n" in text
    assert "2. Article 2" in text
    alone = as_text(edition(unchanged, n_articles=1, left_out=LeftOut(unchanged=1)))
    assert "since the last digest." in alone
    assert "Top stories\n-----------\n\n- Still: Dam bursts · BBC News\n" in alone


def test_names_the_source_of_a_summary_that_is_not_the_leads() -> None:
    text = as_text(edition(topic(1, summary="The dam burst.", summary_from="Herald")))
    assert "The dam burst. (From Herald)" in text


def test_a_name_that_many_topics_share_is_no_label() -> None:
    def lines(n: int) -> list[str]:
        labelled = (topic(number, label="Geneva: talks") for number in range(1, n + 1))
        return [line for line in as_text(edition(*labelled)).splitlines() if "Geneva" in line]

    assert len(lines(2)) == 2
    assert lines(3) == []
