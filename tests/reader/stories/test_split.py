"""Articles that a user separates from a story, only for themselves, and puts back."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from feeds.models import Article, Story
from reader.lists.mark_all_read import mark_list_read, undo_bulk_read
from reader.models import Delivery, Separation
from reader.stories.collapse import fold
from reader.stories.detail_page import beside, story_page
from reader.stories.split import put_back, separate, story_deliveries
from tests import make

pytestmark = pytest.mark.django_db


class Desk:
    """Two users of the same three feeds with one story, folded under its lead."""

    def __init__(self) -> None:
        self.user, self.neighbour = make.user(), make.user()
        feeds = [make.feed(title=f"Feed {number}") for number in range(3)]
        self.articles = [
            make.article(title=f"Title {number}", feed=feed, source=feed.source, word_count=300 - number)
            for number, feed in enumerate(feeds)
        ]
        for user in (self.user, self.neighbour):
            for feed, article in zip(feeds, self.articles, strict=True):
                make.delivery(make.subscription(user, feed), article)
        self.story = make.story(*self.articles)
        fold([self.articles[0].pk])

    def listed(self, user: User) -> list[str]:
        deliveries = Delivery.objects.filter(user=user, is_folded=False).order_by("article")
        return [delivery.article.title for delivery in deliveries.select_related("article")]

    def post(self, name: str, article: Article, user: User | None = None, **data: str) -> str:
        client = Client()
        client.force_login(user or self.user)
        response = client.post(reverse(name, args=[article.pk]), data)
        assert response.status_code == 302
        return str(response["Location"])

    def page(self, path: str) -> str:
        client = Client()
        client.force_login(self.user)
        return client.get(path).content.decode()


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_separates_only_for_that_user(desk: Desk) -> None:
    assert (desk.listed(desk.user), desk.listed(desk.neighbour)) == (["Title 0"], ["Title 0"])
    assert separate(desk.user, desk.articles[1], now=make.NOW)
    assert (desk.listed(desk.user), desk.listed(desk.neighbour)) == (["Title 0", "Title 1"], ["Title 0"])
    assert Article.objects.filter(story=desk.story).count() == 3


def test_separating_again_changes_nothing(desk: Desk) -> None:
    separate(desk.user, desk.articles[1], now=make.NOW)
    assert not separate(desk.user, desk.articles[1], now=make.NOW)
    assert Separation.objects.count() == 1


def test_cannot_separate_article_without_story(desk: Desk) -> None:
    assert not separate(desk.user, make.article(), now=make.NOW)
    assert not Separation.objects.exists()


def test_puts_article_back(desk: Desk) -> None:
    separate(desk.user, desk.articles[1], now=make.NOW)
    assert put_back(desk.user, desk.articles[1])
    assert desk.listed(desk.user) == ["Title 0"]
    assert not put_back(desk.user, desk.articles[1])


def test_separating_the_lead_makes_the_next_best_lead(desk: Desk) -> None:
    separate(desk.user, desk.articles[0], now=make.NOW)
    assert desk.listed(desk.user) == ["Title 0", "Title 1"]
    page = story_page(desk.user, desk.story, now=make.NOW)
    assert page.title == "Title 1"
    assert [row.article.title for row in page.apart] == ["Title 0"]


def test_story_page_offers_to_put_it_back(desk: Desk) -> None:
    url = reverse("story", args=[desk.story.pk])
    page_after = desk.post("article_separate", desk.articles[2], next=url)
    assert page_after == url
    page = desk.page(url)
    assert "You removed 1 article from this story" in page
    assert f'formaction="/articles/{desk.articles[2].pk}/put-back/"' in page
    assert f'id="a{desk.articles[2].pk}"' not in page
    desk.post("article_put_back", desk.articles[2], next=url)
    page = desk.page(url)
    assert "You removed" not in page
    assert f'id="a{desk.articles[2].pk}"' in page


def test_fully_separated_story_can_be_restored(desk: Desk) -> None:
    for article in desk.articles:
        desk.post("article_separate", article)
    page = desk.page(reverse("story", args=[desk.story.pk]))
    assert "You removed all articles from this story" in page
    assert page.count("/put-back/") == 3
    assert page.count("<h1") == 1


def test_article_page_offers_to_put_it_back(desk: Desk) -> None:
    url = reverse("article", args=[desk.articles[1].pk])
    assert "Remove from story" in desk.page(url)
    desk.post("article_separate", desk.articles[1], next=url)
    page = desk.page(url)
    assert "You removed this from a story" in page
    assert "Also in this story" not in page
    assert "put-back/" in page
    other = beside(desk.user, desk.articles[0])
    assert other is not None
    assert [row.article.title for row in other.others] == ["Title 2"]


def test_message_confirms_separation(desk: Desk) -> None:
    client = Client()
    client.force_login(desk.user)
    url = reverse("article_separate", args=[desk.articles[1].pk])
    assert "Removed “Title 1” from its story, for you only." in client.post(url, follow=True).content.decode()
    assert "“Title 1” is no longer in a story." in client.post(url, follow=True).content.decode()
    page = client.post(reverse("article_put_back", args=[desk.articles[1].pk]), follow=True).content.decode()
    assert "“Title 1” is back in its story." in page


def test_redirects_to_the_story_by_default(desk: Desk) -> None:
    article = desk.articles[1]
    assert desk.post("article_separate", article) == f"/stories/{desk.story.pk}/?of={article.pk}"
    Story.objects.all().delete()
    assert desk.post("article_separate", article) == f"/articles/{article.pk}/"
    assert desk.post("article_put_back", article) == f"/articles/{article.pk}/"
    assert not Separation.objects.exists()


def test_marking_the_story_read_can_be_undone(desk: Desk) -> None:
    bulk_read = mark_list_read(desk.user, story_deliveries(desk.user, desk.story), up_to=10**9, now=make.NOW)
    assert bulk_read is not None
    assert bulk_read.n_articles == 3
    assert desk.listed(desk.user) == ["Title 0"]
    assert not Delivery.objects.filter(user=desk.user, is_read=False).exists()
    assert Delivery.objects.filter(user=desk.neighbour, is_read=False).count() == 3
    assert mark_list_read(desk.user, story_deliveries(desk.user, desk.story), up_to=10**9, now=make.NOW) is None
    assert undo_bulk_read(desk.user, bulk_read, now=make.NOW) == 3
    assert Delivery.objects.filter(user=desk.user, is_read=False).count() == 3
    assert desk.listed(desk.user) == ["Title 0"]
