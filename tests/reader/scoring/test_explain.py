"""Explanations of scores: the same numbers as in lists, with their evidence and origin."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries, Settings

from feeds.models import Article, Disposition, Feed
from reader.interests.engagement import record_action
from reader.interests.idf import idf_weights
from reader.interests.learning.classifier import train
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.profile_arrays import idf_array
from reader.interests.terms import add_starting_interests, reset
from reader.lists.queries import row_of
from reader.models import (
    ArticleFeatures,
    Assessment,
    Delivery,
    InterestProfile,
    InterestTerm,
    SensitivityLabel,
    SensitivitySource,
)
from reader.scoring.decay import RATES, half_life_days
from reader.scoring.explain import MEANING, Explanation, as_json, explain
from reader.scoring.importance import WEIGHTS
from reader.scoring.rate import mark_all, rate_waiting
from reader.scoring.sensitivity_override import set_override
from reader.subscriptions.delivery import deliver
from tests import make
from tests.reader.agreeing import check_assessments, check_copies

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
HARBOUR = {"title": "Harbour cranes come down", "text": "The harbour office takes down two cranes.", "language": "en"}
LIBRARY = {"title": "Library opens again", "text": "Readers queued for the town library.", "language": "en"}


@pytest.fixture
def feed() -> Feed:
    return make.feed(title="The Paper", source=make.source("paper.example", tier=2, name="Paper"), health_score=0.96)


@pytest.fixture
def reader(feed: Feed) -> User:
    user = make.user()
    make.subscription(user, feed)
    return user


@pytest.fixture
def article(reader: User, feed: Feed) -> Article:
    return make_delivered(feed, **HARBOUR)


def make_delivered(feed: Feed, **values: object) -> Article:
    article = make.article(**{"feed": feed, "source": feed.source, "published_at": make.NOW - 6 * HOUR, **values})
    make.item(feed, article)
    deliver()
    return article


def make_others(feed: Feed) -> None:
    """Articles that the harbour's stands out from."""
    for number in range(5):
        make_delivered(feed, title=f"Budget {number}", text="The council votes on money for roads.", language="en")


def explanation_of(user: User, article: Article) -> Explanation:
    article = Article.objects.select_related("source", "feed", "story__lead").get(pk=article.pk)
    explanation = explain(user, article, now=make.NOW)
    assert explanation is not None
    return explanation


def words(found: Explanation) -> dict[str, str]:
    return {part.name: part.sentence for part in found.parts}


def test_has_no_explanation_before_first_assessment(reader: User, article: Article) -> None:
    assert explain(reader, article, now=make.NOW) is None


def test_explains_every_part(reader: User, article: Article) -> None:
    rate_waiting()
    explanation = explanation_of(reader, article)
    assert (explanation.article_id, explanation.title, explanation.as_of) == (
        article.pk,
        "Harbour cranes come down",
        make.NOW,
    )
    assert {part.name: part.points for part in explanation.parts} == {
        "authority": pytest.approx(80 * 0.96),
        "recency": pytest.approx(83.527, abs=1e-3),  # e^(-0.03 · 6)
        "corroboration": 25,
        "relevance": 50,
        "depth": 40,
    }
    assert explanation.importance == pytest.approx(
        0.25 * 76.8 + 0.2 * 83.527 + 0.2 * 25 + 0.2 * 50 + 0.15 * 40, abs=1e-3
    )
    assert explanation.points == 57
    text = words(explanation)
    assert "Paper" in text["authority"]
    assert "96%" in text["authority"]
    assert text["corroboration"] == "Only one publisher reports this story."
    assert text["relevance"] == "We don't know your interests yet, so this is neutral: 50 of 100."
    assert "6 hours" in text["recency"]
    assert "excerpts" in text["depth"]


def everything(reader: User, feed: Feed) -> None:
    """Articles of all kinds: future, uncertain or old dates, stories, and sensitivity overrides."""
    other = make.feed(source=make.source("tier1.example", tier=1))
    make.subscription(reader, other)
    first = make_delivered(feed, **HARBOUR)
    second = make_delivered(other, **HARBOUR | {"title": "Cranes of the harbour taken down"})
    make.item(other, first)
    make.story(first, second)
    make_delivered(feed, **LIBRARY, published_at=make.NOW + 20 * HOUR)
    make_delivered(feed, **LIBRARY, published_at=make.NOW - 400 * DAY, date_uncertain=True)
    make_delivered(other, title="", text="", published_at=make.NOW)
    set_override(reader, second.pk, 1, now=make.NOW)


def test_all_numbers_agree_without_a_profile(reader: User, feed: Feed) -> None:
    everything(reader, feed)
    rate_waiting()
    assert check_assessments() == 5
    assert check_copies(reader, now=make.NOW) == 6
    assert check_copies(reader, now=make.NOW + 30 * DAY) == 6  # without writing anything


