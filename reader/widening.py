"""What a query that finds nothing would find without one of the things it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from reader.search.language import parse
from reader.searching import n_found

MOST_TRIES = 4  # things left out, one at a time, the last first; each costs a search


@dataclass(frozen=True, slots=True)
class Wider:
    """Without `left_out` the rest, `words`, finds so many articles."""

    left_out: str
    words: str
    n_found: int


def widened(user: User, parts: Sequence[str], *, now: datetime) -> list[Wider]:
    """The queries without one of the `parts` that find something."""
    found = []
    for place in range(len(parts) - 1, -1, -1)[:MOST_TRIES] if len(parts) > 1 else ():
        words = " ".join((*parts[:place], *parts[place + 1 :]))
        tree = parse(words, today=timezone.localdate()).tree
        if tree is not None and (n := n_found(user, tree, now=now)):
            found.append(Wider(parts[place], words, n))
    return found
