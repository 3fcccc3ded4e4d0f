"""Exact ranking at any time, page by page, however large the archive.

Theory. The sort keys of a ranked list change every second, so they can't be indexed. But they consist of a part that
doesn't change and the effect of time, which is the same for all, and the first part can be indexed:

*Time-adjusted relevance* falls at one of five rates. Articles of one time sensitivity never change places, and their
`decay_key` (`reader.scoring.decay`) has that order: five sorted streams. Only articles from before the clock was set
back rank lower than their key says, until then.

*Importance* is `static_importance`, which doesn't change, plus recency, that of the newest report of a story. Rows
within the same `SLOT` have nearly the same recency, so each slot is a stream sorted by static importance: the rows not
read yet have at most the last static importance plus the recency at the end of the slot. After some days recency is
negligible; everything older is one stream. Within a band of importance the number of publishers decides
(`reader.scoring.importance.place_of`), which may also lift a story by a band, so a page reads all of the band in which
it ends and of the one below, except for that last stream, which is sorted by importance alone.

`_merge` reads all streams at once and stops when no unread row can be better than the last one of the page (Fagin,
Lotem and Naor, "Optimal aggregation algorithms for middleware", 2003). A page costs one statement, sometimes two or
three, each of some dozens of short index ranges. Later pages use the time of the first one, so that nothing is repeated
or skipped.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import floor, inf, isfinite, log
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from reader.models import IS_FOLLOWED, Delivery
from reader.scoring.importance import (
    BAND,
    UNCERTAIN_FACTOR,
    WEIGHTS,
    hours_between,
    importance_at,
    place_of,
    recency,
)

SLOT = timedelta(hours=6)
NEGLIGIBLE = 0.05  # points of importance; when recency adds less, slots end
_AHEAD = timedelta(hours=24)  # of dates from before the clock was set back; feeds' own are never ahead
_FIRST = 8  # rows of each stream at first; four times as many from streams that need more
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)
_ROUNDING = 1e-9  # error of floating-point sums
_IS_RANKED = (
    "NOT is_read AND NOT is_folded AND static_importance IS NOT NULL"  # must match the condition of the indexes
)


@dataclass(frozen=True, slots=True)
class RankCursor:
    """Where a page begins: after this article with this score, at the time of the first page."""

    as_of: datetime
    score: float
    article_id: int

    def encode(self) -> str:
        """For a query string: without `+`, which would become a space."""
        return f"{(self.as_of - _EPOCH) // _MICROSECOND}_{self.score.hex().replace('+', '')}_{self.article_id}"

    @classmethod
    def decode(cls, text: str) -> "RankCursor | None":
        """The cursor from a query string; None if it is missing or invalid."""
        micros, _, rest = text.partition("_")
        score, _, pk = rest.partition("_")
        if not _is_number(micros, 16) or not _is_number(pk, 18) or len(score) > 30:
            return None
        try:
            return cls(_EPOCH + timedelta(microseconds=int(micros)), _finite(float.fromhex(score)), int(pk))
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page of article ids, best first, and the cursor of the next one; None at the end."""

    article_ids: tuple[int, ...]
    following: RankCursor | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row of a stream; `value` is the stream's sort key, `newest_at` the date of the newest report of its story."""

    article_id: int
    value: float
    published_at: datetime
    newest_at: datetime
    date_uncertain: bool
    n_publishers: int


@dataclass(frozen=True, slots=True)
class _Stream:
    """Rows where `column` = `key` (all rows of the user without a column), sorted by `value` descending.

    `score` of a row; `most`: the upper bound for rows below a value; `start`: rows above this value are before the
    page.
    """

    value: str
    score: Callable[[_Candidate], float]
    most: Callable[[float], float]
    start: float = inf
    column: str = ""
    key: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """The last row read from a stream."""

    value: float
    article_id: int


def slot_of(published_at: datetime) -> int:
    """The number of the slot that contains `published_at`."""
    return (published_at - _EPOCH) // SLOT


