"""Asks an OpenAI-compatible server (llama.cpp, Ollama, vLLM, …), within a time limit, a size limit and two tries.

The request is `POST …/chat/completions` with messages, temperature, `max_tokens` and the model's name, and without
`response_format`: some servers refuse it, others disagree on what it means, and the answer is checked anyway.

- An answer in the wrong format: ask once more, and say what was wrong.
- No connection, a timeout, 429 or 5xx: try once more, after `Retry-After` if that is a few seconds.
- Anything else fails at once. So does a redirect, which would take the article and the key elsewhere.

Nothing is raised: callers have something to fall back on. The server's error text is kept, since it says what to do
("model not found, try pulling it first"), but never the key.

Tried and dropped: the openai package. Its timeout is per read, so a server that drips holds a worker for hours; it
limits no size, doesn't check what it reads, and takes 28 MB of memory.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any, TypeVar

import requests
from urllib3.util import Timeout

from feeds.errors import FetchError
from feeds.fetching import FetchLimits, parse_retry_after
from feeds.fetching.connect import Dialer
from feeds.fetching.decoding import decode_body
from feeds.fetching.error_mapping import TRANSPORT_ERRORS, fetch_error
from feeds.fetching.ssrf_guard import AddressGuard
from feeds.fetching.transport import GuardedAdapter
from feeds.fetching.url_parsing import Location
from reader.llm.prompts import rating_prompt

CONNECT_SECONDS = 10.0
MAX_BYTES = 2**16  # of a response, which has about one thousand
MAX_TOKENS = 400  # of a rating: an explanation of 300 characters in any script, and the JSON around it
PAUSE_SECONDS = 1.0  # before the second try, unless the server names a time
MAX_PAUSE_SECONDS = 5.0  # a worker waits no longer than this for one article

_T = TypeVar("_T")
_ENDPOINT = "/chat/completions"
_VERSION = re.compile(r"/v\d[a-z0-9]*(?:/|$)")  # /v1, /api/paas/v4, /v1beta/openai
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504, 529})  # 529: "overloaded" at some providers


class FailureKind(Enum):
    """What a failure is about."""

    ANSWER = "answer"  # the model answered twice, and neither answer was usable: about this article
    SERVER = "server"  # unreachable, overloaded, misconfigured: about all articles
    BUDGET = "budget"  # the limit of requests is reached


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, as a sentence. `retry_after` is how long the server asked us to wait, if it did."""

    kind: FailureKind
    reason: str
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How fast an article ages: score 1 to 5, confidence low, medium or high, explanation up to 300 characters."""

    score: int
    confidence: str
    explanation: str


class UnusableAnswer(Exception):
    """The model's answer can't be used. The message completes "that answer …" and quotes only numbers from it."""


class NoCompletion(Exception):
    """The response has no message from a model. The error message follows the server's name."""


@dataclass(frozen=True, slots=True)
class Server:
    """`timeout`: seconds for one whole request. An empty `key` or `model` isn't sent."""

    base_url: str = field(repr=False)
    model: str = ""
    key: str = field(default="", repr=False)
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class _FailedTry:
    """`pause`: seconds before the next try, None to give up. `objection`: what to tell the model."""

    failure: Failure
    pause: float | None = None
    objection: str = ""


