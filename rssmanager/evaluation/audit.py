"""What grouping made of real feeds: every story with its titles and evidence, to be read by eye.

A story is of *one publisher* (copies and new versions only) or of *several*. Reading them shows what figures on
labelled sets hide: the series, templates and boilerplate of ordinary feeds.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from feeds.dedup.comparable import Match, publisher_of
from feeds.dedup.in_memory import Document, find_stories
from feeds.models import Article, Link
from feeds.normalizing.domains import registrable_domain
from feeds.storage.origins import PUBLISHER_COLUMNS, publisher

ONE, SEVERAL = "one publisher", "several publishers"
MAX_EVIDENCE = 12  # lines of a story

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Item:
    """An article of a story."""

    title: str
    publisher: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class AuditedStory:
    """A story of two or more items, in order of publication, and its strongest links: the numbers of two items (from 0)
    with the evidence."""

    items: tuple[Item, ...]
    evidence: tuple[tuple[int, int, str], ...]

    @property
    def kind(self) -> str:
        return ONE if len({item.publisher for item in self.items}) == 1 else SEVERAL


@dataclass(frozen=True, slots=True)
class Audit:
    """The stories, largest first, out of `n` articles."""

    n: int
    stories: tuple[AuditedStory, ...]

    def of_kind(self, kind: str) -> tuple[AuditedStory, ...]:
        return tuple(story for story in self.stories if story.kind == kind)


def audit_documents(documents: Sequence[Document], *, policy: str) -> Audit:
    """Group documents in memory, as the app does."""
    found = find_stories(documents, policy=policy, events=True)
    items = {
        n: Item(
            document.title,
            publisher_of(
                url=document.url,
                domain=registrable_domain(document.url) if document.url else "",
                name=document.source,
            ),
            document.published_at,
        )
        for n, document in enumerate(documents)
    }
    return _audit(items, dict(enumerate(found.numbers)), found.matches)


def audit_database() -> Audit:
    """The stored stories and links of this installation."""
    rows = Article.objects.values_list("pk", "story_id", "title", "published_at", *PUBLISHER_COLUMNS)
    items, stories = {}, {}
    for pk, story, title, published_at, *published_by in rows.iterator():
        items[pk] = Item(title, publisher(*published_by), published_at)
        stories[pk] = -pk if story is None else story
    matches = {
        (link.one_id, link.other_id): Match(
            link.disposition, link.layer, link.measure, link.closeness, link.evidence, link.joins
        )
        for link in Link.objects.filter(one__story__isnull=False).iterator()
    }
    return _audit(items, stories, matches)


def as_json(audit: Audit) -> dict[str, object]:
    """Counts by kind: stories, the articles in them, and the largest."""
    return {
        "n": audit.n,
        **{
            kind.replace(" ", "_"): {
                "stories": len(stories),
                "articles": sum(len(story.items) for story in stories),
                "largest": max((len(story.items) for story in stories), default=0),
            }
            for kind in (ONE, SEVERAL)
            for stories in [audit.of_kind(kind)]
        },
    }


def as_text(audit: Audit) -> str:
    """Every story by kind, largest first, with its evidence."""
    lines = []
    for kind in (ONE, SEVERAL):
        stories = audit.of_kind(kind)
        n_articles = sum(len(story.items) for story in stories)
        word = "story" if len(stories) == 1 else "stories"
        lines += ["", f"{kind.capitalize()}: {len(stories):,} {word}, {n_articles:,} of {audit.n:,} articles"]
        for number, story in enumerate(stories, 1):
            lines += ["", f"{kind[0]}{number}"]
            for position, item in enumerate(story.items, 1):
                date = f"{item.published_at:%Y-%m-%d %H:%M}" if item.published_at else "undated"
                lines.append(f"  {position:3} {date}  {item.publisher}: {item.title}")
            lines += [f"      {one + 1} and {other + 1}: {evidence}" for one, other, evidence in story.evidence]
    return "\n".join(lines[1:])


def _audit(items: Mapping[int, Item], stories: Mapping[int, int], matches: Mapping[Pair, Match]) -> Audit:
    members: dict[int, list[int]] = defaultdict(list)
    for name, story in stories.items():
        members[story].append(name)
    evidence: dict[int, list[tuple[Pair, Match]]] = defaultdict(list)
    for (one, other), match in matches.items():
        if stories.get(one) == stories.get(other, -1):
            evidence[stories[one]].append(((one, other), match))
    audited = [_audited_story(items, names, evidence[story]) for story, names in members.items() if len(names) > 1]
    return Audit(len(items), tuple(sorted(audited, key=lambda story: (-len(story.items), story.items[0].title))))


def _audited_story(
    items: Mapping[int, Item], names: Sequence[int], matches: Sequence[tuple[Pair, Match]]
) -> AuditedStory:
    ordered = sorted(names, key=lambda name: (str(items[name].published_at or ""), name))
    at = {name: position for position, name in enumerate(ordered)}
    strongest = sorted(matches, key=lambda entry: (not entry[1].joins, -entry[1].closeness, entry[0]))
    lines = []
    for (one, other), match in strongest[:MAX_EVIDENCE]:
        first, second = sorted((at[one], at[other]))
        lines.append((first, second, f"{match.layer}, {match.closeness:.2f}: {match.evidence}"))
    return AuditedStory(tuple(items[name] for name in ordered), tuple(lines))
