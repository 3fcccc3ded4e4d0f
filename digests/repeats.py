"""What was in the last digest is not told again unless it moved. Pure.

A topic was told when each of its articles was shown, or is of a story that was. It moved when an article was revised
since, when a source tells it that did not then, or when it stands in a higher section now. What only shares a story or
an article with the last digest, but brings articles of its own, is told as well, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from digests.edition import SectionName
from digests.material import Candidate
from feeds.wording import listed

_RANKS = {SectionName.TOP: 0, SectionName.NOTEWORTHY: 1, SectionName.ALSO: 2}
_NAMED = 3  # new sources named in the sentence


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic of the last digest, as far as it matters here."""

    section: SectionName
    articles: frozenset[int]
    stories: frozenset[int]
    sources: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shown:
    """The last digest: its name in a sentence ("the morning brief"), when it was made, what it showed."""

    name: str = ""
    made_at: datetime | None = None
    topics: tuple[ShownTopic, ...] = field(default=())

    def like(self, members: Iterable[Candidate]) -> list[ShownTopic]:
        """The topics shown that share an article or a story with these."""
        ids = {each.article_id for each in members}
        stories = {each.story_id for each in members if each.story_id is not None}
        return [topic for topic in self.topics if topic.articles & ids or topic.stories & stories]


def moved(members: Sequence[Candidate], section: SectionName, shown: Shown) -> str | None:
    """Why a topic is here though it was in the last digest, in a sentence; "" if it was not, None if unmoved."""
    earlier = shown.like(members)
    if not earlier or shown.made_at is None:
        return ""
    known = frozenset[int]().union(*(topic.articles for topic in earlier))
    stories = frozenset[int]().union(*(topic.stories for topic in earlier))
    reasons = []
    if any(each.revised_at is not None and each.revised_at > shown.made_at for each in members):
        reasons.append(_("updated by its publisher"))
    sources = frozenset[str]().union(*(topic.sources for topic in earlier))
    joiners = list(dict.fromkeys(each.source for each in members if each.source not in sources))
    if joiners:
        reasons.append(_("now also told by %(names)s") % {"names": _named(joiners)})
    highest = min((topic.section for topic in earlier), key=_RANKS.__getitem__)
    if _RANKS[section] < _RANKS[highest]:
        reasons.append(_("risen from %(section)s") % {"section": highest.label.lower()})
    n_fresh = sum(each.article_id not in known and each.story_id not in stories for each in members)
    if n_fresh and not joiners:
        reasons.append(ngettext("one new article", "%(n)s new articles", n_fresh) % {"n": n_fresh})
    return (
        _("Again since %(digest)s: %(reasons)s.") % {"digest": shown.name, "reasons": listed(reasons)}
        if reasons
        else None
    )


def _named(sources: Sequence[str]) -> str:
    if len(sources) <= _NAMED + 1:
        return listed(sources)
    n_others = len(sources) - _NAMED
    return listed([*sources[:_NAMED], ngettext("%(n)s other", "%(n)s others", n_others) % {"n": n_others}])
