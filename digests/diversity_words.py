"""What a spread means, in sentences; and how it is drawn. Pure.

Names come from publishers and people, in any script: in a sentence each is isolated from what stands around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from digests.diversity import Group, Spread, TopicShare

NAMED_IN_HALF = 3  # topics; more are only counted
MOST_REPEATERS, MOST_SOLES = 2, 3  # sentences about them
LEVELS = (0.0, 0.05, 0.15, 0.3, 0.5)  # shares of a group above, or for the last from, which a cell is a shade stronger
_MOSTLY = 2  # topics named with a group
_MOSTLY_FROM = 0.1  # of the group
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Cell:
    """A topic in a group: its place in the list of topics from 1 on, how many articles, per cent of the group's, how
    strong its colour is (0 to `len(LEVELS)`), and where it lies, in per cent of the width."""

    number: int
    label: str
    n: int
    per_cent: int
    level: int
    x: str
    width: str

    @property
    def middle(self) -> str:
        return f"{float(self.x[:-1]) + float(self.width[:-1]) / 2:.3f}%"


@dataclass(frozen=True, slots=True)
class Strip:
    """A group drawn: a cell for each topic; `mostly` says in words what it is about."""

    group: Group
    cells: tuple[Cell, ...]
    mostly: str


def sentences(spread: Spread) -> tuple[str, ...]:
    """What the figures say, the most important first; none where nothing came."""
    return tuple(_sentences(spread)) if spread.topics else ()


def strips(spread: Spread) -> tuple[Strip, ...]:
    """Each group over the topics, in the order of these."""
    return tuple(_strip(group, place, spread.topics) for place, group in enumerate(spread.groups))


def per_cent(share: float) -> str:
    """A share in whole per cent: `34 %`; `under 1 %` where there is little."""
    return "under 1 %" if 0 < share < 0.01 else f"{round(100 * share)} %"


def _sentences(spread: Spread) -> Iterator[str]:
    yield _half(spread.topics)
    piled = [each for each in spread.topics if each.is_piled]
    yield from (f"{_quoted(each.label)} alone is {per_cent(each.share)} of it." for each in piled)
    if not piled:
        yield "No topic is more than a fifth of it."
    yield _variety(spread)
    for names in spread.twins:
        listed = _listed([_isolated(name) for name in names])
        yield f"{_number(len(names)).capitalize()} feeds bring much the same: {listed}."
    twins = {name for names in spread.twins for name in names}
    for each in [each for each in spread.repeaters if each.name not in twins][:MOST_REPEATERS]:
        told_by = f", most by {_isolated(each.others[0].name)}" if each.others else ""
        yield f"Of what {_isolated(each.name)} brings, {per_cent(each.share)} is told by other feeds of yours{told_by}."
    for sole in spread.soles[:MOST_SOLES]:
        label, name = _quoted(sole.label), _isolated(sole.name)
        yield f"Only {name} brings {label}." if sole.is_all else f"Nearly all of {label} comes from {name}."


def _half(topics: Sequence[TopicShare]) -> str:
    total = sum(each.n_articles for each in topics)
    sums = accumulate(each.n_articles for each in topics)
    n = next(place for place, upto in enumerate(sums, start=1) if 2 * upto >= total)
    if n == len(topics) == 1:
        return f"All that you get is about one topic: {_quoted(topics[0].label)}."
    names = f": {_listed([_quoted(each.label) for each in topics[:n]])}" if n <= NAMED_IN_HALF else ""
    return f"Half of what you get is about {_number(n)} topic{'s' if n > 1 else ''}{names}."


def _variety(spread: Spread) -> str:
    topics = f"It is as varied as {spread.effective_topics:.1f} topics of one size would be"
    if not spread.n_publishers:
        return f"{topics}."
    s = "s" if spread.n_publishers > 1 else ""
    return (
        f"{topics}, and of {spread.n_publishers:,} publisher{s} that bring it some weigh so much more than others that"
        f" they are worth {spread.effective_publishers:.1f}."
        if spread.effective_publishers < 0.9 * spread.n_publishers
        else f"{topics}, from {spread.n_publishers:,} publisher{s} that bring about as much each."
    )


def _strip(group: Group, place: int, topics: Sequence[TopicShare]) -> Strip:
    width = 100 / len(topics)
    cells = []
    for number, topic in enumerate(topics, start=1):
        n = topic.by_group[place]
        share = n / group.n_articles
        cells.append(
            Cell(
                number=number,
                label=topic.label,
                n=n,
                per_cent=round(100 * share),
                level=_level(share),
                x=f"{(number - 1) * width:.3f}%",
                width=f"{width:.3f}%",
            )
        )
    best = sorted(cells, key=lambda each: (-each.n, each.number))[:_MOSTLY]
    named = [each for each in best if each.n >= _MOSTLY_FROM * group.n_articles]
    mostly = _listed([f"{_quoted(each.label)} ({each.per_cent} %)" for each in named])
    return Strip(group, tuple(cells), mostly)


def _level(share: float) -> int:
    return sum(share > least if least < LEVELS[-1] else share >= least for least in LEVELS)


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"


def _isolated(name: str) -> str:
    """A name that writes in its own direction and turns nothing else around (Unicode's FSI and PDI)."""
    return f"\u2068{name}\u2069"


def _quoted(label: str) -> str:
    """A label, which holds commas of its own."""
    return f"“{_isolated(label)}”"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(each for each in (", ".join(names[:-1]), *names[-1:]) if each)
