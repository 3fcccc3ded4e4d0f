"""What deduplicating the archive again would change, under any policy and closeness. Writes nothing.

Theory. The articles are walked in order of publication; those that another one can still be compared with are held in
memory (`feeds.dedup.window`), older ones are let go. A tie needs two articles within the window, so what is tied
together and got no new tie for that long is complete: it is partitioned (`feeds.dedup.grouping`), its ties are
forgotten, and of each article in a story one number is left. So memory is bounded by the window, but for those numbers
and for a chain of events that never pauses.

With `since`, ties between articles from before stay as they are linked today.

Names and vectors are those kept of articles that were enriched; the models are not asked. An article of which nothing
is kept (not enriched yet, or so long ago that it was tidied away) keeps the event links that it has, and is counted.

Where more articles hang together than `feeds.stories.LARGEST_COMPONENT`, the real run looks at the nearest only, and
may come out a little otherwise; so it may where keys of an earlier policy lead it to one more pair to compare.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from feeds.archive import CHUNK, Chunk, accounts_of, published, walk
from feeds.dedup.changes import Changes, changes
from feeds.dedup.events import LONGEST_APART
from feeds.dedup.grouping import Member, stories
from feeds.dedup.policies import Policy
from feeds.dedup.subject import Tie, strongest
from feeds.dedup.window import EventWindow, NearWindow
from feeds.models import Article, Disposition, Link, Split, Story
from feeds.stories import StoryRules

_CLOSED_EVERY = timedelta(days=1)  # of publication; to find what is complete, all that is open is looked at

Pair = tuple[int, int]
Told = tuple[Pair, Tie]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What would change. `n_articles` were compared; of `n_without_names` of them event links stay as they are."""

    changes: Changes
    n_articles: int
    n_without_names: int
    n_stories_before: int
    n_stories_after: int
    n_links_before: int
    n_links_after: int


def rehearse(
    policy: Policy,
    rules: StoryRules,
    *,
    since: datetime | None = None,
    with_meaning: bool = True,
    on_chunk: Callable[[int, int], None] = lambda done, total: None,
) -> Rehearsal:
    """Deduplicate what was published `since` (None: everything) once more, in thought."""
    walked = _Walk(policy, rules, keeps_all=since is not None)
    if since is not None:
        for chunk in walk(
            published(since=since - _reach(policy), before=since),
            with_events=policy.names_events,
            with_meaning=with_meaning,
        ):
            walked.remember(chunk)
    n_articles, n_compared = published(since=since).count(), 0
    for chunk in walk(published(since=since), with_events=policy.names_events, with_meaning=with_meaning):
        walked.compare(chunk)
        n_compared += len(chunk.subjects)
        on_chunk(n_compared, n_articles)
    n_links = Link.objects.count()
    n_links_after = walked.n_ties if since is None else n_links - len(walked.replaced) + walked.n_ties
    return _told(walked.end(), n_links, n_links_after, n_articles=n_compared, n_without_names=walked.n_without_names)


def rehearse_regrouping(rules: StoryRules, *, since: datetime | None = None) -> Rehearsal:
    """Group what is linked once more, in thought, as it is linked now: another closeness, say."""
    opened = _OpenTies(rules)
    linked = linked_articles(since)
    opened.add(_connected(linked), None)
    changed = changes(stories_today(linked | opened.articles() if since else None), opened.close(None))
    n_links = Link.objects.count()
    return _told(changed, n_links, n_links, n_articles=len(linked), n_without_names=0)


def linked_articles(since: datetime | None) -> set[int]:
    """Who has links or stands in a story, of those published `since`."""
    chosen = published(since=since)
    ids = set(chosen.exclude(story=None).values_list("pk", flat=True).iterator())
    for side in ("one", "other"):
        links = Link.objects.all() if since is None else Link.objects.filter(**{f"{side}__published_at__gte": since})
        ids |= set(links.values_list(f"{side}_id", flat=True).iterator())
    return ids


def _told(found: Changes, n_links: int, n_links_after: int, *, n_articles: int, n_without_names: int) -> Rehearsal:
    n_stories = Story.objects.count()
    return Rehearsal(found, n_articles, n_without_names, n_stories, n_stories + found.n_more, n_links, n_links_after)


def _reach(policy: Policy) -> timedelta:
    return max(policy.window, LONGEST_APART)


class _Walk:
    """The comparison of an archive, chunk by chunk. `keeps_all`: earlier articles have links that are to be kept."""

    def __init__(self, policy: Policy, rules: StoryRules, *, keeps_all: bool) -> None:
        self.n_ties = self.n_without_names = 0
        self.replaced: set[int] = set()  # links of today that the comparison takes the place of
        self._policy, self._keeps_all = policy, keeps_all
        self._near, self._events, self._opened = NearWindow(policy), EventWindow(), _OpenTies(rules)
        self._fresh: set[int] = set()
        self._seeds: set[int] = set()  # whom the replaced links tied
        self._after: dict[int, int] = {}
        self._closed_at: datetime | None = None

    def remember(self, chunk: Chunk) -> None:
        """Let articles be found that are not themselves compared anew."""
        self._near.add(chunk.subjects)
        self._events.add(chunk.accounts)

    def compare(self, chunk: Chunk) -> None:
        bare = chunk.subjects.keys() - chunk.accounts.keys() if self._policy.names_events else frozenset[int]()
        self.n_without_names += len(bare)
        found = [*self._near.ties(chunk.subjects).items(), *self._events.ties(chunk.accounts).items()]
        self.n_ties += self._opened.add([*found, *self._kept(chunk.subjects.keys(), bare)], chunk.last_at)
        self._closed_at = self._closed_at or chunk.last_at
        if not self._keeps_all and chunk.last_at - self._closed_at >= _CLOSED_EVERY:
            self._after |= self._opened.close(chunk.last_at - _reach(self._policy) - 2 * LONGEST_APART)
            self._closed_at = chunk.last_at

    def _kept(self, ids: Collection[int], bare: Collection[int]) -> Iterator[Told]:
        """The event links of articles that cannot be compared; on the way, which links are replaced."""
        if self._keeps_all:
            self._fresh |= set(ids)
        for number, pair, tie in _links_at(ids if self._keeps_all else bare):
            if self._keeps_all:
                self.replaced.add(number)
                self._seeds |= set(pair)
            if tie.layer == "entities" and not set(pair).isdisjoint(bare):
                yield pair, tie

    def end(self) -> Changes:
        """What changed, once all were compared."""
        if not self._keeps_all:
            return changes(stories_today(), self._after | self._opened.close(None))
        earlier = (self._opened.articles() | self._seeds) - self._fresh
        self._opened.add(_connected(earlier, without=self._fresh), None)
        concerned = self._opened.articles() | self._fresh | self._seeds
        return changes(stories_today(concerned), self._opened.close(None))


