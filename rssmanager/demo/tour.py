"""Fill a reader from the sample publishers through the real engine, and count what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count

from digests.kinds import Kind
from digests.making import make, make_today
from digests.models import Digest, DigestTopic
from digests.plans import ensure_plans
from feeds import checkup
from feeds.claiming import make_due
from feeds.deduplication import match
from feeds.enrichment import enrich
from feeds.models import Article, Condition, Feed, Item, Poll, Revision, Source, Story
from feeds.polling import PollReport
from feeds.search.stage import index_waiting
from feeds.worker import poll_due
from reader.delivery import deliver
from reader.figuring import count_for
from reader.folding import fold_changes
from reader.importing import import_file
from reader.models import Delivery, Engagement
from reader.notifications import announce
from reader.rating import mark_changed, rate_waiting
from reader.standings import refresh_recent
from reader.subscriptions import settle_merged_feeds
from rssmanager.demo.choices import make_choices
from rssmanager.demo.server import DemoServer


@dataclass(frozen=True, slots=True)
class TourFindings:
    """What the reader holds after the tour. `n_folded`: deliveries of an article that another feed had brought already;
    `n_tied`: articles that stand in one of `n_stories`; `n_choices`: what the person opened, liked and skipped;
    `n_topics`: those of the front page.
    """

    n_feeds: int
    n_entries: int
    n_articles: int
    n_folded: int
    n_stories: int
    n_tied: int
    n_revisions: int
    n_unread: int
    n_rated: int
    n_choices: int
    n_topics: int
    languages: dict[str, int]
    conditions: dict[str, int]
    troubles: dict[str, str]


def subscribe(user: User, server: DemoServer, *, now: datetime) -> None:
    """Follow every sample feed, the troubled ones too, and give the publishers their tiers."""
    import_file(user, server.opml(), name="sample publishers", now=now, default_max_items=500)
    for sample in server.feeds:
        feed = Feed.objects.select_related("source").get(url_key=Feed.key_of(sample.url))
        Source.objects.filter(pk=feed.source_id).update(tier=sample.tier)


def poll_round(*, now: datetime, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None) -> PollReport:
    """Poll every sample feed once, and do all that follows a poll."""
    make_due(Feed.objects.all(), now)
    report = poll_due(on_poll=on_poll)
    index_waiting()
    match()
    settle_merged_feeds()
    deliver()
    announce()
    checkup.refresh_scores(now=now)
    return report


def tell_stories(*, on_batch: Callable[[int], None] = lambda n: None) -> None:
    """Find out who reports on the same events, and fold them in everybody's lists."""
    enrich(on_batch=on_batch)
    while fold_changes():
        pass


def rate(user: User, *, now: datetime) -> None:
    """Work out what everything is worth, let the person choose a little, and see what follows for them."""
    refresh_recent(now=now)
    rate_waiting()
    make_choices(user, now=now)
    mark_changed(now=now, user=user)
    rate_waiting()
    count_for(user, now=now)


def tell(user: User, *, now: datetime) -> Digest:
    """Make the front page and today's morning brief, neither of which is mailed."""
    ensure_plans(now)
    make(user, Kind.MORNING, now=now)
    return make_today(user, now=now)


def look_around(user: User, server: DemoServer) -> TourFindings:
    """Count what there is."""
    languages = Article.objects.values_list("language").annotate(n=Count("id")).order_by("-n")
    conditions = Feed.objects.values_list("condition").annotate(n=Count("id"))
    n_items, n_articles = Item.objects.count(), Article.objects.count()
    return TourFindings(
        n_feeds=Feed.objects.count(),
        n_entries=n_items,
        n_articles=n_articles,
        n_folded=n_items - n_articles,
        n_stories=Story.objects.count(),
        n_tied=Article.objects.exclude(story=None).count(),
        n_revisions=Revision.objects.count(),
        n_unread=Delivery.objects.filter(user=user, is_read=False).values("article").distinct().count(),
        n_rated=Delivery.objects.filter(user=user, is_rated=True).count(),
        n_choices=Engagement.objects.filter(user=user).count(),
        n_topics=DigestTopic.objects.filter(digest__user=user, digest__kind=Kind.TODAY).count(),
        languages=dict(languages),
        conditions={str(Condition(name).label): n for name, n in conditions},
        troubles={feed.title: _first_trouble(feed.url) for feed in server.feeds if feed.trouble},
    )


def _first_trouble(url: str) -> str:
    """What the first poll that had something to say said; a feed that has moved has its polls under the new address."""
    polls = Poll.objects.filter(feed__url_key=Feed.key_of(url)).exclude(message="").order_by("started_at")
    message = polls.values_list("message", flat=True).first()
    if message:
        return message
    is_here = Feed.objects.filter(url_key=Feed.key_of(url)).exists()
    return "answered, in its own time" if is_here else "moved to its new address, and was followed there"
