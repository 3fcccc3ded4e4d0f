"""Layers 3 and 4 for stored articles, in batches: keys, candidates, comparison, links and stories.

A poll stores and enqueues an article in one transaction. Here a batch is claimed, its keys are committed, candidates
are found and compared, and links and stories are written in a last transaction that also passes the batch on. After an
interruption the batch is processed again; processing it twice changes nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from time import perf_counter

from django.db.models import F

from feeds.dedup.budgets import DEFAULT, Budget, affordable_pairs, limit_matches, split_pairs
from feeds.dedup.comparable import BlockingKey, Match, Subject
from feeds.dedup.near_duplicate_policies import Policy
from feeds.models import Article, Stage
from feeds.storage import work_queue
from feeds.storage.origins import comparable_ids, origins_of
from feeds.storage.work_queue import Batch, StageReport
from feeds.stories import candidates
from feeds.stories.candidates import hour_of
from feeds.stories.comparables import subjects_of
from feeds.stories.links import newest_link
from feeds.stories.store import StoryRules, replace_links

BATCH = 800  # articles with their keys in memory, some 40 kB each; half of it costs a tenth more time in statements
COMPARED_AT_ONCE = 200  # articles outside of the batch with fingerprints in memory: 16 kB each
READ_FOR_EVENTS = timedelta(days=7)  # from publication to arrival
NEAR_LAYERS = ("title", "content")
ALL_LAYERS = (*NEAR_LAYERS, "entities")

Pair = tuple[int, int]


def match_pending(
    policy: Policy,
    rules: StoryRules,
    *,
    now: datetime,
    report: StageReport,
    limit: int = BATCH,
    budget: Budget = DEFAULT,
) -> int:
    """Match one batch of waiting articles; returns its size, 0 if none are waiting."""
    batch = work_queue.claim(Stage.MATCH, now=now, limit=limit)
    if not batch.article_ids:
        return 0
    with work_queue.processing(batch):
        outdated = newest_link()
        matches = find_matches(batch.article_ids, policy, report=report, budget=budget)
        started = perf_counter()
        layers = NEAR_LAYERS if policy.names_events else ALL_LAYERS
        report.n_stories += replace_links(
            batch.article_ids,
            matches,
            rules,
            layers=layers,
            up_to=outdated,
            then=lambda: _finish(batch, policy),
        )
        report.seconds["write"] += perf_counter() - started
        report.n_articles += len(batch.article_ids)
    return len(batch.article_ids)


def _finish(batch: Batch, policy: Policy) -> None:
    """Pass on what may report an event. Articles that were old when they arrived, as a new feed's are, don't."""
    if policy.names_events:
        recent = Article.objects.filter(published_at__gte=F("first_seen_at") - READ_FOR_EVENTS)
        ids = recent.filter(pk__in=batch.article_ids).values_list("pk", flat=True)
        work_queue.pass_on(batch, Stage.ENRICH, list(ids))
    work_queue.finish(batch)


def find_matches(
    article_ids: Sequence[int], policy: Policy, *, report: StageReport, budget: Budget = DEFAULT
) -> dict[Pair, Match]:
    """Index the articles and compare them with all candidates; writes only keys."""
    started = perf_counter()
    subjects = subjects_of(comparable_ids(article_ids))
    keys = {pk: policy.keys(subject) for pk, subject in subjects.items()}
    hours = {pk: hour_of(subject.published_at) for pk, subject in subjects.items()}
    report.seconds["sketch"] += (sketched := perf_counter()) - started
    candidates.write_keys(keys, hours)
    report.seconds["index"] += (written := perf_counter()) - sketched
    pairs = _pairs(keys, hours, budget)
    report.n_candidates += len(pairs)
    report.seconds["look up"] += (looked_up := perf_counter()) - written
    matches = limit_matches(_compare(subjects, pairs, policy), budget)
    report.n_matches += len(matches)
    report.seconds["compare"] += perf_counter() - looked_up
    return matches


def _pairs(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int], budget: Budget) -> dict[Pair, bool]:
    """Pairs to compare, and whether they only share keys of titles."""
    shared: Counter[Pair] = Counter()
    by_text: set[Pair] = set()
    for pk, key, (_, other, _, _) in candidates.find_hits(keys, hours, budget):
        if pk > other and other in keys:  # count pairs within the batch once
            continue
        pair = (pk, other) if pk < other else (other, pk)
        shared[pair] += 1
        if not key.is_of_title:
            by_text.add(pair)
    origins = origins_of({pk for pair in shared for pk in pair})
    return {pair: pair not in by_text for pair in affordable_pairs(shared, origins, keys.keys(), budget)}


def _compare(subjects: Mapping[int, Subject], pairs: Mapping[Pair, bool], policy: Policy) -> dict[Pair, Match]:
    matches: dict[Pair, Match] = {}
    for some in split_pairs(pairs, subjects.keys(), batch_size=COMPARED_AT_ONCE):
        matches |= _compare_some(subjects, {pair: pairs[pair] for pair in some}, policy)
    return matches


def _compare_some(subjects: Mapping[int, Subject], pairs: Mapping[Pair, bool], policy: Policy) -> dict[Pair, Match]:
    """The matches of these pairs. Texts of articles outside of the batch are read only where they can matter."""
    others = {pk for pair in pairs for pk in pair} - subjects.keys()
    known = subjects_of(others, with_text=False) | dict(subjects)
    promising = [
        pair
        for pair, only_title in pairs.items()
        if set(pair) <= known.keys()
        and abs(known[pair[0]].published_at - known[pair[1]].published_at) <= policy.window
        and (not only_title or policy.titles_match(known[pair[0]], known[pair[1]]))
    ]
    known |= subjects_of({pk for pair in promising for pk in pair} - subjects.keys())
    matches = {pair: policy.compare(known[pair[0]], known[pair[1]]) for pair in promising if set(pair) <= known.keys()}
    return {pair: match for pair, match in matches.items() if match is not None}
