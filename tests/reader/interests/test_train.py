"""Models out of real articles and choices: when there is one, when it is used, and what is kept of it."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.interests import train
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.holdout import MIN_PER_CLASS
from reader.interests.learning.profile import Profile
from reader.interests.predictor import load_predictor, model_from
from reader.interests.terms import add_starting_interests, reset, set_learning
from reader.interests.train import YEAR, UserTraining, refresh_idf, train_due, train_user
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
    made = [
        make.article(title=" ".join(chance.sample(vocabulary, 4)), text=" ".join(chance.choices(vocabulary, k=25)))
        for _ in range(n)
    ]
    assess([article.pk for article in made], now=make.NOW)
    return made


def choose(user: User, articles: Sequence[Article], kind: str, **values: object) -> None:
    for article in articles:
        make.engagement(user, article, kind, **values)


def chose(user: User, n_opened: int, n_skipped: int) -> None:
    """The person opens what is about harbours and skips what is about books."""
    choose(user, articles(LIKED, n_opened, 1), "opened")
    choose(user, articles(LEFT, n_skipped, 2), "skipped")


@pytest.fixture
def reader() -> User:
    user = make.user()
    InterestProfile.objects.create(user=user, changed_at=make.NOW - DAY)
    return user


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looked:
    """Whose choices were learned from, in place of learning."""
    names: Looked = []

    def look(user: User, *, now: object) -> UserTraining:
        names.append(user.get_username())
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", look)
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
def test_too_few_choices_are_no_model(reader: User, n_opened: int, n_skipped: int, n_missing: int) -> None:
    chose(reader, n_opened, n_skipped)
    found = train_user(reader, now=make.NOW)
    assert found == UserTraining(n_opened, n_skipped, None)
    assert found.n_missing == n_missing
    assert not RelevanceModel.objects.exists()
    assert InterestProfile.objects.get().changed_at == make.NOW - DAY


def test_enough_choices_are_a_model_with_its_figures(reader: User) -> None:
    chose(reader, MIN_PER_CLASS, MIN_PER_CLASS + 5)
    found = train_user(reader, now=make.NOW)
    row = RelevanceModel.objects.get()
    assert found == UserTraining(50, 55, row)
    assert found.n_missing == 0
    assert (row.user, row.trained_at) == (reader, make.NOW)
    assert (row.n_positive, row.n_negative, row.n_held_out) == (50, 55, 20)
    assert min(row.precision, row.recall, row.f1, row.auc, row.average_precision) > 0.9
    assert len(row.indices) == len(row.weights) > 0
    assert row.seconds > 0
    assert InterestProfile.objects.get().changed_at == make.NOW


def test_topics_told_apart_make_a_model_that_is_used(reader: User) -> None:
    chose(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    row = RelevanceModel.objects.get()
    assert row.average_precision >= row.profile_average_precision
    assert row.is_used
    taste = load_predictor(reader)
    assert taste.model is not None
    assert taste.model.indices == bytes(row.indices)
    assert taste.model.intercept == row.intercept
    assert taste.changed_at == make.NOW


def test_where_the_profile_knows_better_it_stays(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choices by chance, which a model cannot learn, and a profile that happens to know them all."""
    made = articles([*LIKED, *LEFT], 2 * MIN_PER_CLASS, 3)
    opened = random.Random(4).sample(made, MIN_PER_CLASS)
    choose(reader, opened, "opened")
    choose(reader, [article for article in made if article not in opened], "skipped")
    known = {bytes(features.terms) for features in ArticleFeatures.objects.filter(article__in=opened)}

    def omniscient(profile: Profile, stored: StoredFeatures, idf: object) -> object:
        return np.array([100.0 if terms in known else 0.0 for terms in stored.terms])

    monkeypatch.setattr(train, "relevance_of_many", omniscient)
    add_starting_interests(reader, ["harbour"], [], make.NOW)
    train_user(reader, now=make.NOW + HOUR)
    row = RelevanceModel.objects.get()
    assert row.profile_average_precision == 1.0 > row.average_precision
    assert not row.is_used
    taste = load_predictor(reader)
    assert taste.model is None
    assert taste.profile.certainty > 0


