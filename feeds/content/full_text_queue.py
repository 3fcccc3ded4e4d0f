"""Full texts: requested once per article, fetched from its page in the background and shared by all users.

They are for reading and for the summaries of digests. Search, stories and scores use the feed's text, which all
articles have; otherwise one user's request would change what others see.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from feeds.models import FullText, FullTextStatus

CLAIM = timedelta(minutes=5)  # a page takes at most a minute: 15 s, the same in a queue, then the extractor
RETRY_AFTER = timedelta(seconds=60)


def request_full_texts(article_ids: Collection[int], *, now: datetime) -> int:
    """Request the pages of these articles, unless requested before; returns the number of new requests."""
    known = set(FullText.objects.filter(article__in=article_ids).values_list("article", flat=True))
    new = [FullText(article_id=pk, requested_at=now) for pk in sorted(set(article_ids) - known)]
    FullText.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def request_again(full_text: FullText, *, now: datetime) -> bool:
    """Request a page again; False while it is being fetched or was tried less than a minute ago."""
    finished = FullText.objects.filter(pk=full_text.pk).exclude(
        status__in=(FullTextStatus.WAITING, FullTextStatus.FETCHING)
    )
    old = finished.filter(Q(fetched_at=None) | Q(fetched_at__lte=now - RETRY_AFTER))
    return bool(old.update(status=FullTextStatus.WAITING, requested_at=now, claimed_at=None))


def waiting(now: datetime) -> QuerySet[FullText]:
    """Pages to fetch: not started, or started by a worker that crashed."""
    expired = Q(status=FullTextStatus.FETCHING, claimed_at__lte=now - CLAIM)
    return FullText.objects.filter(Q(status=FullTextStatus.WAITING) | expired)
