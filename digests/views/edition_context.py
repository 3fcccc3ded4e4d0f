"""An edition for one user: what they have read, starred and rated since, and where each title links to.

Digests are kept, articles aren't always: titles link to the reader's page if the user can still open the article, else
to the publisher's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User

from digests.edition.document import Edition, Entry, SectionName, Topic
from digests.rendering.layout import Item, Section, Sheet, sheet_of
from feeds.models import Article, Tier
from reader.access import visible_articles
from reader.articles.actions import votes_of
from reader.lists.queries import icon_of_row
from reader.lists.story_badges import RowStory, stories_of
from reader.models import ArticleState

MAX_LISTED = 12  # related articles under a topic, unless all are requested


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An article of a digest; `pk` and `article` are None if the user can no longer open it. Only leads have a `story`.
    `icon` is the digest of its source's icon."""

    entry: Entry
    pk: int | None
    is_read: bool = False
    is_starred: bool = False
    story: RowStory | None = None
    article: Article | None = None
    icon: str = ""

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
class EarlierTopic:
    """`related` are the listed articles; `is_whole` if all were requested."""

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
    """`groups` are its topics by category; one without a name if the section isn't divided."""

    section: Section
    groups: tuple[tuple[str, tuple[EarlierTopic, ...]], ...]
    unchanged: tuple[EarlierTopic, ...] = ()

    @property
    def is_top(self) -> bool:
        return self.section.name is SectionName.TOP


@dataclass(frozen=True, slots=True)
class ShownEdition:
    """`votes` are the user's likes and dislikes by article id."""

    sheet: Sheet
    sections: tuple[ShownSection, ...]
    votes: Mapping[int, str]

    @property
    def edition(self) -> Edition:
        return self.sheet.edition

    @property
    def topics(self) -> tuple[EarlierTopic, ...]:
        """Those in full, of all sections."""
        return tuple(topic for part in self.sections for _name, topics in part.groups for topic in topics)

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    @property
    def article_ids(self) -> frozenset[int]:
        """All articles of its topics."""
        unchanged = [topic for part in self.sections for topic in part.unchanged]
        entries = [entry for topic in (*self.topics, *unchanged) for entry in topic.topic.entries]
        return frozenset(entry.article_id for entry in entries if entry.article_id is not None)

    @property
    def n_repaired(self) -> int:
        """Self-checks that repaired something."""
        return sum(finding.was_repaired for finding in self.edition.findings)

    @property
    def n_faults(self) -> int:
        """Self-checks that found something they couldn't repair."""
        return sum(not finding.is_good for finding in self.edition.findings)


@dataclass(frozen=True, slots=True)
class _Known:
    """A user's articles of the edition, with their states and stories."""

    articles: Mapping[int, Article]
    states: Mapping[int, ArticleState]
    stories: Mapping[int, RowStory]
    icons: Mapping[int, str | None]
    whole: int | None

    def entry(self, entry: Entry) -> ShownEntry:
        pk = entry.article_id
        if pk is None or pk not in self.articles:
            return ShownEntry(entry, None)
        state, icon = self.states.get(pk), self.icons.get(pk) or ""
        is_read, is_starred = (state.is_read, state.is_starred) if state else (False, False)
        return ShownEntry(entry, pk, is_read, is_starred, self.stories.get(pk), self.articles[pk], icon)

    def topic(self, item: Item) -> EarlierTopic:
        related = tuple(map(self.entry, _listed(item, self.whole)))
        return EarlierTopic(item, self.entry(item.topic.lead), related, is_whole=item.number == self.whole)

    def section(self, section: Section) -> ShownSection:
        groups = tuple((group.name, tuple(map(self.topic, group.items))) for group in section.groups)
        return ShownSection(section, groups, tuple(map(self.topic, section.unchanged)))


def shown_to(user: User, edition: Edition, *, whole: int | None = None) -> ShownEdition:
    """The edition with the user's state of each article; at most five queries.

    Each topic lists at most `MAX_LISTED` related articles, topic number `whole` lists all.
    """
    sheet = sheet_of(edition)
    items = [item for section in sheet.sections for item in (*section.items, *section.unchanged)]
    leads = {item.topic.lead.article_id for item in items}
    ids = leads.union(*({entry.article_id for entry in _listed(item, whole)} for item in items))
    articles = {
        visible_article.pk: visible_article
        for visible_article in visible_articles(user)
        .filter(pk__in=filter(None, ids))
        .annotate(icon=icon_of_row(user))
        .only("story", "media", "url", "canonical_url")
    }
    states = {
        article_state.article_id: article_state
        for article_state in ArticleState.objects.filter(user=user, article__in=articles)
    }
    stories = stories_of(user, {pk: article for pk, article in articles.items() if pk in leads})
    icons = {pk: article.icon for pk, article in articles.items()}
    known = _Known(articles, states, stories, icons, whole)
    return ShownEdition(sheet, tuple(map(known.section, sheet.sections)), votes_of(user, articles))


def _listed(item: Item, whole: int | None) -> tuple[Entry, ...]:
    return item.topic.related if item.number == whole else item.topic.related[:MAX_LISTED]
