"""Which front pages are to be made anew though nobody asks at the moment. Only looks, and loads nothing heavy."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, QuerySet

from digests.kinds import Kind
from digests.models import Digest
from reader.models import Subscription

LOOKED_AT_WITHIN = timedelta(days=3)  # who was away for longer asks when they come back
FRESH_FOR = timedelta(minutes=30)  # for so long a front page stands that nobody looks at
DELIVERED_WITHIN = timedelta(minutes=5)  # of the poll that brought it, at the latest


def stale_pages(now: datetime) -> QuerySet[Digest]:
    """Front pages that somebody looked at lately and whose feeds brought something since they were made."""
    came = Subscription.objects.filter(
        user=OuterRef("user"), feed__last_new_at__gt=OuterRef("made_at") - DELIVERED_WITHIN
    )
    pages = Digest.objects.filter(
        Exists(came),
        kind=Kind.TODAY,
        looked_at__gt=now - LOOKED_AT_WITHIN,
        made_at__lt=now - FRESH_FOR,
        begins_at__lt=F("ends_at"),
        user__is_active=True,
    )
    return pages.select_related("user").order_by("made_at")
