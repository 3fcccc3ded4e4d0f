"""Layer 5 for stored articles, in small batches: names and meaning, candidates, matches of one event.

The models take a hundred times as long as the other layers, so this stage is separate and may lag behind; only the
worker that runs it loads them. Names and vectors are stored (`Sketch`) as long as the article can be matched.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
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
    MIN_MEANING_ACROSS_LANGUAGES,
    MIN_SHARED_KEYS,
    READ_CHARACTERS,
    EventProfile,
    event_keys,
    match_events,
    meaning_keys,
    min_meaning,
)
from feeds.dedup.vectors import matrix_from
from feeds.models import Article, Sketch, Stage
from feeds.storage import work_queue
from feeds.storage.origins import comparable_ids, origins_of
from feeds.storage.work_queue import StageReport
from feeds.stories import candidates
from feeds.stories.candidates import hour_of
from feeds.stories.comparables import event_profiles_of
from feeds.stories.links import chunks, newest_link
from feeds.stories.store import StoryRules, replace_links

BATCH = 64
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
    if not batch.article_ids:
        return 0
    with work_queue.processing(batch):
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
    """Find the names and meaning of the articles, index them, and compare them with all candidates.

    Those of private feeds are neither indexed nor compared; ratings and digests use their names and meaning.
    """
    comparable = comparable_ids(article_ids)
    private = Article.objects.filter(pk__in=article_ids, feed__is_private=True).values_list("pk", flat=True)
    _sketch([*comparable, *private], report=report, with_meaning=with_meaning)
    started = perf_counter()
    profiles = event_profiles_of(comparable)
    keys = {pk: _blocking_keys(event_keys(profile)) for pk, profile in profiles.items()}
    hours = {pk: hour_of(profile.published_at) for pk, profile in profiles.items()}
    candidates.write_keys(keys, hours)
    pairs = _by_keys(keys, hours, budget) | _by_meaning(profiles, hours, budget)
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


def _by_meaning(profiles: Mapping[int, EventProfile], hours: Mapping[int, int], budget: Budget) -> set[Pair]:
    """Pairs of different publishers that share a cell of meaning and have similar vectors."""
    cells = {pk: _blocking_keys(meaning_keys(profile)) for pk, profile in profiles.items()}
    candidates.write_keys(cells, hours)
    near: dict[int, set[int]] = defaultdict(set)
    for pk, _, (_, other, _, _) in candidates.find_hits(cells, hours, budget):
        near[other].add(pk)
    ours = [pk for pk in profiles if cells[pk]]
    matrix = np.array([profiles[pk].vector for pk in ours])
    alike: dict[Pair, float] = {}
    for some in chunks(near):
        rows = Sketch.objects.filter(article__in=some).exclude(vector=b"")
        known = list(rows.values_list("article_id", "article__language", "vector"))
        cosines = matrix @ matrix_from([bytes(vector) for _, _, vector in known]).T
        for a, b in np.argwhere(cosines >= MIN_MEANING_ACROSS_LANGUAGES).tolist():
            pk, (other, language, _) = ours[a], known[b]
            if pk in near[other] and cosines[a, b] >= min_meaning(profiles[pk].language, language):
                alike[min(pk, other), max(pk, other)] = float(cosines[a, b])
    origins = origins_of({pk for pair in alike for pk in pair})
    return affordable_pairs(alike, origins, profiles.keys(), budget, across_publishers=True)


def _blocking_keys(values: Collection[int]) -> list[BlockingKey]:
    return [BlockingKey(value, LONGEST_APART) for value in values]
