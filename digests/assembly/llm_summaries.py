"""Summaries written by a language model, if one is configured.

The model is queried through `reader.llm`: with a timeout, at most twice, and within the request rate that all workers
share (`reader.scoring.llm_budget`). Every answer is checked (`digests.summaries.llm_check`); if there is none, the
caller uses the article's own sentences.

A digest doesn't wait for a model: a `ModelWriter` sends no new request after `MAX_SECONDS`, and none once the server
failed.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from django.conf import settings
from django.utils import timezone

from digests.edition.kinds import Words
from digests.summaries import count
from digests.summaries.language import SPACELESS, language_of
from digests.summaries.llm_check import clean_answer, objection_to
from reader.llm import Failure, FailureKind, LanguageModel, Server, UnusableAnswer
from reader.llm.prompts import summary_prompt
from reader.scoring.llm_budget import admit_request, is_paused, record_failure, record_success

MAX_SECONDS = 120.0  # for all summaries of one digest
TOKENS_PER_WORD = 5  # maximum, in Cyrillic; English has 1.4
MORE_TOKENS = 100

_T = TypeVar("_T")
logger = logging.getLogger(__name__)


class Completes(Protocol):
    """The part of `reader.llm.LanguageModel` that is used here."""

    def complete(
        self,
        question: Callable[[str], str],
        read: Callable[[str], _T],
        *,
        admit_request: Callable[[], bool],
        max_tokens: int = ...,
    ) -> _T | Failure: ...

    def close(self) -> None: ...


class Writer(Protocol):
    """Writes the summaries of one digest. Close it after use; don't use it within a transaction."""

    def write(self, title: str, text: str, language: str, words: Words) -> str | None:
        """A checked summary within `words`, or None."""

    def close(self) -> None: ...


class ModelWriter:
    """A `Writer` that queries a language model for at most `seconds` from its first request."""

    def __init__(
        self,
        model: Completes,
        *,
        limit_per_minute: int,
        seconds: float = MAX_SECONDS,
        clock: Callable[[], datetime] = timezone.now,
    ) -> None:
        self._model = model
        self._limit = limit_per_minute
        self._time = timedelta(seconds=seconds)
        self._clock = clock
        self._until: datetime | None = None
        self._has_failed = False

    def write(self, title: str, text: str, language: str, words: Words) -> str | None:
        now = self._clock()
        self._until = self._until or now + self._time
        if self._has_failed or now >= self._until or not is_long_enough(text, language, words):
            return None
        if is_paused(now=now):
            self._has_failed = True
            return None
        outcome = request_summary(self._model, title, text, language, words, admit_request=self._admit_request)
        if isinstance(outcome, Failure):
            self._note(outcome)
            return None
        record_success(now=self._clock())
        return outcome

    def close(self) -> None:
        self._model.close()

    def _admit_request(self) -> bool:
        now = self._clock()
        return self._until is not None and now < self._until and admit_request(now=now, limit=self._limit)

    def _note(self, failure: Failure) -> None:
        """Record for all workers whether the server works; a useless answer only concerns this summary."""
        logger.info("No summary by the language model: %s", failure.kind.value)
        if failure.kind is FailureKind.SERVER:
            self._has_failed = True
            record_failure(failure.reason, now=self._clock(), retry_after=failure.retry_after)
        elif failure.kind is FailureKind.ANSWER:
            record_success(now=self._clock())


def writer_from_settings() -> Writer | None:
    """The configured writer for one digest; None if summaries are extractive."""
    env = settings.ENV
    if env.DIGEST_SUMMARIES != "llm" or not env.LLM_BASE_URL:
        return None
    seconds = min(env.LLM_TIMEOUT, MAX_SECONDS / 2)
    server = Server(env.LLM_BASE_URL, model=env.LLM_MODEL, key=env.LLM_API_KEY, timeout=seconds)
    model = LanguageModel(server, user_agent=settings.USER_AGENT)
    return ModelWriter(model, limit_per_minute=env.LLM_RATE)


def request_summary(
    model: Completes, title: str, text: str, language: str, words: Words, *, admit_request: Callable[[], bool]
) -> str | Failure:
    """A checked summary or why there is none; at most two requests, the second with the objection."""
    language = language_of(text, language)

    def question(objection: str) -> str:
        return summary_prompt(
            title,
            text,
            language=language,
            least=words.least,
            most=words.most,
            in_characters=language in SPACELESS,
            objection=objection,
        )

    def read(answer: str) -> str:
        summary = clean_answer(answer)
        if objection := objection_to(summary, title=title, text=text, language=language, words=words):
            raise UnusableAnswer(objection)
        return summary

    max_tokens = TOKENS_PER_WORD * words.most + MORE_TOKENS
    return model.complete(question, read, admit_request=admit_request, max_tokens=max_tokens)


def is_long_enough(text: str, language: str, words: Words) -> bool:
    """Whether an article is longer than its summary; otherwise a model could only invent."""
    return count(text, language_of(text, language)) > words.most
