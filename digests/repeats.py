"""What was in the last digest is not told again unless it moved. Pure.

A topic was told when each of its articles was shown, or is of a story that was. It moved when an article was revised
since, when a source tells it that did not then, or when it stands in a higher section now. What only shares a story or
an article with the last digest, but brings articles of its own, is told as well, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from digests.edition import SectionName
from digests.material import Candidate
from reader.scoring.sentences import joined

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
        reasons.append("updated by its publisher")
    sources = frozenset[str]().union(*(topic.sources for topic in earlier))
    joiners = list(dict.fromkeys(each.source for each in members if each.source not in sources))
    if joiners:
        reasons.append(f"now also told by {_named(joiners)}")
    highest = min((topic.section for topic in earlier), key=_RANKS.__getitem__)
    if _RANKS[section] < _RANKS[highest]:
        reasons.append(f"risen from {highest.label.lower()}")
    n_fresh = sum(each.article_id not in known and each.story_id not in stories for each in members)
    if n_fresh and not joiners:
        reasons.append("one new article" if n_fresh == 1 else f"{n_fresh} new articles")
    return f"Again since {shown.name}: {joined(reasons)}." if reasons else None


def _named(sources: Sequence[str]) -> str:
    if len(sources) <= _NAMED + 1:
        return joined(sources)
    return joined([*sources[:_NAMED], f"{len(sources) - _NAMED} others"])
