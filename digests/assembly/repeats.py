"""Topics of the last digest are only repeated if something changed. Pure.

A topic was shown if each of its articles was, or is of a story that was. It is repeated if an article was revised
since, if it has a new source, or if it rises to a higher section. A topic that shares a story or an article with the
last digest but has new articles is shown as well, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from digests.edition.candidates import Candidate
from digests.edition.document import SectionName
from feeds.wording import join_list

_RANKS = {SectionName.TOP: 0, SectionName.NOTEWORTHY: 1, SectionName.ALSO: 2}
_NAMED = 3  # new sources listed by name


@dataclass(frozen=True, slots=True)
class EarlierTopic:
    """A topic of the last digest."""

    section: SectionName
    articles: frozenset[int]
    stories: frozenset[int]
    sources: frozenset[str]


@dataclass(frozen=True, slots=True)
class EarlierDigest:
    """The last digest: its name in a sentence ("the morning brief"), when it was made, its topics."""

    name: str = ""
    made_at: datetime | None = None
    topics: tuple[EarlierTopic, ...] = field(default=())

    def similar_to(self, members: Iterable[Candidate]) -> list[EarlierTopic]:
        """The topics that share an article or a story with these members."""
        ids = {member.article_id for member in members}
        stories = {member.story_id for member in members if member.story_id is not None}
        return [topic for topic in self.topics if topic.articles & ids or topic.stories & stories]


def repeat_reason(members: Sequence[Candidate], section: SectionName, shown: EarlierDigest) -> str | None:
    """Why a topic is repeated from the last digest, in a sentence; "" if it is new, None if it is unchanged."""
    earlier = shown.similar_to(members)
    if not earlier or shown.made_at is None:
        return ""
    known = frozenset[int]().union(*(topic.articles for topic in earlier))
    stories = frozenset[int]().union(*(topic.stories for topic in earlier))
    reasons = []
    if any(member.revised_at is not None and member.revised_at > shown.made_at for member in members):
        reasons.append(_("updated by its publisher"))
    sources = frozenset[str]().union(*(topic.sources for topic in earlier))
    new_sources = list(dict.fromkeys(member.source for member in members if member.source not in sources))
    if new_sources:
        reasons.append(_("now also covered by %(names)s") % {"names": _named(new_sources)})
    highest = min((topic.section for topic in earlier), key=_RANKS.__getitem__)
    if _RANKS[section] < _RANKS[highest]:
        reasons.append(_("up from “%(section)s”") % {"section": highest.label})
    n_new = sum(member.article_id not in known and member.story_id not in stories for member in members)
    if n_new and not new_sources:
        reasons.append(ngettext("one new article", "%(n)s new articles", n_new) % {"n": n_new})
    return (
        _("Changed since %(digest)s: %(reasons)s.") % {"digest": shown.name, "reasons": join_list(reasons)}
        if reasons
        else None
    )


def _named(sources: Sequence[str]) -> str:
    if len(sources) <= _NAMED + 1:
        return join_list(sources)
    n_others = len(sources) - _NAMED
    return join_list([*sources[:_NAMED], ngettext("%(n)s other", "%(n)s others", n_others) % {"n": n_others}])
