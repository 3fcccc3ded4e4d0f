"""Front pages to replace in the background. Imports nothing heavy.

A worker claims a page by setting `Digest.requested_at`, like a request does (`digests.today.refresh`), so two workers
never make the same page.
"""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from digests.edition.kinds import Kind
from digests.models import Digest
from reader.models import Subscription

OPENED_WITHIN = timedelta(days=3)  # others request a page when they come back
FRESH_FOR = timedelta(minutes=30)  # longer than for a page that is opened
CLAIM_EXPIRES_AFTER = timedelta(minutes=5)  # making a page takes seconds; then the worker has died
DELIVERED_WITHIN = timedelta(minutes=5)  # after the poll, at the latest


def stale_pages(now: datetime) -> QuerySet[Digest]:
    """Front pages that were opened lately and whose feeds have newer articles."""
    has_new = Subscription.objects.filter(
        user=OuterRef("user"), feed__last_new_at__gt=OuterRef("made_at") - DELIVERED_WITHIN
    )
    pages = Digest.objects.filter(
        _is_free(now),
        Exists(has_new),
        kind=Kind.TODAY,
        opened_at__gt=now - OPENED_WITHIN,
        made_at__lt=now - FRESH_FOR,
        begins_at__lt=F("ends_at"),
        user__is_active=True,
    )
    return pages.select_related("user").order_by("made_at")


def hold(page: Digest, now: datetime) -> bool:
    """Claim a page; False if another worker was faster. Storing the new page releases it."""
    return Digest.objects.filter(_is_free(now), pk=page.pk, made_at=page.made_at).update(requested_at=now) == 1


def _is_free(now: datetime) -> Q:
    return Q(requested_at=None) | Q(requested_at__lte=now - CLAIM_EXPIRES_AFTER)
