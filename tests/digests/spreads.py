"""Articles as they came to somebody, and how they are spread, without a database."""

from collections.abc import Sequence

from digests.diversity import Followed, Piece, Spread, spread_of

NAMES = ("Reuters", "BBC News", "Le Monde", "Tidepool Science", "Rust Blog", "日経", "الجزيرة")


def feeds(*folders: str) -> dict[int, Followed]:
    """A feed for each folder given, numbered from 1."""
    return {n: Followed(n, NAMES[n - 1], folder) for n, folder in enumerate(folders, start=1)}


def pieces(topic: int, n: int, *by: int, story: int | None = None, publisher: str = "") -> list[Piece]:
    """`n` articles of a topic that these feeds brought."""
    return [Piece(topic, by, publisher, story) for _ in range(n)]


def spread(*articles: Sequence[Piece], labels: Sequence[str] = (), folders: Sequence[str] = ("",) * 7) -> Spread:
    """All these, spread; topics are called A, B and so on."""
    own = [each for several in articles for each in several]
    n = 1 + max((each.topic for each in own), default=-1)
    return spread_of(own, labels or [chr(ord("A") + number) for number in range(n)], feeds(*folders))
