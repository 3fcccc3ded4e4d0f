"""What a person might do about a feed, from how it does and how much of it they open. Decides only.

Nobody is told twice: who keeps a feed says so once. Nobody is told early either: of a feed followed for less than a
month, or with hardly an article, nothing can be said.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.scheduling import SILENCE_ASK
from reader.feed_filters import DEAD_AFTER, FOLLOWED_LEAST, LEAST_UNREAD


@dataclass(frozen=True, slots=True)
class Facts:
    """`n_articles` of 90 days, of which `n_opened`; `failing_since` None while it answers; `last_at`, None before its
    first article."""

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
    """A sentence and the acts that answer it, by the names of `reader.feed_acts`."""

    sentence: str
    acts: tuple[str, ...]


def advice(facts: Facts, *, now: datetime) -> Advice | None:
    """The gravest thing to be said; None if all is well or the person keeps the feed."""
    if facts.is_kept:
        return None
    if facts.is_gone:
        return Advice(_("It is gone for good, and nothing new will come."), ("unfollow", "keep"))
    if facts.failing_since is not None and now - facts.failing_since >= DEAD_AFTER:
        n = (now - facts.failing_since).days
        told = ngettext(
            "It has not answered well for %(n)s day. It may be gone.",
            "It has not answered well for %(n)s days. It may be gone.",
            n,
        )
        return Advice(told % {"n": n}, ("unfollow", "poll", "keep"))
    if facts.last_at is not None and now - facts.last_at >= SILENCE_ASK:
        n = (now - facts.last_at).days
        told = ngettext(
            "It has brought no article for %(n)s day. It costs next to nothing to keep.",
            "It has brought no article for %(n)s days. It costs next to nothing to keep.",
            n,
        )
        return Advice(told % {"n": n}, ("unfollow", "keep"))
    return _never_read(facts, now)


def _never_read(facts: Facts, now: datetime) -> Advice | None:
    is_early = now - facts.followed_at < FOLLOWED_LEAST or facts.n_articles < LEAST_UNREAD
    if is_early or facts.n_opened or facts.is_digest_only:
        return None
    sentence = ngettext(
        "You opened none of its %(n)s article of 90 days.",
        "You opened none of its %(n)s articles of 90 days.",
        facts.n_articles,
    )
    return Advice(sentence % {"n": facts.n_articles}, ("unfollow", "digest_only", "keep"))


def figures(*, n_month: int, n_quarter: int, n_opened: int) -> str:
    """How much comes and how much of it is opened: `12 articles a week, 31 % opened`."""
    if not n_quarter:
        return _("no article in 90 days")
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
    return _("%(share)s %% opened") % {"share": max(1, min(100, round(100 * n_opened / n_quarter)))}
