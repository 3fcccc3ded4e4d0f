"""The admin: every list and page opens, query counts don't grow with rows, and actions do what they say."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from feeds.models import CategorySynonym, Feed, FeedKind, FeedStatus, Poll, Revision, Source, Story
from feeds.publishers.attribution import attribution_of_feed
from tests import make

pytestmark = pytest.mark.django_db

LISTS = ["feed", "source", "poll", "article", "categorysynonym"]


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make.user(is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr("feeds.admin.feeds.call_worker", lambda *arguments: calls.append(arguments))
    return calls


def fill(n: int) -> None:
    for _ in range(n):
        feed = make.feed()
        make.item(feed, make.article(source=feed.source, feed=feed))
        make.poll(feed)


def run_action(admin: Client, action: str, feeds: list[Feed]) -> None:
    data = {"action": action, "_selected_action": [feed.pk for feed in feeds]}
    answer = admin.post(reverse("admin:feeds_feed_changelist"), data)
    assert answer.status_code == 302
    for feed in feeds:
        feed.refresh_from_db()


@pytest.mark.parametrize("name", LISTS)
def test_a_list_costs_the_same_for_many_rows(admin: Client, name: str) -> None:
    counts = []
    for n in (1, 20):
        fill(n)
        with CaptureQueriesContext(connection) as queries:
            assert admin.get(reverse(f"admin:feeds_{name}_changelist")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.vendor
def test_pages_open(admin: Client) -> None:
    fill(1)
    feed, poll = Feed.objects.get(), Poll.objects.get()
    article = feed.items.get().article
    Revision.objects.create(article=article, replaced_at=make.NOW, title="Before", content_hash=1)
    for name, pk in [("feed", feed.pk), ("poll", poll.pk), ("article", article.pk), ("source", feed.source_id)]:
        page = admin.get(reverse(f"admin:feeds_{name}_change", args=[pk]))
        assert page.status_code == 200
    assert "Before" in admin.get(reverse("admin:feeds_article_change", args=[article.pk])).content.decode()


def test_a_password_in_an_address_is_not_shown(admin: Client) -> None:
    feed = make.feed("https://ann:s3cret@paper.example/feed", title="", source=make.source("paper.example"))
    pages = [reverse("admin:feeds_feed_changelist"), reverse("admin:feeds_feed_change", args=[feed.pk])]
    assert all("s3cret" not in admin.get(page).content.decode() for page in pages)


def test_poll_now(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    feed = make.feed(next_poll_at=timezone.now() + timedelta(days=1))
    run_action(admin, "poll_now", [feed])
    assert feed.next_poll_at is not None
    assert feed.next_poll_at <= timezone.now()
    assert queued == [("feeds.tasks.polling.poll_feeds", [feed.pk])]


def test_pause_resume_and_revive(admin: Client) -> None:
    feeds = [make.feed(), make.feed(status=FeedStatus.DEAD, next_poll_at=None), make.feed(status=FeedStatus.MERGED)]
    run_action(admin, "pause", feeds)
    assert [feed.status for feed in feeds] == [FeedStatus.PAUSED, FeedStatus.DEAD, FeedStatus.MERGED]
    run_action(admin, "resume", feeds)
    assert [feed.status for feed in feeds] == [FeedStatus.ACTIVE, FeedStatus.ACTIVE, FeedStatus.MERGED]
    assert feeds[1].next_poll_at is not None


def test_kind_and_tier(admin: Client) -> None:
    feed = make.feed()
    run_action(admin, "set_kind_breaking", [feed])
    assert (feed.kind, feed.kind_is_fixed, feed.interval_seconds) == (FeedKind.BREAKING, True, 900)
    run_action(admin, "set_tier_2", [feed])
    assert attribution_of_feed(feed).tier == 2
    run_action(admin, "set_tier_none", [feed])
    assert attribution_of_feed(feed).tier == 5


def test_tiers_of_many_sources_at_once(admin: Client) -> None:
    sources = [make.source("a.example"), make.source("b.example")]
    data = {"action": "set_tier_3", "_selected_action": [source.pk for source in sources]}
    admin.post(reverse("admin:feeds_source_changelist"), data)
    assert set(Source.objects.filter(domain__endswith=".example").values_list("tier", flat=True)) == {3}


def test_synonyms_are_edited_in_the_list(admin: Client) -> None:
    assert CategorySynonym.objects.exists()
    assert admin.get(reverse("admin:feeds_categorysynonym_changelist")).status_code == 200


def test_an_article_shows_a_deleted_rival(admin: Client) -> None:
    rival, article = make.article(title="The rival"), make.article()
    make.item(make.feed(), article, disposition="near_duplicate", layer="title", rival=rival, measure=0.9)
    page = reverse("admin:feeds_article_change", args=[article.pk])
    assert "The rival" in admin.get(page).content.decode()
    rival.delete()
    assert admin.get(page).status_code == 200


def test_deleting_an_article_regroups_its_story(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two, three = (make.article() for _ in range(3))
    story = make.story(one, two, three)
    admin.post(reverse("admin:feeds_article_delete", args=[two.pk]), {"post": "yes"})
    assert Story.objects.get(pk=story.pk).is_stale  # should the call be lost
    assert queued == [("feeds.tasks.stories.regroup_articles", [one.pk, three.pk])]


def test_the_admin_is_for_staff() -> None:
    client = Client()
    client.force_login(make.user())
    assert client.get(reverse("admin:feeds_feed_changelist")).status_code == 302
