"""The list of stories: only those covered by several of the user's feeds, newest first, in constant queries."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Feed, Story
from reader.lists.queries import Cursor
from reader.models import Delivery, Quiet, Separation, Subscription
from reader.stories import list_page
from reader.stories.list_page import stories_page
from tests import make

pytestmark = pytest.mark.django_db


class Desk:
    """A user of three feeds, and other users' feeds."""

    def __init__(self) -> None:
        self.user = make.user()
        self.feeds = [make.feed(title=name) for name in ("Alpha", "Beta", "Gamma")]
        self.subscriptions = {feed.pk: make.subscription(self.user, feed) for feed in self.feeds}

    def make_story(self, title: str, feeds: Sequence[Feed], *, hours_ago: int = 1) -> Story:
        """A story with one article by each of the feeds, a minute apart."""
        articles = []
        for number, feed in enumerate(feeds):
            at = make.NOW - timedelta(hours=hours_ago) + timedelta(minutes=number)
            article = make.article(title=f"{title} {number}", feed=feed, source=feed.source, published_at=at)
            articles.append(article)
            if feed.pk in self.subscriptions:
                make.delivery(self.subscriptions[feed.pk], article)
        return make.story(*articles)

    def titles(self, cursor: Cursor | None = None) -> list[str]:
        return [row.article.title for row in stories_page(self.user, cursor).rows]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_sorts_by_latest_article(desk: Desk) -> None:
    desk.make_story("Old", desk.feeds[:2], hours_ago=9)
    desk.make_story("New", desk.feeds)
    new, old = stories_page(desk.user, None).rows
    assert (new.article.title, new.sources, new.n_articles, new.n_unread) == ("New 0", ("Alpha", "Beta", "Gamma"), 3, 3)
    assert (old.article.title, old.latest_at) == ("Old 0", make.NOW - timedelta(hours=8, minutes=59))


def test_omits_stories_of_one_feed_or_of_others(desk: Desk) -> None:
    alpha, beta, _ = desk.feeds
    desk.make_story("One feed", [alpha, alpha])
    desk.make_story("One mine", [alpha, make.feed(), make.feed()])
    desk.make_story("None mine", [make.feed(), make.feed()])
    separated = desk.make_story("Taken out", [alpha, beta])
    Separation.objects.create(user=desk.user, article=separated.articles.latest("pk"), made_at=make.NOW)
    quiet = desk.make_story("Quiet", [alpha, beta])
    Delivery.objects.filter(article=quiet.articles.latest("pk")).update(quiet=Quiet.DIGEST)
    assert desk.titles() == []


def test_shows_lead_or_else_longest_article(desk: Desk) -> None:
    story = desk.make_story("Told", [*desk.feeds[:2], make.feed()])
    first, second, foreign = story.articles.order_by("pk")
    Article.objects.filter(pk=second.pk).update(word_count=900)
    Story.objects.update(lead=first)
    assert desk.titles() == ["Told 0"]
    Story.objects.update(lead=foreign)
    assert desk.titles() == ["Told 1"]


def test_counts_article_delivered_twice_once(desk: Desk) -> None:
    story = desk.make_story("Told", desk.feeds[:2])
    make.delivery(desk.subscriptions[desk.feeds[2].pk], story.articles.earliest("pk"))
    (row,) = stories_page(desk.user, None).rows
    assert (row.n_articles, row.n_unread, len(row.sources)) == (2, 2, 3)


def test_pages_without_gaps_or_repeats(desk: Desk) -> None:
    for number in range(7):
        desk.make_story(f"Told {number}", desk.feeds[:2], hours_ago=number // 2 + 1)
    shown_titles, cursor = [], None
    for _ in range(4):
        page = stories_page(desk.user, cursor, size=2)
        shown_titles += [row.article.title for row in page.rows]
        cursor = Cursor.decode(page.next_cursor)
    assert cursor is None
    assert sorted(shown_titles) == [f"Told {number} 0" for number in range(7)]


def test_scan_is_limited_and_resumes_if_most_belong_to_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_page, "BATCH", 2)
    monkeypatch.setattr(list_page, "MAX_BATCHES", 2)
    desk.make_story("Mine", desk.feeds[:2], hours_ago=9)
    for _ in range(4):
        desk.make_story("Theirs", [make.feed(), make.feed()])
    page = stories_page(desk.user, None)
    assert page.rows == ()
    assert desk.titles(Cursor.decode(page.next_cursor)) == ["Mine 0"]


@pytest.mark.parametrize("n", [1, 9])
def test_page_takes_constant_queries(desk: Desk, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(n):
        desk.make_story("Told", desk.feeds, hours_ago=number)
    with django_assert_num_queries(3):  # stories, deliveries of their articles, leads
        stories_page(desk.user, None)


def test_page_marks_story_read_and_undoes_it(desk: Desk, client: Client) -> None:
    client.force_login(desk.user)
    story = desk.make_story("Told", desk.feeds)
    page = client.get("/stories/").content.decode()
    assert "unread</span>" not in page.partition("<main")[2]  # by font weight
    url = reverse("story_read_all", args=[story.pk])
    response = client.post(f"{url}?next=/stories/%23s{story.pk}", {"up_to": "999999999"})
    assert response["Location"] == f"/stories/#s{story.pk}"
    page = client.get("/stories/").content.decode()
    assert "all read" in page
    assert "3 articles marked as read." in page
    assert [subscription.unread_count for subscription in Subscription.objects.all()] == [0, 0, 0]


def test_empty_list_explains_how_to_fill_it(client: Client) -> None:
    client.force_login(make.user())
    assert "When at least two of your feeds report on an event" in client.get("/stories/").content.decode()
    assert "No older items." in client.get("/stories/?after=u.1.1").content.decode()


@pytest.mark.parametrize("after", ["x", "u.x.1", "u.1", "u." + "9" * 30 + ".1", "r.0.0", "\0"])
def test_invalid_cursor_shows_a_page(client: Client, after: str) -> None:
    client.force_login(make.user())
    assert client.get("/stories/", {"after": after}).status_code == 200


def test_users_are_separate(desk: Desk) -> None:
    desk.make_story("Told", desk.feeds)
    other: User = make.user()
    assert stories_page(other, None).rows == ()