@dataclass(slots=True)
class _OpenTies:
    """Ties of which there may be more to come, and until when somebody tied got the last one."""

    rules: StoryRules
    ties: dict[Pair, dict[str, Tie]] = field(default_factory=lambda: defaultdict(dict))
    tied_at: dict[int, datetime] = field(default_factory=dict)
    n_stories: int = 0

    def articles(self) -> set[int]:
        return {pk for pair in self.ties for pk in pair}

    def add(self, told: Iterable[Told], at: datetime | None) -> int:
        """Take up ties found at a time of the walk; returns how many are new, one a pair and layer."""
        n_new = 0
        for pair, tie in told:
            n_new += tie.layer not in self.ties[pair]
            self.ties[pair][tie.layer] = tie
            if at is not None:
                self.tied_at |= dict.fromkeys(pair, at)
        return n_new

    def close(self, before: datetime | None) -> dict[int, int]:
        """The stories of what was not tied any more since `before` (None: of all), by article; they are let go."""
        done = [pair for group in _components(self.ties) if self._is_complete(group, before) for pair in group]
        ties = {pair: strongest(self.ties.pop(pair).values()) for pair in done}
        partition = _partition(ties, self.rules.least_average)
        for pk in {pk for pair in done for pk in pair}:
            self.tied_at.pop(pk, None)
        first = self.n_stories
        self.n_stories += len(partition)
        return {pk: first + n for n, story in enumerate(partition) for pk in story}

    def _is_complete(self, pairs: Collection[Pair], before: datetime | None) -> bool:
        return before is None or all(self.tied_at[pk] < before for pair in pairs for pk in pair)


def _components(pairs: Collection[Pair]) -> Iterator[list[Pair]]:
    """The pairs, those together that hang together."""
    above: dict[int, int] = {}

    def root(pk: int) -> int:
        while (up := above.setdefault(pk, pk)) != pk:
            above[pk] = pk = above[up]
        return pk

    for one, other in pairs:
        above[root(other)] = root(one)
    together: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        together[root(pair[0])].append(pair)
    yield from together.values()


def _partition(ties: Mapping[Pair, Tie], least_average: float) -> list[list[int]]:
    """The stories of two articles and more."""
    ids = sorted({pk for pair in ties for pk in pair})
    members: list[Member[int]] = []
    splits: set[Pair] = set()
    for some in _slices(ids):
        accounts = accounts_of(some, with_meaning=False)
        for pk, published_at, key, language in Article.objects.filter(pk__in=some).values_list(
            "pk", "published_at", "url_key", "language"
        ):
            salient = accounts[pk].salient if pk in accounts else frozenset[str]()
            members.append(Member(pk, (published_at, bytes(key)), language, salient))
        splits |= set(Split.objects.filter(one__in=some).values_list("one_id", "other_id"))
    return [each for each in stories(members, ties, apart=splits, least_average=least_average) if len(each) > 1]


def stories_today(among: AbstractSet[int] | None = None) -> dict[int, int]:
    """The story of each article that is in one; of all articles, or of some."""
    rows = Article.objects.exclude(story=None).values_list("pk", "story_id").iterator()
    return {pk: story for pk, story in rows if story is not None and (among is None or pk in among)}


def _connected(start: Collection[int], *, without: AbstractSet[int] = frozenset()) -> list[Told]:
    """The links of today among all that is reachable from some articles, but for those `without` whom."""
    seen, frontier = set(start), set(start)
    found: dict[int, Told] = {}
    while frontier:
        reached: set[int] = set()
        for number, pair, tie in _links_at(frontier):
            if without.isdisjoint(pair):
                found[number] = pair, tie
                if tie.joins or tie.disposition == Disposition.SAME_EVENT:
                    reached |= set(pair)
        frontier = reached - seen
        seen |= frontier
    return [told for told in found.values() if seen.issuperset(told[0])]


def _links_at(article_ids: Collection[int]) -> Iterator[tuple[int, Pair, Tie]]:
    """The links of today at these articles; one of two of them comes twice."""
    columns = ("pk", "one_id", "other_id", "disposition", "layer", "measure", "closeness", "evidence", "joins")
    for some in _slices(sorted(article_ids)):
        for side in ("one__in", "other__in"):
            for number, one, other, *said in Link.objects.filter(**{side: some}).values_list(*columns):
                yield number, (one, other), Tie(*said)


def _slices(ids: list[int]) -> Iterator[list[int]]:
    return (ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK))
