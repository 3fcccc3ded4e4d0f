"""Which article leads a story: the same in lists, on its page, in Important, Today and digests. Pure. Source: SPEC §7.

An article leads if it is a report, from a trusted publisher, current and central, in this order: each matters only
among those alike in the ones before it. Then the better tier, then more words, then the earlier.

Reports: live blogs, videos, timelines, explainers, opinion and round-ups lead only where there is nothing else. They
are recognized by headline and address (`lead_words.tsv`). Known errors: a report whose headline is a question counts as
an explainer; a column with a plain headline, at a plain address, as a report.

Trusted: of tier 3 or better, because a headline of a partisan publisher shouldn't stand for a story that others
reported. Current: published within `CURRENT` of the newest report. Central: nearly as near to the mean of all articles
as the nearest, by the words of headlines (twice) and beginnings, so that the lead covers what most cover.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import sqrt

from feeds.dedup.entity_tables import FUNCTION_WORDS
from feeds.normalizing.text import words
from feeds.word_lists import read_lists

CURRENT = timedelta(hours=12)
TRUSTED = 3  # tier
CENTRAL = 0.9  # of the nearness of the nearest
BEGINNING = 200  # characters of a text, as many as excerpts have


@dataclass(frozen=True, slots=True)
class Report:
    """An article of a story. `beginning` is that of its text; the smallest `tier` is the best."""

    pk: int
    title: str
    beginning: str
    language: str
    url: str
    tier: int
    n_words: int
    published_at: datetime


def lead_order(reports: Collection[Report]) -> list[int]:
    """The articles by how well they would lead the story, the best first; of equals the first given."""
    if len(reports) < 2:
        return [report.pk for report in reports]
    asides = {report.pk for report in reports if is_aside(report.title, report.url)}
    newest = max(report.published_at for report in reports if report.pk not in asides or len(asides) == len(reports))
    nearness = _nearness(reports)

    def kind(report: Report) -> tuple[bool, bool, bool]:
        return report.pk in asides, report.tier > TRUSTED, newest - report.published_at > CURRENT

    nearest: dict[tuple[bool, bool, bool], float] = {}
    for report in reports:
        nearest[kind(report)] = max(nearest.get(kind(report), 0.0), nearness[report.pk])

    def rank(report: Report) -> tuple[object, ...]:
        is_off_centre = nearness[report.pk] < CENTRAL * nearest[kind(report)]
        return *kind(report), is_off_centre, report.tier, -report.n_words, report.published_at

    return [report.pk for report in sorted(reports, key=rank)]


def is_aside(title: str, url: str) -> bool:
    """Whether an article isn't a report of an event, such as a live blog or a column."""
    return _pattern("aside").search(title) is not None or _pattern("address").search(url) is not None


def is_filler(title: str) -> bool:
    """Whether an article is no news at all, such as a puzzle or a sale."""
    return _pattern("filler").search(title) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(read_lists("feeds.dedup", "lead_words.tsv")[name]), re.IGNORECASE)


def _nearness(reports: Collection[Report]) -> Mapping[int, float]:
    """The cosine of each article to the mean of all."""
    vectors = {report.pk: _vector(report) for report in reports}
    mean: dict[str, float] = defaultdict(float)
    for vector in vectors.values():
        for word, weight in vector.items():
            mean[word] += weight
    length = sqrt(sum(weight * weight for weight in mean.values())) or 1.0
    return {pk: sum(weight * mean[word] for word, weight in vector.items()) / length for pk, vector in vectors.items()}


def _vector(report: Report) -> dict[str, float]:
    text = f"{report.title}\n{report.title}\n{report.beginning[:BEGINNING]}"
    counts = Counter(word for word in words(text, report.language) if word not in FUNCTION_WORDS)
    length = sqrt(sum(n * n for n in counts.values())) or 1.0
    return {word: n / length for word, n in counts.items()}
