"""Layer 5 for stored articles, in small batches: names and meaning, candidates, matches of one event.

The models take a hundred times as long as the other layers, so this stage is separate and may lag behind; only the
worker that runs it loads them. Names and vectors are stored (`Sketch`) as long as the article can be matched.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from time import perf_counter

import numpy as np
from django.db import transaction
from django.db.models.functions import Left

from feeds.dedup.budgets import DEFAULT, Budget, affordable_pairs, limit_matches, split_pairs
from feeds.dedup.comparable import BlockingKey, Match
from feeds.dedup.embeddings import vectors_of
from feeds.dedup.entity_models import names_of
from feeds.dedup.events import (
    LONGEST_APART,
    MIN_MEANING,
    MIN_SHARED_KEYS,
    READ_CHARACTERS,
    EventProfile,
    event_keys,
    match_events,
)
from feeds.dedup.vectors import matrix_from
from feeds.models import Article, Sketch, Stage
from feeds.storage import work_queue
from feeds.storage.origins import comparable_ids, origins_of
from feeds.storage.work_queue import StageReport
from feeds.stories import candidates
from feeds.stories.candidates import hour_of
from feeds.stories.comparables import event_profiles_of
from feeds.stories.links import newest_link
from feeds.stories.store import StoryRules, replace_links

BATCH = 64
MAX_VECTORS = 20_000  # compared with one group of a batch, half of them later and half earlier
VECTORS_AT_ONCE = 1_000  # in memory: 2 MB
COMPARED_AT_ONCE = 300  # articles outside of the batch with profiles in memory: some 25 kB each

Pair = tuple[int, int]


def enrich_pending(
    rules: StoryRules,
    *,
    now: datetime,
    report: StageReport,
    limit: int = BATCH,
    with_meaning: bool = True,
    budget: Budget = DEFAULT,
) -> int:
    """Enrich one batch of waiting articles; returns its size, 0 if none are waiting."""
    batch = work_queue.claim(Stage.ENRICH, now=now, limit=limit)
    if batch.article_ids:
        outdated = newest_link()
        matches = find_event_matches(batch.article_ids, report=report, with_meaning=with_meaning, budget=budget)
        started = perf_counter()
        report.n_stories += replace_links(
            batch.article_ids,
            matches,
            rules,
            layers=("entities",),
            up_to=outdated,
            then=lambda: work_queue.finish(batch),
        )
        report.seconds["write"] += perf_counter() - started
    report.n_articles += len(batch.article_ids)
    return len(batch.article_ids)


def find_event_matches(
    article_ids: Sequence[int], *, report: StageReport, with_meaning: bool = True, budget: Budget = DEFAULT
) -> dict[Pair, Match]:
    """Find and index the names and meaning of the articles, and compare them with all candidates."""
    article_ids = comparable_ids(article_ids)
    _sketch(article_ids, report=report, with_meaning=with_meaning)
    started = perf_counter()
    profiles = event_profiles_of(article_ids)
    keys = {
        pk: [BlockingKey(value, LONGEST_APART) for value in event_keys(profile)] for pk, profile in profiles.items()
    }
    hours = {pk: hour_of(profile.published_at) for pk, profile in profiles.items()}
    candidates.write_keys(keys, hours)
    pairs = _by_keys(keys, hours, budget) | _by_meaning(profiles, budget)
    report.n_candidates += len(pairs)
    matches = limit_matches(_compare(profiles, pairs), budget)
    report.n_matches += len(matches)
    report.seconds["compare"] += perf_counter() - started
    return matches


def _compare(profiles: Mapping[int, EventProfile], pairs: Collection[Pair]) -> dict[Pair, Match]:
    matches: dict[Pair, Match] = {}
    for some in split_pairs(pairs, profiles.keys(), batch_size=COMPARED_AT_ONCE):
        known = event_profiles_of({pk for pair in some for pk in pair} - profiles.keys()) | dict(profiles)
        compared = {pair: match_events(known[pair[0]], known[pair[1]]) for pair in some if set(pair) <= known.keys()}
        matches |= {pair: match for pair, match in compared.items() if match is not None}
    return matches


def _sketch(article_ids: Sequence[int], *, report: StageReport, with_meaning: bool) -> None:
    rows = list(
        Article.objects.filter(pk__in=article_ids)
        .order_by("pk")
        .values_list("pk", "title", Left("text", READ_CHARACTERS), "language")
    )
    started = perf_counter()
    names = names_of([(title, text, language) for _, title, text, language in rows])
    report.seconds["names"] += (named := perf_counter()) - started
    vectors = vectors_of([(title, text) for _, title, text, _ in rows]) if with_meaning else [b""] * len(rows)
    report.seconds["meaning"] += perf_counter() - named
    sketches = [
        Sketch(article_id=row[0], names=article_names.as_json(), vector=vector)
        for row, article_names, vector in zip(rows, names, vectors, strict=True)
    ]
    with transaction.atomic():
        Sketch.objects.bulk_create(
            sketches, update_conflicts=True, unique_fields=["article"], update_fields=["names", "vector"]
        )


def _by_keys(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int], budget: Budget) -> set[Pair]:
    """Pairs of different publishers that share enough keys."""
    counts: Counter[Pair] = Counter()
    for pk, _, (_, other, _, _) in candidates.find_hits(keys, hours, budget):
        if pk < other or other not in keys:  # count pairs within the batch once
            counts[min(pk, other), max(pk, other)] += 1
    shared = {pair: float(n) for pair, n in counts.items() if n >= MIN_SHARED_KEYS}
    origins = origins_of({pk for pair in shared for pk in pair})
    return affordable_pairs(shared, origins, keys.keys(), budget, across_publishers=True)


def _by_meaning(profiles: Mapping[int, EventProfile], budget: Budget) -> set[Pair]:
    """Pairs of a profile and another publisher's article within a day whose vectors are similar."""
    ours = [(pk, profile) for pk, profile in sorted(profiles.items()) if profile.vector is not None]
    pairs: set[Pair] = set()
    for first, last, group in _groups_in_time(ours):
        vectors = np.vstack([profile.vector for _, profile in group if profile.vector is not None])
        alike: dict[Pair, float] = {}
        for numbers, stored in _vectors_around(first, last):
            cosines = vectors @ matrix_from(stored).T
            for a, b in np.argwhere(cosines >= MIN_MEANING).tolist():
                one, other = group[a][0], numbers[b]
                if one != other:
                    alike[min(one, other), max(one, other)] = float(cosines[a, b])
        origins = origins_of({pk for pair in alike for pk in pair})
        pairs |= affordable_pairs(alike, origins, profiles.keys(), budget, across_publishers=True)
    return pairs


