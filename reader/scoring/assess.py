"""Stage 7: score what doesn't depend on the user. Once per article, and again after each revision.

Authority (`reader.scoring.source_signals`), depth, time sensitivity, and the features for learning.
A rating by the language model stays, even if it arrives while the article is being assessed. Existing ratings are
marked for update. Nothing here loads numpy; a revision keeps the stored embedding.

Rows are locked in one order: assessments by article, then deliveries by id.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache

from django.db import connection, transaction

from feeds.errors import TimeLimitExceeded
from feeds.models import Article, Sketch
from feeds.time_limit import ALONE_SECONDS, time_limit
from reader.interests.article_features import pack_features
from reader.models import ArticleFeatures, Assessment, SensitivityLabel, SensitivitySource, SensitivityTraining
from reader.scoring.depth import DepthFeatures, comparable_words, depth, depth_features, is_excerpts
from reader.scoring.sensitivity import SHIPPED, ClassifierWeights, InvalidWeights, classify
from reader.scoring.sensitivity_reasons import as_stored
from reader.scoring.source_signals import SourceSignals, load_signals, mark_for_rating

EXCERPT_CHARACTERS = 1000  # of a text, enough to tell whether it is one
NEWEST = 20  # articles of a feed, whose lengths show whether it publishes only excerpts
CHUNK = 100  # articles whose markup is in memory at once
_KEY = ("article_id", "article")
_NEWEST_OF_FEED = """
SELECT * FROM (
    SELECT i.feed_id, a.word_count, SUBSTR(a.text, 1, %s)
    FROM feeds_item i JOIN feeds_article a ON a.id = i.article_id
    WHERE i.feed_id = %s ORDER BY i.id DESC LIMIT %s
) AS newest
"""

logger = logging.getLogger(__name__)


def assess(article_ids: Collection[int], *, now: datetime) -> int:
    """Assess these articles, or assess them again; returns how many of them exist."""
    ids = sorted(set(article_ids))
    return sum(_assess(ids[start : start + CHUNK], now) for start in range(0, len(ids), CHUNK))


def current_weights() -> ClassifierWeights:
    """The classifier's weights: the newest training's if it beat the shipped ones, else those. One query."""
    stored = SensitivityTraining.objects.values_list("weights", flat=True).first()
    return _parse_weights(bytes(stored)) if stored else SHIPPED


@lru_cache(maxsize=1)
def _parse_weights(stored: bytes) -> ClassifierWeights:
    try:
        return ClassifierWeights.from_bytes(stored)
    except InvalidWeights as error:  # of another version; the next training replaces them
        logger.warning("Using the shipped sensitivity weights, because the trained ones can't be read: %s", error)
        return SHIPPED


def _assess(ids: Sequence[int], now: datetime) -> int:
    articles = list(Article.objects.filter(pk__in=ids).select_related("source", "feed").order_by("pk"))
    vectors = _load_vectors(ids)
    labels = _model_labels(ids)
    signals, weights = load_signals(ids), current_weights()
    of_excerpts = _feeds_of_excerpts({article.feed_id for article in articles if article.feed_id is not None})
    assessments, features = [], []

    def assess_one(article: Article) -> None:
        vector = vectors.get(article.pk, b"")
        label = labels.get(article.pk) or _classify(article, vector, weights)
        depth_facts = _depth_features(article, is_of_excerpts=article.feed_id in of_excerpts)
        assessment, packed = _assessment(article, signals[article.pk], label, depth_facts, now), pack_features(article)
        assessments.append(assessment)
        features.append(
            ArticleFeatures(article=article, terms=packed.terms, attributes=packed.attributes, vector=vector)
        )

    for article in articles:
        try:
            with time_limit(ALONE_SECONDS):
                assess_one(article)
        except TimeLimitExceeded as error:
            logger.warning("Assessing article %s %s; it is assessed without its content", article.pk, error)
            assess_one(_without_content(article))
    with transaction.atomic():
        existing = Assessment.objects.filter(article__in=ids).select_for_update().order_by("article_id")
        reassessed = list(existing.values_list("article_id", flat=True))
        new_labels = _model_labels(reassessed)
        for assessment in assessments:
            if assessment.article_id in new_labels:
                _set_sensitivity(assessment, new_labels[assessment.article_id])
        _upsert(Assessment, assessments)
        _upsert(ArticleFeatures, features)
        mark_for_rating(reassessed)
    return len(articles)


def _without_content(article: Article) -> Article:
    article.title = article.text = article.markup = article.author = ""
    article.categories = []
    return article


def _load_vectors(ids: Sequence[int]) -> dict[int, bytes]:
    stored = ArticleFeatures.objects.filter(article__in=ids).values_list("pk", "vector")
    new = Sketch.objects.filter(article__in=ids).exclude(vector=b"").values_list("article_id", "vector")
    return {pk: bytes(vector) for pk, vector in [*stored, *new]}


def _upsert(model: type[Assessment] | type[ArticleFeatures], rows: Sequence[Assessment | ArticleFeatures]) -> None:
    fields = [field.name for field in model._meta.concrete_fields if field.name not in _KEY]
    model.objects.bulk_create(rows, update_conflicts=True, unique_fields=["article"], update_fields=fields)  # type: ignore[arg-type]  # all rows are of that model


def _model_labels(ids: Sequence[int]) -> dict[int, SensitivityLabel]:
    labels = SensitivityLabel.objects.filter(article__in=ids, user=None, source=SensitivitySource.LLM)
    return {label.article_id: label for label in labels}


def _classify(article: Article, vector: bytes, weights: ClassifierWeights) -> SensitivityLabel:
    """An unsaved label with the built-in classifier's prediction."""
    prediction = classify(
        article.title,
        article.text,
        language=article.language,
        kind=article.feed.kind if article.feed else "",
        published_at=article.published_at,
        vector=vector,
        weights=weights,
    )
    return SensitivityLabel(
        source=SensitivitySource.LOCAL,
        score=prediction.score,
        confidence=prediction.confidence,
        explanation=as_stored(prediction.reasons),
    )