def importance_score(
    static: float, newest_at: datetime, *, is_uncertain: bool, n_publishers: int, now: datetime, rate: float
) -> float:
    """The sort key of a row among the most important."""
    recent = recency(hours_between(newest_at, now), rate=rate, is_uncertain=is_uncertain)
    importance = importance_at(static, recent)
    if slot_of(newest_at) < _first_slot(now, rate):
        return importance
    return place_of(importance, n_publishers=n_publishers, recency=recent)


def _first_slot(now: datetime, rate: float) -> int:
    """The first slot in which recency isn't negligible."""
    return slot_of(now - timedelta(hours=log(100 * WEIGHTS["recency"] / NEGLIGIBLE) / rate))


def place_by_importance(row: Delivery, *, now: datetime, rate: float) -> RankCursor:
    """The place of a rated delivery among the most important."""
    score = importance_score(
        row.static_importance or 0.0,
        row.newest_at or row.published_at,
        is_uncertain=row.date_uncertain,
        n_publishers=row.n_publishers,
        now=now,
        rate=rate,
    )
    return RankCursor(now, score, row.article_id)


def place_by_adjusted_relevance(row: Delivery, *, now: datetime, rates: Mapping[int, float]) -> RankCursor:
    """The place of a rated delivery by time-adjusted relevance."""
    loss = _loss(rates[row.sensitivity or 1], max(now, row.published_at))
    return RankCursor(now, (row.decay_key or 0.0) - loss, row.article_id)


def page_by_importance(user: User, cursor: RankCursor | None, *, now: datetime, rate: float, size: int) -> RankedPage:
    """Unread articles, most important first; `rate`: the user's recency rate per hour."""
    as_of = cursor.as_of if cursor else now

    def score(row: _Candidate) -> float:
        return importance_score(
            row.value,
            row.newest_at,
            is_uncertain=row.date_uncertain,
            n_publishers=row.n_publishers,
            now=as_of,
            rate=rate,
        )

    first, last = _first_slot(as_of, rate), slot_of(as_of + _AHEAD) + 1
    streams = [_slot_stream(slot, score, cursor, as_of, rate) for slot in range(first, last + 1)]
    oldest = _recent(first, as_of, rate)
    start = cursor.score + _ROUNDING if cursor else inf
    streams.append(_Stream("static_importance", score, lambda value: value + oldest, start))
    return _merge(user, streams, cursor, as_of, size)


def page_by_adjusted_relevance(
    user: User, cursor: RankCursor | None, *, now: datetime, rates: Mapping[int, float], size: int
) -> RankedPage:
    """Unread articles by time-adjusted relevance; `rates` per day for each time sensitivity.

    Scores are the logarithms of the odds of time-adjusted relevance.
    """
    as_of = cursor.as_of if cursor else now
    streams = [_pull_stream(sensitivity, rate, cursor, as_of) for sensitivity, rate in sorted(rates.items())]
    return _merge(user, streams, cursor, as_of, size)


def _slot_stream(
    slot: int, score: Callable[[_Candidate], float], cursor: RankCursor | None, as_of: datetime, rate: float
) -> _Stream:
    most, least = _recent(slot + 1, as_of, rate), UNCERTAIN_FACTOR * _recent(slot, as_of, rate)
    start = _end_of_band(cursor.score) - least + _ROUNDING if cursor else inf
    return _Stream("static_importance", score, lambda value: _end_of_band(value + most) + BAND, start, "slot", slot)


def _end_of_band(importance: float) -> float:
    return BAND * (floor((importance + _ROUNDING) / BAND) + 1)


def _pull_stream(sensitivity: int, rate: float, cursor: RankCursor | None, as_of: datetime) -> _Stream:
    def score(row: _Candidate) -> float:
        # A future date has lost nothing yet.
        return row.value - _loss(rate, max(as_of, row.published_at))

    lost = _loss(rate, as_of)
    start = cursor.score + _loss(rate, as_of + _AHEAD) + _ROUNDING if cursor else inf
    return _Stream("decay_key", score, lambda value: value - lost, start, "sensitivity", sensitivity)


def _loss(rate: float, until: datetime) -> float:
    """What a decay key has lost at `until`; `rate` per day."""
    return rate * ((until - _EPOCH) / _DAY)


