"""A user's sensitivity override: applies to them only, at once, until they reset it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.models import Assessment, Delivery, SensitivityLabel
from reader.scoring.sensitivity_override import clear_override, set_override
from tests import make
from tests.reader.assessed import make_assessed

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(hours=1)


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def article(reader: User) -> Article:
    """A rated article, delivered by two feeds of the user and one of another user."""
    article = make_assessed(make.subscription(reader))
    make.delivery(make.subscription(reader), article)
    make.delivery(make.subscription(make.user()), article)
    Delivery.objects.update(is_rated=True)
    return article


def labels() -> list[tuple[object, ...]]:
    return list(SensitivityLabel.objects.values_list("user", "article", "source", "score", "confidence", "made_at"))


def waiting_to_be_rated() -> list[int]:
    return list(Delivery.objects.filter(is_rated=False).values_list("user", flat=True))


def test_override_rerates_only_the_users_deliveries(reader: User, article: Article) -> None:
    make_assessed(make.subscription(reader))
    assert set_override(reader, article.pk, 1, now=make.NOW)
    assert labels() == [(reader.pk, article.pk, "user", 1, "high", make.NOW)]
    assert waiting_to_be_rated() == [reader.pk, reader.pk]
    assert (Assessment.objects.get(pk=article.pk).sensitivity, Assessment.objects.get(pk=article.pk).source) == (
        3,
        "local",
    )


@pytest.mark.vendor
def test_second_override_replaces_the_first(reader: User, article: Article) -> None:
    set_override(reader, article.pk, 1, now=make.NOW)
    Delivery.objects.update(is_rated=True)
    assert set_override(reader, article.pk, 5, now=LATER)
    assert labels() == [(reader.pk, article.pk, "user", 5, "high", LATER)]
    assert len(waiting_to_be_rated()) == 2


def test_repeated_override_changes_nothing(reader: User, article: Article) -> None:
    set_override(reader, article.pk, 4, now=make.NOW)
    Delivery.objects.update(is_rated=True)
    assert not set_override(reader, article.pk, 4, now=LATER)
    assert labels() == [(reader.pk, article.pk, "user", 4, "high", make.NOW)]
    assert waiting_to_be_rated() == []


@pytest.mark.parametrize("score", [0, 6, -1, 4.5], ids=str)
def test_refuses_invalid_scores(reader: User, article: Article, score: int) -> None:
    with pytest.raises(ValueError, match="is not a valid TimeSensitivity"):
        set_override(reader, article.pk, score, now=make.NOW)
    assert labels() == []
    assert waiting_to_be_rated() == []


@pytest.mark.vendor
def test_reset_restores_the_automatic_score(reader: User, article: Article) -> None:
    set_override(reader, article.pk, 1, now=make.NOW)
    Delivery.objects.update(is_rated=True)
    assert clear_override(reader, article.pk)
    assert labels() == []
    assert waiting_to_be_rated() == [reader.pk, reader.pk]


def test_reset_without_override_changes_nothing(reader: User, article: Article) -> None:
    other = make.user()
    set_override(other, article.pk, 1, now=make.NOW)
    SensitivityLabel.objects.create(article=article, source="llm", score=2, confidence="low", made_at=make.NOW)
    before = labels()
    assert not clear_override(reader, article.pk)
    assert labels() == before
    assert waiting_to_be_rated() == []


def test_users_overrides_are_independent_of_each_other_and_the_model(reader: User, article: Article) -> None:
    other = make.user()
    SensitivityLabel.objects.create(article=article, source="llm", score=3, confidence="low", made_at=make.NOW)
    set_override(reader, article.pk, 1, now=make.NOW)
    set_override(other, article.pk, 5, now=make.NOW)
    scores = SensitivityLabel.objects.filter(source="user").values_list("user", "score")
    assert sorted(scores) == sorted([(reader.pk, 1), (other.pk, 5)])
    assert len(labels()) == 3
