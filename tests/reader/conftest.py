"""A user with one object of every kind, and clients to view them with."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from xml.sax.saxutils import quoteattr

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from feeds.models import Article, Feed, FullText, Story
from reader.articles.highlights import add_highlight
from reader.models import (
    ArticleState,
    BulkRead,
    Delivery,
    Duplicate,
    Engagement,
    Folder,
    Highlight,
    Import,
    InterestProfile,
    InterestTerm,
    Muted,
    Notification,
    PlaybackPosition,
    Preferences,
    Rule,
    RuleRun,
    SavedSearch,
    Sending,
    SendTarget,
    SensitivityLabel,
    Separation,
    Subscription,
    Tag,
    TaggedArticle,
    Webhook,
)
from reader.scoring.depth import DepthFeatures
from reader.send_to.webhooks import new_secret
from reader.subscriptions.unfollow import unfollow
from tests import make
from tests.reader.assessed import assess

FACTS = DepthFeatures(n_words=3, n_figures=0, has_table=False, longest_list=0, n_references=0, is_partial=False)

SOUND = {"url": "https://cdn.example/talk.mp3", "mime_type": "audio/mpeg", "length": 3_500_000}
VIDEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"

Enqueued = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class World:
    """One object of each kind that a user has."""

    user: User
    folder: Folder
    subscription: Subscription
    article: Article
    delivery: Delivery
    job: Import
    preview: Import
    notification: Notification
    story: Story
    engagement: Engagement
    term: InterestTerm
    tag: Tag
    rule: Rule
    muted: Article
    saved: SavedSearch
    sweep: BulkRead
    unfollowed: Subscription
    duplicate: Duplicate
    highlight: Highlight

    def state(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row that a request about these things could change."""
        return {
            "states": list(ArticleState.objects.order_by("pk").values_list("user", "article", "is_read", "is_starred")),
            "deliveries": list(Delivery.objects.order_by("pk").values_list("pk", "folder", "is_read", "is_seen")),
            "folders": list(Folder.objects.order_by("pk").values_list("pk", "name", "position", "is_open")),
            "subscriptions": list(
                Subscription.objects.order_by("pk").values_list("pk", "title", "folder", "position", "unread_count")
            ),
            "feeds": list(Feed.objects.order_by("pk").values_list("pk", "next_poll_at")),
            "imports": list(Import.objects.order_by("pk").values_list("pk", "status")),
            "separations": list(Separation.objects.order_by("pk").values_list("user", "article")),
            "notifications": list(Notification.objects.order_by("pk").values_list("pk", "seen_at")),
            "engagements": list(
                Engagement.objects.order_by("pk").values_list("user", "article", "kind", "happened_at", "undoes")
            ),
            "terms": list(
                InterestTerm.objects.order_by("pk").values_list("user", "term", "weight", "is_pinned", "is_muted")
            ),
            "searches": list(SavedSearch.objects.order_by("pk").values_list("user", "name", "query")),
            "profiles": list(InterestProfile.objects.order_by("pk").values_list("pk", "is_learning", "recency_rate")),
            "full_texts": list(FullText.objects.order_by("pk").values_list("article", "status")),
            "positions": list(
                PlaybackPosition.objects.order_by("pk").values_list("user", "article", "file", "seconds")
            ),
            "preferences": list(
                Preferences.objects.order_by("pk").values_list("pk", "theme", "sidebar_order", "has_keys")
            ),
            "sweeps": list(BulkRead.objects.order_by("pk").values_list("user", "n_articles", "undone_at")),
            "unfollowed": list(Subscription.everything.order_by("pk").values_list("user", "pk", "unfollowed_at")),
            "duplicates": list(Duplicate.objects.order_by("pk").values_list("user", "is_denied")),
            "labels": list(SensitivityLabel.objects.order_by("pk").values_list("user", "article", "score")),
            "tags": list(Tag.objects.order_by("pk").values_list("user", "name")),
            "highlights": list(Highlight.objects.order_by("pk").values_list("user", "quote", "note")),
            "sendings": list(Sending.objects.order_by("pk").values_list("target__user", "article", "state")),
            "targets": list(SendTarget.objects.order_by("pk").values_list("user", "service", "values")),
            "rules": list(Rule.objects.order_by("pk").values_list("user", "rows", "is_on", "n_hits")),
            "runs": list(RuleRun.objects.order_by("pk").values_list("rule", "finished_at")),
            "webhooks": list(Webhook.objects.order_by("pk").values_list("rule", "article")),
            "muted": list(Muted.objects.order_by("pk").values_list("user", "article")),
            "tagged": list(TaggedArticle.objects.order_by("pk").values_list("user", "tag", "article")),
        }

    def own_state(self) -> dict[str, list[tuple[object, ...]]]:
        """The same, without rows that other users share."""
        state = self.state()
        private = (
            "engagements",
            "terms",
            "profiles",
            "labels",
            "tags",
            "tagged",
            "rules",
            "targets",
            "sendings",
            "highlights",
            "muted",
            "searches",
            "preferences",
            "sweeps",
            "unfollowed",
            "duplicates",
        )
        return state | {name: [row for row in state[name] if row[0] == self.user.pk] for name in private}


