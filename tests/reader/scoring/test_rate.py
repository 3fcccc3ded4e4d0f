"""What is rated and how, and that no concurrent change gets lost."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Feed, Pending, Stage
from feeds.time_limit import MAX_TRIES
from reader.interests.backlog import needs_rating, unrated
from reader.interests.idf import idf_weights
from reader.interests.learning.features import hash_feature
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import contributions, term_values
from reader.interests.learning.profile import cosine
from reader.interests.predictor import load_predictor, model_from
from reader.interests.terms import add_starting_interests, set_learning
from reader.models import ArticleFeatures, Assessment, Delivery, InterestProfile, RelevanceModel, SensitivityLabel
from reader.scoring import rate as rating
from reader.scoring.decay import RATES, decay_key
from reader.scoring.importance import static_importance
from reader.scoring.ranked_order import slot_of
from reader.scoring.rate import (
    mark_all,
    mark_changed_profiles,
    rate_waiting,
)
from reader.scoring.sensitivity_override import set_override
from reader.subscriptions.delivery import deliver
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
HARBOUR = {"title": "Harbour cranes come down", "text": "The harbour office takes down two cranes.", "language": "en"}
LIBRARY = {"title": "Library opens again", "text": "Readers queued for the town library.", "language": "en"}

Meanwhile = Callable[[Callable[[], object]], None]


@pytest.fixture
def feed() -> Feed:
    return make.feed(source=make.source("paper.example", tier=2))


@pytest.fixture
def reader(feed: Feed) -> User:
    user = make.user()
    make.subscription(user, feed)
    return user


@pytest.fixture
def run_meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Run a function once, after a batch is computed and before it's written."""

    def happens(what: Callable[[], object]) -> None:
        todo = [what]

        @contextmanager
        def atomic() -> Iterator[None]:
            while todo:
                todo.pop()()
            with transaction.atomic():
                yield

        monkeypatch.setattr(rating, "transaction", SimpleNamespace(atomic=atomic))

    return happens


def make_published(feed: Feed, **values: object) -> Article:
    article = make.article(feed=feed, source=feed.source, **values)
    make.item(feed, article)
    return article


def make_delivered(feed: Feed, **values: object) -> Article:
    """An article that is delivered to all followers of the feed."""
    article = make_published(feed, **values)
    deliver()
    return article


def copy(user: User, article: Article) -> Delivery:
    return Delivery.objects.filter(user=user, article=article).earliest("pk")


def everything() -> list[object]:
    return list(Delivery.objects.order_by("pk").values())


def add_topic_later(user: User, topic: str) -> None:
    """The user adds a topic some time after everything else."""
    add_starting_interests(user, [topic], (), make.NOW + HOUR)


def test_rates_new_deliveries(reader: User, feed: Feed) -> None:
    article = make_delivered(feed, published_at=make.NOW - DAY)
    assert needs_rating()
    assert rate_waiting() == 1
    rated, assessment = copy(reader, article), Assessment.objects.get()
    assert (rated.is_rated, rated.relevance) == (True, 50)
    assert rated.static_importance == static_importance(assessment.shared_importance, 25, 50)
    assert rated.slot == slot_of(article.published_at)
    assert rated.sensitivity == assessment.sensitivity
    assert rated.decay_key == decay_key(50, rate=RATES[assessment.sensitivity], published_at=article.published_at)
    assert not needs_rating()


def test_rating_again_changes_nothing(reader: User, feed: Feed) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    make_delivered(feed, **HARBOUR)
    rate_waiting()
    before = everything()
    assert rate_waiting() == 0
    mark_all()
    assert rate_waiting() == 1
    assert everything() == before


def test_articles_wait_for_deduplication(reader: User, feed: Feed) -> None:
    article = make_delivered(feed)
    pending = Pending.objects.create(article=article, stage=Stage.ENRICH, n_tries=MAX_TRIES - 1)
    assert not needs_rating()
    assert rate_waiting() == 0
    assert not Assessment.objects.exists()
    pending.delete()
    assert rate_waiting() == 1


def test_articles_given_up_by_deduplication_do_not_wait(reader: User, feed: Feed) -> None:
    article = make_delivered(feed)
    Pending.objects.create(article=article, stage=Stage.MATCH, n_tries=MAX_TRIES)
    assert rate_waiting() == 1
    assert copy(reader, article).is_rated


def test_revision_is_reassessed_and_rerated_for_all_users(reader: User, feed: Feed) -> None:
    other = make.user()
    make.subscription(other, feed)
    article = make_delivered(feed)
    rate_waiting()
    Article.objects.update(text="long " * 1200, word_count=1200, content_hash=7)
    Delivery.objects.filter(user=reader).update(is_rated=False)  # as if it was delivered only now
    assert rate_waiting() == 2
    shared_importance = Assessment.objects.get().shared_importance
    assert Assessment.objects.get().depth == 100
    assert [copy(user, article).static_importance for user in (reader, other)] == [
        static_importance(shared_importance, 25, 50)
    ] * 2


