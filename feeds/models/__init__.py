"""Feeds, articles, stories and the queues between the stages."""

from feeds.models.article import Article, CategorySynonym, Disposition, Item, Revision
from feeds.models.feed import (
    Condition,
    Feed,
    FeedKind,
    FeedStatus,
    Poll,
    PollOutcome,
    PollTally,
    Source,
    Tier,
    Tombstone,
)
from feeds.models.full_text import FullText, FullTextStatus
from feeds.models.icon import Icon
from feeds.models.integer_in import IntegerIn as IntegerIn
from feeds.models.matching import BlockingKey, Pending, Sketch, Stage, Unindexed
from feeds.models.push import PushState, PushSubscription
from feeds.models.story import Link, Split, Story, StoryChange
