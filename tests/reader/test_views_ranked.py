"""The lists For you and Important, and the score in each row."""

import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.lists.queries import PAGE_SIZE
from reader.models import Delivery, Subscription
from reader.scoring.decay import RATES, decay_key
from reader.scoring.importance import static_importance
from reader.scoring.ranked_order import slot_of
from tests import make
from tests.reader.assessed import assess

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


@pytest.fixture
def subscription(reader: User) -> Subscription:
    return make.subscription(reader)


def make_rated(
    subscription: Subscription,
    title: str,
    *,
    relevance: float = 50.0,
    shared_importance: float = 15.5,
    at: datetime | None = None,
    **sensitivity: int,
) -> Article:
    """A rated article, by default of an hour ago."""
    at = at or timezone.now() - timedelta(hours=1)
    article = make.article(title=title, published_at=at)
    delivery = make.delivery(subscription, article)
    fast = sensitivity.get("own", 3)
    assess(article, shared_importance=shared_importance, authority=100.0 if shared_importance > 25 else 50.0)
    Delivery.objects.filter(pk=delivery.pk).update(
        relevance=relevance,
        static_importance=static_importance(shared_importance, 25, relevance),
        slot=slot_of(at),
        sensitivity=fast,
        decay_key=decay_key(relevance, rate=RATES[fast], published_at=at),
    )
    return article


def titles(client: Client, path: str) -> list[str]:
    return [row.article.title for row in client.get(path).context["page"].rows]


def test_each_list_has_its_own_order(client: Client, subscription: Subscription) -> None:
    make_rated(subscription, "relevant", relevance=90.0)
    make_rated(subscription, "important", relevance=20.0, shared_importance=50.0)
    assert titles(client, "/for-you/") == ["relevant", "important"]
    assert titles(client, "/important/") == ["important", "relevant"]


def test_lists_only_the_users_unread_articles(client: Client, reader: User, subscription: Subscription) -> None:
    make_rated(subscription, "unread")
    read = make_rated(subscription, "read")
    Delivery.objects.filter(article=read).update(is_read=True)
    make_rated(make.subscription(make.user()), "theirs")
    for path in ("/for-you/", "/important/"):
        assert titles(client, path) == ["unread"]


def test_everything_in_it_can_be_marked_as_read(client: Client, subscription: Subscription) -> None:
    make_rated(subscription, "A bridge opens")
    page = client.get("/for-you/")
    assert "data-mark-all" in page.content.decode()
    later = make.delivery(subscription, make.article())
    answer = client.post(page.context["mark_all_url"], {"up_to": page.context["newest"], "next": "/for-you/"})
    assert answer["Location"] == "/for-you/"
    assert list(Delivery.objects.filter(is_read=False)) == [later]
    assert "data-mark-all" not in client.get("/for-you/").content.decode()


def test_pages_lead_to_the_end(client: Client, subscription: Subscription) -> None:
    for number in range(PAGE_SIZE + 3):
        make_rated(subscription, f"{number:03}", relevance=number)
    first = client.get("/for-you/")
    cursor = first.context["page"].next_cursor
    text = first.content.decode()
    assert f'<a class="button" rel="next" href="/for-you/?after={cursor}"' in text
    second = client.get("/for-you/", {"after": cursor})
    assert [row.article.title for row in second.context["page"].rows] == ["002", "001", "000"]
    assert "You've reached the end." in second.content.decode()


@pytest.mark.parametrize("cursor", ["", "nonsense", "1_nan_1", "1_inf_1", "'; --", "1_0x1p0_1\x00"])
def test_invalid_cursor_shows_the_first_page(client: Client, subscription: Subscription, cursor: str) -> None:
    make_rated(subscription, "here")
    for path in ("/for-you/", "/important/"):
        response = client.get(path, {"after": cursor})
        assert [row.article.title for row in response.context["page"].rows] == ["here"]


@pytest.mark.parametrize("path", ["/for-you/", "/important/"])
def test_empty_list_explains_how_to_fill_it(client: Client, reader: User, path: str) -> None:
    assert "You aren't following any feeds yet." in client.get(path).content.decode()
    subscription = make.subscription(reader)
    assert "You're all caught up." in client.get(path).content.decode()
    make.delivery(subscription, make.article())
    assert "Your 1 unread article will appear here" in client.get(path).content.decode()


def test_row_describes_score_and_links_to_explanation(client: Client, subscription: Subscription) -> None:
    article = make_rated(subscription, "A bridge opens", relevance=80.0)
    [link] = re.findall(r'<a class="score".*?</a>', client.get("/important/").content.decode(), re.DOTALL)
    assert f'href="/articles/{article.pk}/why/?next=%2Fimportant%2F%23a{article.pk}"' in link
    points = 0.25 * 50 + 0.2 * 97 + 0.2 * 25 + 0.2 * 80 + 0.15 * 20
    label = f"Importance {points:.0f} of 100: authority 50, recency 97, corroboration 25, relevance 80, depth 20. Why?"
    assert f'aria-label="{label}"' in link
    [drawn] = re.findall(r'class="part" d="([^"]+)"', link)
    assert drawn.count("M") == 5


def test_for_you_shows_time_adjusted_relevance(client: Client, subscription: Subscription) -> None:
    make_rated(subscription, "A bridge opens", relevance=80.0, own=5)
    text = client.get("/for-you/").content.decode()
    assert '<span class="points">80</span>' in text
    Article.objects.update(published_at=timezone.now() - timedelta(days=10))
    text = client.get("/for-you/").content.decode()
    assert '<span class="points">50</span>' in text
    assert "Relevance now 50 of 100; importance" in text


def test_unrated_row_shows_no_score(client: Client, subscription: Subscription) -> None:
    make.delivery(subscription, make.article())
    text = client.get(reverse("home")).content.decode()
    assert 'class="row"' in text
    assert 'class="score"' not in text


@pytest.mark.parametrize("path", ["/for-you/", "/important/"])
@pytest.mark.parametrize(("n", "queries"), [(1, 17), (30, 18), (120, 18)])
def test_page_takes_constant_queries(
    client: Client,
    subscription: Subscription,
    django_assert_num_queries: DjangoAssertNumQueries,
    path: str,
    n: int,
    queries: int,
) -> None:
    for number in range(n):
        make_rated(subscription, f"{number:03}", relevance=number % 100)
    client.get(path)
    whole_band = n == 120 and path == "/important/"  # of which more rows are read than a page shows
    has_reasons = path == "/for-you/"
    with django_assert_num_queries(queries + whole_band + has_reasons):
        client.get(path)
