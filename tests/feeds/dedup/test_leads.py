"""Which article leads a story."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from feeds.dedup.leads import Report, is_aside, is_filler, lead_order

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
STRIKE = Report(
    pk=1,
    title="Harbour pilots strike closes the port of Ostby",
    beginning="Harbour pilots walked out on Monday and closed the port of Ostby.",
    language="en",
    url="https://one.example/news/harbour-strike",
    tier=2,
    n_words=100,
    published_at=NOON,
)


def order(*reports: Report) -> list[int]:
    return lead_order(reports)


def test_of_equal_reports_the_better_tier_then_more_words_lead() -> None:
    better = replace(STRIKE, pk=2, tier=1, n_words=10)
    longer = replace(STRIKE, pk=3, n_words=400)
    assert order(STRIKE, better, longer) == [2, 3, 1]


def test_earlier_report_leads_if_nothing_else_differs() -> None:
    earlier = replace(STRIKE, pk=2, published_at=NOON - timedelta(hours=1))
    assert order(STRIKE, earlier) == [2, 1]


def test_report_of_hours_ago_yields_to_a_current_one() -> None:
    old = replace(STRIKE, pk=2, n_words=900, published_at=NOON - timedelta(hours=13))
    recent = replace(STRIKE, pk=3, n_words=200, published_at=NOON - timedelta(hours=11))
    assert order(STRIKE, old, recent) == [3, 1, 2]


def test_trusted_publisher_leads_even_if_others_are_newer() -> None:
    partisan = replace(STRIKE, pk=2, tier=4, n_words=900, published_at=NOON + timedelta(hours=20))
    assert order(partisan, STRIKE) == [1, 2]


def test_report_beside_the_subject_does_not_lead() -> None:
    other = replace(
        STRIKE,
        pk=2,
        title="Minister attends gala dinner after Ostby strike",
        beginning="Guests ate salmon and listened to a string quartet until midnight.",
        n_words=2000,
    )
    assert order(other, STRIKE, replace(STRIKE, pk=3), replace(STRIKE, pk=4)) == [1, 3, 4, 2]


def test_asides_lead_only_where_there_is_nothing_else() -> None:
    watch = replace(STRIKE, pk=2, title="WATCH: Harbour pilots strike closes the port of Ostby", tier=1, n_words=900)
    partisan = replace(STRIKE, pk=3, tier=5)
    assert order(watch, partisan) == [3, 2]
    assert order(watch) == [2]


def test_a_late_aside_makes_no_report_outdated() -> None:
    earlier = replace(STRIKE, pk=2, tier=1, published_at=NOON - timedelta(hours=11))
    timeline = replace(STRIKE, pk=3, title="Ostby port strike: a timeline", published_at=NOON + timedelta(hours=11))
    assert order(STRIKE, earlier, timeline) == [2, 1, 3]


@pytest.mark.parametrize(
    "title",
    [
        "WATCH: Pilots walk out",
        "Port strike live updates: Ostby closed",
        "Pilots walk out – as it happened",
        "Pilots walk out – video",
        "What to know about the port strike",
        "Who is the pilots’ leader?",
        "Ostby strike: a timeline",
        "The port strike is a disgrace | Opinion",
        "Five takeaways from the port talks",
        "Port closed. And, a comet returns",
        "Lotsenstreik im Liveticker",
        "Pourquoi le port est fermé",
        "一文读懂：港口罢工",
        "港口罢工；彗星回归；市场上涨；",
    ],
)
def test_recognizes_asides(title: str) -> None:
    assert is_aside(title, "https://one.example/news/1")


@pytest.mark.parametrize(
    "title",
    [
        "Pilots walk out, closing the port",
        "WHO declares an emergency over port fever",
        "Kenya: Ferry sinks, 7 dead",
        "Videos show crane collapse, police say",
        "Liver transplant patients wait longer",
        "罢工令港口关闭",
    ],
)
def test_takes_reports_for_reports(title: str) -> None:
    assert not is_aside(title, "https://one.example/news/1")


def test_recognizes_asides_by_address() -> None:
    assert is_aside("Pilots walk out", "https://one.example/video/5")
    assert is_aside("Pilots walk out", "https://one.example/world/live/2026/may/4/strike")
    assert not is_aside("Pilots walk out", "https://one.example/delivery/5")


def test_recognizes_filler() -> None:
    assert is_filler("Open Thread")
    assert is_filler("This kettle is 40% off today")
    assert not is_filler("Open threat to the port")