def _feeds_of_excerpts(feed_ids: Collection[int]) -> set[int]:
    """The feeds of which the newest articles are excerpts; one query."""
    if not feed_ids:
        return set()
    n_words: dict[int, list[int]] = {feed: [] for feed in feed_ids}
    with connection.cursor() as cursor:
        parameters = [value for feed in feed_ids for value in (EXCERPT_CHARACTERS, feed, NEWEST)]
        cursor.execute(" UNION ALL ".join([_NEWEST_OF_FEED] * len(feed_ids)), parameters)
        for feed, count, beginning in cursor.fetchall():
            n_words[feed].append(comparable_words(beginning, count))
    return {feed for feed, counts in n_words.items() if is_excerpts(counts)}


def _depth_features(article: Article, *, is_of_excerpts: bool) -> DepthFeatures:
    return depth_features(
        markup="" if article.markup_is_text else article.markup,
        text=article.text,
        word_count=article.word_count,
        is_partial=article.partial_content,
        own_domain=article.domain or (article.source.domain if article.source else ""),
        base_url=article.base_url or article.url,
        is_of_excerpts=is_of_excerpts,
    )


def _assessment(
    article: Article, signals: SourceSignals, label: SensitivityLabel, features: DepthFeatures, now: datetime
) -> Assessment:
    points = depth(features)
    assessment = Assessment(
        article=article,
        content_hash=article.content_hash,
        assessed_at=now,
        depth_features=asdict(features),
        depth=points,
        **asdict(signals),
        **signals.scores(points),
    )
    _set_sensitivity(assessment, label)
    return assessment


def _set_sensitivity(assessment: Assessment, label: SensitivityLabel) -> None:
    assessment.sensitivity, assessment.confidence = label.score, label.confidence
    assessment.explanation, assessment.source = label.explanation[:300], label.source
