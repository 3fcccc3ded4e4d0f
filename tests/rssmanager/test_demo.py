"""The sample publishers polled and processed in three rounds: the content of the demo."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from feeds.content.sanitized import safe_html
from feeds.models import Article, Condition, Feed, FeedStatus, Item, Revision
from reader.interests.idf import idf_weights
from reader.interests.learning.classifier import train
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.profile_arrays import idf_array
from reader.interests.predictor import load_predictor
from reader.lists.self_check import check_most_important
from reader.models import ArticleFeatures, Assessment, Delivery, Notification
from reader.preferences.owner import create_owner
from reader.scoring.rate import mark_all, rate_waiting
from rssmanager.demo import populate
from rssmanager.demo.publishers import load_publishers
from rssmanager.demo.server import DemoServer
from tests import make
from tests.reader.agreeing import check_assessments, check_copies
from tests.rssmanager.scenarios import load_scenarios

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with DemoServer(timezone.now(), slow_seconds=0.2) as demo_server:
        yield demo_server


def feed_with(server: DemoServer, trouble: str) -> Feed:
    url = next(sample.url for sample in server.feeds if sample.trouble == trouble)
    return Feed.objects.get(url_key=Feed.key_of(url))


def test_three_rounds_of_the_sample_publishers(server: DemoServer, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.0/8"),))
    owner = create_owner(username="demo", email="demo@example.org", password="correct horse battery")
    populate.subscribe(owner, server, now=timezone.now())
    moved_from = next(sample.url for sample in server.feeds if sample.trouble == "moved")

    first = populate.poll_round(now=timezone.now())
    assert first.n_feeds == len(server.feeds)
    assert first.outcomes["internal"] == 0
    n_articles = Article.objects.count()
    server.advance()
    second = populate.poll_round(now=timezone.now())
    assert second.n_revised == sum(scenario.kind == "revision" for scenario in load_scenarios())
    assert second.outcomes["not_modified"] > 5
    server.advance()
    third = populate.poll_round(now=timezone.now())
    assert second.n_new + third.n_new == Article.objects.count() - n_articles > 3

    findings = populate.count_results(owner, server)
    assert findings.n_entries >= 250
    assert findings.n_folded >= 10  # one page in two feeds of its publisher
    assert {"en", "zh", "ja", "de", "fr"} <= findings.languages.keys()
    assert findings.n_unread == findings.n_articles == Delivery.objects.values("article").distinct().count()
    assert Revision.objects.count() == second.n_revised
    assert Item.objects.filter(article__title="").count() == 0
    drawn = {publisher.key for publisher in load_publishers() if publisher.icon}
    assert Feed.objects.exclude(icon__digest=None).exclude(icon__digest="").count() >= len(drawn) >= 10
    check_troubles(server, moved_from)
    check_hostile_markup(server)
    check_pages(owner.username)
    check_scores(owner)


def check_scores(owner: User) -> None:
    """Check that all scores agree, by the demo's topics and choices and by a model in use."""
    populate.find_stories()
    populate.rate(owner, now=timezone.now())
    assert Assessment.objects.count() == check_assessments() == Article.objects.count()
    mark_all()
    rate_waiting()
    n_copies = Delivery.objects.count()
    assert load_predictor(owner).profile.certainty > 0.5
    assert check_copies(owner, now=timezone.now()) == n_copies

    make.training(owner, trained_at=timezone.now(), **numbers_by_language())
    mark_all()
    rate_waiting()
    assert load_predictor(owner).model is not None
    assert check_copies(owner, now=timezone.now()) == n_copies
    assert check_most_important(owner, now=timezone.now()) is None


def numbers_by_language() -> dict[str, object]:
    """A model of a user who likes articles in English."""
    stored_features = list(ArticleFeatures.objects.select_related("article"))
    stored = StoredFeatures(
        *(
            list(map(bytes, column))
            for column in zip(*((f.terms, f.attributes, f.vector) for f in stored_features), strict=True)
        )
    )
    model = train(
        stored, [features.article.language == "en" for features in stored_features], idf=idf_array(idf_weights())
    )
    return asdict(model)


def check_troubles(server: DemoServer, moved_from: str) -> None:
    gone, limited, page = (feed_with(server, trouble) for trouble in ("gone", "limited", "page"))
    assert (gone.status, gone.condition) == (FeedStatus.DEAD, Condition.DEAD)
    assert limited.source.rate_limited_until is not None
    assert limited.source.rate_limited_until > timezone.now()
    assert [found["url"].endswith(".xml") for found in page.discovered_feeds] == [True]
    assert page.condition == Condition.UNHEALTHY
    assert not Feed.objects.filter(url_key=Feed.key_of(moved_from)).exists()
    for trouble in ("malformed", "truncated"):
        polls = feed_with(server, trouble).polls.order_by("started_at")
        assert polls[0].well_formed is False
        assert polls[0].n_new > 0
    assert set(Notification.objects.values_list("kind", flat=True)) == {Condition.DEAD, Condition.UNHEALTHY}


def check_hostile_markup(server: DemoServer) -> None:
    hostile = feed_with(server, "hostile")
    html = " ".join(safe_html(item.article) for item in hostile.items.select_related("article"))
    raw = " ".join(item.article.markup for item in hostile.items.select_related("article"))
    for forbidden in ("<script", "onclick", "javascript:", "<iframe"):
        assert forbidden in raw
        assert forbidden not in html


def check_pages(username: str) -> None:
    client = Client()
    assert client.login(username=username, password="correct horse battery")
    for name in ("home", "starred", "health"):
        assert client.get(reverse(name)).status_code == 200
