"""Reading documents within limits, and continuing at the next poll."""

import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from feeds.content.confined import Exhausted, run_confined
from feeds.errors import ParseError
from feeds.normalizing.depth_limit import MAX_MARKUP
from feeds.normalizing.identity import Mark
from feeds.parsing.limited import SUBPROCESS_BYTES, read_document
from feeds.storage import drafts
from feeds.storage.drafts import Document, NormalizingRules, Over, ReadOptions, assemble, steps
from tests.feeds.confined import confined
from tests.feeds.hostile_documents import FEEDS, LIMIT, item, rss

NOW = datetime(2026, 3, 4, tzinfo=UTC)
THIS = "tests.feeds.parsing.test_limited"
N_SHARES = 8  # the first of the hostile documents is read in CI, the others nightly


def options(*, known: Mapping[int, Mark] | None = None, max_items: int = 500) -> ReadOptions:
    return ReadOptions("https://a.example/feed", "", known or {}, "en", NOW, max_items, NormalizingRules())


def after(n_entries: int) -> Over:
    """The time is up once it has been checked `n_entries` times between entries."""
    checks = iter(range(n_entries))
    return lambda share: share == 1.0 and next(checks, None) is None


def titles(document: Document) -> list[str]:
    return [draft.title for draft in document.drafts]


def test_keeps_entries_read_within_the_time() -> None:
    body = rss("".join(item(n) for n in range(5)))
    cut = assemble(steps(body, options(), after(2)), options())
    assert titles(cut) == ["A title of five words 0", "A title of five words 1"]
    assert cut.notes == ("Reading this feed took too long; only the first 2 entries were saved",)
    assert (cut.is_whole, cut.n_entries, len(cut.marks)) == (False, 5, 2)


def test_the_next_poll_continues_after_the_cut() -> None:
    body = rss("".join(item(n) for n in range(5)))
    known = options(known=assemble(steps(body, options(), after(2)), options()).marks)
    cut = assemble(steps(body, known, after(1)), known)
    assert titles(cut) == ["A title of five words 2"]
    known = options(known=cut.marks)
    rest = assemble(steps(body, known), known)
    assert titles(rest) == ["A title of five words 3", "A title of five words 4"]
    assert (rest.is_whole, rest.notes, len(rest.marks)) == (True, (), 5)


def test_limits_the_text_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MAX_BYTES", 20)
    cut = read_document(rss(item(1, "b" * 15) + item(2, "b" * 15) + item(3, "b")), wanted=options())
    assert titles(cut) == ["A title of five words 1", "A title of five words 2"]
    assert cut.notes == ("This feed is too large to read at once; only the first 2 entries were saved",)


def test_rejects_a_document_without_entries_in_time() -> None:
    with pytest.raises(ParseError, match="takes too long") as refused:
        assemble(steps(rss(item()), options(), lambda share: True), options())
    assert refused.value.reason == "too_costly"


def test_parsing_stops_after_its_share_of_the_time() -> None:
    body = rss("".join(item(n) for n in range(1000)))
    document = assemble(steps(body, options(), lambda share: share < 1.0), options())
    assert len(document.drafts) == 41  # of the first 256 elements, six for each item
    assert document.notes == ("the document is too long; its end was not read",)


def test_only_the_newest_entries_are_read() -> None:
    dated = [item(n).replace("03 Mar", f"{n:02} Jan") for n in (3, 9, 4, 8)]
    document = read_document(rss("".join(dated)), wanted=options(max_items=2))
    assert titles(document) == ["A title of five words 9", "A title of five words 8"]
    assert (document.n_entries, document.is_whole, len(document.marks)) == (4, True, 4)


def test_cuts_a_long_body_and_notes_it() -> None:
    body = rss(item(1, "a " * MAX_MARKUP))
    document = read_document(body, wanted=options())
    assert [len(draft.markup) for draft in document.drafts] == [MAX_MARKUP]
    assert document.notes == ("1 entry was longer than 1,000,000 characters and was truncated",)


def test_a_subprocess_gives_the_same_result() -> None:
    body = rss("".join(item(n, "word " * 20_000) for n in range(12)))
    assert len(body) > SUBPROCESS_BYTES
    assert read_document(body, wanted=options()) == assemble(steps(body, options()), options())


def test_a_large_non_feed_is_rejected() -> None:
    with pytest.raises(ParseError) as refused:
        read_document(b"<html>" + b" " * SUBPROCESS_BYTES, wanted=options())
    assert refused.value.reason == "html"


def loop_forever() -> Iterator[str]:
    yield "first"
    while True:
        pass


def allocate(size: int) -> Iterator[int]:
    yield len(bytearray(b"x") * size)


def fail() -> Iterator[str]:
    yield "first"
    raise ParseError("broken", reason="unreadable")


def die() -> Iterator[str]:
    yield "first"
    os._exit(3)


def run(name: str, *arguments: object) -> tuple[list[Any], str]:
    """What the process sent, and the error that ended it."""
    steps: list[Any] = []
    try:
        for step in run_confined(f"{THIS}:{name}", *arguments, cpu_seconds=0.1, memory=2**26):
            steps.append(step)
    except (Exhausted, ParseError) as error:
        return steps, repr(error)
    return steps, ""


def test_keeps_entries_read_before_the_process_ended() -> None:
    assert run("die") == (["first"], "Exhausted()")
    assert run("fail") == (["first"], "ParseError('broken')")


def test_limits_the_memory_of_a_subprocess() -> None:
    assert run("allocate", 2**20) == ([2**20], "")
    assert run("allocate", 2**27) == ([], "Exhausted()")


@pytest.mark.slow
def test_limits_the_time_of_a_subprocess() -> None:
    began = time.monotonic()
    assert run("loop_forever") == (["first"], "Exhausted()")
    assert time.monotonic() - began < 50  # wall clock, which ends it when the kernel doesn't


def outcome(name: str, body: bytes) -> str:
    """How reading the document ended; checks that its drafts stay within their limits."""
    try:
        document = read_document(body, wanted=options())
    except ParseError as error:
        return error.reason
    sizes = [len(draft.markup) for draft in document.drafts]
    if len(sizes) > 500 or sum(sizes) > drafts.MAX_BYTES + MAX_MARKUP:
        return "too much was kept"
    return "read"


@pytest.mark.slow
@pytest.mark.parametrize("share", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, N_SHARES))])
def test_hostile_documents_stay_within_limits(share: int) -> None:
    """Each is read or refused; a guard of 60 CPU seconds and 400 MB kills it only where the bounds don't hold."""
    allowed = ("read", "too_costly", "unreadable", "not_a_feed", "empty", "json", "html")
    outcomes = {name: confined(partial(outcome, name, FEEDS[name](LIMIT))) for name in sorted(FEEDS)[share::N_SHARES]}
    assert outcomes
    assert {name: result for name, result in outcomes.items() if result not in allowed} == {}