class LanguageModel:
    """Asks one server; close it after use. `wait` is called with the seconds between two tries."""

    def __init__(self, server: Server, *, user_agent: str, wait: Callable[[float], None] = time.sleep) -> None:
        self._server = server
        self._user_agent = user_agent
        self._wait = wait
        self._limits = FetchLimits(
            connect_seconds=min(CONNECT_SECONDS, server.timeout), total_seconds=server.timeout, max_bytes=MAX_BYTES
        )
        self._dialer = Dialer(AddressGuard(allow_private=True))  # the administrator chose the address
        self._adapter = GuardedAdapter(self._dialer, max_bytes=MAX_BYTES, per_host=1)

    def ask(self, title: str, text: str, *, admit_request: Callable[[], bool]) -> Answer | Failure:
        """Ask how fast the article ages. `admit_request` is called before each request."""
        from reader.llm.validation import parse_answer  # pydantic: 10 MB, which a worker without a model saves

        return self.complete(
            lambda objection: rating_prompt(title, text, objection=objection), parse_answer, admit_request=admit_request
        )

    def complete(
        self,
        question: Callable[[str], str],
        read: Callable[[str], _T],
        *,
        admit_request: Callable[[], bool],
        max_tokens: int = MAX_TOKENS,
    ) -> _T | Failure:
        """What `read` returns for the model's answer, or why there is none.

        `question` gets what was wrong with the previous answer, to follow "that answer", "" the first time. `read`
        raises UnusableAnswer. `admit_request` is called before each request and grants or denies it.
        """
        failed: _FailedTry | None = None
        while admit_request():
            outcome = self._try(question(failed.objection if failed else ""), read, max_tokens)
            if not isinstance(outcome, _FailedTry):
                return outcome
            if failed is not None or outcome.pause is None:
                return outcome.failure
            failed = outcome
            if outcome.pause:
                self._wait(outcome.pause)
        if failed is not None and failed.failure.kind is FailureKind.SERVER:
            return failed.failure
        return Failure(FailureKind.BUDGET, "The request limit is reached.")

    def close(self) -> None:
        """Close the connections."""
        self._adapter.close()
        self._dialer.close()

    def _try(self, question: str, read: Callable[[str], _T], max_tokens: int) -> _T | _FailedTry:
        from reader.llm.validation import parse_completion

        try:
            location = Location.parse(completions_url(self._server.base_url))
            response, body = self._post(location, question, max_tokens)
        except FetchError as error:
            return _FailedTry(_server_failure(str(error)), pause=PAUSE_SECONDS if error.retryable else None)
        if response.status_code != 200:
            return _refusal(location, response, body)
        try:
            return read(parse_completion(body))
        except NoCompletion as error:
            return _FailedTry(_server_failure(f"{location.host} {error}"))
        except UnusableAnswer as error:
            failure = Failure(FailureKind.ANSWER, f"The answer {error}.")
            return _FailedTry(failure, pause=0.0, objection=str(error))

    def _post(self, location: Location, question: str, max_tokens: int) -> tuple[requests.Response, bytes]:
        """Return the response and its body, without the key. Raises FetchError."""
        timeout = Timeout(connect=self._limits.connect_seconds, total=self._limits.total_seconds)
        try:
            request = self._request(location, question, max_tokens)
            response = self._adapter.send(request, stream=True, timeout=timeout)  # type: ignore[arg-type]
            try:
                pieces = iter(partial(response.raw.read, 2**12, decode_content=False), b"")
                body = decode_body(pieces, response.headers.get("content-encoding", ""), max_bytes=MAX_BYTES)
            finally:
                response.raw.close()
                self._adapter.close()  # or the next request would be written to a connection that is closing
        except TRANSPORT_ERRORS as error:
            raise fetch_error(error, location, self._limits) from error
        # Some servers quote the key when they refuse it, and their text is stored and shown.
        return response, body.replace(self._server.key.encode(), b"...") if self._server.key else body

    def _request(self, location: Location, question: str, max_tokens: int) -> requests.PreparedRequest:
        """Prepare the request without a session, so that proxies and .netrc of the environment have no effect."""
        payload: dict[str, Any] = {
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "max_tokens": max_tokens,
        }
        if self._server.model:
            payload["model"] = self._server.model
        headers = {
            "User-Agent": self._user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",  # a request on an idle connection may fail without our knowing if it was received
        }
        request = requests.Request("POST", location.url, headers, json=payload, auth=location.credentials).prepare()
        if self._server.key:
            request.headers["Authorization"] = f"Bearer {self._server.key}"
        return request


def completions_url(base_url: str) -> str:
    """The URL of chat completions; `/v1` is added unless the path has a version or is the endpoint itself."""
    base = base_url.rstrip("/")
    if base.endswith(_ENDPOINT):
        return base
    path = base.partition("://")[2].partition("/")[2]
    version = "" if _VERSION.search(f"/{path}") else "/v1"
    return f"{base}{version}{_ENDPOINT}"


def _server_failure(reason: str, retry_after: timedelta | None = None) -> Failure:
    return Failure(FailureKind.SERVER, reason, retry_after)


def _refusal(location: Location, response: requests.Response, body: bytes) -> _FailedTry:
    """The failure for a status other than 200."""
    from reader.llm.validation import error_text

    status = response.status_code
    if 300 <= status < 400:
        return _FailedTry(_server_failure(f"{location.host} redirects; redirects aren't followed."))
    details = error_text(body)
    asked = parse_retry_after(response.headers.get("retry-after", ""), now=datetime.now(UTC))
    failure = _server_failure(f"{location.host} answered {status}{f': {details}' if details else '.'}", asked)
    pause = PAUSE_SECONDS if asked is None else asked.total_seconds()
    return _FailedTry(failure, pause=pause if status in _TEMPORARY and pause <= MAX_PAUSE_SECONDS else None)
