"""An edition as one person sees it now: what they have read, starred and said since, and where each title leads.

A digest is kept for good; its articles are not. What the person may still open leads to the reader's own page, anything
else to its publisher. Figures and sentences are those of the digest, in the words of `digests.rendering`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User

from digests.edition import Edition, Entry, SectionName, Topic
from digests.rendering.sheet import Item, Section, Sheet, sheet_of
from feeds.models import Article, Tier
from reader.access import visible_articles
from reader.acting import votes_of
from reader.models import ArticleState
from reader.story_rows import RowStory, stories_of

MOST_LISTED = 12  # related articles under a topic, unless all of them are asked for


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An article of a digest; `pk` is None when the person cannot open it any more. `story` is asked for leads only."""

    entry: Entry
    pk: int | None
    is_read: bool = False
    is_starred: bool = False
    story: RowStory | None = None

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def link(self) -> str:
        """The publisher's page."""
        return self.entry.url

    @property
    def tier(self) -> Tier | None:
        return Tier(self.entry.tier) if self.entry.tier in Tier.values else None


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """`related` are those listed; `is_whole` if a person asked for all of them."""

    item: Item
    lead: ShownEntry
    related: tuple[ShownEntry, ...]
    is_whole: bool = False

    @property
    def topic(self) -> Topic:
        return self.item.topic

    @property
    def n_unlisted(self) -> int:
        """Related articles that are not listed."""
        return self.topic.n_more - len(self.related)

    @property
    def can_list_more(self) -> bool:
        return len(self.related) < len(self.topic.related)


@dataclass(frozen=True, slots=True)
class ShownSection:
    """`groups` are its topics by category; one without a name where the section is not divided."""

    section: Section
    groups: tuple[tuple[str, tuple[ShownTopic, ...]], ...]

    @property
    def is_top(self) -> bool:
        return self.section.name is SectionName.TOP


@dataclass(frozen=True, slots=True)
class ShownEdition:
    """`votes` is what the person said of the articles, by number."""

    sheet: Sheet
    sections: tuple[ShownSection, ...]
    votes: Mapping[int, str]

    @property
    def edition(self) -> Edition:
        return self.sheet.edition

    @property
    def n_repaired(self) -> int:
        """Self-checks that repaired something."""
        return sum(each.was_repaired for each in self.edition.findings)

    @property
    def n_faults(self) -> int:
        """Self-checks that found what they could not repair."""
        return sum(not each.is_good for each in self.edition.findings)


@dataclass(frozen=True, slots=True)
class _Known:
    """What one person has done with the articles they may open, and the rest of their stories."""

    articles: Mapping[int, Article]
    states: Mapping[int, ArticleState]
    stories: Mapping[int, RowStory]
    whole: int | None

    def entry(self, entry: Entry) -> ShownEntry:
        pk = entry.article_id
        if pk is None or pk not in self.articles:
            return ShownEntry(entry, None)
        state = self.states.get(pk)
        is_read, is_starred = (state.is_read, state.is_starred) if state else (False, False)
        return ShownEntry(entry, pk, is_read, is_starred, self.stories.get(pk))

    def topic(self, item: Item) -> ShownTopic:
        related = tuple(map(self.entry, _listed(item, self.whole)))
        return ShownTopic(item, self.entry(item.topic.lead), related, is_whole=item.number == self.whole)

    def section(self, section: Section) -> ShownSection:
        groups = tuple((group.name, tuple(map(self.topic, group.items))) for group in section.groups)
        return ShownSection(section, groups)


def shown_to(user: User, edition: Edition, *, whole: int | None = None) -> ShownEdition:
    """The edition with what the user may do with each article; five queries at most, whatever it holds.

    Under each topic at most `MOST_LISTED` related articles are listed, of the topic number `whole` all that are kept.
    """
    sheet = sheet_of(edition)
    items = [item for section in sheet.sections for item in section.items]
    leads = {item.topic.lead.article_id for item in items}
    ids = leads.union(*({entry.article_id for entry in _listed(item, whole)} for item in items))
    articles = {each.pk: each for each in visible_articles(user).filter(pk__in=filter(None, ids)).only("story")}
    states = {each.article_id: each for each in ArticleState.objects.filter(user=user, article__in=articles)}
    stories = stories_of(user, {pk: each for pk, each in articles.items() if pk in leads})
    known = _Known(articles, states, stories, whole)
    return ShownEdition(sheet, tuple(map(known.section, sheet.sections)), votes_of(user, articles))


def _listed(item: Item, whole: int | None) -> tuple[Entry, ...]:
    """The related articles of a topic that its page lists."""
    return item.topic.related if item.number == whole else item.topic.related[:MOST_LISTED]
