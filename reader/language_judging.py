"""The language model as second judge of time sensitivity: which articles it is asked about, and what comes of it.

It comes after the built-in judge, never before: every article has an assessment, and nobody waits. As it is slow, and
may be asked only so often, the order matters: articles that the built-in judge is unsure of first, of those the newest;
only what stands unread in somebody's list, and only of the last days, for older ones have lost what they were to
lose. Time left over goes to what the built-in judge is sure of, which is where it could learn that it errs.

A person's own word stays above whatever is found here (`reader.correcting`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple, Protocol

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Left
from django.utils import timezone

from reader.language_budget import is_resting, may_send, note_answer, note_failure
from reader.language_model import Answer, Failure, Trouble
from reader.locking import lock
from reader.models import Assessment, Confidence, Delivery, Judge, Question, SensitivityLabel

RECENT = timedelta(days=3)
HELD = timedelta(minutes=10)  # longer than one article ever takes; also the pause after a failure
MOST_TRIES = 3  # of an article, where the server failed each time
READ_CHARACTERS = 6000  # of the text, loaded to send 1,500 of them without the white space

_TURNS = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)  # of the built-in judge, the unsure first


class Asks(Protocol):
    """What is needed of `reader.language_model.LanguageModel`."""

    def ask(self, title: str, text: str, *, may_send: Callable[[], bool]) -> Answer | Failure: ...


class Ended(Enum):
    """Why asking ended."""

    NOTHING_LEFT = "nothing left to ask"
    TIME = "time is up"
    BUDGET = "the limit of requests is reached"
    RESTING = "the server is left alone for a while"


@dataclass(slots=True)
class AskingReport:
    """What was asked: answers stored, of those how many changed the score, answers of no use, failures of the server,
    answers about articles that were revised meanwhile; and why it ended."""

    n_answered: int = 0
    n_changed: int = 0
    n_useless: int = 0
    n_failed: int = 0
    n_outdated: int = 0
    ended: Ended = Ended.NOTHING_LEFT


class _Waiting(NamedTuple):
    article_id: int
    content_hash: int
    title: str
    text: str


def ask_waiting(
    model: Asks, *, until: datetime, limit_per_minute: int, clock: Callable[[], datetime] = timezone.now
) -> AskingReport:
    """Ask about what waits until there is a reason to end; no new question after `until`. Any number of workers may."""
    report = AskingReport()
    for article_id in waiting(now=clock(), limit=limit_per_minute):
        now = clock()
        if is_resting(now=now):
            report.ended = Ended.RESTING
            return report
        if now >= until:
            report.ended = Ended.TIME
            return report
        article = _hold(article_id, now=now)
        if article is None:
            continue
        outcome = model.ask(article.title, article.text, may_send=lambda: may_send(now=clock(), limit=limit_per_minute))
        if isinstance(outcome, Failure) and outcome.trouble is Trouble.BUDGET:
            Question.objects.filter(article=article_id).delete()
            report.ended = Ended.BUDGET
            return report
        _take(outcome, article, report, now=clock())
    return report


def waiting(*, now: datetime, limit: int) -> Iterator[int]:
    """The articles to ask about at `now`, at most `limit`, in the order of what is gained by it."""
    for confidence in _TURNS:
        found = _unasked(now).filter(confidence=confidence).order_by("-article__published_at", "-article_id")
        for pk in found.values_list("pk", flat=True)[:limit]:
            limit -= 1
            yield pk


def _unasked(now: datetime) -> QuerySet[Assessment]:
    of_article = {"article": OuterRef("pk")}
    unread = Delivery.objects.filter(**of_article, is_read=False, is_folded=False)
    held_or_closed = Question.objects.filter(**of_article).exclude(_is_free(now))
    up_to_date = Q(article__revised_at=None) | Q(made_at__gte=F("article__revised_at"))
    answered = SensitivityLabel.objects.filter(up_to_date, **of_article, user=None)
    return Assessment.objects.filter(
        Exists(unread),
        ~Exists(held_or_closed),
        ~Exists(answered),
        judge=Judge.LOCAL,
        content_hash=F("article__content_hash"),  # or it waits to be assessed anew
        article__published_at__gt=now - RECENT,
    )


def _is_free(now: datetime) -> Q:
    return Q(is_open=True, n_tries__lt=MOST_TRIES, asked_at__lte=now - HELD)


def _hold(article_id: int, *, now: datetime) -> _Waiting | None:
    """Hold the article for this worker; None if another one was first, or it does not wait any more."""
    with transaction.atomic():
        Assessment.objects.select_for_update().filter(pk=article_id).first()
        rows = _unasked(now).filter(pk=article_id)
        row = rows.values_list(
            "pk", "article__content_hash", "article__title", Left("article__text", READ_CHARACTERS)
        ).first()
        if row is None:
            return None
        _, is_new = Question.objects.get_or_create(article_id=article_id, defaults={"asked_at": now})
        if not is_new:
            Question.objects.filter(article=article_id).update(asked_at=now, n_tries=F("n_tries") + 1)
    return _Waiting(*row)


def _take(outcome: Answer | Failure, article: _Waiting, report: AskingReport, *, now: datetime) -> None:
    """Store what came of a question, and tell how the server does."""
    if isinstance(outcome, Answer):
        note_answer(now=now)
        _store(outcome, article, report, now=now)
        return
    is_open = outcome.trouble is not Trouble.ANSWER
    Question.objects.filter(article=article.article_id).update(is_open=is_open, reason=outcome.reason[:300])
    note_failure(outcome.reason, now=now, rest=outcome.rest)
    if is_open:
        report.n_failed += 1
    else:
        report.n_useless += 1


def _store(answer: Answer, article: _Waiting, report: AskingReport, *, now: datetime) -> None:
    """The answer becomes a label and the assessment; if it changes the score, what is shown of it is rated anew."""
    judged = {"confidence": answer.confidence, "explanation": answer.explanation, "judge": Judge.LLM}
    with transaction.atomic():
        Question.objects.filter(article=article.article_id).delete()
        before = Assessment.objects.select_for_update().filter(pk=article.article_id).first()
        if before is None or not _is_still(article):
            report.n_outdated += 1
            return
        SensitivityLabel.objects.update_or_create(
            article_id=article.article_id, user=None, defaults={**judged, "score": answer.score, "made_at": now}
        )
        Assessment.objects.filter(pk=article.article_id).update(sensitivity=answer.score, **judged)
        if answer.score != before.sensitivity:
            deliveries = Delivery.objects.filter(article=article.article_id)
            lock(deliveries)
            deliveries.update(is_rated=False)
            report.n_changed += 1
    report.n_answered += 1


def _is_still(article: _Waiting) -> bool:
    """Whether the article is what it was, and so is what was assessed."""
    content = {"content_hash": article.content_hash, "article__content_hash": article.content_hash}
    return Assessment.objects.filter(pk=article.article_id, **content).exists()
