"""Hourly counts of each feed's articles, and of those the user opened.

"Opened" comes from engagements; marking as read doesn't count. An article of several feeds counts for each.
"""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Q

from reader.models import Delivery, Engagement, EngagementKind, Subscription

MONTH = timedelta(days=28)  # four weeks, whatever the month
QUARTER = timedelta(days=90)
OPENED = (EngagementKind.OPENED, EngagementKind.LIKED, EngagementKind.STARRED)
_BOTH = (False, True)  # for `is_read__in`, to use the index


def count_all(*, now: datetime) -> int:
    """Count for all users; returns how many subscriptions changed."""
    followers = User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk")
    return sum(count_for(user, now=now) for user in followers)


def count_for(user: User, *, now: datetime) -> int:
    """Count for one user; three queries, and an update for each 500 changed subscriptions."""
    quarter = Delivery.objects.filter(
        user=user, is_folded__in=_BOTH, is_read__in=_BOTH, published_at__gte=now - QUARTER
    ).order_by()
    counted = quarter.values_list("subscription").annotate(
        Count("pk"), n_month=Count("pk", filter=Q(published_at__gte=now - MONTH))
    )
    counts = {pk: (n_month, n_quarter) for pk, n_quarter, n_month in counted}
    opened = opened_since(user, now - QUARTER)
    changed = []
    for subscription in Subscription.objects.filter(user=user).only("n_month", "n_quarter", "n_opened"):
        figures = (*counts.get(subscription.pk, (0, 0)), opened.get(subscription.pk, 0))
        if figures != (subscription.n_month, subscription.n_quarter, subscription.n_opened):
            subscription.n_month, subscription.n_quarter, subscription.n_opened = figures
            changed.append(subscription)
    Subscription.objects.bulk_update(changed, ["n_month", "n_quarter", "n_opened"], batch_size=500)
    return len(changed)


def opened_since(user: User, since: datetime) -> dict[int, int]:
    """How many articles published since then the user opened, by subscription."""
    acts = Engagement.objects.filter(
        user=user, happened_at__gte=since, kind__in=OPENED, undoes=None, undone_by=None
    ).order_by()
    through = acts.filter(article__deliveries__user=user, article__deliveries__published_at__gte=since)
    counted = through.values_list("article__deliveries__subscription").annotate(Count("article", distinct=True))
    return dict(counted)
