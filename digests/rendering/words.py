"""What a digest says in words, the same in every form. Pure; moments are told by the clock of whom it is for."""

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as dated
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from digests.edition import ALSO_FROM, Edition, Entry, FeedReport, Finding, Movement, Topic, Trend
from digests.kinds import RULES
from feeds.wording import listed

TREND_MARKS = {
    Trend.EMERGING: gettext_lazy("▲ Emerging"),
    Trend.TRENDING: gettext_lazy("Trending"),
    Trend.FADING: gettext_lazy("▼ Fading"),
}
BETWEEN = " · "

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def grouped(n: int) -> str:
    """`1,204`, as the language writes it."""
    return str(number_format(n, force_grouping=True))


def articles(n: int) -> str:
    """`1 article`, `1,204 articles`."""
    return ngettext("%(n)s article", "%(n)s articles", n) % {"n": grouped(n)}


def feeds(n: int) -> str:
    return ngettext("%(n)s feed", "%(n)s feeds", n) % {"n": grouped(n)}


def topics(n: int) -> str:
    return ngettext("%(n)s topic", "%(n)s topics", n) % {"n": grouped(n)}


def others(n: int) -> str:
    return ngettext("%(n)s other", "%(n)s others", n) % {"n": grouped(n)}


def and_others(n: int) -> str:
    """The end of a list that names only some: `and 3 others`."""
    return ngettext("and %(n)s other", "and %(n)s others", n) % {"n": grouped(n)}


def importance(points: int) -> str:
    return _("importance %(points)s") % {"points": points}


def self_check(finding: Finding) -> str:
    return _("Self-check “%(check)s”: %(text)s") % {"check": finding.check, "text": finding.text}


def isolated(text: str) -> str:
    """A text to stand among others in a line: with what is written from the right, the others keep their order."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" if _RIGHT_TO_LEFT.search(text) else text


def heading(edition: Edition) -> str:
    """`Saturday 21 November 2026 · Morning brief`."""
    return f"{dates(edition)}{BETWEEN}{edition.title}"


def dates(edition: Edition) -> str:
    """`Saturday 21 November 2026`; of more than a day `14–21 November 2026`."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return dated(edition.day, pgettext("date format", "l j F Y"))
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    form = pgettext("date format", "j F")
    if first.year != last.year:
        return _between(dated(first, _with_year(form)), dated(last, _with_year(form)))
    if first.month != last.month:
        return _between(dated(first, form), dated(last, _with_year(form)))
    told = {"first": first.day, "day": dated(last, _with_year(form))}
    return pgettext("days of a month", "%(first)s–%(day)s") % told


def short_dates(edition: Edition) -> str:
    """`Sat 21 Nov`; of more than a day `14–21 Nov`. A subject has no room for the year, and its mail has a date."""
    if RULES[edition.kind].window <= timedelta(days=1):
        return dated(edition.day, pgettext("date format", "D j M"))
    first, last = local(edition.begins_at, edition).date(), local(edition.ends_at, edition).date()
    form = pgettext("date format", "j M")
    if first.year != last.year:
        return _between(dated(first, _with_year(form)), dated(last, form))
    if first.month != last.month:
        return _between(dated(first, form), dated(last, form))
    return pgettext("days of a month", "%(first)s–%(day)s") % {"first": first.day, "day": dated(last, form)}


def window(edition: Edition) -> str:
    """`Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)`."""
    zone = local(edition.ends_at, edition).tzname()
    told = {"begin": clock(edition.begins_at, edition), "end": clock(edition.ends_at, edition), "zone": zone}
    return _("%(begin)s to %(end)s (%(zone)s)") % told


def counts(edition: Edition) -> tuple[str, ...]:
    """What went into the digest, and what is to be looked after: `131 articles from 14 feeds`, ...."""
    unwell = len(edition.report.unwell)
    return (
        _("%(articles)s from %(feeds)s") % {"articles": articles(edition.n_articles), "feeds": feeds(edition.n_feeds)},
        _duplicates(edition.n_duplicates),
        *((need_attention(unwell),) if unwell else ()),
    )


def need_attention(n_feeds: int) -> str:
    told = ngettext("%(n)s feed needs attention", "%(n)s feeds need attention", n_feeds)
    return told % {"n": grouped(n_feeds)}


def _duplicates(n: int) -> str:
    if not n:
        return _("no duplicates")
    return ngettext("%(n)s duplicate removed", "%(n)s duplicates removed", n) % {"n": grouped(n)}


def local(moment: datetime, edition: Edition) -> datetime:
    return moment.astimezone(ZoneInfo(edition.time_zone))


