"""Full texts: asked for once an article, fetched from its own page in the background, kept for everybody.

What is fetched is for reading. Search, stories and scores go on with what the feed gave: it came for all articles alike
and before they were compared, and a text that arrives when somebody asks would change what others see.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from feeds.models import FullText, FullTextStatus

CLAIM = timedelta(minutes=5)  # a page takes two minutes at the very most: three tries of 30 s, then the extractor
ASK_AGAIN_AFTER = timedelta(seconds=60)  # pages are on other people's servers


def ask_for(article_ids: Collection[int], *, now: datetime) -> int:
    """Let the pages of these articles be fetched where nobody asked before; returns for how many nobody had."""
    known = set(FullText.objects.filter(article__in=article_ids).values_list("article", flat=True))
    new = [FullText(article_id=pk, asked_at=now) for pk in sorted(set(article_ids) - known)]
    FullText.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def ask_again(full_text: FullText, *, now: datetime) -> bool:
    """Let a page be fetched anew; False while it is underway, or was tried less than a minute ago."""
    settled = FullText.objects.filter(pk=full_text.pk).exclude(
        status__in=(FullTextStatus.WAITING, FullTextStatus.FETCHING)
    )
    old = settled.filter(Q(fetched_at=None) | Q(fetched_at__lte=now - ASK_AGAIN_AFTER))
    return bool(old.update(status=FullTextStatus.WAITING, asked_at=now, claimed_at=None))


def waiting(now: datetime) -> QuerySet[FullText]:
    """What a worker may take: not begun, or begun by one that did not come back."""
    lapsed = Q(status=FullTextStatus.FETCHING, claimed_at__lte=now - CLAIM)
    return FullText.objects.filter(Q(status=FullTextStatus.WAITING) | lapsed)
