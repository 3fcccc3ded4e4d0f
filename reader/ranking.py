"""The order of ranked lists, exact at the moment of asking, a page at a time, whatever the archive holds.

Theory. What a ranked list sorts by changes every second, so no index can hold it. But it is made of what does not
change and what time does to all alike, and an index can hold the first:

*Time-adjusted relevance* falls at one of five rates. Articles of one time sensitivity never change places, and their
`pull` (`reader.scoring.decay`) has their order for good: five sorted streams. Only what is dated ahead stands lower
than its pull says, until its time has come.

*Importance* is `standing`, which does not age, plus recency, which is less for whatever was published earlier. Articles
published within the same `SLOT` have nearly the same recency, so each slot is a stream sorted by standing, in which
what was not looked at yet can have no more than the standing last seen and the recency of the slot's end. Recency
is next to nothing after some days; all that is older is one stream.

`_merged` takes from all streams at once and stops when nothing it did not look at can be better than the last one of
the page (Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware", 2003). A page costs one statement,
sometimes two or three, each of some dozens of short stretches of one index. Pages after the first are of the same
moment, so that nothing is shown twice or left out because time went on between them.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, isfinite, log
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from reader.models import IN_NO_EMPTIED_LIST
from reader.scoring.importance import WEIGHTS, importance_at
from reader.scoring.recency import UNCERTAIN_FACTOR, hours_between, recency

SLOT = timedelta(hours=6)
NEGLIGIBLE = 0.05  # points of importance, that recency may still be worth where slots end
_AHEAD = timedelta(hours=24)  # how far feeds may date ahead (`feeds.normalizing.dates`)
_FIRST = 8  # rows asked of each stream at first; then four times as many of the few that may have more
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)
_ROUNDING = 1e-9  # what sums of floating point numbers may be off by
_IS_RANKED = "NOT is_read AND NOT is_folded AND standing IS NOT NULL"  # word for word that of the indexes


@dataclass(frozen=True, slots=True)
class RankCursor:
    """Where a page begins: after this article with this score, at the moment that the first page was made."""

    as_of: datetime
    score: float
    article_id: int

    def encode(self) -> str:
        """For a query string: without `+`, which would be read as a space there."""
        return f"{(self.as_of - _EPOCH) // _MICROSECOND}_{self.score.hex().replace('+', '')}_{self.article_id}"

    @classmethod
    def decode(cls, text: str) -> "RankCursor | None":
        """The cursor in a query string; None when it is missing or was tampered with."""
        micros, _, rest = text.partition("_")
        score, _, pk = rest.partition("_")
        if not _is_number(micros, 16) or not _is_number(pk, 18) or len(score) > 30:
            return None
        try:
            return cls(_EPOCH + timedelta(microseconds=int(micros)), _finite(float.fromhex(score)), int(pk))
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A page of article ids, the best first, and where the next begins; None at the end."""

    article_ids: tuple[int, ...]
    following: RankCursor | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row of a stream; `value` is what the stream is sorted by."""

    article_id: int
    value: float
    published_at: datetime
    date_uncertain: bool


@dataclass(frozen=True, slots=True)
class _Stream:
    """Rows where `column` = `key` (all of the user's, without a column), sorted by `value` from high to low.

    `score` of a row; `most`, that any row below a value can have; `start`: rows with a higher value come before the
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
    """How far a stream was read: after this value and article."""

    value: float
    article_id: int


def slot_of(published_at: datetime) -> int:
    """The number of the slot that a moment belongs to."""
    return (published_at - _EPOCH) // SLOT


def by_importance(user: User, cursor: RankCursor | None, *, now: datetime, rate: float, size: int) -> Ranked:
    """Unread articles, the most important first; `rate`: recency that this user lets go per hour."""
    as_of = cursor.as_of if cursor else now

    def score(row: _Candidate) -> float:
        age = hours_between(row.published_at, as_of)
        return importance_at(row.value, recency(age, rate=rate, is_uncertain=row.date_uncertain))

    window = timedelta(hours=log(100 * WEIGHTS["recency"] / NEGLIGIBLE) / rate)
    first, last = slot_of(as_of - window), slot_of(as_of + _AHEAD) + 1
    streams = [_slot_stream(slot, score, cursor, as_of, rate) for slot in range(first, last + 1)]
    oldest = _recent(first, as_of, rate)
    start = cursor.score + _ROUNDING if cursor else inf
    streams.append(_Stream("standing", score, lambda value: value + oldest, start))
    return _merged(user, streams, cursor, as_of, size)


def by_time_adjusted_relevance(
    user: User, cursor: RankCursor | None, *, now: datetime, rates: Mapping[int, float], size: int
) -> Ranked:
    """Unread articles, those first that matter most to the user now; `rates` per day of each time sensitivity.

    Scores are the logarithms of time-adjusted relevance.
    """
    as_of = cursor.as_of if cursor else now
    streams = [_pull_stream(sensitivity, rate, cursor, as_of) for sensitivity, rate in sorted(rates.items())]
    return _merged(user, streams, cursor, as_of, size)


def _slot_stream(
    slot: int, score: Callable[[_Candidate], float], cursor: RankCursor | None, as_of: datetime, rate: float
) -> _Stream:
    most, least = _recent(slot + 1, as_of, rate), UNCERTAIN_FACTOR * _recent(slot, as_of, rate)
    start = cursor.score - least + _ROUNDING if cursor else inf
    return _Stream("standing", score, lambda value: value + most, start, "slot", slot)


def _pull_stream(sensitivity: int, rate: float, cursor: RankCursor | None, as_of: datetime) -> _Stream:
    def lost(until: datetime) -> float:
        return rate * ((until - _EPOCH) / _DAY)

    def score(row: _Candidate) -> float:
        """What is dated ahead has lost nothing yet, and gained nothing either."""
        return row.value - lost(max(as_of, row.published_at))

    start = cursor.score + lost(as_of + _AHEAD) + _ROUNDING if cursor else inf
    return _Stream("pull", score, lambda value: value - lost(as_of), start, "sensitivity", sensitivity)


def _recent(slot: int, as_of: datetime, rate: float) -> float:
    """What recency adds to the importance of something published as the slot begins."""
    return WEIGHTS["recency"] * recency(hours_between(_EPOCH + slot * SLOT, as_of), rate=rate)


def _merged(user: User, streams: Sequence[_Stream], cursor: RankCursor | None, as_of: datetime, size: int) -> Ranked:
    """The `size` best articles below the cursor, out of all streams."""
    found: dict[int, float] = {}
    waiting: dict[int, _Place | None] = dict.fromkeys(range(len(streams)))
    limit = _FIRST
    while waiting:
        rows = _rows(user, streams, waiting, limit)
        for i, several in rows.items():
            for row in several:
                score = streams[i].score(row)
                if cursor is None or (score, row.article_id) < (cursor.score, cursor.article_id):
                    found[row.article_id] = score
        ends = {i: min(several, key=_depth) for i, several in rows.items() if len(several) == limit}
        least = min(_best(found, size + 1))[0] if len(found) > size else -inf
        waiting = {
            i: _Place(end.value, end.article_id)
            for i, end in ends.items()
            if streams[i].most(end.value) + _ROUNDING >= least
        }
        limit *= 4
    best = _best(found, size)
    following = RankCursor(as_of, *best[-1]) if len(found) > size else None
    return Ranked(tuple(pk for _, pk in best), following)


def _depth(row: _Candidate) -> tuple[float, int]:
    return row.value, row.article_id


def _best(found: Mapping[int, float], n: int) -> list[tuple[float, int]]:
    return heapq.nlargest(n, ((score, pk) for pk, score in found.items()))


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
            f"SELECT * FROM (SELECT {i} AS stream, article_id, {value} AS value, published_at, date_uncertain"  # noqa: S608
            f" FROM reader_delivery WHERE user_id = %s AND {where} AND {_IS_RANKED}"
            f" AND {IN_NO_EMPTIED_LIST.format('subscription_id')}"
            f" ORDER BY {value} DESC, article_id DESC LIMIT %s) AS part"
        )
        parameters += [user.pk, *values, limit]
    rows: dict[int, list[_Candidate]] = {}
    with connection.cursor() as database:
        database.execute(" UNION ALL ".join(parts), parameters)
        for i, pk, value, published_at, date_uncertain in database.fetchall():
            rows.setdefault(i, []).append(_Candidate(pk, value, _moment(published_at), bool(date_uncertain)))
    return rows


def _where(stream: _Stream, place: _Place | None) -> tuple[str, list[Any]]:
    """The condition of a stretch of the stream, and its parameters. Names are ours; what came from outside is not."""
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


def _moment(stored: datetime | str) -> datetime:
    """A moment as the database gives it to a plain cursor: SQLite's are in UTC and do not say so."""
    moment = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_number(text: str, most: int) -> bool:
    """Whether it is one of at most so many digits. 16 digits of microseconds end in the year 2286."""
    return text.isascii() and text.isdigit() and len(text) <= most


def _finite(number: float) -> float:
    """Raises ValueError for what is no finite number."""
    if not isfinite(number):
        raise ValueError(f"no finite number: {number}")
    return number
