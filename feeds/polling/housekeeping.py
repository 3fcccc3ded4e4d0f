"""Daily jobs for all feeds: computing their health over 30 days, classifying them by their rate, and deleting old polls
and revisions."""

from datetime import datetime, timedelta

from django.db.models import Count, Q, Sum

from feeds.models import Feed, FeedStatus, Item, Poll, PollOutcome, Revision
from feeds.models.feed import SUCCESSES
from feeds.polling.health import SCORE_WINDOW, PollCounts, health_score, reliability_score
from feeds.polling.schedule import classify
from feeds.storage.retention import MAX_REVISIONS

POLL_RETENTION = timedelta(days=35)  # SPEC §2: 30 days and more
ENTRIES_FOR_RATE = 100  # newest entries of a feed that show its rate
_CHUNK = 500


def refresh_scores(*, now: datetime, since: datetime | None = None) -> int:
    """Compute health and reliability of the feeds polled after `since` (all if None); returns how many."""
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
        .exclude(outcome=PollOutcome.OUTAGE)  # not the feed's fault
        .order_by()
        .values("feed_id")
        .annotate(
            n_polls=Count("id"),
            n_successful=Count("id", filter=Q(outcome__in=SUCCESSES)),
            n_documents=Count("id", filter=Q(well_formed__isnull=False) | Q(outcome=PollOutcome.PARSE_ERROR)),
            n_valid=Count("id", filter=Q(well_formed=True)),
            total_read=Sum("n_read"),
            total_uncertain=Sum("n_uncertain_dates"),
        )
    )
    feeds = []
    for row in rows:
        counts = PollCounts(
            n_polls=row["n_polls"],
            n_successful=row["n_successful"],
            n_documents=row["n_documents"],
            n_valid=row["n_valid"],
            n_read=row["total_read"],
            n_uncertain=row["total_uncertain"],
        )
        scores = {"health_score": health_score(counts), "reliability_score": reliability_score(counts)}
        feeds.append(Feed(pk=row["feed_id"], **scores))
    Feed.objects.bulk_update(feeds, ["health_score", "reliability_score"])


def classify_feeds(*, now: datetime) -> int:
    """Classify feeds again by the rate of their newest entries; returns how many changed.

    A feed keeps its kind if it was set by hand, or if no entry has a certain date.
    """
    changed = []
    for feed in Feed.objects.filter(status=FeedStatus.ACTIVE, kind_is_fixed=False, newest_item_id__gt=0).only("kind"):
        newest = Item.objects.filter(feed=feed).order_by("-id").values_list("published_at", "article__date_uncertain")
        published = [published_at for published_at, is_uncertain in newest[:ENTRIES_FOR_RATE] if not is_uncertain]
        if published and (kind := classify(published, now=now)) != feed.kind:
            feed.kind = kind
            changed.append(feed)
    for start in range(0, len(changed), _CHUNK):
        Feed.objects.bulk_update(changed[start : start + _CHUNK], ["kind"])
    return len(changed)


def delete_old_polls(*, now: datetime) -> int:
    """Delete old poll records; returns how many."""
    return Poll.objects.filter(started_at__lt=now - POLL_RETENTION).delete()[0]


def delete_old_revisions() -> int:
    """Delete all but the latest revisions of articles that changed often; returns how many."""
    counts = Revision.objects.order_by().values("article").annotate(n=Count("pk"))
    n_deleted = 0
    for article in list(counts.filter(n__gt=MAX_REVISIONS).values_list("article", flat=True)):
        revisions = Revision.objects.filter(article=article)
        latest = list(revisions.values_list("pk", flat=True)[:MAX_REVISIONS])
        n_deleted += revisions.exclude(pk__in=latest).delete()[0]
    return n_deleted
