"""The assessment that all users share: made from the article and its feeds, and again after a revision."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, Sketch
from reader.interests.article_features import pack_features
from reader.interests.learning.features import count_terms, unpack
from reader.models import ArticleFeatures, Assessment, Delivery, SensitivityLabel, SensitivitySource
from reader.scoring import assess as assessing
from reader.scoring.assess import CHUNK, assess
from reader.scoring.depth import depth, depth_features
from reader.scoring.sensitivity import SHIPPED, classify
from reader.scoring.sensitivity_reasons import as_stored
from reader.scoring.source_signals import SourceSignals
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

LATER = make.NOW + timedelta(hours=5)
VECTOR = bytes([3] * 512)
OTHER = bytes([4] * 512)
TEXT = "The harbour handled 412,000 containers last year, 8 % more than before, says the office. " * 20
TABLE = "<table><tr><th>Year<th>Boxes<tr><td>2024<td>381<tr><td>2025<td>412</table>"
MARKUP = f"<p>{TEXT}</p>{TABLE}<p><a href='https://elsewhere.example/x'>Figures</a></p>"


@pytest.fixture
def article() -> Article:
    feed = make.feed(source=make.source("paper.example", tier=2), health_score=0.9, kind="major")
    article = make.article(
        title="Harbour handles more",
        text=TEXT,
        markup=MARKUP,
        word_count=300,
        language="en",
        feed=feed,
        source=feed.source,
        author="Ada",
        categories=["Trade"],
    )
    make.item(feed, article)
    return article


def label(
    article: Article, score: int, *, source: str = SensitivitySource.LLM, user: User | None = None
) -> SensitivityLabel:
    return SensitivityLabel.objects.create(
        article=article, user=user, source=source, score=score, confidence="high", explanation="So.", made_at=make.NOW
    )


def sensitivity(article: Article) -> tuple[int, str, str, str]:
    assessment = Assessment.objects.get(article=article)
    return assessment.sensitivity, assessment.confidence, assessment.explanation, assessment.source


def test_stores_parts_and_their_evidence(article: Article) -> None:
    assert assess([article.pk], now=make.NOW) == 1
    assessment = Assessment.objects.get()
    measured = depth_features(
        markup=MARKUP,
        text=TEXT,
        word_count=300,
        is_partial=False,
        own_domain="paper.example",
        base_url=article.url,
    )
    assert (assessment.article_id, assessment.content_hash, assessment.assessed_at) == (
        article.pk,
        article.content_hash,
        make.NOW,
    )
    assert (assessment.tier, assessment.health) == (2, 0.9)
    assert assessment.depth_features == asdict(measured)
    assert assessment.authority == pytest.approx(72)
    assert assessment.depth == depth(measured) == 85  # 50 for length, 15 for figures, 10 for the table, 10 for the link
    assert assessment.shared_importance == pytest.approx(0.25 * 72 + 0.15 * 85)


def test_stores_features_for_learning(article: Article) -> None:
    Sketch.objects.create(article=article, vector=VECTOR)
    assess([article.pk], now=make.NOW)
    features = ArticleFeatures.objects.get()
    expected = pack_features(Article.objects.get())
    assert (bytes(features.terms), bytes(features.attributes), bytes(features.vector)) == (
        expected.terms,
        expected.attributes,
        VECTOR,
    )
    assert len(list(unpack(bytes(features.terms)))) == len(count_terms(article.title, TEXT, "en"))


def test_built_in_classifier_scores_sensitivity(article: Article) -> None:
    assess([article.pk], now=make.NOW)
    judgement = classify(
        article.title, TEXT, language="en", kind="major", published_at=article.published_at, vector=b"", weights=SHIPPED
    )
    assert sensitivity(article) == (
        judgement.score,
        judgement.confidence,
        as_stored(judgement.reasons),
        SensitivitySource.LOCAL,
    )


def test_plain_text_is_not_parsed_as_markup(article: Article) -> None:
    Article.objects.update(markup_is_text=True)
    assess([article.pk], now=make.NOW)
    assert Assessment.objects.get().depth_features["has_table"] is False


@pytest.mark.parametrize(
    "values",
    [
        {"title": "", "text": "", "markup": "", "word_count": 0},
        {"title": "港口擴建", "text": "港口" * 500, "word_count": 500, "language": "zh"},
        {"markup": "<table>" * 2000, "text": "x"},
        {"source": None, "feed": None},
        {"author": "\ufffd", "categories": ["", " "]},
    ],
    ids=["nothing", "no spaces", "tables without end", "nobody's", "hostile names"],
)
def test_any_article_can_be_assessed(values: dict[str, object]) -> None:
    article = make.article(**values)
    assert assess([article.pk], now=make.NOW) == 1
    assessment = Assessment.objects.get()
    assert 0 <= assessment.shared_importance <= 40
    assert assessment.sensitivity in range(1, 6)


def test_ignores_deleted_articles() -> None:
    assert assess([], now=make.NOW) == assess([4711], now=make.NOW) == 0


def test_reassesses_revision_and_keeps_vector(article: Article) -> None:
    Sketch.objects.create(article=article, vector=VECTOR)
    assess([article.pk], now=make.NOW)
    before = Assessment.objects.get()
    Sketch.objects.all().delete()
    Article.objects.update(title="Corrected", text="Short.", markup="", word_count=1, content_hash=9)

    assess([article.pk], now=LATER)
    assessment = Assessment.objects.get()
    assert (assessment.content_hash, assessment.assessed_at, assessment.depth) == (9, LATER, 40)
    assert assessment.shared_importance < before.shared_importance
    assert bytes(ArticleFeatures.objects.get().vector) == VECTOR


def test_new_vector_replaces_the_old(article: Article) -> None:
    ArticleFeatures.objects.create(article=article, terms=b"", attributes=b"", vector=VECTOR)
    Sketch.objects.create(article=article, vector=OTHER)
    assess([article.pk], now=make.NOW)
    assert bytes(ArticleFeatures.objects.get().vector) == OTHER


def test_second_assessment_queues_rating_for_all_users(article: Article) -> None:
    for _ in range(2):
        make.delivery(make.subscription(make.user(), article.feed), article)
    Delivery.objects.update(is_rated=True)
    assess([article.pk], now=make.NOW)
    assert Delivery.objects.filter(is_rated=True).count() == 2  # they were rated without it
    assess([article.pk], now=LATER)
    assert Delivery.objects.filter(is_rated=False).count() == 2


def test_keeps_label_of_language_model(article: Article) -> None:
    label(article, 5)
    assess([article.pk], now=make.NOW)
    assert sensitivity(article) == (5, "high", "So.", SensitivitySource.LLM)
    Article.objects.update(content_hash=9)
    assess([article.pk], now=LATER)
    assert sensitivity(article) == (5, "high", "So.", SensitivitySource.LLM)


def test_users_label_applies_only_to_them(article: Article) -> None:
    label(article, 5, source=SensitivitySource.USER, user=make.user())
    assess([article.pk], now=make.NOW)
    assert sensitivity(article)[3] == SensitivitySource.LOCAL


def test_does_not_overwrite_concurrent_model_label(article: Article, monkeypatch: pytest.MonkeyPatch) -> None:
    assess([article.pk], now=make.NOW)
    load_signals = assessing.load_signals

    def slowly(ids: Collection[int]) -> dict[int, SourceSignals]:
        label(article, 5)
        Assessment.objects.update(sensitivity=5, source=SensitivitySource.LLM)
        return load_signals(ids)

    monkeypatch.setattr(assessing, "load_signals", slowly)
    assess([article.pk], now=LATER)
    assert sensitivity(article) == (5, "high", "So.", SensitivitySource.LLM)


def test_chunk_takes_constant_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    feed = make.feed()
    ids = [make.article(feed=feed, source=feed.source).pk for _ in range(30)]
    assess(ids[:2], now=make.NOW)
    for some in (ids[:1], ids):
        with django_assert_num_queries(17):
            assess(some, now=make.NOW)


def test_assesses_more_than_one_chunk() -> None:
    ids = [make.article().pk for _ in range(CHUNK + 2)]
    assert assess(ids, now=make.NOW) == CHUNK + 2
    assert Assessment.objects.count() == ArticleFeatures.objects.count() == CHUNK + 2


def test_content_that_hangs_is_left_out(article: Article, monkeypatch: pytest.MonkeyPatch) -> None:
    classify_quickly = assessing.classify

    def hang(title: str, text: str, **options: object) -> object:
        while text:
            pass
        return classify_quickly(title, text, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(assessing, "classify", hang)
    monkeypatch.setattr(assessing, "ALONE_SECONDS", 0.2)
    other = make.article(text="")
    assert assess([article.pk, other.pk], now=make.NOW) == 2
    assert Assessment.objects.get(article=article).content_hash == article.content_hash
    assert Assessment.objects.filter(article=other).exists()
