"""How what a person's feeds bring is spread over topics, feeds and publishers, and where it piles up. Pure.

*Effective numbers* are exponentials of Shannon's entropy: twelve topics of which one is nearly all are worth little
more than one; twelve of the same size are worth twelve (Hill, "Diversity and evenness", Ecology 54, 1973).

What feeds repeat of each other is counted by events (`digests.repeating`). Two feeds bring *the same* when each tells
of at least half of what the other does.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, fsum, log
from typing import Any

from digests.repeating import Told

VERSION = 1  # of what is stored; what has another is made anew
PILED_ABOVE = 0.2  # of all articles, in one topic
REPEATED_FROM = 0.5  # of a feed's articles, told by others too
SAME_FROM = 0.5  # of each of two feeds, told by the other
NEARLY_FROM = 0.9  # of a topic's articles, from one feed
LEAST_ARTICLES = 5  # of a feed, before anything is said of it
LEAST_TOLD = 3  # articles of a topic that one feed alone is said to bring
MOST_FEEDS = 3  # named with a topic, or as those that a feed repeats
MOST_LISTED = 10  # feeds that repeat, and topics that one feed brings
MOST_GROUPS = 9  # folders or feeds shown one by one; the others stand together
OTHERS, NO_FOLDER = "All others", "No folder"


@dataclass(frozen=True, slots=True)
class Followed:
    """A feed as the person calls it, known by the number of its subscription, in a folder or in none ("")."""

    number: int
    name: str
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """An article: the number of its topic, the subscriptions that brought it, its publisher ("" where unknown)."""

    topic: int
    feeds: tuple[int, ...]
    publisher: str = ""
    story: int | None = None


@dataclass(frozen=True, slots=True)
class FeedCount:
    """A feed and how many articles of something it brings."""

    number: int
    name: str
    n: int


@dataclass(frozen=True, slots=True)
class TopicShare:
    """A topic: its share of all articles, the feeds that bring most of it, and its articles in each of the groups."""

    label: str
    n_articles: int
    n_feeds: int
    share: float
    feeds: tuple[FeedCount, ...]
    by_group: tuple[int, ...]

    @property
    def is_piled(self) -> bool:
        return self.share > PILED_ABOVE


@dataclass(frozen=True, slots=True)
class Group:
    """A folder, or a feed where there are no folders: how many articles it brings."""

    name: str
    n_articles: int


@dataclass(frozen=True, slots=True)
class Repeater:
    """A feed of whose `n_articles` others tell `n_repeated`, and which others do."""

    number: int
    name: str
    n_articles: int
    n_repeated: int
    others: tuple[FeedCount, ...]

    @property
    def share(self) -> float:
        return self.n_repeated / self.n_articles


@dataclass(frozen=True, slots=True)
class Sole:
    """A topic of `n_articles` of which one feed brings `n_own`."""

    label: str
    number: int
    name: str
    n_articles: int
    n_own: int

    @property
    def is_all(self) -> bool:
        return self.n_own == self.n_articles


@dataclass(frozen=True, slots=True)
class Spread:
    """All of it; topics by size. `n_left_out` articles were older than those looked at. `twins` are names of feeds that
    bring the same. The numbers of topics and publishers are effective ones. `has_folders`: groups are folders."""

    n_articles: int
    n_feeds: int
    n_left_out: int
    effective_topics: float
    effective_publishers: float
    n_publishers: int
    topics: tuple[TopicShare, ...]
    groups: tuple[Group, ...]
    has_folders: bool
    repeaters: tuple[Repeater, ...]
    twins: tuple[tuple[str, ...], ...]
    soles: tuple[Sole, ...]

    def as_json(self) -> dict[str, Any]:
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Spread | None":
        """What `as_json` gave; None when it is of another version."""
        if content.get("version") != VERSION:
            return None
        values = {name: value for name, value in content.items() if name != "version"}
        values["topics"] = tuple(
            TopicShare(**{**each, "feeds": _counts(each["feeds"]), "by_group": tuple(each["by_group"])})
            for each in content["topics"]
        )
        values["groups"] = tuple(Group(**each) for each in content["groups"])
        values["repeaters"] = tuple(
            Repeater(**{**each, "others": _counts(each["others"])}) for each in content["repeaters"]
        )
        values["twins"] = tuple(tuple(names) for names in content["twins"])
        values["soles"] = tuple(Sole(**each) for each in content["soles"])
        return cls(**values)


def effective_number(counts: Iterable[int]) -> float:
    """Of how many classes of the same size these are worth, by exp of Shannon's entropy; 0 of none."""
    sizes = [count for count in counts if count > 0]
    total = sum(sizes)
    return exp(-fsum(size / total * log(size / total) for size in sizes)) if sizes else 0.0


