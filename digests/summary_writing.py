"""Summaries that a language model writes, where one is configured: what assembling a digest calls.

The model is asked through `reader.language_model`, as it is about how fast articles age: guarded, within a time, twice
at most, and within the requests a minute that all workers share (`reader.language_budget`). Whatever it says is checked
(`digests.summaries.written`), and the caller has the article's own sentences where there is None.

A digest does not wait for a model: a `ModelWriter` asks nothing new after `MOST_SECONDS`, and nothing at all once the
server failed, for it would fail for the next article as well.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from django.conf import settings
from django.utils import timezone

from digests.kinds import Words
from digests.summaries import count
from digests.summaries.languages import SPACELESS, language_of
from digests.summaries.written import cleaned, objection_to
from reader.language_budget import is_resting, may_send, note_answer, note_failure
from reader.language_model import Failure, LanguageModel, Server, Trouble
from reader.language_model.answer import UnusableAnswer
from reader.language_model.summary_prompt import summary_prompt

MOST_SECONDS = 120.0  # for all summaries of one digest
TOKENS_PER_WORD = 5  # at most, in Cyrillic; in English it is 1.4
MORE_TOKENS = 100

_T = TypeVar("_T")
logger = logging.getLogger(__name__)


class Completes(Protocol):
    """What is needed of `reader.language_model.LanguageModel`."""

    def complete(
        self,
        question: Callable[[str], str],
        read: Callable[[str], _T],
        *,
        may_send: Callable[[], bool],
        most_tokens: int = ...,
    ) -> _T | Failure: ...

    def close(self) -> None: ...


class Writer(Protocol):
    """Writes the summaries of one digest. Close it after use; not to be used within a transaction."""

    def write(self, title: str, text: str, language: str, words: Words) -> str | None:
        """A summary within `words`, checked; None where the article's own sentences are to be taken."""

    def close(self) -> None: ...


class ModelWriter:
    """A `Writer` that asks a language model, for at most `seconds` from its first question on."""

    def __init__(
        self,
        model: Completes,
        *,
        limit_per_minute: int,
        seconds: float = MOST_SECONDS,
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
        if self._has_failed or now >= self._until or not is_worth_asking(text, language, words):
            return None
        if is_resting(now=now):
            self._has_failed = True
            return None
        outcome = ask_for_summary(self._model, title, text, language, words, may_send=self._may_send)
        if isinstance(outcome, Failure):
            self._note(outcome)
            return None
        note_answer(now=self._clock())
        return outcome

    def close(self) -> None:
        self._model.close()

    def _may_send(self) -> bool:
        now = self._clock()
        return self._until is not None and now < self._until and may_send(now=now, limit=self._limit)

    def _note(self, failure: Failure) -> None:
        """Tell all workers when the server failed; that an answer was of no use is nobody's trouble but ours."""
        logger.info("No summary by the language model: %s", failure.trouble.value)
        if failure.trouble is Trouble.SERVER:
            self._has_failed = True
            note_failure(failure.reason, now=self._clock(), rest=failure.rest)
        elif failure.trouble is Trouble.ANSWER:
            note_answer(now=self._clock())


def writer_from_settings() -> Writer | None:
    """The writer for one digest as the settings want it; None when summaries are the articles' own sentences."""
    env = settings.ENV
    if env.DIGEST_SUMMARIES != "llm" or not env.LLM_BASE_URL:
        return None
    seconds = min(env.LLM_TIMEOUT, MOST_SECONDS / 2)
    server = Server(env.LLM_BASE_URL, model=env.LLM_MODEL, key=env.LLM_API_KEY, seconds=seconds)
    model = LanguageModel(server, user_agent=settings.USER_AGENT)
    return ModelWriter(model, limit_per_minute=env.LLM_RATE)


def write_summary(
    model: Completes,
    title: str,
    text: str,
    language: str,
    words: Words,
    *,
    may_send: Callable[[], bool] = lambda: True,
) -> str | None:
    """A summary of the article by the model, checked; None when there is none of use. `may_send` gives leave to ask."""
    outcome = ask_for_summary(model, title, text, language, words, may_send=may_send)
    return None if isinstance(outcome, Failure) else outcome


def ask_for_summary(
    model: Completes, title: str, text: str, language: str, words: Words, *, may_send: Callable[[], bool]
) -> str | Failure:
    """A summary that was checked, or why there is none: at most two requests, the second told what was wrong."""
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

    def read(said: str) -> str:
        summary = cleaned(said)
        if objection := objection_to(summary, title=title, text=text, language=language, words=words):
            raise UnusableAnswer(objection)
        return summary

    most_tokens = TOKENS_PER_WORD * words.most + MORE_TOKENS
    return model.complete(question, read, may_send=may_send, most_tokens=most_tokens)


def is_worth_asking(text: str, language: str, words: Words) -> bool:
    """Whether an article is longer than its summary may be: of less a model could only make more by inventing."""
    return count(text, language_of(text, language)) > words.most