def _vectors_around(first: datetime, last: datetime) -> Iterator[tuple[list[int], list[bytes]]]:
    """The ids and stored vectors of articles that can share an event with those published from `first` to `last`,
    closest in time first, in parts: a matrix of all would take 80 MB."""
    middle = first + (last - first) / 2
    near = Sketch.objects.exclude(vector=b"").values_list("article_id", "vector")
    later = near.filter(article__published_at__gte=middle, article__published_at__lte=last + LONGEST_APART)
    earlier = near.filter(article__published_at__lt=middle, article__published_at__gte=first - LONGEST_APART)
    for rows in (
        later.order_by("article__published_at", "article_id"),
        earlier.order_by("-article__published_at", "-article_id"),
    ):
        stored = rows[: MAX_VECTORS // 2].iterator(chunk_size=VECTORS_AT_ONCE)
        while part := list(islice(stored, VECTORS_AT_ONCE)):
            yield [pk for pk, _ in part], [bytes(vector) for _, vector in part]


def _groups_in_time(
    profiles: Sequence[tuple[int, EventProfile]],
) -> list[tuple[datetime, datetime, list[tuple[int, EventProfile]]]]:
    """The profiles in groups published within 12 hours, each with its first and last date."""
    groups: list[tuple[datetime, datetime, list[tuple[int, EventProfile]]]] = []
    for pk, profile in sorted(profiles, key=lambda entry: (entry[1].published_at, entry[0])):
        if groups and profile.published_at - groups[-1][0] <= timedelta(hours=12):
            first, _, group = groups.pop()
            groups.append((first, profile.published_at, [*group, (pk, profile)]))
        else:
            groups.append((profile.published_at, profile.published_at, [(pk, profile)]))
    return groups
