"""The articles of a story for one user, grouped into copies of one text, with the reason for each. Pure."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from feeds.models import Article, Disposition, Tier
from reader.stories.link_reasons import OtherArticle, Reason, reason


@dataclass(frozen=True, slots=True)
class StoryArticle:
    """An article of the story: `source` by the user's name for it, `icon` the digest of its icon, `also_in` the user's
    other feeds that have it.

    `reason`: why it's in the story, None for the lead and for articles linked only through others.
    """

    article: Article
    source: str
    also_in: tuple[str, ...]
    tier: Tier
    is_read: bool
    is_starred: bool = False
    is_separate: bool = False
    reason: Reason | None = None
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One text: its most complete version, and the others, earliest first."""

    head: StoryArticle
    copies: tuple[StoryArticle, ...]


class ArticleLink(NamedTuple):
    """A link, from the perspective of one of its articles."""

    rival_id: int
    publisher: str
    disposition: str
    layer: str
    closeness: float
    evidence: str
    joins: bool


def reports_of(
    shown: Sequence[StoryArticle], links: Mapping[int, Sequence[ArticleLink]], positions: Mapping[int, int]
) -> tuple[Report, ...]:
    """The story as reports, the lead first, then by time. `links` of all its articles; the lowest position leads."""

    def position(member: StoryArticle) -> int:
        return positions.get(member.article.pk, len(positions))

    by_id = {member.article.pk: member for member in shown}
    texts = [sorted(text, key=position) for text in _texts(shown, links)]
    texts.sort(key=lambda text: position(text[0]))
    lead = {text[0].article.pk for text in texts[:1]}
    reports = []
    for head, *copies in texts:
        others = [
            replace(copy, reason=_reason(copy, links, by_id, {head.article.pk}, joins=True))
            for copy in sorted(copies, key=_time)
        ]
        why = None if head.article.pk in lead else _reason(head, links, by_id, lead, joins=False)
        reports.append(Report(replace(head, reason=why), tuple(others)))
    return (*reports[:1], *sorted(reports[1:], key=lambda report: _time(report.head)))


def _time(member: StoryArticle) -> tuple[datetime, int]:
    return member.article.published_at, member.article.pk


def _texts(shown: Sequence[StoryArticle], links: Mapping[int, Sequence[ArticleLink]]) -> list[list[StoryArticle]]:
    """The articles grouped by text: copies, and copies of copies, also through articles that aren't shown."""
    home: dict[int, int] = {}
    for number, start in enumerate([*links, *(member.article.pk for member in shown)]):
        waiting = [start]
        while waiting:
            pk = waiting.pop()
            if pk not in home:
                home[pk] = number
                waiting += [link.rival_id for link in links.get(pk, ()) if link.joins and _is_same_text(link)]
    texts: dict[int, list[StoryArticle]] = defaultdict(list)
    for member in shown:
        texts[home[member.article.pk]].append(member)
    return list(texts.values())


def _is_same_text(link: ArticleLink) -> bool:
    return link.disposition != Disposition.SAME_EVENT


def _reason(
    member: StoryArticle,
    links: Mapping[int, Sequence[ArticleLink]],
    by_id: Mapping[int, StoryArticle],
    preferred: Collection[int],
    *,
    joins: bool,
) -> Reason | None:
    """The best reason for the article: a link to a visible article, to a preferred one, then the closest."""
    candidates = [link for link in links.get(member.article.pk, ()) if _is_same_text(link) == joins]
    if not candidates:
        return None
    best = max(
        candidates,
        key=lambda link: (link.rival_id in by_id, link.rival_id in preferred, link.closeness, -link.rival_id),
    )
    visible = by_id.get(best.rival_id)
    rival = OtherArticle(best.publisher)
    is_later = best.rival_id < member.article.pk
    if visible is not None:
        rival = OtherArticle(visible.source, best.rival_id, visible.article.title, visible.article.language)
        is_later = visible.article.published_at <= member.article.published_at
    return reason(best.disposition, rival, layer=best.layer, evidence=best.evidence, is_later=is_later)
