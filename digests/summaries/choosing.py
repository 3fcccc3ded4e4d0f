"""Which sentences make the best summary within a number of words. Pure, deterministic.

Theory. A summary is good when it covers what the article is about without saying it twice, and when it reads from the
beginning: in news the first sentences are a strong summary by themselves. So the worth of a choice is the weight of all
terms it covers, each counted once (maximum coverage; Gillick and Favre, "A scalable global model for summarization",
2009), and for each sentence something for its place, which falls off geometrically.

Coverage is not additive, so the best choice would take time exponential in the number of sentences. Sentences are gone
through in their order instead, and of all choices that have the same number of words and treat the last sentence alike
only the best is carried on. Whether a number of words can be reached depends on nothing else, so a choice within
the limits is always found when there is one; its worth may fall short of the best a little.

A sentence that leans on the one before may follow it, or stand in another form without it (`Candidate.alone`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

PLACE = 0.2  # what the first sentence's place is worth beside all terms, which are worth 1 together
LEAD = 0.2  # more for the first, since what follows was written for those who have read it
FALL = 0.7  # of a place's worth from one sentence to the next
TOGETHER = 0.03  # for a sentence whose neighbour before it is in as well, since they were written to be read so
DIGITS = 9  # of a worth that count; the others depend on the order of adding
LEAST_BETTER = 10**-DIGITS

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence as it may stand in a summary, with its words."""

    text: str
    n_words: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be chosen. `behind` is how it reads right behind the candidate before it, None where the
    sentence before it is no candidate; `alone` how it reads otherwise, None when it leans. `terms` are what it covers,
    `faults` what is taken off its worth."""

    behind: Form | None
    alone: Form | None
    terms: frozenset[str] = field(default_factory=frozenset)
    faults: float = 0.0


class Choice(NamedTuple):
    """Forms in order with their words and their worth."""

    worth: float
    n_words: int
    forms: tuple[Form, ...]


class _State(NamedTuple):
    """A choice among the candidates looked at: `covered` are its terms as bits; `chain` its last form and its chain
    before that; None when it is empty."""

    worth: float
    covered: int
    chain: "_Chain | None"


_Chain = tuple[Form, "_Chain | None"]
_Place = tuple[int, bool]  # the words of a choice, and whether the last candidate looked at is in it


def best_choices(candidates: Sequence[Candidate], weights: Mapping[str, float], *, most: int) -> list[Choice]:
    """The best choice found for each number of words up to `most` that can be reached, the shortest first.

    None of them is empty. `weights` are of terms and add up to 1.
    """
    bits = {term: 1 << n for n, term in enumerate(weights)}
    weight_of = {bits[term]: weight for term, weight in weights.items()}
    states: dict[_Place, _State] = {(0, False): _State(0.0, 0, None)}
    for n, candidate in enumerate(candidates):
        mask = sum(bits[term] for term in candidate.terms if term in bits)
        states = _with(candidate, mask, _place_value(n) - candidate.faults, states, weight_of, most)
    best: dict[int, _State] = {}
    for (n_words, _), state in states.items():
        if state.chain is not None:
            _keep(best, n_words, state)
    return [Choice(state.worth, n_words, _forms(state.chain)) for n_words, state in sorted(best.items())]


def preferred(choices: Sequence[Choice], *, least: int) -> list[Choice]:
    """Those within the limits, the worthiest first, then those below `least`, the longest first."""
    within = [each for each in choices if each.n_words >= least]
    below = [each for each in choices if each.n_words < least]
    within.sort(key=lambda each: (-round(each.worth, DIGITS), len(each.forms), each.n_words))
    return [*within, *sorted(below, key=lambda each: -each.n_words)]


def _place_value(n: int) -> float:
    """What it is worth to be candidate number `n`, from 0."""
    return PLACE * FALL**n + (LEAD if n == 0 else 0.0)


def _with(
    candidate: Candidate,
    mask: int,
    value: float,
    states: Mapping[_Place, _State],
    weight_of: Mapping[int, float],
    most: int,
) -> dict[_Place, _State]:
    """The states after one candidate more, which is in some of them and not in others."""
    after: dict[_Place, _State] = {}
    whole = _weight(mask, weight_of)
    for (n_words, was_in), state in states.items():
        _keep(after, (n_words, False), state)
        is_neighbour = was_in and candidate.behind is not None
        form = candidate.behind if is_neighbour else candidate.alone
        if form is None or n_words + form.n_words > most:
            continue
        known = mask & state.covered
        worth = state.worth + value + whole - (_weight(known, weight_of) if known else 0.0)
        worth += TOGETHER if is_neighbour else 0.0
        _keep(after, (n_words + form.n_words, True), _State(worth, state.covered | mask, (form, state.chain)))
    return after


def _keep(states: dict[_Key, _State], key: _Key, state: _State) -> None:
    """Put the state there unless a better one is; of equals the first stays."""
    there = states.get(key)
    if there is None or state.worth > there.worth + LEAST_BETTER:
        states[key] = state


def _weight(mask: int, weight_of: Mapping[int, float]) -> float:
    """What some terms are worth together."""
    total = 0.0
    while mask:
        bit = mask & -mask
        total += weight_of[bit]
        mask ^= bit
    return total


def _forms(chain: _Chain | None) -> tuple[Form, ...]:
    forms: list[Form] = []
    while chain is not None:
        form, chain = chain
        forms.append(form)
    return tuple(reversed(forms))
