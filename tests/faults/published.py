"""Feeds published on loopback, and the number of entries an installation must end up with."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.utils import format_datetime

from tests.feeds.servers import Script, ScriptedServer, answer

N_DOMAINS = 6
WORDS = [
    "harbour",
    "whale",
    "tariff",
    "glacier",
    "parliament",
    "orchard",
    "turbine",
    "violin",
    "archive",
    "kernel",
    "meadow",
    "lantern",
    "senate",
    "copper",
    "reactor",
    "marathon",
    "bakery",
    "satellite",
    "tunnel",
    "vineyard",
    "ferry",
    "museum",
    "comet",
    "refinery",
    "pension",
]


def entry(feed: int, number: int, published: datetime | None = None) -> str:
    """An item unlike any other."""
    of = [WORDS[(feed * 7 + number * (step + 3) + step * 11) % len(WORDS)] for step in range(5)]
    title = f"{' '.join(of)} {feed * 1000 + number}".capitalize()
    words = " ".join(f"{word}{feed}x{number}" for word in of * 6)
    date = f"<pubDate>{format_datetime(published)}</pubDate>" if published else ""
    return (
        f"<item><guid isPermaLink='false'>{feed}-{number}</guid><link>https://paper{feed}.example/{number}</link>"
        f"<title>{title}</title><description>{words}</description>{date}</item>"
    )


def document(feed: int, n_entries: int, published: datetime | None = None) -> bytes:
    items = "".join(entry(feed, number, published) for number in range(n_entries))
    return f"<rss version='2.0'><channel><title>Feed {feed}</title>{items}</channel></rss>".encode()


class Publishers:
    """Servers of six domains, with `n_entries` in total."""

    def __init__(self) -> None:
        self.servers = [ScriptedServer(f"127.0.0.{2 + n}") for n in range(N_DOMAINS)]
        self.n_entries = 0
        self.urls: list[str] = []

    def publish(self, n_feeds: int, n_entries: int, *, published: datetime | None = None) -> list[str]:
        """Publish `n_feeds` more feeds; return their URLs."""
        urls = [self.add(answer(200, document(len(self.urls), n_entries, published))) for _ in range(n_feeds)]
        self.n_entries += n_feeds * n_entries
        return urls

    def add(self, *scripts: Script) -> str:
        """Add a feed with this response; its entries aren't counted."""
        number = len(self.urls)
        self.urls.append(self.servers[number % N_DOMAINS].on(f"/{number}", *scripts))
        return self.urls[-1]

    def n_requests(self, number: int) -> int:
        """How often that feed was requested."""
        requests = self.servers[number % N_DOMAINS].requests
        return sum(request.target == f"/{number}" for request in requests)

    def close(self) -> None:
        for server in self.servers:
            server.close()


@contextmanager
def publishing() -> Iterator[Publishers]:
    publishers = Publishers()
    try:
        yield publishers
    finally:
        publishers.close()
