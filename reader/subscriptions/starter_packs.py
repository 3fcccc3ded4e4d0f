"""Starter feeds by topic, from `starters.tsv`."""

import functools
from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib import resources
from itertools import groupby

from django.utils.translation import gettext_lazy, pgettext_lazy

from feeds.subscription_lists.model import ListedFeed

_FILE = "starters.tsv"
_TOPICS = {
    "World": pgettext_lazy("topic of feeds", "World"),
    "News": pgettext_lazy("topic of feeds", "News"),
    "Science": pgettext_lazy("topic of feeds", "Science"),
    "Technology": pgettext_lazy("topic of feeds", "Technology"),
    "Programming": pgettext_lazy("topic of feeds", "Programming"),
    "Business": pgettext_lazy("topic of feeds", "Business"),
    "Climate": pgettext_lazy("topic of feeds", "Climate"),
    "Culture": pgettext_lazy("topic of feeds", "Culture"),
    "Comics": pgettext_lazy("topic of feeds", "Comics"),
    "Blogs": pgettext_lazy("topic of feeds", "Blogs"),
}

# Terms for a new user's interests: one or two words that articles use, in the user's language.
SUGGESTED_TOPICS = (
    gettext_lazy("politics"),
    gettext_lazy("economy"),
    gettext_lazy("climate"),
    gettext_lazy("science"),
    gettext_lazy("space"),
    gettext_lazy("health"),
    gettext_lazy("technology"),
    gettext_lazy("artificial intelligence"),
    gettext_lazy("programming"),
    gettext_lazy("security"),
    gettext_lazy("design"),
    gettext_lazy("books"),
    gettext_lazy("film"),
    gettext_lazy("music"),
    gettext_lazy("art"),
    gettext_lazy("history"),
    gettext_lazy("games"),
    gettext_lazy("football"),
    gettext_lazy("food"),
    gettext_lazy("travel"),
)


@dataclass(frozen=True, slots=True)
class StarterSet:
    """The feeds of one topic, as the table calls it; each has the topic as its folder."""

    topic: str
    feeds: tuple[ListedFeed, ...]

    @property
    def name(self) -> str:
        """The topic in the active language."""
        return topic_name(self.topic)


def topic_name(topic: str) -> str:
    """A topic in the active language; languages keep their native names."""
    return str(_TOPICS.get(topic, topic))


@functools.cache
def starter_sets() -> tuple[StarterSet, ...]:
    """All sets, in the order of the file."""
    table = resources.files("reader").joinpath(_FILE).read_text(encoding="utf-8")
    feeds = [_feed(line) for line in table.splitlines()[1:]]
    by_topic = groupby(feeds, key=lambda feed: feed.folder[0])
    return tuple(StarterSet(topic, tuple(several)) for topic, several in by_topic)


def chosen(urls: Collection[str], topics: Collection[str] = ()) -> tuple[ListedFeed, ...]:
    """The feeds whose addresses or topics were chosen, in folders named in the language of the moment.

    What is not in the table is left out.
    """
    wanted = frozenset(urls)
    return tuple(
        replace(feed, folder=(starter_set_.name,))
        for starter_set_ in starter_sets()
        for feed in starter_set_.feeds
        if feed.url in wanted or starter_set_.topic in topics
    )


def _feed(line: str) -> ListedFeed:
    topic, language, title, url, site_url = line.split("\t")
    return ListedFeed(url=url, title=title, site_url=site_url, folder=(topic,), language=language)
