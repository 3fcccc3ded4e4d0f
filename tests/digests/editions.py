"""Editions for tests, without a database: plain functions with sensible defaults."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from digests.edition.document import (
    Edition,
    Entry,
    FeedReport,
    Finding,
    LeftOut,
    Movement,
    SectionName,
    SummaryBy,
    Topic,
    Trend,
    UnhealthyFeed,
)
from digests.edition.kinds import RULES, Kind

DAY = date(2026, 11, 21)  # a Saturday
MADE_AT = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)  # 07:00 in Berlin
IMPORTANCE = {SectionName.TOP: 84.6, SectionName.NOTEWORTHY: 55.2, SectionName.ALSO: 22.9}
SUMMARY = (
    "Delegations of both countries left Geneva on Friday evening after two days of talks. The mediator said that they"
    " had agreed on guiding principles for a text, and that experts would meet again within two weeks to write it. No"
    " date was given for a third round, and neither side answered questions on the way to the airport."
)

# Titles of many languages, the sources they come from, and what their topics are called.
HEADLINES = (
    ("en", "Iran and US end second round with “guiding principles”", "BBC News", "Geneva: talks, second round"),
    ("de", "Bahn verschiebt Eröffnung des neuen Tiefbahnhofs erneut", "tagesschau.de", "Stuttgart: Bahnhof, Eröffnung"),
    ("ja", "日銀、政策金利を据え置き 物価見通しは引き上げ", "NHKニュース", "日銀: 政策金利, 物価見通し"),
    ("ar", "مجلس الأمن يبحث الوضع الإنساني في جلسة طارئة", "الجزيرة نت", "مجلس الأمن: جلسة, الوضع"),
    (
        "fr",
        "À Marseille, la première ligne de tramway de nuit ouvre ses portes",
        "Le Monde",
        "Marseille: tramway, nuit",
    ),
    ("zh", "探测器传回首批高清图像 科学家称“超出预期”", "新华网", "探测器: 图像, 科学家"),
    ("en", "Rust 1.94 stabilizes `async` closures in traits & drops <old> targets", "Rust Blog", "Rust 1.94: closures"),
    ("he", "הכנסת אישרה בקריאה ראשונה את תקציב המדינה", "הארץ", "הכנסת: תקציב, קריאה"),
    ("ru", "Учёные нашли на Камчатке неизвестный вид лишайника", "Наука и жизнь", "Камчатка: лишайник, вид"),
    (
        "es",
        "El Gobierno aprueba el plan de vivienda tras meses de negociación",
        "El País",
        "Gobierno: plan de vivienda",
    ),
    ("ko", "반도체 수출 석 달 연속 증가…역대 최대", "연합뉴스", "반도체: 수출, 증가"),
    ("th", "กรมอุตุฯ เตือนฝนตกหนักภาคใต้ เฝ้าระวังน้ำท่วมฉับพลัน", "ไทยพีบีเอส", "ภาคใต้: ฝนตกหนัก"),
)
CATEGORIES = ("World", "Science", "Technology", "")
OTHERS = ("Reuters", "DW", "NPR", "Al Jazeera", "The Guardian", "ANSA")


def entry(number: int = 1, **values: Any) -> Entry:
    """An article that the number tells from others."""
    values = {
        "article_id": number,
        "title": f"Article {number}",
        "url": f"https://paper.example/{number}",
        "source": "Paper",
        "tier": 2,
        "published_at": MADE_AT - timedelta(minutes=10 * number),
        "importance": 84.6,
        "language": "en",
        **values,
    }
    return Entry(**values)


def topic(number: int = 1, section: SectionName = SectionName.TOP, **values: Any) -> Topic:
    """A topic of the section, led by the article of that number by default."""
    importance = values.get("importance", IMPORTANCE[section])
    values = {
        "section": section,
        "label": f"Topic {number}",
        "lead": entry(number, importance=importance),
        "importance": importance,
        "summary": "" if section is SectionName.ALSO else f"What article {number} says in a sentence.",
        "summary_by": None if section is SectionName.ALSO else SummaryBy.EXTRACT,
        **values,
    }
    return Topic(**values)


def edition(*topics: Topic, **values: Any) -> Edition:
    """A morning brief of these topics, of the 24 hours before 07:00 in Berlin."""
    kind = values.get("kind", Kind.MORNING)
    ends_at = values.get("ends_at", MADE_AT)
    values = {
        "kind": kind,
        "day": DAY,
        "time_zone": "Europe/Berlin",
        "begins_at": ends_at - RULES[kind].window,
        "ends_at": ends_at,
        "made_at": MADE_AT,
        "n_articles": sum(len(topic.entries) for topic in topics),
        "n_feeds": 14,
        "n_duplicates": 9,
        "topics": topics,
        "report": FeedReport(n_polled=14, n_polls=96, n_successes=94),
        **values,
    }
    return Edition(**values)


def full_edition(kind: Kind = Kind.MORNING, **values: Any) -> Edition:
    """As many topics as the kind may have, in twelve languages, with everything that a digest can say."""
    sizes = RULES[kind].sizes
    sections = (
        [SectionName.TOP] * sizes.top + [SectionName.NOTEWORTHY] * sizes.noteworthy + [SectionName.ALSO] * sizes.also
    )
    topics = tuple(full_topic(number, section, kind) for number, section in enumerate(sections, 1))
    report = FeedReport(
        n_polled=41,
        n_polls=312,
        n_successes=301,
        unhealthy=(
            UnhealthyFeed("Morgenpost", "It has not answered since Tuesday (timeout, 12 times)."),
            UnhealthyFeed("アストロアーツ", "What it sends cannot be read as a feed, 3 times running."),
        ),
        movements=(
            Movement("Geneva: talks, second round", Trend.EMERGING, 5, 0),
            Movement("Stuttgart: Bahnhof, Eröffnung", Trend.FADING, 2, 6),
        ),
    )
    findings = (
        Finding("attribution", True, "Every article has a source and an address."),
        Finding("labels", True, "Two topics were called the same; one was named after its lead.", was_repaired=True),
    )
    values = {"report": report, "left_out": LeftOut(6, 3), "findings": findings, "n_articles": 131, **values}
    return edition(*topics, kind=kind, n_feeds=41, **values)


def full_topic(number: int, section: SectionName, kind: Kind = Kind.MORNING) -> Topic:
    """The number-th topic of a full edition."""
    language, title, source, label = HEADLINES[(number - 1) % len(HEADLINES)]
    importance = IMPORTANCE[section] - number / 10
    lead = entry(
        number,
        title=title,
        language=language,
        source=source,
        url=f"https://news.example/{language}/2026/11/21/article-{number}?section=world&id={number}",
        tier=number % 5 + 1,
        importance=importance,
    )
    n_related = (number * 3) % 8 if section is SectionName.TOP else 0
    others = tuple(OTHERS[place % len(OTHERS)] for place in range(n_related))
    return topic(
        number,
        section,
        label=label if number <= len(HEADLINES) else f"{label} {number}",
        lead=lead,
        importance=importance,
        related=tuple(
            entry(100 * number + place, source=other, title=f"{title}: {other} reports", importance=40.0)
            for place, other in enumerate(others)
        ),
        sources=tuple(dict.fromkeys(others)),
        trend=(Trend.EMERGING, None, Trend.TRENDING, None, Trend.FADING, None)[number % 6] if n_related else None,
        category=CATEGORIES[number % len(CATEGORIES)],
        summary=_summary(section, kind),
        moved="Again: 3 new sources since the evening recap." if number % 7 == 3 else "",
    )


def _summary(section: SectionName, kind: Kind) -> str:
    """Of a length as summaries have: one line below top stories, twice as much in a week's."""
    if section is SectionName.ALSO:
        return ""
    if section is SectionName.NOTEWORTHY:
        return SUMMARY.partition(". ")[0] + "."
    return f"{SUMMARY} {SUMMARY}" if kind is Kind.WEEKLY else SUMMARY
