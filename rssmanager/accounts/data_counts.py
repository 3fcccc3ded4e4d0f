"""Counts of a user's data, from indexes on their own rows."""

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from digests.edition.kinds import Kind
from digests.models import Digest, DigestPlan
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    Folder,
    Highlight,
    InterestTerm,
    Notification,
    PendingState,
    PlaybackPosition,
    Rule,
    SavedSearch,
    Subscription,
    Tag,
    TaggedArticle,
)


def count_data(user: User) -> dict[str, int]:
    """Rows of each kind. `n_waiting`: imported states whose articles haven't arrived."""

    def own(model: type[Model], **conditions: object) -> QuerySet[Model]:
        return model._default_manager.filter(user=user, **conditions)

    rows = {
        "n_feeds": own(Subscription),
        "n_folders": own(Folder),
        "n_brought": own(Delivery),
        "n_read": own(ArticleState, is_read=True),
        "n_starred": own(ArticleState, is_starred=True),
        "n_acts": own(Engagement, undoes=None),
        "n_tags": own(Tag),
        "n_tagged": own(TaggedArticle),
        "n_highlights": own(Highlight),
        "n_positions": own(PlaybackPosition),
        "n_rules": own(Rule),
        "n_searches": own(SavedSearch),
        "n_terms": own(InterestTerm),
        "n_digests": own(Digest).exclude(kind=Kind.TODAY),
        "n_plans": own(DigestPlan),
        "n_notifications": own(Notification),
        "n_waiting": own(PendingState),
    }
    return {name: queryset.order_by().count() for name, queryset in rows.items()}
