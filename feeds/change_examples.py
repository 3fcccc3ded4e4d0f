"""Examples of what a rehearsal found, for people: titles, and the strongest tie between what was or will be apart."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain, combinations, islice, product, zip_longest

from feeds.archive import accounts_of, subjects_of
from feeds.dedup.changes import Change, Changes, Kind
from feeds.dedup.events import event_tie
from feeds.dedup.policies import Policy
from feeds.dedup.subject import Tie
from feeds.models import Article, Link

MOST_PARTS = 6  # of a story that are shown, and whose articles are looked at for evidence
MOST_OF_A_PART = 5

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Example:
    """One story that would change: the titles of its parts as published, the tie in words, "" where there is none."""

    kind: Kind
    n_articles: int
    parts: tuple[tuple[str, ...], ...]
    layer: str
    evidence: str


def examples(found: Changes, *, n: int, policy: Policy | None) -> list[Example]:
    """At most `n` examples, of each kind in turn, large stories first. `policy` None: nothing is compared anew."""
    by_kind = [
        sorted((each for each in found.stories if each.kind == kind), key=lambda each: (-_size(each), each.parts))
        for kind in Kind
    ]
    turns = chain.from_iterable(zip_longest(*by_kind))
    return [_example(change, policy) for change in islice(filter(None, turns), n)]


def _size(change: Change) -> int:
    return sum(map(len, change.parts))


def _example(change: Change, policy: Policy | None) -> Example:
    shown = [part[:MOST_OF_A_PART] for part in change.parts[:MOST_PARTS]]
    ids = [pk for part in shown for pk in part]
    titles = dict(Article.objects.filter(pk__in=ids).values_list("pk", "title"))
    pairs = {(min(pair), max(pair)) for one, other in combinations(shown, 2) for pair in product(one, other)}
    ties = list(_stored(pairs))
    if policy is not None and change.kind not in (Kind.SPLIT, Kind.DISSOLVED):
        ties = list(_compared(pairs, policy)) or ties
    best = max(ties, key=lambda tie: (tie.joins, tie.closeness, tie.layer), default=None)
    return Example(
        change.kind,
        _size(change),
        tuple(tuple(titles[pk] for pk in part if pk in titles) for part in shown),
        best.layer if best else "",
        best.evidence if best else "",
    )


def _stored(pairs: Collection[Pair]) -> Iterable[Tie]:
    ids = {pk for pair in pairs for pk in pair}
    columns = ("one_id", "other_id", "disposition", "layer", "measure", "closeness", "evidence", "joins")
    for one, other, *said in Link.objects.filter(one__in=ids, other__in=ids).values_list(*columns):
        if (one, other) in pairs:
            yield Tie(*said)


def _compared(pairs: Collection[Pair], policy: Policy) -> Iterable[Tie]:
    ids = {pk for pair in pairs for pk in pair}
    subjects = subjects_of(ids)
    accounts = accounts_of(ids) if policy.names_events else {}
    for one, other in sorted(pairs):
        ours, theirs = subjects[one], subjects[other]
        if abs(ours.published_at - theirs.published_at) <= policy.window and (tie := policy.compare(ours, theirs)):
            yield tie
        if one in accounts and other in accounts and (tie := event_tie(accounts[one], accounts[other])):
            yield tie
