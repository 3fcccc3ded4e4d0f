"""Limits on the comparisons and links of one article: in total, per feed and per publisher. Pure.

Theory. An article costs as many comparisons and links as it has candidates. For news that is a few dozen, however large
the archive is. But a feed whose entries share words, names and sentences makes every entry a candidate of every other:
n entries cause n² comparisons and links. So everything is limited: how many articles of a feed are compared per day
(`rates`), and how many candidates and links each of those has. The candidates that share most come first, then those
closest in time, so every run makes the same choice.

The limits are above what news needs. Of 6,366 headlines from three days on 87 stories, as dense as news gets, none has
more than 1,008 candidates, 38 from one publisher, or 336 links. Below the limits nothing is left out and the order of
arrival doesn't matter; above them it may.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from feeds.dedup.comparable import Match, is_one_publisher

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for one article.

    `candidates`: articles it is compared with in one stage, at most `of_one_feed` and `of_one_publisher` of them from
    one feed and publisher. `links`: links a stage stores. `crowded`: a key with more articles is thinned out to
    `of_one_feed` per feed.
    """

    candidates: int = 1_200
    of_one_feed: int = 40
    of_one_publisher: int = 40
    links: int = 400
    crowded: int = 100


DEFAULT = Budget()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an article comes from. `publisher` as returned by `publisher_of`."""

    published_at: datetime
    feed_id: int | None
    publisher: str


def affordable_pairs(
    strengths: Mapping[Pair, float],
    origins: Mapping[int, Origin],
    batch: Collection[int],
    budget: Budget,
    *,
    across_publishers: bool = False,
) -> set[Pair]:
    """The pairs within the budget of the articles in `batch`: the strongest of each, then the closest in time.

    Every pair has an article of the batch. Pairs with a deleted article (no origin) are left out, and with
    `across_publishers` also pairs of one publisher.
    """
    others: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    for (one, other), strength in strengths.items():
        ours, theirs = origins.get(one), origins.get(other)
        if ours is None or theirs is None:
            continue
        if across_publishers and is_one_publisher(ours.publisher, theirs.publisher):
            continue
        apart = abs((ours.published_at - theirs.published_at).total_seconds())
        for asker, candidate in ((one, other), (other, one)):
            if asker in batch:
                others[asker].append((-strength, apart, candidate))
    return {
        (min(asker, chosen), max(asker, chosen))
        for asker, candidates in others.items()
        for chosen in _affordable(candidates, origins, budget)
    }


def _affordable(candidates: list[tuple[float, float, int]], origins: Mapping[int, Origin], budget: Budget) -> list[int]:
    if len(candidates) <= min(budget.candidates, budget.of_one_feed, budget.of_one_publisher):
        return [pk for _, _, pk in candidates]
    chosen: list[int] = []
    of_feed: Counter[int | None] = Counter()
    of_publisher: Counter[str] = Counter()
    for _, _, pk in sorted(candidates):
        origin = origins[pk]
        if of_feed[origin.feed_id] >= budget.of_one_feed or of_publisher[origin.publisher] >= budget.of_one_publisher:
            continue
        chosen.append(pk)
        of_feed[origin.feed_id] += 1
        of_publisher[origin.publisher] += bool(origin.publisher)
        if len(chosen) == budget.candidates:
            break
    return chosen


def limit_matches(matches: Mapping[Pair, Match], budget: Budget) -> dict[Pair, Match]:
    """The closest matches, at most `budget.links` per article; matches that join come first."""
    n_links: Counter[int] = Counter()
    limited: dict[Pair, Match] = {}
    for pair, match in sorted(matches.items(), key=lambda entry: (not entry[1].joins, -entry[1].closeness, entry[0])):
        if max(n_links[pair[0]], n_links[pair[1]]) < budget.links:
            limited[pair] = match
            n_links.update(pair)
    return limited


def split_pairs(pairs: Collection[Pair], batch: Collection[int], *, batch_size: int) -> Iterator[list[Pair]]:
    """Split pairs into parts with at most `batch_size` + 1 articles outside of the batch."""
    part: list[Pair] = []
    others: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (pair[0] if pair[1] in batch else pair[1], pair)):
        others.update(pk for pk in pair if pk not in batch)
        part.append(pair)
        if len(others) > batch_size:
            yield part
            part, others = [], set()
    yield part