def test_all_numbers_agree_with_a_profile(reader: User, feed: Feed) -> None:
    everything(reader, feed)
    rate_waiting()
    add_starting_interests(reader, ["harbour", "town library"], [], make.NOW)
    record_action(reader, Article.objects.earliest("pk"), "liked", now=make.NOW)
    InterestProfile.objects.update(recency_rate=0.05)
    mark_all()
    rate_waiting()
    assert check_copies(reader, now=make.NOW) == 6
    assert len(set(Delivery.objects.values_list("relevance", flat=True))) > 3


def by_model(reader: User) -> None:
    """A model in use that prefers harbours."""
    all_features = list(ArticleFeatures.objects.select_related("article").order_by("pk"))
    stored = StoredFeatures(
        *([bytes(getattr(features, name)) for features in all_features] for name in ("terms", "attributes", "vector"))
    )
    liked = ["arbour" in features.article.title for features in all_features]
    model = train(
        stored.select([0, 1, 2, 3] * 10), [liked[row] for row in [0, 1, 2, 3] * 10], idf=idf_array(idf_weights())
    )
    make.training(
        reader, intercept=model.intercept, indices=model.indices, weights=model.weights, embedding=model.embedding
    )
    InterestProfile.objects.update_or_create(user=reader, defaults={"changed_at": make.NOW})
    mark_all()
    rate_waiting()


def test_all_numbers_agree_with_a_model(reader: User, feed: Feed) -> None:
    everything(reader, feed)
    rate_waiting()
    by_model(reader)
    assert check_copies(reader, now=make.NOW) == 6
    assert len(set(Delivery.objects.values_list("relevance", flat=True))) > 2


def test_names_terms_shared_by_profile_and_article(reader: User, article: Article, feed: Feed) -> None:
    make_others(feed)
    add_starting_interests(reader, ["harbour", "cranes", "poems"], [], make.NOW)
    rate_waiting()
    relevance = explanation_of(reader, article).relevance
    assert relevance.judge == "profile"
    assert {term.term for term in relevance.terms} == {"harbour", "cranes"}
    assert relevance.sentence.startswith(f"{relevance.value:.0f} of 100 based on your interests: ")
    assert {"harbour", "cranes"} == set(relevance.sentence.partition(": ")[2].rstrip(".").split(" and "))


def test_names_no_terms_against_it(reader: User, article: Article, feed: Feed) -> None:
    make_others(feed)
    add_starting_interests(reader, ["harbour", "cranes"], [], make.NOW)
    InterestTerm.objects.filter(user=reader, term="cranes").update(weight=-1.0)
    rate_waiting()
    relevance = explanation_of(reader, article).relevance
    assert {term.term: term.share > 0 for term in relevance.terms} == {"harbour": True, "cranes": False}
    assert relevance.sentence == f"{relevance.value:.0f} of 100 based on your interests: harbour."


def test_names_features_used_by_model(reader: User, feed: Feed) -> None:
    everything(reader, feed)
    rate_waiting()
    by_model(reader)
    article = Article.objects.earliest("pk")
    relevance = explanation_of(reader, article).relevance
    assert relevance.judge == "model"
    names = {term.term for term in relevance.terms}
    assert {"harbour", "cranes", "source paper.example"} <= names
    assert any(name.startswith("“") for name in names)  # a word pair
    shares = [abs(term.share) for term in relevance.terms]
    assert shares == sorted(shares, reverse=True)
    assert "what you opened and skipped" in relevance.sentence
    assert str(MEANING) not in relevance.sentence


def test_mentions_learning_since_the_rating(reader: User, article: Article, feed: Feed) -> None:
    make_others(feed)
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    rate_waiting()
    before = explanation_of(reader, article)
    InterestTerm.objects.filter(user=reader, term="harbour").update(weight=-50.0)
    after = explanation_of(reader, article)
    assert (after.importance, after.relevance.value) == (before.importance, before.relevance.value)
    assert "With your current interests, it would be" in after.relevance.sentence
    mark_all()
    rate_waiting()
    assert "learned since" not in explanation_of(reader, article).relevance.sentence
    assert explanation_of(reader, article).relevance.value < before.relevance.value


def test_mentions_rating_from_before_a_reset(reader: User, article: Article, feed: Feed) -> None:
    make_others(feed)
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    rate_waiting()
    value = explanation_of(reader, article).relevance.value
    reset(reader, make.NOW)
    relevance = explanation_of(reader, article).relevance
    assert (relevance.judge, relevance.terms, relevance.value) == ("nobody", (), value)
    assert relevance.sentence == f"{value:.0f} of 100, from before you deleted your interests."