def clock(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov, 06:50`, with the year where it is not the digest's."""
    at = local(moment, edition)
    return _("%(day)s, %(time)s") % {"day": day(moment, edition), "time": f"{at:%H:%M}"}


def day(moment: datetime, edition: Edition) -> str:
    """`Sat 21 Nov`, with the year where it is not the digest's."""
    on = local(moment, edition).date()
    form = pgettext("date format", "D j M")
    return dated(on, form if on.year == edition.day.year else _with_year(form))


def published(entry: Entry, edition: Edition) -> str:
    """When an article appeared, and whether that is known."""
    return clock(entry.published_at, edition) + _doubt(entry)


def published_on(entry: Entry, edition: Edition) -> str:
    """The day an article appeared, and whether that is known."""
    return day(entry.published_at, edition) + _doubt(entry)


def trend_mark(trend: Trend | None) -> str:
    """A trend in a word; "" when there is none."""
    return str(TREND_MARKS[trend]) if trend else ""


def more_from(topic: Topic) -> str:
    """`4 more from Reuters, BBC and 2 others`; "" when nobody else tells, and it was told once."""
    names = [isolated(name) for name in topic.named_sources]
    if topic.n_unnamed:
        names.append(others(topic.n_unnamed))
    if not topic.n_more:
        return _("Also in %(names)s") % {"names": listed(names)} if names else ""
    known = listed(names or [isolated(topic.lead.source) or _("the same source")])
    told = ngettext("%(n)s more from %(names)s", "%(n)s more from %(names)s", topic.n_more)
    return told % {"n": grouped(topic.n_more), "names": known}


def polls(report: FeedReport) -> str:
    """How polling went: `14 feeds were polled 96 times; 97.9 % of the polls succeeded, 2 failed.`"""
    if not report.n_polls:
        return _("No feed was polled in this time.")
    told = ngettext("%(n)s feed was polled %(times)s", "%(n)s feeds were polled %(times)s", report.n_polled)
    polled = told % {"n": grouped(report.n_polled), "times": _times(report.n_polls)}
    if not report.n_errors:
        return _("%(polled)s; every poll succeeded.") % {"polled": polled}
    failed = ngettext(
        "%(polled)s; %(share)s of the polls succeeded, %(n)s failed.",
        "%(polled)s; %(share)s of the polls succeeded, %(n)s failed.",
        report.n_errors,
    )
    share = percentage(report.success_rate or 0.0)
    return failed % {"polled": polled, "share": share, "n": grouped(report.n_errors)}


def percentage(share: float) -> str:
    """A share of 1 in per cent, cut to a tenth: never 100.0 % for less than all."""
    shown = number_format(math.floor(share * 1000 + 1e-9) / 10, decimal_pos=1)
    return pgettext("per cent", "%(share)s %%") % {"share": shown}


def movement(moved: Movement) -> str:
    """`▲ Emerging: Geneva: talks (5 articles, none before)`."""
    now = articles(moved.n_now) if moved.n_now else _("no article")
    before = grouped(moved.n_before) if moved.n_before else pgettext("number of articles", "none")
    told = {"trend": trend_mark(moved.trend), "topic": isolated(moved.label), "now": now, "before": before}
    return _("%(trend)s: %(topic)s (%(now)s, %(before)s before)") % told


def left_out(edition: Edition) -> str:
    """What was left out: `6 more topics did not fit; 3 are unchanged since the last digest.`; "" when nothing was."""
    too_many, unchanged = edition.left_out.too_many, edition.left_out.unchanged
    told = {"too_many": grouped(too_many), "n": grouped(unchanged)}
    fit = ngettext("%(too_many)s more topic did not fit", "%(too_many)s more topics did not fit", too_many) % told
    if too_many and unchanged:
        both = ngettext(
            "%(fit)s; %(n)s is unchanged since the last digest.",
            "%(fit)s; %(n)s are unchanged since the last digest.",
            unchanged,
        )
        return both % {**told, "fit": fit}
    if too_many:
        return f"{fit}."
    same = ngettext(
        "%(n)s topic is unchanged since the last digest.",
        "%(n)s topics are unchanged since the last digest.",
        unchanged,
    )
    return same % told if unchanged else ""


def nothing_new(edition: Edition) -> str:
    """The honest short note of an empty digest; "" when it has topics."""
    if not edition.is_empty:
        return ""
    between = {"begin": clock(edition.begins_at, edition), "end": clock(edition.ends_at, edition)}
    if not edition.n_articles:
        return _("Nothing new between %(begin)s and %(end)s.") % between
    if edition.left_out.unchanged:
        return _("Nothing new between %(begin)s and %(end)s that the last digest did not have.") % between
    told = ngettext(
        "Nothing of importance between %(begin)s and %(end)s: %(n)s article came, none worth %(least)s of 100.",
        "Nothing of importance between %(begin)s and %(end)s: %(n)s articles came, none worth %(least)s of 100.",
        edition.n_articles,
    )
    return told % {**between, "n": grouped(edition.n_articles), "least": int(ALSO_FROM)}


def remarkable(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What the self-checks repaired, or could not."""
    return tuple(each for each in findings if each.was_repaired or not each.is_good)


def _doubt(entry: Entry) -> str:
    return " " + _("(date uncertain)") if entry.date_uncertain else ""


def _times(n: int) -> str:
    return ngettext("once", "%(n)s times", n) % {"n": grouped(n)}


def _with_year(form: str) -> str:
    """The format of a day, with its year."""
    return pgettext("date format", "%(day)s Y") % {"day": form}


def _between(first: str, last: str) -> str:
    return pgettext("days of two months", "%(first)s – %(last)s") % {"first": first, "last": last}