def spread_of(
    pieces: Sequence[Piece], labels: Sequence[str], followed: Mapping[int, Followed], *, n_left_out: int = 0
) -> Spread:
    """How these articles are spread; `labels` of the topics by number."""
    topics: dict[int, list[Piece]] = defaultdict(list)
    for each in pieces:
        topics[each.topic].append(each)
    groups, group_of = _groups(pieces, followed)
    order = sorted(topics, key=lambda number: (-len(topics[number]), number))
    publishers = Counter(each.publisher for each in pieces if each.publisher)
    told = Told((each.feeds, each.story) for each in pieces)
    return Spread(
        n_articles=len(pieces),
        n_feeds=len(told.n_articles),
        n_left_out=n_left_out,
        effective_topics=effective_number(len(several) for several in topics.values()),
        effective_publishers=effective_number(publishers.values()),
        n_publishers=len(publishers),
        topics=tuple(
            _topic(labels[number], topics[number], len(pieces), followed, len(groups), group_of) for number in order
        ),
        groups=groups,
        has_folders=_has_folders(followed, told.n_articles),
        repeaters=_repeaters(told, followed),
        twins=_twins(told, followed),
        soles=tuple(_soles([(labels[number], topics[number]) for number in order], followed))[:MOST_LISTED],
    )


def _counts(rows: Iterable[Mapping[str, Any]]) -> tuple[FeedCount, ...]:
    return tuple(FeedCount(**each) for each in rows)


def _topic(
    label: str,
    own: Sequence[Piece],
    n_all: int,
    followed: Mapping[int, Followed],
    n_groups: int,
    group_of: Mapping[int, int],
) -> TopicShare:
    by_feed = Counter(feed for each in own for feed in each.feeds)
    by_group = Counter(group for each in own for group in {group_of[feed] for feed in each.feeds})
    return TopicShare(
        label=label,
        n_articles=len(own),
        n_feeds=len(by_feed),
        share=len(own) / n_all,
        feeds=_most(by_feed, followed),
        by_group=tuple(by_group[number] for number in range(n_groups)),
    )


def _most(counts: Mapping[int, int], followed: Mapping[int, Followed]) -> tuple[FeedCount, ...]:
    """The feeds with most articles, the largest first."""
    best = sorted(counts, key=lambda feed: (-counts[feed], followed[feed].name, feed))[:MOST_FEEDS]
    return tuple(FeedCount(feed, followed[feed].name, counts[feed]) for feed in best)


def _has_folders(followed: Mapping[int, Followed], feeds: Iterable[int]) -> bool:
    return len({followed[feed].folder for feed in feeds}) > 1


def _groups(pieces: Sequence[Piece], followed: Mapping[int, Followed]) -> tuple[tuple[Group, ...], Mapping[int, int]]:
    """The groups, the largest first and all small ones last as one; and in which of them each feed is."""
    feeds = {feed for each in pieces for feed in each.feeds}
    by_folder = _has_folders(followed, feeds)
    key_of: dict[int, Hashable] = {feed: followed[feed].folder if by_folder else feed for feed in feeds}
    names = {key_of[feed]: (followed[feed].folder or NO_FOLDER) if by_folder else followed[feed].name for feed in feeds}
    sizes = Counter(key for each in pieces for key in {key_of[feed] for feed in each.feeds})
    order = sorted(sizes, key=lambda key: (-sizes[key], names[key], str(key)))
    shown = order if len(order) <= MOST_GROUPS else order[: MOST_GROUPS - 1]
    place = {key: min(number, len(shown)) for number, key in enumerate(order)}
    groups = [Group(names[key], sizes[key]) for key in shown]
    rest = set(order) - set(shown)
    if rest:
        groups.append(Group(OTHERS, sum(any(key_of[feed] in rest for feed in each.feeds) for each in pieces)))
    return tuple(groups), {feed: place[key_of[feed]] for feed in feeds}


def _soles(topics: Iterable[tuple[str, Sequence[Piece]]], followed: Mapping[int, Followed]) -> Iterator[Sole]:
    """Topics that one feed brings, nearly alone."""
    for label, own in topics:
        alone = Counter(each.feeds[0] for each in own if len(each.feeds) == 1)
        feed, n_own = min(alone.items(), key=lambda item: (-item[1], item[0]), default=(0, 0))
        if len(own) >= LEAST_TOLD and n_own >= NEARLY_FROM * len(own):
            yield Sole(label, feed, followed[feed].name, len(own), n_own)


def _repeaters(told: Told, followed: Mapping[int, Followed]) -> tuple[Repeater, ...]:
    """Feeds whose articles are mostly told by others, those first that bring most of such."""
    found = [
        Repeater(feed, followed[feed].name, n, told.n_repeated[feed], _most(told.shared[feed], followed))
        for feed, n in told.n_articles.items()
        if n >= LEAST_ARTICLES and told.n_repeated[feed] >= REPEATED_FROM * n
    ]
    return tuple(sorted(found, key=lambda each: (-each.n_repeated, each.name, each.number))[:MOST_LISTED])


def _twins(told: Told, followed: Mapping[int, Followed]) -> tuple[tuple[str, ...], ...]:
    """Sets of feeds each two of which bring the same; a feed is in one at most, which the largest begin."""
    sets: list[list[int]] = []
    able = [feed for feed, n in told.n_articles.items() if n >= LEAST_ARTICLES and told.n_repeated[feed]]
    for feed in sorted(able, key=lambda feed: (-told.n_articles[feed], followed[feed].name, feed)):
        fitting = next((each for each in sets if all(told.is_same(feed, mate, SAME_FROM) for mate in each)), None)
        if fitting is None:
            sets.append([feed])
        else:
            fitting.append(feed)
    return tuple(tuple(followed[feed].name for feed in each) for each in sets if len(each) > 1)
