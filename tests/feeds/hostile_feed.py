"""A feed designed to make comparing its entries expensive: templated headlines, shared names, overlapping texts.

Every poll brings `PER_POLL` new entries. Each links to a made-up domain of its own, so that by its address every entry
comes from another publisher. Five kinds take turns: titles of one pattern with a number; reports on one event in other
words, which nothing contradicts; one long text with small changes; texts made of shared sentences; and headlines that
differ in one word over the same names.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape

from feeds.fetching import FetchResult

PER_POLL = 500
_SENTENCE = (
    "coast guard rescues stranded ferry passengers after engines fail in heavy swell off the harbour while captain "
    "orders inspection and operator halts crossings until vessel is towed to port"
)
_EVENT = _SENTENCE.split()
_NAMES = "Northline Ferries, Ines Varga and Port Mellow"


class HostileFeed:
    """Answers each poll with the next `per_poll` entries. `one_domain`: it does not pretend to be many publishers."""

    def __init__(self, *, per_poll: int = PER_POLL, now: datetime, one_domain: bool = False) -> None:
        self._per_poll, self._now, self._one_domain = per_poll, now, one_domain
        self._n_sent = 0
        words = random.Random(1)
        self._prose = [" ".join(words.choices(_EVENT, k=14)).capitalize() + "." for _ in range(200)]

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        """The next entries, as an RSS document."""
        first, self._n_sent = self._n_sent, self._n_sent + self._per_poll
        entries = "".join(map(self._entry, range(first, self._n_sent)))
        body = f'<rss version="2.0"><channel><title>Port news</title><language>en</language>{entries}</channel></rss>'
        return FetchResult(url=url, status=200, body=body.encode(), n_bytes=len(body))

    def _entry(self, n: int) -> str:
        title, text = _KINDS[n % len(_KINDS)](n, random.Random(n), self._prose)
        host = "paper.example" if self._one_domain else f"paper{n}.com"
        at = format_datetime(self._now.astimezone(UTC) - timedelta(seconds=7 * (n % 3000)))
        return (
            f"<item><title>{escape(title)}</title><link>https://{host}/{n}</link><guid>{n}</guid>"
            f"<pubDate>{at}</pubDate><description>{escape(text)}</description></item>"
        )


def _numbered(n: int, chance: random.Random, prose: Sequence[str]) -> tuple[str, str]:
    return f"Lp {n} | Lp {n + 1}", f"{_NAMES}: page {n}. " + " ".join(prose[:3])


def _report(n: int, chance: random.Random, prose: Sequence[str]) -> tuple[str, str]:
    words = chance.sample(_EVENT, 16)
    return f"{_NAMES}: {' '.join(words[:6])}", f"{_NAMES} again. {' '.join(chance.sample(_EVENT, 24))}."


def _long(n: int, chance: random.Random, prose: Sequence[str]) -> tuple[str, str]:
    sentences = list(prose)
    for _ in range(3):
        sentences[chance.randrange(3, len(sentences))] = f"Page {chance.randrange(10**6)} follows."
    return f"Ferry rescue off Port Mellow, told by {chance.choice(_EVENT)} {chance.choice(_EVENT)}", " ".join(sentences)


def _shared(n: int, chance: random.Random, prose: Sequence[str]) -> tuple[str, str]:
    return f"What the {chance.choice(_EVENT)} at Port Mellow means", " ".join(chance.sample(prose[:12], 8))


def _one_word(n: int, chance: random.Random, prose: Sequence[str]) -> tuple[str, str]:
    unknown = "".join(chance.choices("aeioubdklmnrst", k=7))
    return f"Ines Varga of Northline Ferries explains {unknown} rescue at Port Mellow", f"{_NAMES} spoke of {unknown}."


_KINDS = (_numbered, _report, _long, _shared, _one_word)
