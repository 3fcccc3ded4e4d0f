"""Why an article is in For you: the same in the list as in the explanation of its score."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from feeds.models import Article
from reader.interests.engagement import record_action
from reader.interests.terms import add_starting_interests
from reader.models import Delivery, InterestTerm, Subscription
from reader.scoring.explain import explain
from reader.scoring.rate import rate_waiting
from reader.scoring.reasons import Reason, reasons_of
from reader.subscriptions.read_rates import count_for
from tests import make

pytestmark = pytest.mark.django_db

COUNCIL = "The council votes on money for roads and schools this spring."


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    for number in range(20):
        add(make.subscription(user), f"Budget {number}", COUNCIL)
    return user


def add(subscription: Subscription, title: str, text: str = "", **values: object) -> Article:
    source = make.source()
    article = make.article(
        title=title, text=text, language="en", source=source, feed=subscription.feed, published_at=make.NOW, **values
    )
    make.delivery(subscription, article)
    return article


def reason_of(user: User, article: Article) -> Reason | None:
    relevance = Delivery.objects.get(user=user, article=article).relevance
    assert relevance is not None
    return reasons_of(user, {article.pk: relevance}).get(article.pk)


def test_names_interests_strongest_first(reader: User) -> None:
    article = add(make.subscription(reader), "Glaciers and whales", "Whales and glaciers in the north.")
    add_starting_interests(reader, ["Whales", "Glaciers", "Chess"], [], make.NOW)
    InterestTerm.objects.filter(term="whales").update(weight=6.0)
    rate_waiting()
    reason = reason_of(reader, article)
    assert reason is not None
    assert reason.interests == ("whales", "glaciers")
    assert reason.words == "whales · glaciers"


def test_says_that_a_feed_is_often_read(reader: User) -> None:
    subscription = make.subscription(reader)
    opened = [add(subscription, f"Whales of {place}", categories=["Whales"]) for place in ("Iceland", "Peru", "Fiji")]
    article = add(subscription, "Whales return")
    rate_waiting()
    for one in opened:
        record_action(reader, one, "opened", now=make.NOW)
    count_for(reader, now=make.NOW)
    rate_waiting()
    reason = reason_of(reader, article)
    assert reason is not None
    assert reason.words == "Whales · often read"


def test_has_no_reason_where_it_is_no_more_relevant_than_most(reader: User) -> None:
    article = Article.objects.filter(title="Budget 3").get()
    rate_waiting()
    assert reason_of(reader, article) is None
    add_starting_interests(reader, ["Whales"], [], make.NOW)
    add(make.subscription(reader), "Whales return")
    rate_waiting()
    assert reason_of(reader, article) is None


def test_list_and_explanation_agree(client: Client, reader: User) -> None:
    article = add(make.subscription(reader), "Whales return", "Whales are back in the bay.")
    add_starting_interests(reader, ["whales", "council"], [], make.NOW)
    InterestTerm.objects.filter(term="council").update(weight=-3.0)
    rate_waiting()
    page = client.get("/for-you/").content.decode()
    first = page[page.index("data-row>") :]
    first = first[: first.index("</li>")]
    assert "Whales return" in first
    assert re.search(r'<span class="reason">\s*<a [^>]*data-why>\s*<span dir="auto">whales</span>', first)
    assert "dots" not in first
    why = explain(reader, article, now=make.NOW)
    assert why is not None
    assert why.reason == "whales"
    assert why.relevance.sentence.endswith("based on your interests: whales.")
    assert "unlike what you read" not in why.summary
    last = explain(reader, Article.objects.get(title="Budget 3"), now=make.NOW)
    assert last is not None
    assert last.reason == ""
    assert last.relevance.sentence.endswith("based on your interests.")


def test_takes_constant_queries(reader: User, django_assert_max_num_queries: object) -> None:
    add_starting_interests(reader, ["whales"], [], make.NOW)
    articles = [add(make.subscription(reader), f"Whales {number}") for number in range(8)]
    rate_waiting()
    with django_assert_max_num_queries(9):  # type: ignore[operator]
        found = reasons_of(reader, {article.pk: 90.0 for article in articles})
    assert {reason.words for reason in found.values()} == {"whales"}
