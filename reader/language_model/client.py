"""One question to an OpenAI-compatible server (llama.cpp, Ollama, vLLM, …) within a time, a size and two tries.

The protocol is `POST …/chat/completions`. Only `messages`, `temperature`, `max_tokens` and the model's name are sent:
`response_format` is refused by some servers and means different things to others, and the answer is checked anyway.

What is met and what happens:

- an answer that breaks the contract: asked once more, told what was wrong;
- no connection, silence, 429, 5xx: tried once more, after what `Retry-After` asks if that is a few seconds;
- anything else, redirects among it (they would carry article and key elsewhere): a Failure at once.

Nothing is raised: whoever asks has the built-in judge to fall back on. The server's own words about an error are kept,
since they say what to do ("model not found, try pulling it first"), but never the key.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

import requests
from urllib3.util import Timeout

from feeds.errors import FetchError
from feeds.fetching import FetchLimits, parse_retry_after
from feeds.fetching.connecting import Dialer
from feeds.fetching.decoding import decoded
from feeds.fetching.failures import TRANSPORT_ERRORS, fetch_error
from feeds.fetching.guard import AddressGuard
from feeds.fetching.location import Location
from feeds.fetching.transport import GuardedAdapter
from reader.language_model.address import completions_url
from reader.language_model.answer import Answer, UnusableAnswer, read_answer
from reader.language_model.envelope import NoCompletion, complaint_in, read_completion
from reader.language_model.prompt import prompt

CONNECT_SECONDS = 10.0
MOST_BYTES = 2**16  # of an answer, which has about one thousand
MOST_TOKENS = 400  # of a rating: an explanation of 300 characters in any script, and the JSON around it
PAUSE_SECONDS = 1.0  # before the second try where the server names no time
LONGEST_PAUSE_SECONDS = 5.0  # a worker waits no longer than this for one article

_T = TypeVar("_T")
_PIECE_BYTES = 2**12
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504, 529})  # 529: "overloaded", as some put it


class Trouble(Enum):
    """What a failure is about."""

    ANSWER = "answer"  # the model answered, twice, and neither answer was of use: about this article
    SERVER = "server"  # unreachable, overloaded, misconfigured: about all articles
    BUDGET = "budget"  # there was no leave for another request: nobody's fault


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, in a sentence. `rest` is how long the server asked to be left alone, if it did."""

    trouble: Trouble
    reason: str
    rest: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """Whom to ask. `seconds` is for one request, everything included; `key` "" and `model` "" are not sent."""

    base_url: str = field(repr=False)
    model: str = ""
    key: str = field(default="", repr=False)
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class _Setback:
    """A try that failed: with `pause` seconds, another one is worth it; `objection` is what to tell the model then."""

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
            connect_seconds=min(CONNECT_SECONDS, server.seconds), total_seconds=server.seconds, max_bytes=MOST_BYTES
        )
        # The address is the operator's own, so it may be private.
        self._dialer = Dialer(AddressGuard(allow_private=True))
        self._adapter = GuardedAdapter(self._dialer, max_bytes=MOST_BYTES, per_host=1)

    def ask(self, title: str, text: str, *, may_send: Callable[[], bool]) -> Answer | Failure:
        """How fast the article ages, or why that is not known. `may_send` is asked for leave before each request."""
        return self.complete(lambda objection: prompt(title, text, objection=objection), read_answer, may_send=may_send)

    def complete(
        self,
        question: Callable[[str], str],
        read: Callable[[str], _T],
        *,
        may_send: Callable[[], bool],
        most_tokens: int = MOST_TOKENS,
    ) -> _T | Failure:
        """What `read` makes of the model's answer, or why there is none.

        `question` is given what was wrong with the answer before, to follow "that answer", "" the first time; `read`
        raises UnusableAnswer. `may_send` is asked for leave before each request.
        """
        objection = ""
        setback: _Setback | None = None
        while may_send():
            outcome = self._try(question(objection), read, most_tokens)
            if not isinstance(outcome, _Setback):
                return outcome
            if setback is not None or outcome.pause is None:
                return outcome.failure
            setback, objection = outcome, outcome.objection
            if outcome.pause:
                self._wait(outcome.pause)
        if setback is not None and setback.failure.trouble is Trouble.SERVER:
            return setback.failure
        return Failure(Trouble.BUDGET, "No more requests are allowed at present.")

    def close(self) -> None:
        """Close what is open."""
        self._adapter.close()
        self._dialer.close()

    def _try(self, question: str, read: Callable[[str], _T], most_tokens: int) -> _T | _Setback:
        try:
            location = Location.of(completions_url(self._server.base_url))
            status, headers, body = self._exchange(location, question, most_tokens)
        except FetchError as error:
            return _Setback(Failure(Trouble.SERVER, str(error)), pause=PAUSE_SECONDS if error.retryable else None)
        if status != 200:
            return self._refused(location, status, headers, body)
        try:
            return read(read_completion(body))
        except NoCompletion as error:
            return _Setback(Failure(Trouble.SERVER, f"{location.host} {error}"))
        except UnusableAnswer as error:
            return _Setback(Failure(Trouble.ANSWER, f"The answer {error}."), pause=0.0, objection=str(error))

    def _refused(self, location: Location, status: int, headers: dict[str, str], body: bytes) -> _Setback:
        if 300 <= status < 400:
            return _Setback(Failure(Trouble.SERVER, f"{location.host} redirects, which is not followed."))
        said = complaint_in(body)
        reason = f"{location.host} answered {status}{f': {said}' if said else '.'}"
        asked = parse_retry_after(headers.get("retry-after", ""), now=datetime.now(UTC))
        failure = Failure(Trouble.SERVER, reason, rest=asked)
        if status not in _MAY_PASS:
            return _Setback(failure)
        seconds = PAUSE_SECONDS if asked is None else asked.total_seconds()
        return _Setback(failure, pause=seconds if seconds <= LONGEST_PAUSE_SECONDS else None)

    def _exchange(self, location: Location, question: str, most_tokens: int) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers by lower-case name, and body. Raises FetchError."""
        deadline = Timeout(connect=self._limits.connect_seconds, total=self._limits.total_seconds)
        try:
            response = self._adapter.send(self._request(location, question, most_tokens), stream=True, timeout=deadline)  # type: ignore[arg-type]
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                coding = headers.get("content-encoding", "")
                body = decoded(_pieces(response), coding, max_bytes=MOST_BYTES)
                return response.status_code, headers, self._without_key(body)
            finally:
                response.raw.close()
                self._adapter.close()  # or the next request would be written into a connection that is ending
        except TRANSPORT_ERRORS as error:
            raise fetch_error(error, location, self._limits) from error

    def _request(self, location: Location, question: str, most_tokens: int) -> requests.PreparedRequest:
        """Prepare the request; nothing of the environment (proxies, .netrc) joins in."""
        asked: dict[str, Any] = {
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "max_tokens": most_tokens,
        }
        if self._server.model:
            asked["model"] = self._server.model
        headers = {
            "User-Agent": self._user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "Connection": "close",  # a kept connection may be found closed, and then it is unclear what was received
        }
        request = requests.PreparedRequest()
        request.prepare(
            method="POST", url=location.url, headers=headers, data=json.dumps(asked).encode(), auth=location.credentials
        )
        if self._server.key:
            request.headers["Authorization"] = f"Bearer {self._server.key}"
        return request

    def _without_key(self, body: bytes) -> bytes:
        """Some repeat the key when they refuse it, and what a server says is stored and shown."""
        return body.replace(self._server.key.encode(), b"...") if self._server.key else body


def _pieces(response: requests.Response) -> Iterator[bytes]:
    while piece := response.raw.read(_PIECE_BYTES, decode_content=False):
        yield piece
