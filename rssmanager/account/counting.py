"""What is kept about a person, in numbers: by counting on indexes of their own rows, and no article is read."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from digests.kinds import Kind
from digests.models import Digest, DigestPlan
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    Folder,
    InterestTerm,
    KeptState,
    Notification,
    Position,
    Rule,
    SavedSearch,
    Subscription,
    Tag,
    TaggedArticle,
)


@dataclass(frozen=True, slots=True)
class Kept:
    """How many rows of each kind are a person's. `n_waiting`: states brought along whose articles have not come."""

    n_feeds: int
    n_folders: int
    n_brought: int
    n_read: int
    n_starred: int
    n_acts: int
    n_tags: int
    n_tagged: int
    n_positions: int
    n_rules: int
    n_searches: int
    n_terms: int
    n_digests: int
    n_plans: int
    n_notifications: int
    n_waiting: int


def kept_of(user: User) -> Kept:
    """All counts; a statement each."""

    def count(model: type, **which: object) -> int:
        return int(model.objects.filter(user=user, **which).order_by().count())  # type: ignore[attr-defined]

    return Kept(
        n_feeds=count(Subscription),
        n_folders=count(Folder),
        n_brought=count(Delivery),
        n_read=count(ArticleState, is_read=True),
        n_starred=count(ArticleState, is_starred=True),
        n_acts=count(Engagement, undoes=None),
        n_tags=count(Tag),
        n_tagged=count(TaggedArticle),
        n_positions=count(Position),
        n_rules=count(Rule),
        n_searches=count(SavedSearch),
        n_terms=count(InterestTerm),
        n_digests=Digest.objects.filter(user=user).exclude(kind=Kind.TODAY).count(),
        n_plans=count(DigestPlan),
        n_notifications=count(Notification),
        n_waiting=count(KeptState),
    )
