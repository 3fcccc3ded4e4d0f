"""Sentences of a digest, the same in every format, with times in the user's time zone. Pure."""

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from digests.edition.document import ALSO_FROM, Edition, Entry, FeedReport, Finding, Movement, Topic, Trend
from digests.edition.kinds import RULES
from digests.rendering.clean_text import tidy
from digests.rendering.wrapping import shortened, width
from feeds.wording import format_number, join_list, sentence

TREND_MARKS = {
    Trend.EMERGING: gettext_lazy("▲ Emerging"),
    Trend.TRENDING: gettext_lazy("Trending"),
    Trend.FADING: gettext_lazy("▼ Fading"),
}
BETWEEN = " · "
SUBJECT_WIDTH = 78  # columns; recommended for a line by RFC 5322

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def articles(n: int) -> str:
    """`1 article`, `1,204 articles`."""
    return ngettext("%(n)s article", "%(n)s articles", n) % {"n": format_number(n)}


def feeds(n: int) -> str:
    return ngettext("%(n)s feed", "%(n)s feeds", n) % {"n": format_number(n)}


def topics(n: int) -> str:
    return ngettext("%(n)s topic", "%(n)s topics", n) % {"n": format_number(n)}


def others(n: int) -> str:
    return ngettext("%(n)s other", "%(n)s others", n) % {"n": format_number(n)}


def and_others(n: int) -> str:
    """The end of a list that names only some: `and 3 others`."""
    return ngettext("and %(n)s other", "and %(n)s others", n) % {"n": format_number(n)}


def importance(points: int) -> str:
    return _("importance %(points)s") % {"points": points}


def self_check(finding: Finding) -> str:
    return _("Self-check “%(check)s”: %(text)s") % {"check": finding.check, "text": finding.text}


def isolated(text: str) -> str:
    """A text within a line, isolated if it has right-to-left letters so that the rest keeps its order."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" if _RIGHT_TO_LEFT.search(text) else text


def heading(edition: Edition) -> str:
    """`Saturday 21 November 2026 · Morning brief`."""
    return f"{dates(edition)}{BETWEEN}{edition.title}"


def dates(edition: Edition) -> str:
    """`Saturday 21 November 2026`, or for more than a day `14–21 November 2026`."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return dated(edition.day, pgettext("date format", "l j F Y"))
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    form = pgettext("date format", "j F")
    if first.year != last.year:
        return _between(dated(first, _with_year(form)), dated(last, _with_year(form)))
    if first.month != last.month:
        return _between(dated(first, form), dated(last, _with_year(form)))
    return pgettext("days of a month", "%(first)s–%(last)s") % {
        "first": dated(first, pgettext("date format, first of two days of a month", "j")),
        "last": dated(last, pgettext("date format, last of two days of a month", "j F Y")),
    }


def short_dates(edition: Edition) -> str:
    """`Sat 21 Nov`, or for more than a day `14–21 Nov`; for subjects, without the year."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return dated(edition.day, pgettext("date format", "D j M"))
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    form = pgettext("date format", "j M")
    if first.year != last.year:
        return _between(dated(first, _with_year(form)), dated(last, form))
    if first.month != last.month:
        return _between(dated(first, form), dated(last, form))
    return pgettext("days of a month", "%(first)s–%(last)s") % {
        "first": dated(first, pgettext("date format without a year, first of two days of a month", "j")),
        "last": dated(last, pgettext("date format without a year, last of two days of a month", "j M")),
    }


def window(edition: Edition) -> str:
    """`Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)`."""
    zone = local(edition.ends_at, edition).tzname()
    text = {"begin": clock(edition.begins_at, edition), "end": clock(edition.ends_at, edition), "zone": zone}
    return _("%(begin)s to %(end)s (%(zone)s)") % text


def counts(edition: Edition) -> tuple[str, ...]:
    """`131 articles from 14 feeds`, `27 duplicates removed`, and feeds that need attention."""
    unhealthy = len(edition.report.unhealthy)
    return (
        _("%(articles)s from %(feeds)s") % {"articles": articles(edition.n_articles), "feeds": feeds(edition.n_feeds)},
        _duplicates(edition.n_duplicates),
        *((need_attention(unhealthy),) if unhealthy else ()),
    )


def need_attention(n_feeds: int) -> str:
    text = ngettext("%(n)s feed needs attention", "%(n)s feeds need attention", n_feeds)
    return text % {"n": format_number(n_feeds)}


def _duplicates(n: int) -> str:
    if not n:
        return _("no duplicates")
    return ngettext("%(n)s duplicate removed", "%(n)s duplicates removed", n) % {"n": format_number(n)}


def local(moment: datetime, edition: Edition) -> datetime:
    return moment.astimezone(ZoneInfo(edition.time_zone))


def clock(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov, 06:50`, with the year if it isn't the digest's."""
    at = local(moment, edition)
    return _("%(day)s, %(time)s") % {"day": day(moment, edition), "time": f"{at:%H:%M}"}


