"""Two users, one of whom follows a private feed: nothing of it reaches the other by any way out."""

import io
import zipfile
from collections.abc import Iterator
from email.utils import format_datetime

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from digests.assembly.make import preview
from digests.edition.kinds import Kind
from digests.rendering.as_json import as_json
from feeds.dedup.comparable import Match
from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Article, Feed, Item, Link, Story
from feeds.normalizing.identity import own_key
from feeds.polling.poller import Poller
from feeds.search.indexer import index_waiting
from feeds.storage import ingest
from feeds.storage.drafts import NormalizingRules
from feeds.stories.engine import match
from feeds.stories.store import StoryRules, replace_links
from feeds.tasks.stories import refresh_purged_stories
from reader.access import visible_articles
from reader.models import ArticleState, Delivery, Subscription
from reader.scoring.rate import rate_waiting
from reader.stories.collapse import fold_queued
from reader.subscriptions.delivery import deliver
from reader.subscriptions.private import set_private
from reader.subscriptions.save_page import save_page
from rssmanager.accounts.exporting import export_zip
from rssmanager.api.streams import READING_LIST
from tests import make
from tests.feeds.servers import ScriptedServer, answer
from tests.feeds.storing import plan, store
from tests.make_draft import draft
from tests.rssmanager.api.conftest import App
from tests.rssmanager.api.v1.conftest import Script

pytestmark = pytest.mark.django_db(transaction=True)

SECRET_ADDRESSES = ("/f?token=hush", "/members/9f8a7b6c5d4e3f2a1b0c/feed", "/f?auth=abc123")
SECRETS = ("quicksilver", "TOKEN", "Ledger")
LONG = "The members of the harbour guild met on Tuesday, and voted about the widening of the northern lock. " * 6
PRIVATE = f"<p>{LONG}</p><p>Only for members: the quicksilver stays.</p><img src='https://paper.example/p.png?k=TOKEN'>"
PUBLIC = f"<p>{LONG}</p>"


class Town:
    """A server with a private and a public feed that list the same links, and their followers."""

    def __init__(self, secret: str) -> None:
        self.server = ScriptedServer()
        limits = FetchLimits(allow_private_networks=True, total_seconds=2, connect_seconds=2)
        self.fetcher = Fetcher(limits, user_agent="rssmanager/test", wait=lambda seconds: None)
        private = document(
            "Ledger", PRIVATE, "<enclosure url='https://paper.example/e.mp3?auth=TOKEN' type='audio/mpeg'/>"
        )
        self.private = make.feed(self.server.on(secret, *[answer(200, private)] * 9), title="Members")
        self.public = make.feed(self.server.on("/open", *[answer(200, document("Digest", PUBLIC))] * 9), title="Open")
        self.ada, self.ben = make.user("ada"), make.user("ben")
        make.subscription(self.ada, self.private)
        make.subscription(self.ben, self.public)

    def poll(self, *feeds: Feed) -> None:
        """Poll these feeds one after the other, and run all stages."""
        for feed in feeds:
            Feed.objects.update(next_poll_at=None)
            Feed.objects.filter(pk=feed.pk).update(next_poll_at=timezone.now())
            Poller(self.fetcher, rules=NormalizingRules(), concurrency=1, per_domain=1, clock=timezone.now).run()
            deliver()
            index_waiting()
            match()
            fold_queued()
            rate_waiting()

    def close(self) -> None:
        self.fetcher.close()
        self.server.close()


def document(author: str, markup: str, enclosure: str = "") -> bytes:
    """Two entries, as every feed of the town lists them."""
    when = format_datetime(timezone.now())
    items = "".join(
        f"<item><guid isPermaLink='false'>{author}-{n}</guid><link>https://paper.example/{n}</link>"
        f"<title>Guild votes to widen the northern lock of the harbour, part {name}</title>"
        f"<author>{author}</author><pubDate>{when}</pubDate><description><![CDATA[{markup}]]></description>{enclosure}</item>"
        for n, name in ((1, "one"), (2, "two"))
    )
    return f"<rss version='2.0'><channel><title>Paper</title>{items}</channel></rss>".encode()


@pytest.fixture(params=SECRET_ADDRESSES)
def town(request: pytest.FixtureRequest) -> Iterator[Town]:
    town = Town(request.param)
    yield town
    town.close()


