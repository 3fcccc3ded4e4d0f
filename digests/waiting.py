"""Which front pages are to be made anew though nobody asks at the moment. Loads nothing heavy.

A worker holds a page by `Digest.asked_at`, as somebody does who asks for it (`digests.renewing`), so that two workers
make two pages and not one twice.
"""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from digests.kinds import Kind
from digests.models import Digest
from reader.models import Subscription

LOOKED_AT_WITHIN = timedelta(days=3)  # who was away for longer asks when they come back
FRESH_FOR = timedelta(minutes=30)  # for so long a front page stands that nobody looks at
HELD = timedelta(minutes=5)  # making a page takes seconds; whoever holds it longer has died
DELIVERED_WITHIN = timedelta(minutes=5)  # of the poll that brought it, at the latest


def stale_pages(now: datetime) -> QuerySet[Digest]:
    """Front pages that somebody looked at lately and whose feeds brought something since they were made."""
    came = Subscription.objects.filter(
        user=OuterRef("user"), feed__last_new_at__gt=OuterRef("made_at") - DELIVERED_WITHIN
    )
    pages = Digest.objects.filter(
        _is_free(now),
        Exists(came),
        kind=Kind.TODAY,
        looked_at__gt=now - LOOKED_AT_WITHIN,
        made_at__lt=now - FRESH_FOR,
        begins_at__lt=F("ends_at"),
        user__is_active=True,
    )
    return pages.select_related("user").order_by("made_at")


def hold(page: Digest, now: datetime) -> bool:
    """Hold a page for this worker; False when another was faster. Storing the new page lets it go."""
    return Digest.objects.filter(_is_free(now), pk=page.pk, made_at=page.made_at).update(asked_at=now) == 1


def _is_free(now: datetime) -> Q:
    return Q(asked_at=None) | Q(asked_at__lte=now - HELD)
