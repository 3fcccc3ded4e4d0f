"""Training a user's model: when there is one, when it is used, and what is stored."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.interests import train, training_labels
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.holdout import MIN_PER_CLASS
from reader.interests.learning.profile import Profile
from reader.interests.predictor import load_predictor, model_from
from reader.interests.terms import add_starting_interests, reset, set_learning
from reader.interests.train import UserTraining, refresh_idf, train_due, train_user
from reader.interests.training_labels import YEAR
from reader.models import ArticleFeatures, Engagement, IdfTable, InterestProfile, InterestTerm, RelevanceModel
from reader.scoring.assess import assess
from tests import make

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
NIGHT = make.NOW
_HARBOURS = "harbour crane cargo ship dock sailor anchor ferry tide pilot mooring vessel freight quay"
_BOOKS = "library reader shelf novel poem author chapter binding catalogue archive folio printer essay verse"
LIKED, LEFT = _HARBOURS.split(), _BOOKS.split()

Looked = list[str]


def articles(vocabulary: Sequence[str], n: int, seed: int) -> list[Article]:
    chance = random.Random(seed)
    articles = [
        make.article(title=" ".join(chance.sample(vocabulary, 4)), text=" ".join(chance.choices(vocabulary, k=25)))
        for _ in range(n)
    ]
    assess([article.pk for article in articles], now=make.NOW)
    return articles


def choose(user: User, articles: Sequence[Article], kind: str, **values: object) -> None:
    for article in articles:
        make.engagement(user, article, kind, **values)


def make_choices(user: User, n_opened: int, n_skipped: int) -> None:
    """The user opens articles about harbours and skips those about books."""
    choose(user, articles(LIKED, n_opened, 1), "opened")
    choose(user, articles(LEFT, n_skipped, 2), "skipped")


@pytest.fixture
def reader() -> User:
    user = make.user()
    InterestProfile.objects.create(user=user, changed_at=make.NOW - DAY)
    return user


@pytest.fixture
def trained_users(monkeypatch: pytest.MonkeyPatch) -> Looked:
    """The users whose choices would be learned from; replaces learning."""
    names: Looked = []

    def fake_train(user: User, *, now: object) -> UserTraining:
        names.append(user.get_username())
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", fake_train)
    return names


def named(name: str, **values: object) -> User:
    user = make.user(name)
    InterestProfile.objects.create(user=user, **values)
    return user


TOO_FEW = {
    "nothing": (0, 0, 50),
    "one short of opened": (MIN_PER_CLASS - 1, MIN_PER_CLASS, 1),
    "one short of skipped": (MIN_PER_CLASS, MIN_PER_CLASS - 1, 1),
    "hardly skips": (60, 2, 48),
}


@pytest.mark.parametrize(("n_opened", "n_skipped", "n_missing"), TOO_FEW.values(), ids=TOO_FEW)
def test_needs_enough_choices(reader: User, n_opened: int, n_skipped: int, n_missing: int) -> None:
    make_choices(reader, n_opened, n_skipped)
    training = train_user(reader, now=make.NOW)
    assert training == UserTraining(n_opened, n_skipped, None)
    assert training.n_missing == n_missing
    assert not RelevanceModel.objects.exists()
    assert InterestProfile.objects.get().changed_at == make.NOW - DAY


def test_trains_model_and_stores_figures(reader: User) -> None:
    make_choices(reader, MIN_PER_CLASS, MIN_PER_CLASS + 5)
    training = train_user(reader, now=make.NOW)
    row = RelevanceModel.objects.get()
    assert training == UserTraining(50, 55, row)
    assert training.n_missing == 0
    assert (row.user, row.trained_at) == (reader, make.NOW)
    assert (row.n_positive, row.n_negative, row.n_held_out) == (50, 55, 20)
    assert min(row.precision, row.recall, row.f1, row.auc, row.average_precision) > 0.9
    assert len(row.indices) == len(row.weights) > 0
    assert row.seconds > 0
    assert InterestProfile.objects.get().changed_at == make.NOW


def test_uses_model_that_separates_topics(reader: User) -> None:
    make_choices(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    row = RelevanceModel.objects.get()
    assert row.average_precision >= row.profile_average_precision
    assert row.is_used
    taste = load_predictor(reader)
    assert taste.model is not None
    assert taste.model.indices == bytes(row.indices)
    assert taste.model.intercept == row.intercept
    assert taste.changed_at == make.NOW


def test_keeps_a_better_profile(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random choices, which no model can learn, and a profile that knows them all."""
    all_articles = articles([*LIKED, *LEFT], 2 * MIN_PER_CLASS, 3)
    opened = random.Random(4).sample(all_articles, MIN_PER_CLASS)
    choose(reader, opened, "opened")
    choose(reader, [article for article in all_articles if article not in opened], "skipped")
    known = {bytes(features.terms) for features in ArticleFeatures.objects.filter(article__in=opened)}

    def omniscient(profile: Profile, stored: StoredFeatures, idf: object) -> object:
        return np.array([100.0 if terms in known else 0.0 for terms in stored.terms])

    monkeypatch.setattr(train, "cosines_of_many", omniscient)
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    train_user(reader, now=make.NOW + HOUR)
    row = RelevanceModel.objects.get()
    assert row.profile_average_precision == 1.0 > row.average_precision
    assert not row.is_used
    taste = load_predictor(reader)
    assert taste.model is None
    assert taste.profile.certainty > 0