def one_of_everything(text: str = "Morning") -> World:
    """One object of every kind, with `text` wherever users or publishers can write."""
    user = make.user()
    folder = make.folder(user, text, item_limit_per_category=3)
    feed = make.feed(
        title=text, next_poll_at=None, discovered_feeds=[{"url": "https://found.example/feed", "title": text}]
    )
    subscription = make.subscription(user, feed, folder=folder, category=text)
    media = [SOUND | {"chapters_file": {"url": f"{SOUND['url']}.json"}}, {"url": VIDEO, "mime_type": ""}]
    article = make.article(title=text, author=text, feed=feed, source=feed.source, categories=[text], media=media)
    delivery = make.delivery(subscription, article)
    subscription.feed.items.update(layer="url", evidence=text)
    job = make.job(user, name=text, status="done", message=text)
    job.lines.create(line=3, label=text, reason=text)
    listed = f"<opml><body><outline text={quoteattr(text)} xmlUrl='https://listed.example/'/></body></opml>"
    preview = make.job(user, name=text, status="preview", data=listed.encode())
    notification = make.notification(subscription, text=text)
    story = make.story(article, make.article(title=text), lead=article)  # no feed delivered the other one
    assess(article, explanation=text[:300], depth_features=asdict(FACTS))
    engagement = make.engagement(user, article, "liked")
    term = make.term(user, text[:100].lower())
    sweep = make.bulk_read(user, [article.pk])
    saved = SavedSearch.objects.create(user=user, name=text[:100], query=text)
    tag = make.tag(user, text[:60], article)
    rule = make.rule(user, name=text[:100], words=text, author=text, category=text, subscription=subscription, tag=tag)
    Rule.objects.filter(pk=rule.pk).update(url="https://hook.example/", secret=new_secret())
    muted = make.muted(rule, subscription, make.article(title=text))
    [unfollowed] = unfollow(user, [make.subscription(user, title=text[:300]).pk], now=timezone.now())
    second = make.subscription(user, title=text[:300])
    duplicate = Duplicate.objects.create(user=user, one=subscription, other=second, why="site")
    highlight = add_highlight(user, article, quote=text[:1000], note=text[:1000], now=timezone.now())
    SendTarget.objects.create(user=user, service="linkding", values={"url": "https://links.example", "token": "x"})
    return World(
        user, folder, subscription, article, delivery, job, preview, notification, story, engagement, term,
        tag, rule, muted, saved, sweep, unfollowed, duplicate, highlight,
    )  # fmt: skip


@pytest.fixture
def make_world() -> Callable[..., World]:
    return one_of_everything


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()


@pytest.fixture
def as_user(client: Client) -> Callable[[User], Client]:
    def signed_in(user: User) -> Client:
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def browser(world: World, client: Client) -> Client:
    """Signed in as the user of `world`."""
    client.force_login(world.user)
    return client


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    """The tasks that were queued; replaces the real queue, and other sites, which have nothing."""
    calls: Enqueued = []

    def record(*args: object) -> bool:
        calls.append(args)
        return True

    for module in (
        "reader.views.article",
        "reader.subscriptions.save_page",
        "reader.views.subscribe",
        "reader.views.habits",
        "reader.views.interests",
        "reader.views.push",
        "reader.views.rules",
        "reader.views.send_to",
        "reader.subscriptions.bulk_actions",
    ):
        monkeypatch.setattr(f"{module}.call_worker", record)
    monkeypatch.setattr("reader.views.article.fetch_chapters", lambda url: ())
    return calls
