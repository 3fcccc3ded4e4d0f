"""Sentences of digests: number, time, place, and names from the right."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from digests.edition.document import FeedReport, Finding, LeftOut, Movement, SectionName, Trend, UnhealthyFeed
from digests.edition.kinds import Kind
from digests.rendering import phrases
from digests.rendering.phrases import SUBJECT_WIDTH, subject
from digests.rendering.wrapping import width
from tests.digests.editions import MADE_AT, edition, entry, topic

UNWELL = (UnhealthyFeed("Morgenpost", "It is silent."), UnhealthyFeed("Abendblatt", "It is dead."))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, "Saturday 21 November 2026 · Morning brief", id="a day"),
        pytest.param(
            {"kind": Kind.EVENING, "day": date(2026, 3, 1)}, "Sunday 1 March 2026 · Evening recap", id="evening"
        ),
        pytest.param({"kind": Kind.TODAY}, "Saturday 21 November 2026 · Today", id="the front page"),
        pytest.param({"kind": Kind.WEEKLY}, "14–21 November 2026 · Weekly roundup", id="a week"),
        pytest.param(
            {"kind": Kind.WEEKLY, "ends_at": datetime(2026, 12, 5, 7, tzinfo=UTC)},
            "28 November – 5 December 2026 · Weekly roundup",
            id="a week across months",
        ),
        pytest.param(
            {"kind": Kind.WEEKLY, "ends_at": datetime(2027, 1, 2, 7, tzinfo=UTC)},
            "26 December 2026 – 2 January 2027 · Weekly roundup",
            id="a week across years",
        ),
    ],
)
def test_heading_shows_days_and_kind(values: dict, expected: str) -> None:
    assert phrases.heading(edition(**values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, "Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)", id="winter"),
        pytest.param(
            {"time_zone": "Asia/Kolkata"}, "Fri 20 Nov, 11:30 to Sat 21 Nov, 11:30 (IST)", id="half an hour off"
        ),
        pytest.param(
            {"ends_at": datetime(2026, 3, 29, 5, tzinfo=UTC), "day": date(2026, 3, 29)},
            "Sat 28 Mar, 06:00 to Sun 29 Mar, 07:00 (CEST)",
            id="an hour is skipped",
        ),
        pytest.param(
            {"ends_at": datetime(2027, 1, 1, 6, tzinfo=UTC), "day": date(2027, 1, 1)},
            "Thu 31 Dec 2026, 07:00 to Fri 1 Jan, 07:00 (CET)",
            id="from another year",
        ),
    ],
)
def test_window_uses_the_users_time_zone(values: dict, expected: str) -> None:
    assert phrases.window(edition(**values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(
            {"n_articles": 131, "n_feeds": 14, "n_duplicates": 9},
            ("131 articles from 14 feeds", "9 duplicates removed"),
            id="many",
        ),
        pytest.param(
            {"n_articles": 1, "n_feeds": 1, "n_duplicates": 1},
            ("1 article from 1 feed", "1 duplicate removed"),
            id="one of each",
        ),
        pytest.param(
            {"n_articles": 0, "n_feeds": 0, "n_duplicates": 0}, ("0 articles from 0 feeds", "no duplicates"), id="none"
        ),
        pytest.param(
            {"n_articles": 12345, "n_feeds": 1200, "n_duplicates": 1000, "report": FeedReport(unhealthy=UNWELL)},
            ("12,345 articles from 1,200 feeds", "1,000 duplicates removed", "2 feeds need attention"),
            id="thousands, and two feeds unhealthy",
        ),
        pytest.param(
            {"n_articles": 2, "report": FeedReport(unhealthy=UNWELL[:1])},
            ("2 articles from 14 feeds", "9 duplicates removed", "1 feed needs attention"),
            id="one feed unhealthy",
        ),
    ],
)
def test_counts_carry_their_units(values: dict, expected: tuple[str, ...]) -> None:
    assert phrases.counts(edition(**values)) == expected


@pytest.mark.parametrize(
    ("n_related", "sources", "n_unlisted", "expected"),
    [
        pytest.param(0, (), 0, "", id="nobody else"),
        pytest.param(1, ("Reuters",), 0, "1 more from Reuters", id="one more"),
        pytest.param(2, (), 0, "2 more from Paper", id="all from the lead's source"),
        pytest.param(4, ("Reuters", "BBC", "DW"), 0, "4 more from Reuters, BBC and DW", id="three sources"),
        pytest.param(4, ("A", "B", "C", "D"), 0, "4 more from A, B, C and D", id="as many as are named"),
        pytest.param(5, ("A", "B", "C", "D", "E"), 0, "5 more from A, B, C, D and 1 other", id="one unnamed"),
        pytest.param(6, ("A", "B", "C", "D", "E", "F"), 1200, "1,206 more from A, B, C, D and 2 others", id="many"),
        pytest.param(0, ("Reuters", "DW"), 0, "Also in Reuters and DW", id="the same article in other feeds"),
        pytest.param(2, ("A", "B", "C"), 0, "Also in A, B and C", id="more feeds than articles"),
        pytest.param(2, ("הארץ", "DW"), 0, "2 more from \u2068הארץ\u2069 and DW", id="a name from the right"),
    ],
)
def test_other_sources_are_named_or_counted(
    n_related: int, sources: tuple[str, ...], n_unlisted: int, expected: str
) -> None:
    related = tuple(entry(number) for number in range(2, 2 + n_related))
    assert phrases.more_from(topic(1, related=related, sources=sources, n_unlisted=n_unlisted)) == expected


@pytest.mark.parametrize(
    ("hours", "values", "expected"),
    [
        pytest.param(0.5, {}, "Sat 21 Nov, 06:30", id="today"),
        pytest.param(20, {}, "Fri 20 Nov, 11:00", id="yesterday"),
        pytest.param(24 * 365, {}, "Fri 21 Nov 2025, 07:00", id="last year"),
        pytest.param(1, {"date_uncertain": True}, "Sat 21 Nov, 06:00 (date uncertain)", id="uncertain"),
    ],
)
def test_an_article_has_a_local_time(hours: float, values: dict, expected: str) -> None:
    told = entry(published_at=MADE_AT - timedelta(hours=hours), **values)
    assert phrases.published(told, edition()) == expected


def test_an_uncertain_day_is_called_so() -> None:
    assert phrases.published_on(entry(), edition()) == "Sat 21 Nov"
    assert phrases.published_on(entry(date_uncertain=True), edition()) == "Sat 21 Nov (date uncertain)"


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(FeedReport(), "No feed was polled in this period.", id="nothing"),
        pytest.param(FeedReport(1, 1, 1), "1 feed was polled once; every poll succeeded.", id="one"),
        pytest.param(FeedReport(14, 96, 96), "14 feeds were polled 96 times; every poll succeeded.", id="all well"),
        pytest.param(
            FeedReport(14, 96, 94),
            "14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.",
            id="some failed",
        ),
        pytest.param(
            FeedReport(900, 20_000, 19_999),
            "900 feeds were polled 20,000 times; 99.9% of the polls succeeded, 1 failed.",
            id="never 100 per cent with a failure",
        ),
        pytest.param(
            FeedReport(3, 3, 0), "3 feeds were polled 3 times; 0.0% of the polls succeeded, 3 failed.", id="none well"
        ),
    ],
)
def test_polling_summary_is_a_sentence(report: FeedReport, expected: str) -> None:
    assert phrases.polls(report) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, "100.0%"), (0.29, "29.0%"), (0.57, "57.0%"), (0.9999, "99.9%"), (1 / 3, "33.3%"), (0.0, "0.0%")],
)
def test_percentages_are_cut_and_exact_ones_kept(share: float, expected: str) -> None:
    assert phrases.percentage(share) == expected


@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        pytest.param(
            Movement("Geneva: talks", Trend.EMERGING, 5, 0), "▲ Emerging: Geneva: talks (5 articles, none before)"
        ),
        pytest.param(Movement("Snow", Trend.TRENDING, 1, 2), "Trending: Snow (1 article, 2 before)"),
        pytest.param(Movement("Snow", Trend.FADING, 0, 1200), "▼ Fading: Snow (no article, 1,200 before)"),
        pytest.param(
            Movement("הכנסת", Trend.FADING, 2, 6), "▼ Fading: \u2068הכנסת\u2069 (2 articles, 6 before)", id="rtl"
        ),
    ],
)
def test_movements_show_before_and_after(moved: Movement, expected: str) -> None:
    assert phrases.movement(moved) == expected


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        pytest.param(LeftOut(), "", id="nothing"),
        pytest.param(
            LeftOut(6, 3), "6 more topics didn't fit; 3 are unchanged since the last digest.", id="both, many"
        ),
        pytest.param(LeftOut(1, 1), "1 more topic didn't fit; 1 is unchanged since the last digest.", id="both, one"),
        pytest.param(LeftOut(2, 0), "2 more topics didn't fit.", id="too many only"),
        pytest.param(LeftOut(0, 1), "1 topic is unchanged since the last digest.", id="one unchanged"),
        pytest.param(LeftOut(0, 4), "4 topics are unchanged since the last digest.", id="unchanged only"),
    ],
)
def test_omissions_are_reported(left_out: LeftOut, expected: str) -> None:
    assert phrases.left_out(edition(left_out=left_out)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(
            {"n_articles": 0}, "Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00.", id="nothing came"
        ),
        pytest.param(
            {"n_articles": 8, "left_out": LeftOut(0, 2)},
            "Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00 since the last digest.",
            id="all was told",
        ),
        pytest.param(
            {"n_articles": 1},
            "Nothing important between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00: 1 new article, but none scored 15 or"
            " more.",
            id="too little",
        ),
    ],
)
def test_empty_digest_explains_itself(values: dict, expected: str) -> None:
    assert phrases.nothing_new(edition(**values)) == expected


def test_a_digest_with_topics_has_no_such_note() -> None:
    assert phrases.nothing_new(edition(topic())) == ""


def test_only_findings_that_found_something_are_remarkable() -> None:
    good = Finding("sizes", True, "Good.")
    repaired = Finding("labels", True, "Repaired.", was_repaired=True)
    bad = Finding("source", False, "Look.")
    assert phrases.remarkable((good, repaired, bad)) == (repaired, bad)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            edition(
                topic(1, lead=entry(1, title="Second round of talks")), *(topic(number) for number in range(2, 16))
            ),
            "Morning brief, Sat 21 Nov: Second round of talks and 14 more",
            id="many topics",
        ),
        pytest.param(edition(topic(1, lead=entry(1, title="Snow"))), "Morning brief, Sat 21 Nov: Snow", id="one topic"),
        pytest.param(edition(), "Morning brief, Sat 21 Nov: nothing new", id="empty"),
        pytest.param(
            edition(topic(1, lead=entry(1, title="Snow")), kind=Kind.WEEKLY),
            "Weekly roundup, 14–21 Nov: Snow",
            id="week",
        ),
        pytest.param(
            edition(topic(9, is_unchanged=True), topic(1), topic(2)),
            "Morning brief, Sat 21 Nov: Article 1 and 1 more",
            id="an unchanged one first",
        ),
        pytest.param(
            edition(topic(1, SectionName.NOTEWORTHY)), "Morning brief, Sat 21 Nov: Article 1", id="no top story"
        ),
        pytest.param(
            edition(topic(1, lead=entry(1, title="One, two; three " * 9)), topic(2)),
            "Morning brief, Sat 21 Nov: One, two; three One, two; three One… and 1 more",
            id="too long, cut between words",
        ),
        pytest.param(
            edition(topic(1, lead=entry(1, title="日銀の政策金利" * 9))),
            f"Morning brief, Sat 21 Nov: {('日銀の政策金利' * 9)[:25]}…",
            id="too wide, cut between characters",
        ),
        pytest.param(
            edition(topic(1, lead=entry(1, title="Snow\r\nBcc: all@example.org\x00\u202e"))),
            "Morning brief, Sat 21 Nov: Snow Bcc: all@example.org",
            id="no second header",
        ),
    ],
)
def test_a_subject_is_one_short_line(made, expected: str) -> None:
    assert subject(made) == expected
    assert width(subject(made)) <= SUBJECT_WIDTH


def test_right_to_left_text_alone_is_isolated() -> None:
    assert phrases.isolated("Le Monde") == "Le Monde"
    assert phrases.isolated("日本") == "日本"
    assert phrases.isolated("الجزيرة") == "\u2068الجزيرة\u2069"


def test_a_zone_changes_the_clock_and_not_the_moment() -> None:
    made = edition()
    elsewhere = replace(made, time_zone="America/New_York")
    assert phrases.clock(MADE_AT, made) == "Sat 21 Nov, 07:00"
    assert phrases.clock(MADE_AT, elsewhere) == "Sat 21 Nov, 01:00"