def test_uses_no_model_while_learning_is_off(reader: User) -> None:
    make_choices(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    assert load_predictor(reader).model is not None
    set_learning(reader, False, make.NOW + HOUR)
    assert load_predictor(reader).model is None
    set_learning(reader, True, make.NOW + 2 * HOUR)
    assert load_predictor(reader).model is not None


def test_only_newest_model_keeps_weights(reader: User) -> None:
    other = make.training(make.user(), indices=b"1234", weights=b"1234")
    older = make.training(reader, trained_at=make.NOW - DAY, indices=b"1234", weights=b"1234", embedding=b"12")
    make_choices(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    older.refresh_from_db()
    assert (bytes(older.indices), bytes(older.weights), bytes(older.embedding)) == (b"", b"", b"")
    assert (older.average_precision, older.is_used) == (0.9, True)
    newest = RelevanceModel.objects.filter(user=reader).latest("trained_at")
    assert len(newest.indices) > 0
    other.refresh_from_db()
    assert bytes(other.indices) == b"1234"


def test_newest_training_decides(reader: User) -> None:
    make.training(reader, trained_at=make.NOW - DAY, is_used=True)
    make.training(reader, trained_at=make.NOW, is_used=False)
    assert load_predictor(reader).model is None
    newest = make.training(reader, trained_at=make.NOW, is_used=True, intercept=0.5)  # same time, written later
    assert (load_predictor(reader).model or model_from(newest)).intercept == 0.5
    assert load_predictor(reader).model is not None


def test_user_without_profile_has_no_predictor() -> None:
    user = make.user()
    make.training(user, is_used=True)
    taste = load_predictor(user)
    assert (taste.model, taste.profile.certainty, taste.changed_at) == (None, 0.0, None)


def test_uses_assessed_articles_of_one_year(reader: User) -> None:
    make_choices(reader, 3, 2)
    choose(reader, articles(LIKED, 1, 5), "opened", happened_at=make.NOW - YEAR - HOUR)
    choose(reader, [make.article()], "opened")  # not assessed
    choose(make.user(), articles(LIKED, 1, 6), "opened")
    assert train_user(reader, now=make.NOW) == UserTraining(3, 2)


def test_ignores_articles_only_passed_over(reader: User) -> None:
    choose(reader, articles(LIKED, 60, 1), "opened")
    choose(reader, articles(LEFT, 60, 2), "passed")
    training = train_user(reader, now=NIGHT)
    assert (training.n_positive, training.n_negative, training.row) == (60, 0, None)


def test_reset_retires_model_and_its_labels(reader: User) -> None:
    make_choices(reader, 60, 60)
    train_user(reader, now=NIGHT)
    assert load_predictor(reader).model is not None
    reset(reader, NIGHT + HOUR)
    assert load_predictor(reader).model is None
    training = train_user(reader, now=NIGHT + DAY)
    assert (training.n_positive, training.n_negative, training.row) == (0, 0, None)


def test_limits_labels_to_the_newest(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_labels, "MAX_LABELS", 4)
    choose(reader, articles(LIKED, 3, 1), "opened", happened_at=make.NOW - DAY)
    choose(reader, articles(LEFT, 3, 2), "skipped")
    assert train_user(reader, now=make.NOW) == UserTraining(1, 3)


def test_checks_every_user_once_a_night(trained_users: Looked) -> None:
    named("ada"), named("ben"), named("cyd", is_learning=False), named("dan", trained_at=NIGHT)
    assert train_due(NIGHT, now=NIGHT + HOUR) == 0
    assert trained_users == ["ada", "ben"]
    train_due(NIGHT, now=NIGHT + 2 * HOUR)
    assert trained_users == ["ada", "ben"]
    train_due(NIGHT + DAY, now=NIGHT + DAY)
    assert trained_users == ["ada", "ben"]  # no actions since


def test_catches_up_on_missed_nights(trained_users: Looked) -> None:
    ada = named("ada", trained_at=NIGHT - 4 * DAY)
    make.engagement(ada, make.article(), happened_at=NIGHT - 3 * DAY)
    train_due(NIGHT, now=NIGHT + 9 * HOUR)
    assert trained_users == ["ada"]


def test_keeps_model_without_new_actions(trained_users: Looked) -> None:
    ada, ben = (named(name, trained_at=NIGHT - DAY) for name in ("ada", "ben"))
    training = make.training(ada, trained_at=NIGHT - DAY, indices=b"1234", weights=b"1234")
    make.engagement(ada, make.article(), happened_at=NIGHT - DAY - HOUR)
    make.engagement(ben, make.article(), happened_at=NIGHT - DAY + HOUR)
    train_due(NIGHT, now=NIGHT)
    assert trained_users == ["ben"]
    training.refresh_from_db()
    assert bytes(training.indices) == b"1234"
    assert set(InterestProfile.objects.values_list("trained_at", flat=True)) == {NIGHT}


def test_undoing_counts_as_new_action(trained_users: Looked) -> None:
    ada = named("ada", trained_at=NIGHT - DAY)
    act = make.engagement(ada, make.article(), happened_at=NIGHT - 3 * DAY)
    make.engagement(ada, act.article, happened_at=NIGHT - HOUR, undoes=act)
    train_due(NIGHT, now=NIGHT)
    assert trained_users == ["ada"]


def test_failure_affects_one_user_for_one_night(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ada", "ben"):
        named(name)
    learned: Looked = []

    def fake_train(user: User, *, now: object) -> UserTraining:
        if user.get_username() == "ada":
            raise MemoryError
        learned.append(user.get_username())
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", fake_train)
    with pytest.raises(MemoryError):
        train_due(NIGHT, now=NIGHT)
    train_due(NIGHT, now=NIGHT + HOUR)
    assert learned == ["ben"]


def test_skips_user_taken_by_another_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ada", "ben", "cyd"):
        named(name)
    learned: Looked = []

    def fake_train(user: User, *, now: object) -> UserTraining:
        learned.append(user.get_username())
        if user.get_username() == "ada":
            InterestProfile.objects.filter(user__username="ben").update(trained_at=NIGHT)  # by another worker
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", fake_train)
    train_due(NIGHT, now=NIGHT)
    assert learned == ["ada", "cyd"]


def test_deletes_faded_terms_and_marks_profile_changed(trained_users: Looked) -> None:
    ada = named("ada", changed_at=NIGHT - DAY)
    for term, weight in (("harbour", 3.0), ("quay", 0.001)):
        make.term(ada, term, weight, engaged_at=NIGHT)
    train_due(NIGHT, now=NIGHT)
    assert list(InterestTerm.objects.values_list("term", flat=True)) == ["harbour"]
    assert InterestProfile.objects.get().changed_at == NIGHT


def test_reports_each_outcome(reader: User) -> None:
    make_choices(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    reported: list[tuple[User, UserTraining]] = []
    tell: Callable[[User, UserTraining], None] = lambda user, found: reported.append((user, found))  # noqa: E731
    assert train_due(NIGHT, now=NIGHT, on_user=tell) == 1
    assert reported == [(reader, UserTraining(50, 50, RelevanceModel.objects.get()))]


def test_rebuilding_idf_table_outdates_every_relevance(reader: User) -> None:
    set_learning(reader, False, make.NOW - HOUR)  # never trained
    nobody = named("nobody")
    assert refresh_idf(now=make.NOW) is True
    assert IdfTable.objects.get().built_at == make.NOW
    assert InterestProfile.objects.get(user=reader).changed_at == make.NOW
    assert InterestProfile.objects.get(user=nobody).changed_at is None
    assert refresh_idf(now=make.NOW + 6 * DAY) is False
    assert InterestProfile.objects.get(user=reader).changed_at == make.NOW
    assert refresh_idf(now=make.NOW + 7 * DAY) is True


def test_ignores_labels_undone_before_training(reader: User) -> None:
    make_choices(reader, 2, 2)
    act = Engagement.objects.earliest("pk")
    make.engagement(reader, act.article, act.kind, undoes=act)
    assert train_user(reader, now=make.NOW) == UserTraining(1, 2)