def ways_out(user: User) -> dict[str, str]:
    """Everything that a user can see of any article, by the way out."""
    browser = Client()
    browser.force_login(user)
    app, script = App(user), Script(user)
    pages = {"/", "/all/", "/for-you/", "/important/", "/stories/", "/starred/", "/health/"}
    pages |= {"/search/?q=quicksilver", "/search/?q=guild"}
    for pk, story in Article.objects.values_list("pk", "story_id"):
        pages |= {f"/articles/{pk}/", f"/articles/{pk}/why/", f"/articles/{pk}/related/", f"/articles/{pk}/changes/"}
        pages |= {f"/stories/{story}/"} if story else set()
    pages |= {f"/feeds/{pk}/" for pk in Subscription.objects.values_list("pk", flat=True)}
    found = {page: browser.get(page, follow=True).content.decode() for page in sorted(pages)}
    found["Google Reader"] = app.get(f"stream/contents/{READING_LIST}", n=100).content.decode()
    everything = [str(pk) for pk in Article.objects.values_list("pk", flat=True)]
    found["Google Reader items"] = app.post("stream/items/contents", i=everything).content.decode()
    found["Fever"] = str(app.fever("items")) + str(app.fever(f"items&with_ids={','.join(everything)}"))
    found["JSON API"] = str(script.get("articles"))
    for pk in everything:
        found[f"JSON API {pk}"] = script.ask("GET", f"articles/{pk}").content.decode()
    digest = preview(user, Kind.MORNING, now=timezone.now())
    found["digest"] = str(as_json(digest)) if digest else ""
    archive = zipfile.ZipFile(io.BytesIO(b"".join(export_zip(user, now=timezone.now()))))
    found["export"] = "".join(archive.read(name).decode() for name in archive.namelist())
    return found


def leaks(user: User) -> list[str]:
    """The ways out by which the user sees anything of the private feed; a search page repeats what was searched for."""
    return [
        way
        for way, content in ways_out(user).items()
        if any(secret in content.replace("q=quicksilver", "").replace('value="quicksilver"', "") for secret in SECRETS)
        and not (way.startswith("/search/?q=quick") and "the quicksilver stays" not in content)
    ]


@pytest.mark.parametrize("first", ["private", "public"])
def test_nothing_reaches_other_users(town: Town, first: str) -> None:
    feeds = (town.private, town.public) if first == "private" else (town.public, town.private)
    town.poll(*feeds, *feeds)
    save_page(town.ben, "https://paper.example/1", now=timezone.now())
    assert leaks(town.ben) == []
    assert {"/", "Google Reader", "Fever", "export"} - set(leaks(town.ada)) <= {"/", "export"}
    assert Delivery.objects.filter(user=town.ada).count() == 2
    assert not Link.objects.exists()
    assert not Story.objects.exists()


@pytest.mark.parametrize("town", ["/f?token=hush"], indirect=True)
def test_follower_reads_the_private_version(town: Town) -> None:
    town.poll(town.public, town.private)
    make.subscription(town.ada, town.public)
    town.poll(town.public, town.private)
    texts = Delivery.objects.filter(user=town.ada).values_list("article__text", flat=True)
    assert sorted("quicksilver" in text for text in texts) == [False, False, True, True]


def test_what_a_user_marks_as_private_is_withdrawn_from_others() -> None:
    town = Town("/unrecognized")
    try:
        town.poll(town.public, town.private)
        shared, other = Article.objects.order_by("pk")  # each is in both feeds
        assert "quicksilver" in shared.text
        ArticleState.objects.create(user=town.ada, article=shared, is_starred=True, starred_at=timezone.now())
        assert Delivery.objects.filter(user=town.ben, article=other).exists()
        [mine] = Subscription.objects.filter(user=town.ada)
        assert set_private(mine, True, now=timezone.now())
        town.poll()
        index_waiting()
        assert leaks(town.ben) == []
        articles = Article.objects.filter(deliveries__user=town.ada)
        assert ["quicksilver" in article.text for article in articles] == [True, True]
        assert ArticleState.objects.filter(user=town.ada, article__in=articles, is_starred=True).count() == 1
        town.poll(town.public, town.private)  # the public feed brings its own text
        assert leaks(town.ben) == []
        assert all("northern lock" in text for text in Delivery.objects.values_list("article__text", flat=True))
        assert Article.objects.count() == 4
    finally:
        town.close()


def test_only_the_sole_follower_makes_it_public_again() -> None:
    feed = make.feed("https://paper.example/f?token=hush")
    ours = make.subscription(make.user(), feed)
    theirs = make.subscription(make.user(), feed)
    assert not set_private(ours, False, now=timezone.now())
    feed.refresh_from_db()
    assert feed.is_private
    theirs.delete()
    assert set_private(ours, False, now=timezone.now())
    feed.refresh_from_db()
    assert not feed.is_private