def _recent(slot: int, as_of: datetime, rate: float) -> float:
    """The contribution of recency to importance at the start of a slot."""
    return WEIGHTS["recency"] * recency(hours_between(_EPOCH + slot * SLOT, as_of), rate=rate)


def _merge(user: User, streams: Sequence[_Stream], cursor: RankCursor | None, as_of: datetime, size: int) -> RankedPage:
    """The `size` best articles below the cursor, from all streams."""
    scores: dict[int, float] = {}
    waiting: dict[int, _Place | None] = dict.fromkeys(range(len(streams)))
    limit = _FIRST
    while waiting:
        rows = _rows(user, streams, waiting, limit)
        for i, stream_rows in rows.items():
            for row in stream_rows:
                score = streams[i].score(row)
                if cursor is None or (score, row.article_id) < (cursor.score, cursor.article_id):
                    scores[row.article_id] = score
        ends = {
            i: min(stream_rows, key=lambda row: (row.value, row.article_id))
            for i, stream_rows in rows.items()
            if len(stream_rows) == limit
        }
        least = min(_best(scores, size + 1))[0] if len(scores) > size else -inf
        waiting = {
            i: _Place(end.value, end.article_id)
            for i, end in ends.items()
            if streams[i].most(end.value) + _ROUNDING >= least
        }
        limit *= 4
    best = _best(scores, size)
    following = RankCursor(as_of, *best[-1]) if len(scores) > size else None
    return RankedPage(tuple(pk for _, pk in best), following)


def _best(scores: Mapping[int, float], n: int) -> list[tuple[float, int]]:
    return heapq.nlargest(n, ((score, pk) for pk, score in scores.items()))


def _rows(
    user: User, streams: Sequence[_Stream], waiting: Mapping[int, _Place | None], limit: int
) -> dict[int, list[_Candidate]]:
    """The next `limit` rows of each waiting stream, in one statement."""
    parts: list[str] = []
    parameters: list[Any] = []
    for i, place in waiting.items():
        where, values = _where(streams[i], place)
        value = streams[i].value
        parts.append(
            f"SELECT * FROM (SELECT {i} AS stream, article_id, {value} AS value, published_at,"  # noqa: S608
            " COALESCE(newest_at, published_at) AS newest_at, date_uncertain, n_publishers"
            f" FROM reader_delivery WHERE user_id = %s AND {where} AND {_IS_RANKED}"
            f" AND {IS_FOLLOWED.format('subscription_id')}"
            f" ORDER BY {value} DESC, article_id DESC LIMIT %s) AS part"
        )
        parameters += [user.pk, *values, limit]
    rows: dict[int, list[_Candidate]] = {}
    with connection.cursor() as database:
        database.execute(" UNION ALL ".join(parts), parameters)
        for i, pk, value, published_at, newest_at, is_uncertain, n_publishers in database.fetchall():
            candidate = _Candidate(pk, value, _aware(published_at), _aware(newest_at), bool(is_uncertain), n_publishers)
            rows.setdefault(i, []).append(candidate)
    return rows


def _where(stream: _Stream, place: _Place | None) -> tuple[str, list[Any]]:
    """The condition for the next range of the stream and its parameters. Only our own names are in the SQL text."""
    terms: list[str] = ["TRUE"]
    values: list[Any] = []
    if stream.column:
        terms.append(f"{stream.column} = %s")
        values.append(stream.key)
    if place is not None:
        terms.append(f"{stream.value} <= %s AND ({stream.value} < %s OR article_id < %s)")
        values += [place.value, place.value, place.article_id]
    elif stream.start < inf:
        terms.append(f"{stream.value} <= %s")
        values.append(stream.start)
    return " AND ".join(terms[1:] or terms), values


def _aware(stored: datetime | str) -> datetime:
    """A timestamp from a raw cursor: SQLite returns UTC strings without an offset."""
    moment = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_number(text: str, most: int) -> bool:
    """Whether it is a number of at most `most` digits. (16 digits of microseconds reach until 2286.)"""
    return text.isascii() and text.isdigit() and len(text) <= most


def _finite(number: float) -> float:
    """The number. Raises ValueError if it isn't finite."""
    if not isfinite(number):
        raise ValueError(f"not a finite number: {number}")
    return number
