"""What a digest says in words, the same in every form. Pure; moments are told by the clock of whom it is for."""

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digests.edition import ALSO_FROM, Edition, Entry, FeedReport, Finding, Movement, Topic, Trend
from digests.kinds import RULES
from reader.scoring.sentences import joined

TREND_MARKS = {Trend.EMERGING: "▲ Emerging", Trend.TRENDING: "Trending", Trend.FADING: "▼ Fading"}
BETWEEN = " · "

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def counted(n: int, noun: str, plural: str = "") -> str:
    """`1 article`, `1,204 articles`."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def isolated(text: str) -> str:
    """A text to stand among others in a line: with what is written from the right, the others keep their order."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" if _RIGHT_TO_LEFT.search(text) else text


def heading(edition: Edition) -> str:
    """`Saturday 21 November 2026 · Morning brief`."""
    return f"{dates(edition)}{BETWEEN}{edition.title}"


def dates(edition: Edition) -> str:
    """`Saturday 21 November 2026`; of more than a day `14–21 November 2026`."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return f"{edition.day:%A} {edition.day.day} {edition.day:%B %Y}"
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    return f"{_span(first, last, '%B')} {last.year}"


def short_dates(edition: Edition) -> str:
    """`Sat 21 Nov`; of more than a day `14–21 Nov`. A subject has no room for the year, and its mail has a date."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return f"{edition.day:%a} {edition.day.day} {edition.day:%b}"
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    return _span(first, last, "%b")


def window(edition: Edition) -> str:
    """`Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)`."""
    zone = local(edition.ends_at, edition).tzname()
    return f"{clock(edition.begins_at, edition)} to {clock(edition.ends_at, edition)} ({zone})"


def counts(edition: Edition) -> tuple[str, ...]:
    """What went into the digest, and what is to be looked after: `131 articles from 14 feeds`, ...."""
    unwell = len(edition.report.unwell)
    return (
        f"{counted(edition.n_articles, 'article')} from {counted(edition.n_feeds, 'feed')}",
        f"{counted(edition.n_duplicates, 'duplicate')} removed" if edition.n_duplicates else "no duplicates",
        *((need_attention(unwell),) if unwell else ()),
    )


def need_attention(n_feeds: int) -> str:
    return f"{counted(n_feeds, 'feed')} {'needs' if n_feeds == 1 else 'need'} attention"


def local(moment: datetime, edition: Edition) -> datetime:
    return moment.astimezone(ZoneInfo(edition.time_zone))


def clock(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov, 06:50`, with the year where it is not the digest's."""
    at = local(moment, edition)
    return f"{day(moment, edition)}, {at:%H:%M}"


def day(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov`, with the year where it is not the digest's."""
    on = local(moment, edition).date()
    return f"{on:%a} {on.day} {on:%b}" + (f" {on.year}" if on.year != edition.day.year else "")


def published(entry: Entry, edition: Edition) -> str:
    """When an article appeared, and whether that is known."""
    return clock(entry.published_at, edition) + _doubt(entry)


def published_on(entry: Entry, edition: Edition) -> str:
    """The day an article appeared, and whether that is known."""
    return day(entry.published_at, edition) + _doubt(entry)


def trend_mark(trend: Trend | None) -> str:
    """A trend in a word; "" when there is none."""
    return TREND_MARKS[trend] if trend else ""


def more_from(topic: Topic) -> str:
    """`4 more from Reuters, BBC and 2 others`; "" when nobody else tells, and it was told once."""
    names = [isolated(name) for name in topic.named_sources]
    if topic.n_unnamed:
        names.append(counted(topic.n_unnamed, "other"))
    if not topic.n_more:
        return f"Also in {joined(names)}" if names else ""
    return f"{topic.n_more:,} more from {joined(names or [isolated(topic.lead.source) or 'the same source'])}"


def polls(report: FeedReport) -> str:
    """How polling went: `14 feeds were polled 96 times; 97.9 % of the polls succeeded, 2 failed.`"""
    if not report.n_polls:
        return "No feed was polled in this time."
    were = "was" if report.n_polled == 1 else "were"
    polled = f"{counted(report.n_polled, 'feed')} {were} polled {_times(report.n_polls)}"
    if not report.n_errors:
        return f"{polled}; every poll succeeded."
    return f"{polled}; {percentage(report.success_rate or 0.0)} of the polls succeeded, {report.n_errors:,} failed."


def percentage(share: float) -> str:
    """A share of 1 in per cent, cut to a tenth: never 100.0 % for less than all."""
    return f"{math.floor(share * 1000 + 1e-9) / 10:.1f} %"


def movement(moved: Movement) -> str:
    """`▲ Emerging: Geneva: talks (5 articles, none before)`."""
    now = counted(moved.n_now, "article") if moved.n_now else "no article"
    before = f"{moved.n_before:,}" if moved.n_before else "none"
    return f"{trend_mark(moved.trend)}: {isolated(moved.label)} ({now}, {before} before)"


def left_out(edition: Edition) -> str:
    """What was left out: `6 more topics did not fit; 3 are unchanged since the last digest.`; "" when nothing was."""
    too_many, unchanged = edition.left_out.too_many, edition.left_out.unchanged
    parts = []
    if too_many:
        parts.append(f"{counted(too_many, 'more topic')} did not fit")
    if unchanged:
        what = f"{unchanged:,}" if too_many else counted(unchanged, "topic")
        parts.append(f"{what} {'is' if unchanged == 1 else 'are'} unchanged since the last digest")
    return f"{'; '.join(parts)}." if parts else ""


def nothing_new(edition: Edition) -> str:
    """The honest short note of an empty digest; "" when it has topics."""
    if not edition.is_empty:
        return ""
    between = f"between {clock(edition.begins_at, edition)} and {clock(edition.ends_at, edition)}"
    if not edition.n_articles:
        return f"Nothing new {between}."
    if edition.left_out.unchanged:
        return f"Nothing new {between} that the last digest did not have."
    came = f"{counted(edition.n_articles, 'article')} came"
    return f"Nothing of importance {between}: {came}, none worth {ALSO_FROM:.0f} of 100."


def remarkable(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What the self-checks repaired, or could not."""
    return tuple(each for each in findings if each.was_repaired or not each.is_good)


def _doubt(entry: Entry) -> str:
    return " (date uncertain)" if entry.date_uncertain else ""


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _span(first: date, last: date, month: str) -> str:
    """`14–21 November`, `28 November – 5 December`, `28 December 2025 – 3 January`; the last year is left to say."""
    if first.year != last.year:
        return f"{first.day} {first:{month} %Y} – {last.day} {last:{month}}"
    if first.month != last.month:
        return f"{first.day} {first:{month}} – {last.day} {last:{month}}"
    return f"{first.day}–{last.day} {last:{month}}"
