"""Layer 5 over stored articles, in small batches behind the polls: names and meaning, candidates, ties of one event.

The models take a hundred times what the other layers take, so this stage runs by itself and may lag behind; only the
worker that runs it loads them. What was found out of an article is kept (`Sketch`) as long as it can be matched.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from time import perf_counter

import numpy as np
from django.db import transaction
from django.db.models.functions import Left

from feeds import blocking, pending
from feeds.archive import accounts_of
from feeds.blocking import hour_of
from feeds.dedup.events import (
    LEAST_MEANING,
    LEAST_SHARED_KEYS,
    LONGEST_APART,
    READ_CHARACTERS,
    Account,
    event_keys,
    event_tie,
)
from feeds.dedup.meaning import vectors_of
from feeds.dedup.name_models import names_of
from feeds.dedup.subject import BlockingKey, Tie
from feeds.dedup.vectors import matrix_from
from feeds.models import Article, Sketch, Stage
from feeds.pending import StageReport
from feeds.stories import StoryRules, add_ties, forget_ties, in_stories, newest_link, one_writer, regroup

BATCH = 64
MOST_MEANINGS = 20_000  # vectors of the time around a batch that it is compared with: 40 MB

Pair = tuple[int, int]


def enrich_pending(
    rules: StoryRules, *, now: datetime, report: StageReport, limit: int = BATCH, with_meaning: bool = True
) -> int:
    """Enrich one batch of waiting articles; returns how many, 0 when none is left to take."""
    batch = pending.claim(Stage.ENRICH, now=now, limit=limit)
    if batch.article_ids:
        outdated = newest_link()
        ties = find_event_ties(batch.article_ids, report=report, with_meaning=with_meaning)
        began = perf_counter()
        with one_writer():
            parted = forget_ties(batch.article_ids, layers=("entities",), up_to=outdated)
            add_ties(ties)
            concerned = parted | in_stories(batch.article_ids) | {pk for pair in ties for pk in pair}
            report.n_stories += regroup(concerned, rules)
            pending.finish(batch)
        report.seconds["write"] += perf_counter() - began
    report.n_articles += len(batch.article_ids)
    return len(batch.article_ids)


def find_event_ties(article_ids: Sequence[int], *, report: StageReport, with_meaning: bool = True) -> dict[Pair, Tie]:
    """Find out names and meaning of the articles, keep and index them, and compare with all candidates."""
    _sketch(article_ids, report=report, with_meaning=with_meaning)
    began = perf_counter()
    accounts = accounts_of(article_ids)
    keys = {pk: [BlockingKey(value, LONGEST_APART) for value in event_keys(each)] for pk, each in accounts.items()}
    hours = {pk: hour_of(each.published_at) for pk, each in accounts.items()}
    with transaction.atomic():
        blocking.write_keys(keys, hours)
    pairs = _by_keys(keys, hours) | _by_meaning(accounts)
    accounts |= accounts_of({pk for pair in pairs for pk in pair} - accounts.keys())
    report.n_candidates += len(pairs)
    found = {pair: event_tie(accounts[pair[0]], accounts[pair[1]]) for pair in pairs if set(pair) <= accounts.keys()}
    ties = {pair: tie for pair, tie in found.items() if tie is not None}
    report.n_ties += len(ties)
    report.seconds["compare"] += perf_counter() - began
    return ties


def _sketch(article_ids: Sequence[int], *, report: StageReport, with_meaning: bool) -> None:
    rows = list(
        Article.objects.filter(pk__in=article_ids)
        .order_by("pk")
        .values_list("pk", "title", Left("text", READ_CHARACTERS), "language")
    )
    began = perf_counter()
    names = names_of([(title, text, language) for _, title, text, language in rows])
    report.seconds["names"] += (named := perf_counter()) - began
    vectors = vectors_of([(title, text) for _, title, text, _ in rows]) if with_meaning else [b""] * len(rows)
    report.seconds["meaning"] += perf_counter() - named
    sketches = [
        Sketch(article_id=row[0], names=found.as_json(), vector=vector)
        for row, found, vector in zip(rows, names, vectors, strict=True)
    ]
    with transaction.atomic():
        Sketch.objects.bulk_create(
            sketches, update_conflicts=True, unique_fields=["article"], update_fields=["names", "vector"]
        )


def _by_keys(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int]) -> set[Pair]:
    """Pairs of articles that share as many keys as candidates must."""
    owners: dict[int, list[int]] = defaultdict(list)
    for pk, several in keys.items():
        for key in several:
            owners[key.value].append(pk)
    shared: Counter[Pair] = Counter()
    for value, other, _ in blocking.candidates(keys, hours):
        for pk in owners[value]:
            if pk != other:
                shared[min(pk, other), max(pk, other)] += 1
    # Two articles of the batch meet at each shared key twice, once from each side.
    return {
        pair for pair, n in shared.items() if n >= LEAST_SHARED_KEYS * (2 if pair[0] in keys and pair[1] in keys else 1)
    }


def _by_meaning(accounts: Mapping[int, Account]) -> set[Pair]:
    """Pairs that mean much the same, each of one of the accounts and anybody published within a day of it."""
    ours = [(pk, each) for pk, each in sorted(accounts.items()) if each.vector is not None]
    pairs: set[Pair] = set()
    for first, last, group in _stretches(ours):
        rows = Sketch.objects.filter(article__published_at__range=(first - LONGEST_APART, last + LONGEST_APART))
        near = list(
            rows.exclude(vector=b"").order_by("-article_id").values_list("article_id", "vector")[:MOST_MEANINGS]
        )
        if not near:
            continue
        matrix = matrix_from([bytes(stored) for _, stored in near])
        mine = np.vstack([each.vector for _, each in group if each.vector is not None])
        for a, b in np.argwhere(mine @ matrix.T >= LEAST_MEANING).tolist():
            one, other = group[a][0], near[b][0]
            if one != other:
                pairs.add((min(one, other), max(one, other)))
    return pairs


def _stretches(
    accounts: Sequence[tuple[int, Account]],
) -> list[tuple[datetime, datetime, list[tuple[int, Account]]]]:
    """The accounts in groups that were published close together, so that each is held against its own time only."""
    groups: list[tuple[datetime, datetime, list[tuple[int, Account]]]] = []
    for pk, account in sorted(accounts, key=lambda entry: (entry[1].published_at, entry[0])):
        if groups and account.published_at - groups[-1][0] <= timedelta(hours=12):
            first, _, group = groups.pop()
            groups.append((first, account.published_at, [*group, (pk, account)]))
        else:
            groups.append((account.published_at, account.published_at, [(pk, account)]))
    return groups