def test_revised_date_is_copied(reader: User, feed: Feed) -> None:
    article = make_published(feed, published_at=make.NOW, date_uncertain=True)
    deliver()
    rate_waiting()
    tag = make.tag(reader, "Later", article)
    Article.objects.update(published_at=make.NOW - 2 * DAY, date_uncertain=False, content_hash=7)
    mark_all()
    rate_waiting()
    rated = copy(reader, article)
    assert (rated.published_at, rated.date_uncertain) == (make.NOW - 2 * DAY, False)
    assert tag.tagged.get().published_at == make.NOW - 2 * DAY
    assert rated.slot == slot_of(make.NOW - 2 * DAY)
    rate = RATES[rated.sensitivity or 0]
    assert rated.decay_key == decay_key(50, rate=rate, published_at=make.NOW - 2 * DAY)


def test_profile_affects_only_its_user(reader: User, feed: Feed) -> None:
    other = make.user()
    make.subscription(other, feed)
    add_starting_interests(reader, ["harbour", "cranes"], [], make.NOW)
    harbour, library = make_delivered(feed, **HARBOUR), make_delivered(feed, **LIBRARY)
    rate_waiting()
    idf, predictor = idf_of(idf_weights()), load_predictor(reader)
    for publisher in (harbour, library):
        features = ArticleFeatures.objects.get(article=publisher)
        score = cosine(predictor.profile, term_values(bytes(features.terms), idf), bytes(features.vector))
        expected = predictor.relevance(score)
        assert copy(reader, publisher).relevance == pytest.approx(expected, abs=1e-4)
        assert copy(other, publisher).relevance == 50
    assert (copy(reader, harbour).static_importance or 0) > (copy(reader, library).static_importance or 0)


def test_model_in_use_replaces_the_profile(reader: User, feed: Feed) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    model = model_of(reader, {"harbour": -3.0})
    article = make_delivered(feed, **HARBOUR)
    for _ in range(9):
        make_delivered(feed, **LIBRARY)
    rate_waiting()
    features = ArticleFeatures.objects.get(article=article)
    predictor = load_predictor(reader)
    logit = contributions(model_from(model), bytes(features.terms), b"", b"", idf_of(idf_weights())).logit
    expected = predictor.relevance(logit)
    assert copy(reader, article).relevance == pytest.approx(expected, abs=1e-4)
    assert expected < 20

    set_learning(reader, False, make.NOW + HOUR)
    rate_waiting()
    assert (copy(reader, article).relevance or 0) > 50  # by the interests


def model_of(user: User, weights: dict[str, float]) -> RelevanceModel:
    """A model in use with these weights by word."""
    numbered = sorted((hash_feature(term), weight) for term, weight in weights.items())
    return make.training(
        user,
        is_used=True,
        intercept=-1.0,
        indices=struct.pack(f"<{len(numbered)}I", *(number for number, _ in numbered)),
        weights=struct.pack(f"<{len(numbered)}f", *(weight for _, weight in numbered)),
    )


def test_override_counts_only_for_its_user(reader: User, feed: Feed) -> None:
    other = make.user()
    make.subscription(other, feed)
    article = make_delivered(feed)
    rate_waiting()
    judged = Assessment.objects.get().sensitivity
    own = 1 if judged == 5 else 5
    set_override(reader, article.pk, own, now=make.NOW)
    assert rate_waiting() == 1
    assert (copy(reader, article).sensitivity, copy(other, article).sensitivity) == (own, judged)
    assert copy(reader, article).decay_key == decay_key(50, rate=RATES[own], published_at=article.published_at)
    assert Assessment.objects.get().sensitivity == judged


def test_rates_all_deliveries_of_an_article_together(reader: User, feed: Feed) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    article = make_delivered(feed, **HARBOUR)
    rate_waiting()
    add_topic_later(reader, "cranes")
    second = make.feed()
    make.subscription(reader, second)
    make.subscription(make.user(), second)
    make.item(second, article)
    deliver()
    assert unrated().count() == 2  # another feed with the same article corroborates nothing
    Delivery.objects.filter(user=reader).exclude(subscription__feed=second).update(is_rated=True)
    assert rate_waiting() == 3
    rated = Delivery.objects.filter(user=reader).values_list(
        "relevance", "static_importance", "slot", "sensitivity", "decay_key"
    )
    assert len(set(rated)) == 1 < rated.count()


