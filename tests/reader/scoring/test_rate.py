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
from reader.interests.backlog import RATE_AGAIN_AFTER, needs_rating, unrated
from reader.interests.idf import idf_weights
from reader.interests.learning.features import hash_feature
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import contributions, percentage, term_values
from reader.interests.learning.profile import relevance
from reader.interests.predictor import load_predictor, model_from
from reader.interests.terms import add_starting_interests, set_learning
from reader.models import ArticleFeatures, Assessment, Delivery, InterestProfile, RelevanceModel, SensitivityLabel
from reader.scoring import rate as rating
from reader.scoring.decay import RATES, decay_key
from reader.scoring.importance import static_importance
from reader.scoring.ranked_order import slot_of
from reader.scoring.rate import (
    KEPT_FRESH,
    OLDEST,
    SHARES,
    mark_all,
    mark_changed_profiles,
    mark_older_share,
    rate_waiting,
)
from reader.scoring.sensitivity_override import set_override
from reader.subscriptions.delivery import deliver
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
HALF_HOUR = timedelta(minutes=30)
MINUTE = timedelta(minutes=1)
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
    assert needs_rating(make.NOW)
    assert rate_waiting() == 1
    rated, assessment = copy(reader, article), Assessment.objects.get()
    assert (rated.is_rated, rated.relevance) == (True, 50)
    assert rated.static_importance == static_importance(assessment.shared_importance, 25, 50)
    assert rated.slot == slot_of(article.published_at)
    assert rated.sensitivity == assessment.sensitivity
    assert rated.decay_key == decay_key(50, rate=RATES[assessment.sensitivity], published_at=article.published_at)
    assert not needs_rating(make.NOW)


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
    assert not needs_rating(make.NOW)
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
    idf, profile = idf_of(idf_weights()), load_predictor(reader).profile
    for publisher in (harbour, library):
        features = ArticleFeatures.objects.get(article=publisher)
        expected = relevance(profile, term_values(bytes(features.terms), idf), bytes(features.vector))
        assert copy(reader, publisher).relevance == pytest.approx(expected, abs=1e-4)
        assert copy(other, publisher).relevance == 50
    assert (copy(reader, harbour).static_importance or 0) > (copy(reader, library).static_importance or 0)


def test_model_in_use_replaces_the_profile(reader: User, feed: Feed) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    model = model_of(reader, {"harbour": -3.0})
    article = make_delivered(feed, **HARBOUR)
    rate_waiting()
    features = ArticleFeatures.objects.get()
    expected = percentage(
        contributions(model_from(model), bytes(features.terms), b"", b"", idf_of(idf_weights())).logit
    )
    assert copy(reader, article).relevance == pytest.approx(expected, abs=1e-4)
    assert expected < 20

    set_learning(reader, False, make.NOW + HOUR)
    mark_changed_profiles(now=make.NOW + HOUR)
    rate_waiting()
    assert (copy(reader, article).relevance or 0) > 30  # by the interests


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

    run_meanwhile(lambda: add_topic_later(reader, "harbour"))
    assert rate_waiting(on_batch=record_batch) == 3
    assert [batch[:2] for batch in batches] == [(False, True), (True, True)]
    assert (batches[0][2] or 0) < (batches[1][2] or 0)


def test_first_profile_created_meanwhile_counts(reader: User, feed: Feed, run_meanwhile: Meanwhile) -> None:
    article = make_delivered(feed, **HARBOUR)
    run_meanwhile(lambda: add_topic_later(reader, "harbour"))
    assert rate_waiting() == 2
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
    assert needs_rating(make.NOW)
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
    for n in (1, 30):
        for _ in range(n):
            make_published(feed)
        deliver()
        rate_waiting()
    for n in (1, 31):
        Delivery.objects.filter(pk__in=Delivery.objects.order_by("pk").values("pk")[:n]).update(is_rated=False)
        with django_assert_num_queries(21):  # including the one that finds nothing left
            assert rate_waiting() == n


def test_changed_profile_rerates_recent_unread_articles(reader: User, feed: Feed) -> None:
    fresh, old, read = (make_delivered(feed, published_at=make.NOW - age) for age in (HOUR, KEPT_FRESH + HOUR, HOUR))
    other = make.user()
    make.subscription(other, feed)
    deliver()
    Delivery.objects.filter(article=read).update(is_read=True)
    rate_waiting()
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    assert mark_changed_profiles(now=make.NOW) == 1
    assert list(unrated().values_list("user", "article")) == [(reader.pk, fresh.pk)]
    assert not copy(reader, fresh).is_rated
    assert copy(reader, old).is_rated
    assert copy(reader, read).is_rated
    assert mark_changed_profiles(now=make.NOW) == 0


def test_single_actions_do_not_rerate_lists(reader: User) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    assert mark_changed_profiles(now=make.NOW + MINUTE) == 1
    add_starting_interests(reader, ["cranes"], (), make.NOW + 2 * MINUTE)
    assert mark_changed_profiles(now=make.NOW + 3 * MINUTE) == 0
    assert mark_changed_profiles(now=make.NOW + RATE_AGAIN_AFTER + MINUTE) == 1
    assert mark_changed_profiles(now=make.NOW + 2 * RATE_AGAIN_AFTER) == 0


def test_explicit_request_does_not_wait(reader: User) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    mark_changed_profiles(now=make.NOW)
    add_starting_interests(reader, ["cranes"], (), make.NOW + MINUTE)
    assert mark_changed_profiles(now=make.NOW + MINUTE, user=reader) == 1


def test_change_committed_after_marking_is_not_lost(reader: User) -> None:
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    mark_changed_profiles(now=make.NOW + 10 * MINUTE)
    add_starting_interests(reader, ["cranes"], (), make.NOW + 9 * MINUTE)  # its transaction only ends now
    assert mark_changed_profiles(now=make.NOW + 20 * MINUTE) == 1
    assert InterestProfile.objects.get().rated_at == make.NOW + 9 * MINUTE


def test_rerates_every_older_article_within_ten_hours(reader: User, feed: Feed) -> None:
    ages = [KEPT_FRESH + DAY, *(KEPT_FRESH + number * 8 * DAY for number in range(1, 40)), OLDEST - DAY]
    older = {make_delivered(feed, published_at=make.NOW - age).pk for age in ages}
    outside = [make_delivered(feed, published_at=make.NOW - age) for age in (KEPT_FRESH - DAY, OLDEST + DAY)]
    read = make_delivered(feed, published_at=make.NOW - KEPT_FRESH - DAY)
    Delivery.objects.filter(article=read).update(is_read=True)
    rate_waiting()
    turns: list[int] = []
    for number in range(SHARES):
        n_marked = mark_older_share(now=make.NOW + number * HALF_HOUR)
        turns += unrated().values_list("article_id", flat=True)
        assert mark_older_share(now=make.NOW + number * HALF_HOUR) == 0  # already waiting
        assert n_marked == unrated().count() < len(older)
        Delivery.objects.update(is_rated=True)
    assert sorted(turns) == sorted(older)
    assert not {read.pk, *(article.pk for article in outside)} & set(turns)


def test_marks_only_deliveries_of_one_user(reader: User, feed: Feed) -> None:
    other = make.user()
    make.subscription(other, feed)
    make_delivered(feed)
    rate_waiting()
    assert mark_all(reader) == 1
    assert set(unrated().values_list("user", flat=True)) == {reader.pk}
    assert mark_all() == 2
