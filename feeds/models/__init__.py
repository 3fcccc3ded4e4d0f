"""What the world published, as rows."""

from feeds.models.article import Article, CategorySynonym, Disposition, Item, Revision
from feeds.models.feed import Condition, Feed, FeedKind, FeedStatus, Poll, PollOutcome, PollTally
from feeds.models.full_text import FullText, FullTextStatus
from feeds.models.matching import BlockingKey, Pending, Sketch, Stage
from feeds.models.searching import Unindexed
from feeds.models.source import Source, Tier
from feeds.models.story import Link, Split, Story, StoryChange
from feeds.models.tombstone import Tombstone

__all__ = [
    "Article",
    "BlockingKey",
    "CategorySynonym",
    "Condition",
    "Disposition",
    "Feed",
    "FeedKind",
    "FeedStatus",
    "FullText",
    "FullTextStatus",
    "Item",
    "Link",
    "Pending",
    "Poll",
    "PollOutcome",
    "PollTally",
    "Revision",
    "Sketch",
    "Source",
    "Split",
    "Stage",
    "Story",
    "StoryChange",
    "Tier",
    "Tombstone",
    "Unindexed",
]
