"""The articles of a story as they are told to one person: copies of one text together, and why each stands there.

Pure, apart from the rows it is given.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from feeds.models import Article, Disposition, Tier
from reader.reasons import Reason, Rival, reason


@dataclass(frozen=True, slots=True)
class Told:
    """One article of the story: `source` as this person calls it, `also_in` the others of their feeds that carry it.

    `reason` says why it stands here, None for the lead and where only articles between tie it.
    """

    article: Article
    source: str
    also_in: tuple[str, ...]
    tier: Tier | None
    is_read: bool
    is_starred: bool = False
    is_separate: bool = False
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """One text: the fullest of its versions, and the others, earliest first."""

    head: Told
    copies: tuple[Told, ...]


class Tie(NamedTuple):
    """A link as one of its articles sees it."""

    rival_id: int
    publisher: str
    disposition: str
    layer: str
    closeness: float
    evidence: str
    joins: bool


def tier_of(article: Article) -> Tier | None:
    """The tier that a person gave the feed, else that of the source; None when neither is known any more."""
    own = article.feed.tier if article.feed else None
    tier = own or (article.source.tier if article.source else None)
    return Tier(tier) if tier else None


def reports_of(shown: Sequence[Told], ties: Mapping[int, Sequence[Tie]], lead_id: int | None) -> tuple[Report, ...]:
    """What is shown of a story, the lead's text first, then in the order of time. `ties` of all its articles."""
    by_id = {each.article.pk: each for each in shown}
    texts = [sorted(text, key=lambda each: rank(each, lead_id)) for text in _texts(shown, ties)]
    texts.sort(key=lambda text: rank(text[0], lead_id))
    lead = {text[0].article.pk for text in texts[:1]}
    reports = []
    for head, *copies in texts:
        others = [
            replace(each, reason=_reason(each, ties, by_id, {head.article.pk}, joins=True))
            for each in sorted(copies, key=_time)
        ]
        why = None if head.article.pk in lead else _reason(head, ties, by_id, lead, joins=False)
        reports.append(Report(replace(head, reason=why), tuple(others)))
    return (*reports[:1], *sorted(reports[1:], key=lambda each: _time(each.head)))


def _time(told: Told) -> tuple[datetime, int]:
    return told.article.published_at, told.article.pk


def rank(told: Told, lead_id: int | None) -> tuple[bool, int, int, datetime, int]:
    """Who leads, the smallest first: the story's lead, then the fullest, then the better tier, then the earliest."""
    article = told.article
    return article.pk != lead_id, -article.word_count, told.tier or Tier.T5, article.published_at, article.pk


def _texts(shown: Sequence[Told], ties: Mapping[int, Sequence[Tie]]) -> list[list[Told]]:
    """The articles in groups of one text each: copies, and copies of copies, those not shown included."""
    home: dict[int, int] = {}
    for number, start in enumerate([*ties, *(each.article.pk for each in shown)]):
        waiting = [start]
        while waiting:
            pk = waiting.pop()
            if pk not in home:
                home[pk] = number
                waiting += [tie.rival_id for tie in ties.get(pk, ()) if tie.joins and _is_one_text(tie)]
    texts: dict[int, list[Told]] = defaultdict(list)
    for each in shown:
        texts[home[each.article.pk]].append(each)
    return list(texts.values())


def _is_one_text(tie: Tie) -> bool:
    return tie.disposition != Disposition.SAME_EVENT


def _reason(
    told: Told,
    ties: Mapping[int, Sequence[Tie]],
    by_id: Mapping[int, Told],
    preferred: Collection[int],
    *,
    joins: bool,
) -> Reason | None:
    """The best of what ties the article: to one that is seen, to a preferred one, then the closest."""
    fitting = [tie for tie in ties.get(told.article.pk, ()) if _is_one_text(tie) == joins]
    if not fitting:
        return None
    best = max(
        fitting, key=lambda tie: (tie.rival_id in by_id, tie.rival_id in preferred, tie.closeness, -tie.rival_id)
    )
    seen = by_id.get(best.rival_id)
    rival = Rival(best.publisher)
    is_later = best.rival_id < told.article.pk
    if seen is not None:
        rival = Rival(seen.source, best.rival_id, seen.article.title, seen.article.language)
        is_later = seen.article.published_at <= told.article.published_at
    return reason(best.disposition, rival, layer=best.layer, evidence=best.evidence, is_later=is_later)