def test_profile_changed_meanwhile_keeps_delivery_waiting(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    add_starting_interests(reader, ["library"], [], make.NOW)
    other = make.user()
    make.subscription(other, feed)
    article = make_delivered(feed, **HARBOUR)
    batches: list[tuple[bool, bool, float | None]] = []

    def record_batch(n: int) -> None:
        mine = copy(reader, article)
        batches.append((mine.is_rated, copy(other, article).is_rated, mine.relevance))

    make_delivered(feed, **LIBRARY)
    mark_changed_profiles()
    run_meanwhile(lambda: add_topic_later(reader, "harbour"))
    assert rate_waiting(on_batch=record_batch) == 6
    assert [batch[:2] for batch in batches] == [(False, True), (True, True)]
    assert (batches[0][2] or 0) < (batches[1][2] or 0)


def test_first_profile_created_meanwhile_counts(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    article = make_delivered(feed, **HARBOUR)
    make_delivered(feed, **LIBRARY)
    run_meanwhile(lambda: add_topic_later(reader, "harbour"))
    assert rate_waiting() == 4
    assert (copy(reader, article).relevance or 0) != 50


def test_uses_assessment_changed_meanwhile(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    article = make_delivered(feed)
    run_meanwhile(lambda: Assessment.objects.update(shared_importance=44.0, sensitivity=5))
    assert rate_waiting() == 1
    rated = copy(reader, article)
    assert (rated.static_importance, rated.sensitivity) == (static_importance(44, 25, 50), 5)


def test_uses_override_made_meanwhile(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    article = make_delivered(feed)
    run_meanwhile(lambda: set_override(reader, article.pk, 1, now=make.NOW))
    rate_waiting()
    assert copy(reader, article).sensitivity == 1
    assert SensitivityLabel.objects.count() == 1


def test_skips_deliveries_deleted_meanwhile(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    gone, stays = make_delivered(feed), make_delivered(feed)
    run_meanwhile(gone.delete)
    rate_waiting()
    assert copy(reader, stays).is_rated


def test_starts_nothing_after_time_limit(reader: User, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    make_delivered(feed)
    assert rate_waiting(until=timezone.now() - HOUR) == 0
    assert needs_rating()
    monkeypatch.setattr(rating, "BATCH", 2)
    for _ in range(4):
        make_delivered(feed)
    sizes: list[int] = []
    assert rate_waiting(until=timezone.now() + HOUR, on_batch=sizes.append) == 5
    assert sizes == [2, 2, 1]


def test_rates_newest_first(reader: User, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "BATCH", 1)
    articles = [make_delivered(feed) for _ in range(3)]
    order: list[int] = []

    def record_batch(n: int) -> None:
        rated = Delivery.objects.filter(is_rated=True).values_list("article_id", flat=True)
        order.extend(set(rated) - set(order))

    rate_waiting(on_batch=record_batch)
    assert order == [article.pk for article in reversed(articles)]


def test_batch_takes_constant_queries(
    reader: User, feed: Feed, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    make_published(feed, **HARBOUR)
    for n in (1, 30):
        for _ in range(n):
            make_published(feed)
        deliver()
        rate_waiting()
    for n in (1, 31):
        Delivery.objects.filter(pk__in=Delivery.objects.order_by("pk").values("pk")[:n]).update(is_rated=False)
        with django_assert_num_queries(24):  # including the one that finds nothing left
            assert rate_waiting() == n


def test_changed_profile_rerates_all_unread_articles(reader: User, feed: Feed) -> None:
    ages = (HOUR, 40 * DAY, 900 * DAY, HOUR)
    *unread, read = (make_delivered(feed, published_at=make.NOW - age) for age in ages)
    other = make.user()
    make.subscription(other, feed)
    deliver()
    Delivery.objects.filter(article=read).update(is_read=True)
    rate_waiting()
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    assert mark_changed_profiles() == 1
    waiting = set(unrated().values_list("user", "article"))
    assert waiting == {(reader.pk, article.pk) for article in unread}
    assert mark_changed_profiles() == 0


def test_rating_begins_with_changed_profiles(reader: User, feed: Feed) -> None:
    articles = [make_delivered(feed, published_at=make.NOW - age) for age in (DAY, 400 * DAY)]
    harbour = make_delivered(feed, **HARBOUR)
    rate_waiting()
    assert {copy(reader, article).relevance for article in (harbour, *articles)} == {50}
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    assert rate_waiting() == 3
    assert (copy(reader, harbour).relevance or 0) > 50
    assert rate_waiting() == 0


def test_learning_leaves_the_typical_article_at_fifty(reader: User, feed: Feed) -> None:
    for number in range(30):
        make_delivered(feed, title=f"Budget {number}", text="The council votes on money for roads and schools.")
    harbour = make_delivered(feed, **HARBOUR)
    add_starting_interests(reader, ["harbour", "cranes"], [], make.NOW)
    rate_waiting()
    relevances = sorted(Delivery.objects.values_list("relevance", flat=True))
    assert relevances[15] == pytest.approx(50)
    assert (copy(reader, harbour).relevance or 0) > 95


def test_change_committed_after_marking_is_not_lost(reader: User) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW + HOUR)
    mark_changed_profiles()
    add_starting_interests(reader, ["cranes"], (), make.NOW)  # its transaction only ends now
    assert mark_changed_profiles() == 1
    assert InterestProfile.objects.get().rated_at == make.NOW


def test_marks_only_deliveries_of_one_user(reader: User, feed: Feed) -> None:
    other = make.user()
    make.subscription(other, feed)
    make_delivered(feed)
    rate_waiting()
    assert mark_all(reader) == 1
    assert set(unrated().values_list("user", flat=True)) == {reader.pk}
    assert mark_all() == 2
