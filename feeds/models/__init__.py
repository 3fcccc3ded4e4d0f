"""What the world published, as rows."""

from feeds.models.article import Article, CategorySynonym, Disposition, Item, Revision
from feeds.models.feed import Condition, Feed, FeedKind, FeedStatus, Poll, PollOutcome
from feeds.models.source import Source, Tier

__all__ = [
    "Article",
    "CategorySynonym",
    "Condition",
    "Disposition",
    "Feed",
    "FeedKind",
    "FeedStatus",
    "Item",
    "Poll",
    "PollOutcome",
    "Revision",
    "Source",
    "Tier",
]
