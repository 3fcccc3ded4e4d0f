"""Time sensitivity ratings by the language model: which articles it rates, and storing its answers.

It runs after the built-in classifier, so that every article has an assessment at once. It is slow and rate-limited, so
the newest come first: each new article is rated once, read or not, and those of more than some days ago no longer,
since they have lost most of their relevance. Copies folded under another article aren't rated.

A user's own label takes precedence (`reader.scoring.sensitivity_override`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple, Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Left
from django.utils import timezone

from feeds.models import Disposition, Link
from reader.llm import Answer, Failure, FailureKind, LanguageModel, Server
from reader.models import (
    Assessment,
    Delivery,
    LanguageModelRequest,
    SensitivityLabel,
    SensitivitySource,
    lock_deliveries,
)
from reader.scoring.llm_budget import admit_request, is_paused, record_failure, record_success

RECENT = timedelta(days=3)
HELD = timedelta(minutes=10)  # longer than one article ever takes; also the pause after a failure
MAX_TRIES = 3  # per article, if the server failed each time
READ_CHARACTERS = 6000  # of the text: enough for 1,500 after collapsing white space


class Model(Protocol):
    """The part of `reader.llm.LanguageModel` used here."""

    def ask(self, title: str, text: str, *, admit_request: Callable[[], bool]) -> Answer | Failure: ...


class StopReason(Enum):
    """Why a run stopped."""

    QUEUE_EMPTY = "nothing left to rate"
    TIME = "time is up"
    BUDGET = "the request limit is reached"
    PAUSED = "requests are paused after failures"


@dataclass(slots=True)
class RunReport:
    """Counts of a run: answers stored and those that changed a score, unusable answers, server failures, and answers
    for articles that were revised in the meantime."""

    n_answered: int = 0
    n_changed: int = 0
    n_useless: int = 0
    n_failed: int = 0
    n_outdated: int = 0
    stopped: StopReason = StopReason.QUEUE_EMPTY


class _Claimed(NamedTuple):
    article_id: int
    content_hash: int
    title: str
    text: str


def run_configured(*, until: datetime) -> RunReport | None:
    """Rate queued articles with the model from the settings until `until`; None if none is configured."""
    env = settings.ENV
    if not env.LLM_BASE_URL:
        return None
    server = Server(env.LLM_BASE_URL, model=env.LLM_MODEL, key=env.LLM_API_KEY, timeout=env.LLM_TIMEOUT)
    model = LanguageModel(server, user_agent=settings.USER_AGENT)
    try:
        return run_queue(model, until=until, limit_per_minute=env.LLM_RATE)
    finally:
        model.close()


def run_queue(
    model: Model, *, until: datetime, limit_per_minute: int, clock: Callable[[], datetime] = timezone.now
) -> RunReport:
    """Rate queued articles until there is a reason to stop; no new request after `until`. Safe in many workers."""
    report = RunReport()
    for article_id in queue(now=clock(), limit=limit_per_minute):
        now = clock()
        if is_paused(now=now):
            report.stopped = StopReason.PAUSED
            return report
        if now >= until:
            report.stopped = StopReason.TIME
            return report
        article = _claim(article_id, now=now)
        if article is None:
            continue
        outcome = model.ask(
            article.title, article.text, admit_request=lambda: admit_request(now=clock(), limit=limit_per_minute)
        )
        if isinstance(outcome, Failure) and outcome.kind is FailureKind.BUDGET:
            LanguageModelRequest.objects.filter(article=article_id).delete()
            report.stopped = StopReason.BUDGET
            return report
        _record(outcome, article, report, now=clock())
    return report


def queue(*, now: datetime, limit: int) -> Iterator[int]:
    """The articles to rate at `now`, at most `limit`, newest first."""
    newest = _queued(now).order_by("-article__published_at", "-article_id")
    yield from newest.values_list("pk", flat=True)[:limit]


def _queued(now: datetime) -> QuerySet[Assessment]:
    of_article = {"article": OuterRef("pk")}
    delivered = Delivery.objects.filter(**of_article)
    copies = Link.objects.filter(
        Q(one=OuterRef("pk")) | Q(other=OuterRef("pk")), disposition=Disposition.NEAR_DUPLICATE
    )
    can_retry = Q(is_open=True, n_tries__lt=MAX_TRIES, asked_at__lte=now - HELD)
    held_or_closed = LanguageModelRequest.objects.filter(**of_article).exclude(can_retry)
    up_to_date = Q(article__revised_at=None) | Q(made_at__gte=F("article__revised_at"))
    answered = SensitivityLabel.objects.filter(up_to_date, **of_article, user=None)
    return Assessment.objects.filter(
        Exists(delivered.filter(is_folded=False)) | (Exists(delivered) & ~Exists(copies)),
        ~Exists(held_or_closed),
        ~Exists(answered),
        source=SensitivitySource.LOCAL,
        content_hash=F("article__content_hash"),  # otherwise it is about to be assessed again
        article__published_at__gt=now - RECENT,
    )


def _claim(article_id: int, *, now: datetime) -> _Claimed | None:
    """Claim the article for this worker; None if it is no longer queued."""
    with transaction.atomic():
        Assessment.objects.select_for_update().filter(pk=article_id).first()
        rows = _queued(now).filter(pk=article_id)
        row = rows.values_list(
            "pk", "article__content_hash", "article__title", Left("article__text", READ_CHARACTERS)
        ).first()
        if row is None:
            return None
        _, is_new = LanguageModelRequest.objects.get_or_create(article_id=article_id, defaults={"asked_at": now})
        if not is_new:
            LanguageModelRequest.objects.filter(article=article_id).update(asked_at=now, n_tries=F("n_tries") + 1)
    return _Claimed(*row)


def _record(outcome: Answer | Failure, article: _Claimed, report: RunReport, *, now: datetime) -> None:
    if isinstance(outcome, Answer):
        record_success(now=now)
        _store(outcome, article, report, now=now)
        return
    is_open = outcome.kind is not FailureKind.ANSWER
    requests = LanguageModelRequest.objects.filter(article=article.article_id)
    requests.update(is_open=is_open, reason=outcome.reason[:300])
    record_failure(outcome.reason, now=now, retry_after=outcome.retry_after)
    if is_open:
        report.n_failed += 1
    else:
        report.n_useless += 1


def _store(answer: Answer, article: _Claimed, report: RunReport, *, now: datetime) -> None:
    """Store the answer as a label and in the assessment; if the score changes, mark deliveries for rating."""
    values = {"confidence": answer.confidence, "explanation": answer.explanation, "source": SensitivitySource.LLM}
    with transaction.atomic():
        LanguageModelRequest.objects.filter(article=article.article_id).delete()
        before = Assessment.objects.select_for_update().filter(pk=article.article_id).first()
        if before is None or not _is_unchanged(article):
            report.n_outdated += 1
            return
        SensitivityLabel.objects.update_or_create(
            article_id=article.article_id, user=None, defaults={**values, "score": answer.score, "made_at": now}
        )
        Assessment.objects.filter(pk=article.article_id).update(sensitivity=answer.score, **values)
        if answer.score != before.sensitivity:
            deliveries = Delivery.objects.filter(article=article.article_id)
            lock_deliveries(deliveries)
            deliveries.update(is_rated=False)
            report.n_changed += 1
    report.n_answered += 1


def _is_unchanged(article: _Claimed) -> bool:
    """Whether neither the article nor its assessment changed since it was claimed."""
    content = {"content_hash": article.content_hash, "article__content_hash": article.content_hash}
    return Assessment.objects.filter(pk=article.article_id, **content).exists()
