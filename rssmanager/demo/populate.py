"""Fills the demo from the sample publishers with the app's own pipeline, and counts the results."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count

from digests.assembly.make import make, make_today
from digests.edition.kinds import Kind
from digests.models import Digest, DigestTopic
from digests.schedule.plans import ensure_plans
from feeds.models import Article, Condition, Feed, Item, Poll, Revision, Source, Story
from feeds.polling import housekeeping
from feeds.polling.engine import poll_due
from feeds.polling.leases import make_due
from feeds.polling.poller import PollReport
from feeds.search.indexer import index_waiting
from feeds.stories.engine import match
from feeds.stories.event_engine import enrich
from feeds.tasks.icons import fetch_icons
from reader.models import Delivery, Engagement
from reader.scoring.rate import rate_waiting
from reader.scoring.source_signals import refresh_recent
from reader.stories.collapse import fold_queued
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions
from reader.subscriptions.importer import import_file
from reader.subscriptions.notifications import notify_subscribers
from reader.subscriptions.read_rates import count_for
from rssmanager.demo.seed_engagement import make_choices
from rssmanager.demo.server import DemoServer


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """The contents of the demo.

    `n_folded` counts entries of articles that another feed delivered earlier, `n_tied` articles in one of `n_stories`,
    `n_choices` recorded actions of the user, and `n_topics` topics of the front page.
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
    """Follow all sample feeds, including broken ones, and set the tiers of their sources."""
    import_file(user, server.opml(), name="sample publishers", now=now, default_max_items=500)
    for sample in server.feeds:
        feed = Feed.objects.select_related("source").get(url_key=Feed.key_of(sample.url))
        Source.objects.filter(pk=feed.source_id).update(tier=sample.tier)


def poll_round(*, now: datetime, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None) -> PollReport:
    """Poll all sample feeds once, and run the stages that follow a poll."""
    make_due(Feed.objects.all(), now)
    report = poll_due(on_poll=on_poll)
    index_waiting()
    match()
    move_merged_subscriptions()
    deliver()
    notify_subscribers()
    housekeeping.refresh_scores(now=now)
    fetch_icons()
    return report


def find_stories(*, on_batch: Callable[[int], None] = lambda n: None) -> None:
    """Detect events, and group their articles in lists."""
    enrich(on_batch=on_batch)
    while fold_queued():
        pass


def rate(user: User, *, now: datetime) -> None:
    """Rate all articles, record the user's actions, and rate again with their profile."""
    refresh_recent(now=now)
    rate_waiting()
    make_choices(user, now=now)
    rate_waiting()
    count_for(user, now=now)


def tell(user: User, *, now: datetime) -> Digest:
    """Create the front page and today's morning brief; neither is emailed."""
    ensure_plans(now)
    make(user, Kind.MORNING, now=now)
    return make_today(user, now=now)


def count_results(user: User, server: DemoServer) -> DemoSummary:
    """Count the demo's contents."""
    languages = Article.objects.values_list("language").annotate(n=Count("id")).order_by("-n")
    conditions = Feed.objects.values_list("condition").annotate(n=Count("id"))
    n_items, n_articles = Item.objects.count(), Article.objects.count()
    return DemoSummary(
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
    """The message of the first poll that had one; a moved feed has its polls under its new URL."""
    polls = Poll.objects.filter(feed__url_key=Feed.key_of(url)).exclude(message="").order_by("started_at")
    message = polls.values_list("message", flat=True).first()
    if message:
        return message
    is_here = Feed.objects.filter(url_key=Feed.key_of(url)).exists()
    return "responded slowly" if is_here else "moved permanently; followed to its new URL"