def test_no_model_is_used_while_learning_is_switched_off(reader: User) -> None:
    chose(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    assert load_predictor(reader).model is not None
    set_learning(reader, False, make.NOW + HOUR)
    assert load_predictor(reader).model is None
    set_learning(reader, True, make.NOW + 2 * HOUR)
    assert load_predictor(reader).model is not None


def test_only_the_newest_keeps_its_numbers_and_all_their_figures(reader: User) -> None:
    other = make.training(make.user(), indices=b"1234", weights=b"1234")
    older = make.training(reader, trained_at=make.NOW - DAY, indices=b"1234", weights=b"1234", embedding=b"12")
    chose(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    train_user(reader, now=make.NOW)
    older.refresh_from_db()
    assert (bytes(older.indices), bytes(older.weights), bytes(older.embedding)) == (b"", b"", b"")
    assert (older.average_precision, older.is_used) == (0.9, True)
    newest = RelevanceModel.objects.filter(user=reader).latest("trained_at")
    assert len(newest.indices) > 0
    other.refresh_from_db()
    assert bytes(other.indices) == b"1234"


def test_the_newest_training_decides(reader: User) -> None:
    make.training(reader, trained_at=make.NOW - DAY, is_used=True)
    make.training(reader, trained_at=make.NOW, is_used=False)
    assert load_predictor(reader).model is None
    newest = make.training(reader, trained_at=make.NOW, is_used=True, intercept=0.5)  # the same moment, written later
    assert (load_predictor(reader).model or model_from(newest)).intercept == 0.5
    assert load_predictor(reader).model is not None


def test_a_person_without_a_profile_has_no_taste() -> None:
    user = make.user()
    make.training(user, is_used=True)
    taste = load_predictor(user)
    assert (taste.model, taste.profile.certainty, taste.changed_at) == (None, 0.0, None)


def test_counts_what_was_done_within_a_year_and_can_be_read(reader: User) -> None:
    chose(reader, 3, 2)
    choose(reader, articles(LIKED, 1, 5), "opened", happened_at=make.NOW - YEAR - HOUR)
    choose(reader, [make.article()], "opened")  # which was not assessed
    choose(make.user(), articles(LIKED, 1, 6), "opened")
    assert train_user(reader, now=make.NOW) == UserTraining(3, 2)


def test_what_was_only_passed_over_is_no_label(reader: User) -> None:
    choose(reader, articles(LIKED, 60, 1), "opened")
    choose(reader, articles(LEFT, 60, 2), "passed")
    found = train_user(reader, now=NIGHT)
    assert (found.n_positive, found.n_negative, found.row) == (60, 0, None)


def test_a_reset_retires_the_model_and_what_it_learned_from(reader: User) -> None:
    chose(reader, 60, 60)
    train_user(reader, now=NIGHT)
    assert load_predictor(reader).model is not None
    reset(reader, NIGHT + HOUR)
    assert load_predictor(reader).model is None
    found = train_user(reader, now=NIGHT + DAY)
    assert (found.n_positive, found.n_negative, found.row) == (0, 0, None)


def test_counts_the_newest_where_there_are_very_many(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "MAX_LABELS", 4)
    choose(reader, articles(LIKED, 3, 1), "opened", happened_at=make.NOW - DAY)
    choose(reader, articles(LEFT, 3, 2), "skipped")
    assert train_user(reader, now=make.NOW) == UserTraining(1, 3)


def test_looks_at_everybody_once_a_night(looked: Looked) -> None:
    named("ada"), named("ben"), named("cyd", is_learning=False), named("dan", trained_at=NIGHT)
    assert train_due(NIGHT, now=NIGHT + HOUR) == 0
    assert looked == ["ada", "ben"]
    train_due(NIGHT, now=NIGHT + 2 * HOUR)
    assert looked == ["ada", "ben"]
    train_due(NIGHT + DAY, now=NIGHT + DAY)
    assert looked == ["ada", "ben"]  # who did nothing since


def test_catches_up_on_nights_when_nothing_ran(looked: Looked) -> None:
    ada = named("ada", trained_at=NIGHT - 4 * DAY)
    make.engagement(ada, make.article(), happened_at=NIGHT - 3 * DAY)
    train_due(NIGHT, now=NIGHT + 9 * HOUR)
    assert looked == ["ada"]


def test_who_did_nothing_new_keeps_the_model(looked: Looked) -> None:
    ada, ben = (named(name, trained_at=NIGHT - DAY) for name in ("ada", "ben"))
    kept = make.training(ada, trained_at=NIGHT - DAY, indices=b"1234", weights=b"1234")
    make.engagement(ada, make.article(), happened_at=NIGHT - DAY - HOUR)
    make.engagement(ben, make.article(), happened_at=NIGHT - DAY + HOUR)
    train_due(NIGHT, now=NIGHT)
    assert looked == ["ben"]
    kept.refresh_from_db()
    assert bytes(kept.indices) == b"1234"
    assert set(InterestProfile.objects.values_list("trained_at", flat=True)) == {NIGHT}


def test_what_was_undone_is_new_too(looked: Looked) -> None:
    ada = named("ada", trained_at=NIGHT - DAY)
    act = make.engagement(ada, make.article(), happened_at=NIGHT - 3 * DAY)
    make.engagement(ada, act.article, happened_at=NIGHT - HOUR, undoes=act)
    train_due(NIGHT, now=NIGHT)
    assert looked == ["ada"]


def test_a_failure_costs_one_person_one_night(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ada", "ben"):
        named(name)
    learned: Looked = []

    def look(user: User, *, now: object) -> UserTraining:
        if user.get_username() == "ada":
            raise MemoryError
        learned.append(user.get_username())
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", look)
    with pytest.raises(MemoryError):
        train_due(NIGHT, now=NIGHT)
    train_due(NIGHT, now=NIGHT + HOUR)
    assert learned == ["ben"]


def test_what_another_worker_took_meanwhile_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ada", "ben", "cyd"):
        named(name)
    learned: Looked = []

    def look(user: User, *, now: object) -> UserTraining:
        learned.append(user.get_username())
        if user.get_username() == "ada":
            InterestProfile.objects.filter(user__username="ben").update(trained_at=NIGHT)  # by another worker
        return UserTraining(0, 0)

    monkeypatch.setattr(train, "train_user", look)
    train_due(NIGHT, now=NIGHT)
    assert learned == ["ada", "cyd"]


def test_forgets_what_faded_and_lets_the_rest_show(looked: Looked) -> None:
    ada = named("ada", changed_at=NIGHT - DAY)
    for term, weight in (("harbour", 3.0), ("quay", 0.001)):
        make.term(ada, term, weight, engaged_at=NIGHT)
    train_due(NIGHT, now=NIGHT)
    assert list(InterestTerm.objects.values_list("term", flat=True)) == ["harbour"]
    assert InterestProfile.objects.get().changed_at == NIGHT


def test_tells_what_came_of_each(reader: User) -> None:
    chose(reader, MIN_PER_CLASS, MIN_PER_CLASS)
    told: list[tuple[User, UserTraining]] = []
    tell: Callable[[User, UserTraining], None] = lambda user, found: told.append((user, found))  # noqa: E731
    assert train_due(NIGHT, now=NIGHT, on_user=tell) == 1
    assert told == [(reader, UserTraining(50, 50, RelevanceModel.objects.get()))]


def test_counting_terms_anew_outdates_every_relevance(reader: User) -> None:
    set_learning(reader, False, make.NOW - HOUR)  # whom no night looks at
    nobody = named("nobody")
    assert refresh_idf(now=make.NOW) is True
    assert IdfTable.objects.get().built_at == make.NOW
    assert InterestProfile.objects.get(user=reader).changed_at == make.NOW
    assert InterestProfile.objects.get(user=nobody).changed_at is None
    assert refresh_idf(now=make.NOW + 6 * DAY) is False
    assert InterestProfile.objects.get(user=reader).changed_at == make.NOW
    assert refresh_idf(now=make.NOW + 7 * DAY) is True


def test_labels_undone_before_training_do_not_count(reader: User) -> None:
    chose(reader, 2, 2)
    act = Engagement.objects.earliest("pk")
    make.engagement(reader, act.article, act.kind, undoes=act)
    assert train_user(reader, now=make.NOW) == UserTraining(1, 2)