def test_explains_for_user_without_delivery(reader: User, article: Article, feed: Feed) -> None:
    make_others(feed)
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    rate_waiting()
    assert explanation_of(reader, article).relevance.value != 50
    assert explanation_of(make.user(), article).relevance.value == 50


def test_distinguishes_tier_of_feed_from_tier_of_source(reader: User, article: Article, feed: Feed) -> None:
    rate_waiting()
    by_source = words(explanation_of(reader, article))["authority"]
    Feed.objects.update(tier=2)
    by_feed = words(explanation_of(reader, article))["authority"]
    assert by_source != by_feed


JUDGES: dict[str, tuple[Callable[[User, Article], object], tuple[int, str, bool]]] = {
    "the built-in classifier": (lambda user, article: None, (3, "the built-in classifier", False)),
    "the language model": (
        lambda user, article: Assessment.objects.update(sensitivity=5, source=SensitivitySource.LLM),
        (5, "the language model", False),
    ),
    "the person": (lambda user, article: set_override(user, article.pk, 1, now=make.NOW), (1, "you", True)),
    "somebody else": (
        lambda user, article: SensitivityLabel.objects.create(
            user=make.user(),
            article=article,
            source=SensitivitySource.USER,
            score=1,
            confidence="high",
            made_at=make.NOW,
        ),
        (3, "the built-in classifier", False),
    ),
}


@pytest.mark.parametrize(("says", "expected"), JUDGES.values(), ids=JUDGES)
def test_names_origin_of_sensitivity(
    reader: User, article: Article, says: Callable[[User, Article], object], expected: tuple[int, str, bool]
) -> None:
    rate_waiting()
    Assessment.objects.update(sensitivity=3)
    says(reader, article)
    sensitivity = explanation_of(reader, article).sensitivity
    assert (sensitivity.score, sensitivity.judge_words, sensitivity.is_own) == expected
    assert sensitivity.half_life_days == half_life_days(RATES[sensitivity.score])


def test_near_duplicate_names_its_lead(reader: User, feed: Feed) -> None:
    lead, copy, event = make_delivered(feed, word_count=900), make_delivered(feed), make_delivered(feed)
    make.story(lead, copy, event, disposition=Disposition.NEAR_DUPLICATE)
    other = make_delivered(feed)
    make.story(make.article(word_count=999), other, disposition=Disposition.NEAR_DUPLICATE)
    rate_waiting()
    assert explanation_of(reader, copy).stands_under == (lead.title, lead.pk)
    assert explanation_of(reader, lead).stands_under is None
    assert explanation_of(reader, other).stands_under is None  # the user's feeds did not deliver its lead


def test_other_reports_of_the_event_name_no_lead(reader: User, feed: Feed) -> None:
    lead, other = make_delivered(feed, word_count=900), make_delivered(feed)
    make.story(lead, other, disposition=Disposition.SAME_EVENT)
    rate_waiting()
    assert explanation_of(reader, other).stands_under is None


def test_json_contains_everything(reader: User, article: Article) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    rate_waiting()
    explanation = explanation_of(reader, article)
    data = json.loads(json.dumps(as_json(explanation), allow_nan=False))
    assert data["importance"] == explanation.importance
    assert data["as_of"] == make.NOW.isoformat()
    assert data["weights"] == WEIGHTS
    assert [part["name"] for part in data["parts"]] == list(WEIGHTS)
    assert data["relevance"]["terms"][0].keys() == {"term", "share"}
    assert data["stands_under"] is None


def test_json_has_no_half_life_without_decay(reader: User, article: Article, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, DECAY_RATES=(0.0, 0.0, 0.0, 0.0, 0.1))
    rate_waiting()
    Assessment.objects.update(sensitivity=1)
    data = json.loads(json.dumps(as_json(explanation_of(reader, article)), allow_nan=False))
    assert data["sensitivity"]["half_life_days"] is None


def test_single_row_shows_the_same(reader: User, article: Article) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    rate_waiting()
    row, explanation = row_of(reader, article, now=make.NOW), explanation_of(reader, article)
    assert row.rating is not None
    assert (row.rating.parts.importance, row.rating.adjusted) == (explanation.importance, explanation.adjusted)


@pytest.mark.parametrize("n", [1, 30], ids=["one", "thirty"])
def test_takes_constant_queries(
    reader: User, article: Article, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    add_starting_interests(reader, [f"topic{number}" for number in range(n)], [], make.NOW)
    for _ in range(n):
        make.subscription(reader)
    rate_waiting()
    loaded = Article.objects.select_related("source", "feed", "story__lead").get()
    with django_assert_num_queries(11):
        explain(reader, loaded, now=make.NOW)
