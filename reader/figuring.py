"""How much each feed brings a person and how much of it they open, counted hourly so that pages need not.

Opened is what the log of engagements says: marking a list as read opens nothing. An article that several feeds bring
counts for each of them, as it was opened through any.
"""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Q

from reader.models import Delivery, Engagement, EngagementKind, Subscription

MONTH = timedelta(days=28)  # four weeks, whatever the month
QUARTER = timedelta(days=90)
OPENED = (EngagementKind.OPENED, EngagementKind.LIKED, EngagementKind.STARRED)
_BOTH = (False, True)  # for `is_read__in`, which keeps to the index of a person's deliveries


def count_all(*, now: datetime) -> int:
    """Count for everybody who follows anything; returns how many subscriptions changed."""
    followers = User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk")
    return sum(count_for(user, now=now) for user in followers)


def count_for(user: User, *, now: datetime) -> int:
    """Count for one person: three queries, and one writing for each 500 subscriptions that changed."""
    quarter = Delivery.objects.filter(
        user=user, is_folded__in=_BOTH, is_read__in=_BOTH, published_at__gte=now - QUARTER
    ).order_by()
    counted = quarter.values_list("subscription").annotate(
        Count("pk"), n_month=Count("pk", filter=Q(published_at__gte=now - MONTH))
    )
    brought = {pk: (n_month, n_quarter) for pk, n_quarter, n_month in counted}
    opened = opened_since(user, now - QUARTER)
    changed = []
    for each in Subscription.objects.filter(user=user).only("n_month", "n_quarter", "n_opened"):
        figures = (*brought.get(each.pk, (0, 0)), opened.get(each.pk, 0))
        if figures != (each.n_month, each.n_quarter, each.n_opened):
            each.n_month, each.n_quarter, each.n_opened = figures
            changed.append(each)
    Subscription.objects.bulk_update(changed, ["n_month", "n_quarter", "n_opened"], batch_size=500)
    return len(changed)


def opened_since(user: User, since: datetime) -> dict[int, int]:
    """How many articles published since then the person opened, by the subscription that brought them."""
    acts = Engagement.objects.filter(
        user=user, happened_at__gte=since, kind__in=OPENED, undoes=None, undone_by=None
    ).order_by()
    through = acts.filter(article__deliveries__user=user, article__deliveries__published_at__gte=since)
    counted = through.values_list("article__deliveries__subscription").annotate(Count("article", distinct=True))
    return dict(counted)
