"""Feeds that a test publishes on loopback, and what of them must be in a reader in the end."""

from collections.abc import Iterator
from contextlib import contextmanager

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


def entry(feed: int, number: int) -> str:
    """An item that resembles no other."""
    of = [WORDS[(feed * 7 + number * (step + 3) + step * 11) % len(WORDS)] for step in range(5)]
    title = f"{' '.join(of)} {feed * 1000 + number}".capitalize()
    words = " ".join(f"{word}{feed}x{number}" for word in of * 6)
    return (
        f"<item><guid isPermaLink='false'>{feed}-{number}</guid><link>https://paper{feed}.example/{number}</link>"
        f"<title>{title}</title><description>{words}</description></item>"
    )


def document(feed: int, n_entries: int) -> bytes:
    items = "".join(entry(feed, number) for number in range(n_entries))
    return f"<rss version='2.0'><channel><title>Feed {feed}</title>{items}</channel></rss>".encode()


class Publishers:
    """Servers of six domains. `n_entries` counts what they serve in all."""

    def __init__(self) -> None:
        self.servers = [ScriptedServer(f"127.0.0.{2 + n}") for n in range(N_DOMAINS)]
        self.n_entries = 0
        self.urls: list[str] = []

    def publish(self, n_feeds: int, n_entries: int) -> list[str]:
        """So many feeds more; their addresses."""
        made = [self.add(answer(200, document(len(self.urls), n_entries))) for _ in range(n_feeds)]
        self.n_entries += n_feeds * n_entries
        return made

    def add(self, *scripts: Script) -> str:
        """A feed that answers so; its entries are for the test to count."""
        number = len(self.urls)
        self.urls.append(self.servers[number % N_DOMAINS].on(f"/{number}", *scripts))
        return self.urls[-1]

    def n_requests(self, number: int) -> int:
        """How often that feed was asked for."""
        asked = self.servers[number % N_DOMAINS].requests
        return sum(request.target == f"/{number}" for request in asked)

    def close(self) -> None:
        for server in self.servers:
            server.close()


@contextmanager
def publishing() -> Iterator[Publishers]:
    made = Publishers()
    try:
        yield made
    finally:
        made.close()