def day(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov`, with the year if it isn't the digest's."""
    on = local(moment, edition).date()
    form = pgettext("date format", "D j M")
    return dated(on, form if on.year == edition.day.year else _with_year(form))


def published(entry: Entry, edition: Edition) -> str:
    """When an article was published, and whether that is uncertain."""
    return clock(entry.published_at, edition) + _doubt(entry)


def published_on(entry: Entry, edition: Edition) -> str:
    """The day an article was published, and whether that is uncertain."""
    return day(entry.published_at, edition) + _doubt(entry)


def trend_mark(trend: Trend | None) -> str:
    """A trend in a word; "" when there is none."""
    return str(TREND_MARKS[trend]) if trend else ""


def more_from(topic: Topic) -> str:
    """`4 more from Reuters, BBC and 2 others`; "" if there is only the lead.

    An article may be in several feeds: with more of them than articles, `Also in Reuters, BBC and DW`.
    """
    names = [isolated(name) for name in topic.named_sources]
    if topic.n_unnamed:
        names.append(others(topic.n_unnamed))
    if topic.n_more < len(topic.named_sources) + topic.n_unnamed:
        return _("Also in %(names)s") % {"names": join_list(names)}
    if not topic.n_more:
        return ""
    known = join_list(names or [isolated(topic.lead.source) or _("the same source")])
    text = ngettext("%(n)s more from %(names)s", "%(n)s more from %(names)s", topic.n_more)
    return text % {"n": format_number(topic.n_more), "names": known}


def tier(number: int) -> str:
    """What kind of source it is, in words."""
    return {
        1: _("official or agency"),
        2: _("major outlet"),
        3: _("respected source"),
        4: _("community source"),
        5: _("unverified source"),
    }.get(number, "")


def credit(topic: Topic) -> str:
    """`From The Guardian` if another source than the lead's has the summary, else ""."""
    return _("From %(source)s") % {"source": isolated(topic.summary_from)} if topic.summary_from else ""


def polls(report: FeedReport) -> str:
    """`14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.`"""
    if not report.n_polls:
        return _("No feed was polled in this period.")
    text = ngettext("%(n)s feed was polled %(times)s", "%(n)s feeds were polled %(times)s", report.n_polled)
    times = ngettext("once", "%(n)s times", report.n_polls) % {"n": format_number(report.n_polls)}
    polled = text % {"n": format_number(report.n_polled), "times": times}
    if not report.n_errors:
        return _("%(polled)s; every poll succeeded.") % {"polled": polled}
    failed = ngettext(
        "%(polled)s; %(share)s of the polls succeeded, %(n)s failed.",
        "%(polled)s; %(share)s of the polls succeeded, %(n)s failed.",
        report.n_errors,
    )
    share = percentage(report.success_rate or 0.0)
    return failed % {"polled": polled, "share": share, "n": format_number(report.n_errors)}


def percentage(share: float) -> str:
    """A share of 1 in per cent, cut to a tenth so that 100.0% means all."""
    shown = format_number(math.floor(share * 1000 + 1e-9) / 10, 1)
    return pgettext("per cent", "%(share)s%%") % {"share": shown}


def movement(moved: Movement) -> str:
    """`▲ Emerging: Geneva: talks (5 articles, none before)`."""
    now = articles(moved.n_now) if moved.n_now else _("no article")
    before = format_number(moved.n_before) if moved.n_before else pgettext("number of articles", "none")
    text = {"trend": trend_mark(moved.trend), "topic": isolated(moved.label), "now": now, "before": before}
    return _("%(trend)s: %(topic)s (%(now)s, %(before)s before)") % text


def still(title: str) -> str:
    """`Still: Dam bursts above the city`, for a top story of the last digest."""
    return _("Still: %(title)s") % {"title": title}


def left_out(edition: Edition) -> str:
    """`6 more topics didn't fit; 3 are unchanged since the last digest.`; "" if nothing was left out."""
    too_many, unchanged = edition.left_out.too_many, edition.left_out.unchanged
    text = {"too_many": format_number(too_many), "n": format_number(unchanged)}
    fit = ngettext("%(too_many)s more topic didn't fit", "%(too_many)s more topics didn't fit", too_many) % text
    if too_many and unchanged:
        both = ngettext(
            "%(fit)s; %(n)s is unchanged since the last digest.",
            "%(fit)s; %(n)s are unchanged since the last digest.",
            unchanged,
        )
        return both % {**text, "fit": fit}
    if too_many:
        return sentence(fit)
    same = ngettext(
        "%(n)s topic is unchanged since the last digest.",
        "%(n)s topics are unchanged since the last digest.",
        unchanged,
    )
    return same % text if unchanged else ""


def nothing_new(edition: Edition) -> str:
    """The note of an empty digest; "" if it has topics."""
    if not edition.is_empty:
        return ""
    between = {"begin": clock(edition.begins_at, edition), "end": clock(edition.ends_at, edition)}
    if not edition.n_articles:
        return _("Nothing new between %(begin)s and %(end)s.") % between
    if edition.left_out.unchanged:
        return _("Nothing new between %(begin)s and %(end)s since the last digest.") % between
    text = ngettext(
        "Nothing important between %(begin)s and %(end)s: %(n)s new article, but none scored %(least)s or more.",
        "Nothing important between %(begin)s and %(end)s: %(n)s new articles, but none scored %(least)s or more.",
        edition.n_articles,
    )
    return text % {**between, "n": format_number(edition.n_articles), "least": int(ALSO_FROM)}


def subject(edition: Edition) -> str:
    """`Morning brief, Sat 21 Nov: Iran and US end second round and 14 more`, at most 78 columns."""
    edition = tidy(edition)
    values = {"digest": edition.title, "day": short_dates(edition)}
    if edition.is_empty:
        return _("%(digest)s, %(day)s: nothing new") % values
    n_more = len(edition.news) - 1
    form = _("%(digest)s, %(day)s: %(topic)s")
    if n_more:
        values["n"] = format_number(n_more)
        form = ngettext(
            "%(digest)s, %(day)s: %(topic)s and %(n)s more", "%(digest)s, %(day)s: %(topic)s and %(n)s more", n_more
        )
    room = SUBJECT_WIDTH - width(form % {**values, "topic": ""})
    return (form % {**values, "topic": shortened(edition.news[0].lead.title, room)}).rstrip()


def remarkable(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Self-checks that repaired something, or couldn't."""
    return tuple(finding for finding in findings if finding.was_repaired or not finding.is_good)


def _doubt(entry: Entry) -> str:
    return " " + _("(date uncertain)") if entry.date_uncertain else ""


def _with_year(form: str) -> str:
    return pgettext("date format", "%(day)s Y") % {"day": form}


def _between(first: str, last: str) -> str:
    return pgettext("days of two months", "%(first)s – %(last)s") % {"first": first, "last": last}
