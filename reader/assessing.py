"""Stage 7: what can be said of an article whoever reads it. Each article once, and again when it was revised.

Authority and corroboration (`reader.standings`), depth, how fast it ages, and what learning reads of it. What a
language model or a person said of its ageing stays, also when the model said it while the article was being assessed.
Who has the article rated already gets it rated anew. Nothing here loads numpy; a revision keeps the vector it had.

Rows are locked in one order: assessments by article, then deliveries by id.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from feeds.models import Article, Sketch
from reader.judge_numbers import current_numbers
from reader.models import Assessment, Features, Judge, SensitivityLabel
from reader.reading_of import features_of
from reader.scoring.authority import authority
from reader.scoring.corroboration import corroboration
from reader.scoring.depth import depth, depth_facts
from reader.scoring.importance import worth
from reader.scoring.sensitivity import Numbers, judge
from reader.standings import Facts, facts_of, mark_for_rating

CHUNK = 100  # articles whose markup is in memory at once
_KEY = ("article_id", "article")


def assess(article_ids: Collection[int], *, now: datetime) -> int:
    """Assess these articles, anew where they were assessed before; returns how many there are."""
    ids = sorted(set(article_ids))
    return sum(_assess(ids[start : start + CHUNK], now) for start in range(0, len(ids), CHUNK))


def _assess(ids: Sequence[int], now: datetime) -> int:
    articles = list(Article.objects.filter(pk__in=ids).select_related("source", "feed").order_by("pk"))
    vectors = {pk: bytes(kept) for pk, kept in Features.objects.filter(article__in=ids).values_list("pk", "vector")}
    vectors |= {
        pk: bytes(found)
        for pk, found in Sketch.objects.filter(article__in=ids).exclude(vector=b"").values_list("article_id", "vector")
    }
    said = _said_by_model(ids)
    facts, numbers = facts_of(ids), current_numbers()
    assessments, features = [], []
    for each in articles:
        vector = vectors.get(each.pk, b"")
        assessments.append(_assessment(each, facts[each.pk], said.get(each.pk) or _judged(each, vector, numbers), now))
        packed = features_of(each)
        features.append(Features(article=each, terms=packed.terms, marks=packed.marks, vector=vector))
    with transaction.atomic():
        held = Assessment.objects.filter(article__in=ids).select_for_update().order_by("article_id")
        assessed = list(held.values_list("article_id", flat=True))
        meanwhile = _said_by_model(assessed)
        for made in assessments:
            if made.article_id in meanwhile:
                _take_word(made, meanwhile[made.article_id])
        _write(Assessment, assessments)
        _write(Features, features)
        mark_for_rating(assessed)
    return len(articles)


def _write(model: type[Assessment] | type[Features], rows: Sequence[Assessment | Features]) -> None:
    fields = [each.name for each in model._meta.concrete_fields if each.name not in _KEY]
    model.objects.bulk_create(rows, update_conflicts=True, unique_fields=["article"], update_fields=fields)  # type: ignore[arg-type]  # of that model, all of them


def _said_by_model(ids: Sequence[int]) -> dict[int, SensitivityLabel]:
    labels = SensitivityLabel.objects.filter(article__in=ids, user=None, judge=Judge.LLM)
    return {each.article_id: each for each in labels}


def _judged(article: Article, vector: bytes, numbers: Numbers) -> SensitivityLabel:
    """What the local judge says, in the words of a label; it is not kept as one."""
    found = judge(
        article.title,
        article.text,
        language=article.language,
        kind=article.feed.kind if article.feed else "",
        published_at=article.published_at,
        vector=vector,
        numbers=numbers,
    )
    return SensitivityLabel(
        judge=Judge.LOCAL, score=found.score, confidence=found.confidence, explanation=found.explanation
    )


def _assessment(article: Article, facts: Facts, said: SensitivityLabel, now: datetime) -> Assessment:
    measured = depth_facts(
        markup="" if article.markup_is_text else article.markup,
        text=article.text,
        word_count=article.word_count,
        is_partial=article.partial_content,
        own_domain=article.source.domain if article.source else "",
        base_url=article.base_url or article.url,
    )
    points = authority(facts.tier, facts.health), corroboration(facts.n_feeds, facts.n_tiers), depth(measured)
    assessment = Assessment(
        article=article,
        content_hash=article.content_hash,
        assessed_at=now,
        tier=facts.tier,
        health=facts.health,
        n_feeds=facts.n_feeds,
        n_tiers=facts.n_tiers,
        depth_facts=asdict(measured),
        authority=points[0],
        corroboration=points[1],
        depth=points[2],
        worth=worth(*points),
    )
    _take_word(assessment, said)
    return assessment


def _take_word(assessment: Assessment, said: SensitivityLabel) -> None:
    assessment.sensitivity, assessment.confidence = said.score, said.confidence
    assessment.explanation, assessment.judge = said.explanation[:300], said.judge
