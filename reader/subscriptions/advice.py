"""Advice on feeds that are gone, failing, silent or never read. Pure.

There is none for feeds the user chose to keep, and "never read" needs a month and a few articles.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.polling.schedule import LONG_SILENCE
from reader.subscriptions.filters import DEAD_AFTER, FOLLOWED_LEAST, MIN_UNREAD


@dataclass(frozen=True, slots=True)
class Facts:
    """`n_articles` of 90 days, of which `n_opened`; `failing_since`: None while it works; `last_at`: of its newest
    article, None without any."""

    followed_at: datetime
    n_articles: int = 0
    n_opened: int = 0
    last_at: datetime | None = None
    failing_since: datetime | None = None
    is_gone: bool = False
    is_digest_only: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence and the actions to offer, by their names in `bulk_actions`."""

    sentence: str
    acts: tuple[str, ...]


def advice(facts: Facts, *, now: datetime) -> Advice | None:
    """The most serious advice; None if all is well or the user keeps the feed."""
    if facts.is_kept:
        return None
    if facts.is_gone:
        return Advice(_("This feed is gone for good."), ("unfollow", "keep"))
    if facts.failing_since is not None and now - facts.failing_since >= DEAD_AFTER:
        n = (now - facts.failing_since).days
        text = ngettext(
            "This feed has failed for %(n)s day. It may be gone.",
            "This feed has failed for %(n)s days. It may be gone.",
            n,
        )
        return Advice(text % {"n": n}, ("unfollow", "poll", "keep"))
    if facts.last_at is not None and now - facts.last_at >= LONG_SILENCE:
        n = (now - facts.last_at).days
        text = ngettext(
            "No new article for %(n)s day. You can keep it in case it comes back.",
            "No new article for %(n)s days. You can keep it in case it comes back.",
            n,
        )
        return Advice(text % {"n": n}, ("unfollow", "keep"))
    return _never_read(facts, now)


def _never_read(facts: Facts, now: datetime) -> Advice | None:
    is_early = now - facts.followed_at < FOLLOWED_LEAST or facts.n_articles < MIN_UNREAD
    if is_early or facts.n_opened or facts.is_digest_only:
        return None
    sentence = ngettext(
        "You opened none of its %(n)s article in 90 days.",
        "You opened none of its %(n)s articles in 90 days.",
        facts.n_articles,
    )
    return Advice(sentence % {"n": facts.n_articles}, ("unfollow", "digest_only", "keep"))


def figures(
    *, n_month: int, n_quarter: int, n_opened: int, added_at: datetime, last_at: datetime | None, now: datetime
) -> str:
    """`12 articles a week, 31% opened`. `added_at`: when the feed was; `last_at`: of its newest article, None without
    any. "" for a new feed whose articles aren't counted yet."""
    if not n_quarter:
        if now - (last_at or added_at) >= LONG_SILENCE:
            return _("no article in 90 days")
        return "" if last_at else _("no article yet")
    return _("%(rate)s, %(share)s") % {"rate": _rate(n_month), "share": _share(n_quarter, n_opened)}


def _rate(n_month: int) -> str:
    weekly = n_month / (timedelta(days=28) / timedelta(weeks=1))
    if weekly >= 1:
        n = round(weekly)
        return ngettext("%(n)s article a week", "%(n)s articles a week", n) % {"n": n}
    if n_month:
        return ngettext("%(n)s article in 4 weeks", "%(n)s articles in 4 weeks", n_month) % {"n": n_month}
    return _("no article in 4 weeks")


def _share(n_quarter: int, n_opened: int) -> str:
    if not n_opened:
        return _("none opened")
    return _("%(share)s%% opened") % {"share": max(1, min(100, round(100 * n_opened / n_quarter)))}
