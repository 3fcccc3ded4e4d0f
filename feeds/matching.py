"""Layers 3 and 4 over stored articles, in batches: keys, candidates, comparison, links and stories.

The walk of an article: a poll stores it and enqueues it, in one transaction. Here it is claimed with others, its keys
are committed, its candidates looked up, and what the policy says of them is written, stories included, in a second
transaction that also passes it on. Interrupted before that, it is done again; done twice, nothing changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from time import perf_counter

from django.db import transaction

from feeds import blocking, pending
from feeds.archive import subjects_of
from feeds.blocking import Hit, distance, hour_of, stored_bits
from feeds.dedup.policies import Policy
from feeds.dedup.subject import BlockingKey, Subject, Tie
from feeds.models import Stage
from feeds.pending import StageReport
from feeds.stories import StoryRules, add_ties, forget_ties, in_stories, newest_link, one_writer, regroup

BATCH = 400
NEAR_LAYERS = ("title", "content")
ALL_LAYERS = (*NEAR_LAYERS, "entities")

Pair = tuple[int, int]


def match_pending(policy: Policy, rules: StoryRules, *, now: datetime, report: StageReport, limit: int = BATCH) -> int:
    """Match one batch of waiting articles; returns how many, 0 when none is left to take."""
    batch = pending.claim(Stage.MATCH, now=now, limit=limit)
    if batch.article_ids:
        following = Stage.ENRICH if policy.names_events else None
        outdated = newest_link()
        ties = find_ties(batch.article_ids, policy, report=report)
        began = perf_counter()
        with one_writer():
            layers = NEAR_LAYERS if policy.names_events else ALL_LAYERS
            parted = forget_ties(batch.article_ids, layers=layers, up_to=outdated)
            add_ties(ties)
            concerned = parted | in_stories(batch.article_ids) | {pk for pair in ties for pk in pair}
            report.n_stories += regroup(concerned, rules)
            pending.finish(batch, following=following)
        report.seconds["write"] += perf_counter() - began
    report.n_articles += len(batch.article_ids)
    return len(batch.article_ids)


def find_ties(article_ids: Sequence[int], policy: Policy, *, report: StageReport) -> dict[Pair, Tie]:
    """Index the articles and compare them with all their candidates; writes keys, and nothing else."""
    began = perf_counter()
    subjects = subjects_of(article_ids)
    keys = {pk: policy.keys(subject) for pk, subject in subjects.items()}
    hours = {pk: hour_of(subject.published_at) for pk, subject in subjects.items()}
    report.seconds["sketch"] += (sketched := perf_counter()) - began
    with transaction.atomic():
        blocking.write_keys(keys, hours)
    report.seconds["index"] += (written := perf_counter()) - sketched
    pairs = _pairs(keys, blocking.candidates(keys, hours))
    report.n_candidates += len(pairs)
    report.seconds["look up"] += (asked := perf_counter()) - written
    ties = _compare(subjects, pairs, policy)
    report.n_ties += len(ties)
    report.seconds["compare"] += perf_counter() - asked
    return ties


def _pairs(keys: Mapping[int, Sequence[BlockingKey]], hits: Iterable[Hit]) -> dict[Pair, bool]:
    """Pairs to compare, and whether no more than a title led to them; whose bits are too far apart are left out."""
    by_value: dict[int, list[tuple[int, int | None, int, bool]]] = defaultdict(list)
    for pk, several in keys.items():
        for key in several:
            by_value[key.value].append((pk, stored_bits(key), key.most_apart, key.is_of_title))
    pairs: dict[Pair, bool] = {}
    for value, other, theirs in hits:
        for pk, ours, most_apart, is_of_title in by_value[value]:
            if pk == other or (ours is not None and theirs is not None and distance(ours, theirs) > most_apart):
                continue
            pair = (pk, other) if pk < other else (other, pk)
            pairs[pair] = pairs.get(pair, True) and is_of_title
    return pairs


def _compare(subjects: Mapping[int, Subject], pairs: Mapping[Pair, bool], policy: Policy) -> dict[Pair, Tie]:
    """What ties each pair. The texts of those who are not in the batch are read only where they can matter."""
    others = {pk for pair in pairs for pk in pair} - subjects.keys()
    known = subjects_of(others, with_text=False) | dict(subjects)
    worth = [
        pair
        for pair, only_title in pairs.items()
        if set(pair) <= known.keys()
        and abs(known[pair[0]].published_at - known[pair[1]].published_at) <= policy.window
        and (not only_title or policy.titles_match(known[pair[0]], known[pair[1]]))
    ]
    known |= subjects_of({pk for pair in worth for pk in pair} - subjects.keys())
    found = {pair: policy.compare(known[pair[0]], known[pair[1]]) for pair in worth}
    return {pair: tie for pair, tie in found.items() if tie is not None}
