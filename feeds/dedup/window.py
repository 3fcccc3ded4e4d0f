"""Articles in order of publication, and what ties each to those shortly before it, without a database. Pure.

The index that candidates come from is held in memory and forgets what no newcomer can be compared with any more, so
that a walk over any archive needs the memory of one window: 10 kB for an article of 300 words with its keys and
fingerprint (up to two windows of keys, since the index is swept when half of it is gone), and about as much for an
account of the last day. What arrives must not be older than what came before; within one call the order is of no
importance.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import numpy as np

from feeds.dedup.events import LEAST_MEANING, LEAST_SHARED_KEYS, LONGEST_APART, Account, event_keys, event_tie
from feeds.dedup.policies import Policy
from feeds.dedup.subject import BlockingKey, Subject, Tie

_STRIP = 500  # articles whose meanings are compared with all others at once

Pair = tuple[int, int]
Owner = tuple[int, int | None]  # the number of an article, and the bits of its key


class _Dated(Protocol):
    @property
    def published_at(self) -> datetime: ...


Known = TypeVar("Known", bound=_Dated)


class _Window(Generic[Known]):
    """Articles by number and by key, of which the oldest can be forgotten."""

    def __init__(self) -> None:
        self.known: dict[int, Known] = {}
        self._oldest: deque[int] = deque()
        self._owners: dict[int, list[Owner]] = {}
        self._n_gone = 0

    def add(self, number: int, article: Known, keys: Mapping[int, int | None]) -> None:
        """Index an article by the values of its keys, each with the bits of `BlockingKey`."""
        self.known[number] = article
        self._oldest.append(number)
        for value, bits in keys.items():
            self._owners.setdefault(value, []).append((number, bits))

    def owners(self, value: int) -> Iterator[Owner]:
        return (owner for owner in self._owners.get(value, ()) if owner[0] in self.known)

    def forget(self, before: datetime) -> None:
        """Let go of what was published before; the index is swept when half of it is gone."""
        while self._oldest and self.known[self._oldest[0]].published_at < before:
            del self.known[self._oldest.popleft()]
            self._n_gone += 1
        if self._n_gone > len(self.known):
            swept = {
                value: [each for each in several if each[0] in self.known] for value, several in self._owners.items()
            }
            self._owners = {value: several for value, several in swept.items() if several}
            self._n_gone = 0


def _in_order(arriving: Mapping[int, Known]) -> list[tuple[int, Known]]:
    return sorted(arriving.items(), key=lambda entry: (entry[1].published_at, entry[0]))


class NearWindow:
    """Ties of layers 3 and 4, between the candidates that the index in the database would give."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._window: _Window[Subject] = _Window()

    def add(self, arriving: Mapping[int, Subject]) -> None:
        """Let the articles be found by those to come."""
        for number, subject in _in_order(arriving):
            self._window.add(number, subject, _bits(self._policy.keys(subject)))

    def ties(self, arriving: Mapping[int, Subject]) -> dict[Pair, Tie]:
        """What ties the articles to earlier ones and to each other, by numbers, the smaller first; they are added."""
        found: dict[Pair, Tie] = {}
        for number, subject in _in_order(arriving):
            self._window.forget(subject.published_at - self._policy.window)
            keys = self._policy.keys(subject)
            for other in sorted(self._candidates(subject, keys)):
                tie = self._policy.compare(subject, self._window.known[other])
                if tie is not None:
                    found[min(number, other), max(number, other)] = tie
            self._window.add(number, subject, _bits(keys))
        return found

    def _candidates(self, subject: Subject, keys: Iterable[BlockingKey]) -> list[int]:
        """Who shares a key, is near by its bits and, where it is a title's, has a title that matches."""
        by_title_alone: dict[int, bool] = {}
        for key in keys:
            for other, bits in self._window.owners(key.value):
                if key.bits is None or bits is None or (key.bits ^ bits).bit_count() <= key.most_apart:
                    by_title_alone[other] = by_title_alone.get(other, True) and key.is_of_title
        return [
            other
            for other, only_title in by_title_alone.items()
            if not only_title or self._policy.titles_match(subject, self._window.known[other])
        ]


def _bits(keys: Iterable[BlockingKey]) -> dict[int, int | None]:
    return {key.value: key.bits for key in keys}


class EventWindow:
    """Ties of layer 5."""

    def __init__(self) -> None:
        self._window: _Window[Account] = _Window()

    def add(self, arriving: Mapping[int, Account]) -> None:
        """Let the articles be found by those to come."""
        for number, account in _in_order(arriving):
            self._window.add(number, account, dict.fromkeys(event_keys(account)))

    def ties(self, arriving: Mapping[int, Account]) -> dict[Pair, Tie]:
        """What ties the articles to earlier ones and to each other, by numbers, the smaller first; they are added."""
        ordered = _in_order(arriving)
        if not ordered:
            return {}
        self._window.forget(ordered[0][1].published_at - LONGEST_APART)
        pairs = self._sharing_keys(ordered) | self._alike_in_meaning(arriving)
        known = self._window.known
        found = {(a, b): event_tie(known[a], known[b]) for a, b in sorted(pairs)}
        return {pair: tie for pair, tie in found.items() if tie is not None}

    def _sharing_keys(self, ordered: Iterable[tuple[int, Account]]) -> set[Pair]:
        pairs: set[Pair] = set()
        for number, account in ordered:
            keys = event_keys(account)
            shared = Counter(other for value in keys for other, _ in self._window.owners(value))
            pairs |= {(min(number, other), max(number, other)) for other, n in shared.items() if n >= LEAST_SHARED_KEYS}
            self._window.add(number, account, dict.fromkeys(keys))
        return pairs

    def _alike_in_meaning(self, arriving: Mapping[int, Account]) -> set[Pair]:
        ours = [(n, each.vector) for n, each in sorted(arriving.items()) if each.vector is not None]
        all_known = [(n, each.vector) for n, each in sorted(self._window.known.items()) if each.vector is not None]
        if not ours or len(all_known) < 2:
            return set()
        matrix = np.vstack([vector for _, vector in all_known])
        pairs: set[Pair] = set()
        for start in range(0, len(ours), _STRIP):
            strip = ours[start : start + _STRIP]
            close = np.argwhere(np.vstack([vector for _, vector in strip]) @ matrix.T >= LEAST_MEANING).tolist()
            several = ((strip[a][0], all_known[b][0]) for a, b in close)
            pairs |= {(min(one, other), max(one, other)) for one, other in several if one != other}
        return pairs