def test_settings_mark_a_feed_as_private(client: Client) -> None:
    subscription = make.subscription(make.user())
    client.force_login(subscription.user)
    page = f"/feeds/{subscription.pk}/edit/"
    client.post(page, {"is_private": "on"})
    assert Feed.objects.get().is_private
    assert "Private feed" in client.get(f"/feeds/{subscription.pk}/health/").content.decode()
    client.post(page, {})
    assert not Feed.objects.get().is_private


def test_marking_a_feed_takes_its_articles_out_of_their_stories() -> None:
    reader, other = make.subscription(make.user()), make.subscription(make.user())
    mine, theirs, third = make.article(feed=reader.feed), make.article(feed=other.feed), make.article(feed=other.feed)
    make.delivery(reader, mine)
    for article in (theirs, third):
        make.delivery(other, article)
    story = make.story(mine, theirs, third)
    Item.objects.filter(article=theirs).update(
        layer="title", evidence="titles alike", rival=mine, disposition="near_duplicate"
    )
    assert set_private(reader, True, now=timezone.now())
    refresh_purged_stories()
    mine.refresh_from_db()
    story.refresh_from_db()
    assert (mine.story, mine.is_unmatched, story.n_articles) == (None, True, 2)
    assert story.lead != mine
    assert list(Link.objects.values_list("one", "other")) == [(theirs.pk, third.pk)]
    assert Item.objects.filter(article=theirs, rival=None, evidence="", disposition="unique").exists()


@pytest.fixture
def members() -> Subscription:
    """The subscription of a feed that isn't recognized as private, with one article."""
    subscription = make.subscription(make.user("ada"), make.feed("https://members.example/feed"))
    store(subscription.feed, [draft("m", text=f"quicksilver. {LONG}")], now=make.NOW)
    return subscription


def texts_of(user: User) -> list[str]:
    return list(visible_articles(user).values_list("text", flat=True))


def test_nobody_makes_a_feed_private_that_others_follow(members: Subscription) -> None:
    other = make.subscription(make.user("eve"), members.feed)
    assert not set_private(other, True, now=make.NOW)
    assert not Feed.objects.get().is_private
    other.user.is_staff = True
    assert set_private(other, True, now=make.NOW)
    assert Feed.objects.get().is_private


def test_article_that_others_keep_gets_no_later_edits(members: Subscription) -> None:
    ben = make.user("ben")
    kept = Article.objects.get()
    ArticleState.objects.create(user=ben, article=kept, is_starred=True, starred_at=make.NOW)
    assert set_private(members, True, now=make.NOW)
    before = texts_of(ben)
    members.feed.refresh_from_db()
    edited = draft("m", text=f"Second edition. {LONG}", url_key=own_key(draft("m").url_key, members.feed.owner))
    store(members.feed, [edited], now=make.NOW)
    assert texts_of(ben) == before
    assert "Second edition" in members.feed.items.get().article.text


def test_poll_that_was_planned_before_is_planned_again(members: Subscription) -> None:
    public = make.feed("https://open.example/feed")
    planned = plan(public, [draft("o", text="Short.")], now=make.NOW)
    assert set_private(members, True, now=make.NOW)
    with pytest.raises(IntegrityError):
        ingest.write([planned])
    store(public, [draft("o", text="Short.")], now=make.NOW)
    assert public.items.get().article.text == "Short."


def test_comparison_that_had_begun_links_nothing(members: Subscription) -> None:
    public = make.feed("https://open.example/feed")
    store(public, [draft("o", url="https://open.example/o", text=f"quicksilver. {LONG}")], now=make.NOW)
    found = {
        tuple(sorted(Article.objects.values_list("pk", flat=True))): Match("near_duplicate", "content", 0.0, 1.0, "")
    }
    assert set_private(members, True, now=make.NOW)
    replace_links([public.items.get().article_id], found, StoryRules(), layers=("content",), up_to=0, then=lambda: None)
    assert not Link.objects.exists()
    assert not Story.objects.exists()


def test_marking_twice_keeps_everything(members: Subscription) -> None:
    public = make.feed("https://open.example/feed")
    for is_private in (True, False, True):
        assert set_private(members, is_private, now=make.NOW)
        store(public, [draft("o", text="Short.")], now=make.NOW)
    assert "quicksilver" in members.feed.items.get().article.text
    assert public.items.get().article.text == "Short."
