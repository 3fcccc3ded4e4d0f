"""How a feed did, drawn: a bar a day or a poll, in parts that lie on each other. Pure geometry and the same in words.

Lengths are units of the drawing's own grid, which the page stretches to its width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from django.utils.dateformat import format as dated
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

WIDTH, HEIGHT = 600, 64
_GAP = 0.18  # of a bar's room
_LEAST = 3.0  # height of what is there at all
_LEAST_SECONDS = 1.0  # the scale of answers: under a second, all are fast


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a feed in its person's zone: polls, of these those that brought something and those that failed;
    articles dated that day, and how many of them were opened."""

    on: date
    n_polls: int = 0
    n_new: int = 0
    n_failed: int = 0
    n_articles: int = 0
    n_opened: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of a kind: `new`, `same`, `failed`, `none`, `brought`, `opened`, `fast`."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """`words` say all of it to who does not see it; `most` is what the highest bar stands for."""

    parts: tuple[Part, ...]
    words: str
    most: str = ""
    width: int = WIDTH
    height: int = HEIGHT


def success(days: Sequence[Day]) -> Drawing:
    """A bar a day: what succeeded below, as blue as it brought something, what failed on top of it."""
    parts: list[Part] = []
    for place, day in enumerate(days):
        x, width = _room(place, len(days))
        words = _day_words(day)
        if not day.n_polls:
            parts.append(Part("none", x, HEIGHT - 2, width, 2, words))
            continue
        failed = HEIGHT * day.n_failed / day.n_polls
        if day.n_failed < day.n_polls:
            kind = "new" if day.n_new else "same"
            parts.append(_part(kind, x, failed, width, HEIGHT - failed, words))
        if day.n_failed:
            parts.append(_part("failed", x, 0, width, max(_LEAST, failed), words))
    n_polls, n_failed = sum(day.n_polls for day in days), sum(day.n_failed for day in days)
    said = ngettext("%(n)s poll in %(days)s days", "%(n)s polls in %(days)s days", n_polls)
    words = said % {"n": n_polls, "days": len(days)}
    if n_polls:
        n_bad = sum(bool(day.n_failed) for day in days)
        bad = ngettext("%(n)s failed, on %(days)s of the days", "%(n)s failed, on %(days)s of the days", n_failed)
        failures = bad % {"n": n_failed, "days": n_bad} if n_failed else _("none failed")
        return Drawing(tuple(parts), _("%(polls)s: %(failures)s.") % {"polls": words, "failures": failures})
    return Drawing(tuple(parts), _("%(polls)s.") % {"polls": words})


def answers(polls: Sequence[tuple[float, bool]]) -> Drawing:
    """A bar a poll, oldest first: its seconds, and whether it succeeded.

    The scale is that of those that succeeded, for one that waited in vain would make all others look alike.
    """
    if not polls:
        return Drawing((), _("Not polled yet."))
    usual = [seconds for seconds, is_well in polls if is_well]
    most = max([_LEAST_SECONDS, *usual])
    parts = []
    for place, (seconds, is_well) in enumerate(polls):
        x, width = _room(place, len(polls))
        height = max(_LEAST, min(1.0, seconds / most) * HEIGHT)
        words = seconds_in_words(seconds) if is_well else _("%(time)s, failed") % {"time": seconds_in_words(seconds)}
        parts.append(_part("fast" if is_well else "failed", x, HEIGHT - height, width, height, words))
    said = ngettext("The last poll", "The last %(n)s polls", len(polls)) % {"n": len(polls)}
    if usual:
        values = {"polls": said, "usual": seconds_in_words(median(usual)), "most": seconds_in_words(max(usual))}
        words = _("%(polls)s: usually answered in %(usual)s, at most in %(most)s.") % values
    else:
        words = _("%(polls)s: none was answered well.") % {"polls": said}
    return Drawing(tuple(parts), words, seconds_in_words(most))


def articles(days: Sequence[Day]) -> Drawing:
    """A bar a day: the articles dated that day, and within it, from below, those that were opened."""
    most = max((day.n_articles for day in days), default=0)
    parts = []
    for place, day in enumerate(days):
        x, width = _room(place, len(days))
        words = _articles_words(day)
        if not day.n_articles:
            parts.append(Part("none", x, HEIGHT - 2, width, 2, words))
            continue
        height = max(_LEAST, HEIGHT * day.n_articles / most)
        parts.append(_part("brought", x, HEIGHT - height, width, height, words))
        if day.n_opened:
            opened = max(_LEAST, HEIGHT * day.n_opened / most)
            parts.append(_part("opened", x, HEIGHT - opened, width, opened, words))
    n, n_opened = sum(day.n_articles for day in days), sum(day.n_opened for day in days)
    said = ngettext("%(n)s article in %(days)s days", "%(n)s articles in %(days)s days", n)
    opened_words = _("you opened %(n)s of them") % {"n": n_opened}
    told = {"articles": said % {"n": n, "days": len(days)}, "opened": opened_words}
    return Drawing(tuple(parts), _("%(articles)s; %(opened)s.") % told, str(most))


def seconds_in_words(seconds: float) -> str:
    """`0.3 s`, `12 s`."""
    return _("%(n)s s") % {"n": number_format(f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}")}


def _room(place: int, n: int) -> tuple[float, float]:
    room = WIDTH / max(n, 30)  # a few bars stay bars
    return round(place * room + room * _GAP / 2, 2), round(room * (1 - _GAP), 2)


def _part(kind: str, x: float, y: float, width: float, height: float, words: str) -> Part:
    return Part(kind, x, round(y, 2), width, round(height, 2), words)


def _day_words(day: Day) -> str:
    if not day.n_polls:
        return _("%(day)s: not asked") % {"day": _name(day.on)}
    said = ngettext("%(n)s poll", "%(n)s polls", day.n_polls) % {"n": day.n_polls}
    values = {"day": _name(day.on), "polls": said, "new": day.n_new, "failed": day.n_failed}
    return _("%(day)s: %(polls)s, %(new)s brought something, %(failed)s failed") % values


def _articles_words(day: Day) -> str:
    said = ngettext("%(n)s article", "%(n)s articles", day.n_articles) % {"n": day.n_articles}
    values = {"day": _name(day.on), "articles": said, "opened": day.n_opened}
    return _("%(day)s: %(articles)s, %(opened)s opened") % values


def _name(day: date) -> str:
    return dated(day, pgettext("date format", "j M"))
