"""What is looked after daily for all feeds at once: their health over 30 days, and records that are kept no longer."""

from datetime import datetime, timedelta

from django.db.models import Count, Q, Sum

from feeds.health import SCORE_WINDOW, PollCounts, health_score, reliability_score
from feeds.models import Feed, Poll, Revision
from feeds.models.feed import SUCCESSES
from feeds.retention import MOST_REVISIONS

POLLS_KEPT = timedelta(days=35)  # SPEC §2: 30 days and more
_CHUNK = 500


def refresh_scores(*, now: datetime, since: datetime | None = None) -> int:
    """Compute health and reliability of the feeds polled after `since` (of all, without it); returns how many."""
    feeds = Feed.objects.filter(last_polled_at__isnull=False)
    if since is not None:
        feeds = feeds.filter(last_polled_at__gt=since)
    ids = list(feeds.values_list("pk", flat=True))
    for start in range(0, len(ids), _CHUNK):
        _refresh(ids[start : start + _CHUNK], now)
    return len(ids)


def _refresh(ids: list[int], now: datetime) -> None:
    rows = (
        Poll.objects.filter(feed__in=ids, started_at__gt=now - SCORE_WINDOW)
        .order_by()
        .values("feed_id")
        .annotate(
            n_polls=Count("id"),
            n_successful=Count("id", filter=Q(outcome__in=SUCCESSES)),
            n_read=Count("id", filter=Q(well_formed__isnull=False)),
            n_valid=Count("id", filter=Q(well_formed=True)),
            total_entries=Sum("n_entries"),
            total_uncertain=Sum("n_uncertain_dates"),
        )
    )
    feeds = []
    for row in rows:
        counts = PollCounts(
            n_polls=row["n_polls"],
            n_successful=row["n_successful"],
            n_read=row["n_read"],
            n_valid=row["n_valid"],
            n_entries=row["total_entries"],
            n_uncertain=row["total_uncertain"],
        )
        scores = {"health_score": health_score(counts), "reliability_score": reliability_score(counts)}
        feeds.append(Feed(pk=row["feed_id"], **scores))
    Feed.objects.bulk_update(feeds, ["health_score", "reliability_score"])


def forget_old_polls(*, now: datetime) -> int:
    """Delete poll records past their time; returns how many."""
    return Poll.objects.filter(started_at__lt=now - POLLS_KEPT).delete()[0]


def forget_old_revisions() -> int:
    """Delete all but the latest revisions of articles that changed again and again; returns how many."""
    counted = Revision.objects.order_by().values("article").annotate(n=Count("pk"))
    n_forgotten = 0
    for article in list(counted.filter(n__gt=MOST_REVISIONS).values_list("article", flat=True)):
        of_article = Revision.objects.filter(article=article)
        kept = list(of_article.values_list("pk", flat=True)[:MOST_REVISIONS])
        n_forgotten += of_article.exclude(pk__in=kept).delete()[0]
    return n_forgotten
