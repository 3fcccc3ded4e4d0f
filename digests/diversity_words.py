"""What a spread means, in sentences; and how it is drawn. Pure.

Names come from publishers and people, in any script: in a sentence each is isolated from what stands around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from digests.diversity import Group, Spread, TopicShare
from feeds.wording import listed

NAMED_IN_HALF = 3  # topics; more are only counted
MOST_REPEATERS, MOST_SOLES = 2, 3  # sentences about them
LEVELS = (0.0, 0.05, 0.15, 0.3, 0.5)  # shares of a group above, or for the last from, which a cell is a shade stronger
_MOSTLY = 2  # topics named with a group
_MOSTLY_FROM = 0.1  # of the group
_NUMBERS = (
    gettext_lazy("no"),
    gettext_lazy("one"),
    gettext_lazy("two"),
    gettext_lazy("three"),
    gettext_lazy("four"),
    gettext_lazy("five"),
    gettext_lazy("six"),
    gettext_lazy("seven"),
    gettext_lazy("eight"),
    gettext_lazy("nine"),
    gettext_lazy("ten"),
    gettext_lazy("eleven"),
    gettext_lazy("twelve"),
)


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
    if 0 < share < 0.01:
        return _("under 1 %%") % ()
    return pgettext("per cent", "%(share)s %%") % {"share": round(100 * share)}


def _sentences(spread: Spread) -> Iterator[str]:
    yield _half(spread.topics)
    piled = [each for each in spread.topics if each.is_piled]
    yield from (
        _("%(topic)s alone is %(share)s of it.") % {"topic": _quoted(each.label), "share": per_cent(each.share)}
        for each in piled
    )
    if not piled:
        yield _("No topic is more than a fifth of it.")
    yield _variety(spread)
    for names in spread.twins:
        told = {"n": capfirst(_number(len(names))), "names": listed([_isolated(name) for name in names])}
        yield (
            ngettext(
                "%(n)s feeds bring much the same: %(names)s.", "%(n)s feeds bring much the same: %(names)s.", len(names)
            )
            % told
        )
    twins = {name for names in spread.twins for name in names}
    for each in [each for each in spread.repeaters if each.name not in twins][:MOST_REPEATERS]:
        told = {"name": _isolated(each.name), "share": per_cent(each.share)}
        if each.others:
            sentence = _("Of what %(name)s brings, %(share)s is told by other feeds of yours, most by %(other)s.")
            yield sentence % {**told, "other": _isolated(each.others[0].name)}
        else:
            yield _("Of what %(name)s brings, %(share)s is told by other feeds of yours.") % told
    for sole in spread.soles[:MOST_SOLES]:
        told = {"topic": _quoted(sole.label), "name": _isolated(sole.name)}
        only, nearly = _("Only %(name)s brings %(topic)s."), _("Nearly all of %(topic)s comes from %(name)s.")
        yield (only if sole.is_all else nearly) % told


def _half(topics: Sequence[TopicShare]) -> str:
    total = sum(each.n_articles for each in topics)
    sums = accumulate(each.n_articles for each in topics)
    n = next(place for place, upto in enumerate(sums, start=1) if 2 * upto >= total)
    if n == len(topics) == 1:
        return _("All that you get is about one topic: %(topic)s.") % {"topic": _quoted(topics[0].label)}
    if n > NAMED_IN_HALF:
        many = ngettext("Half of what you get is about %(n)s topic.", "Half of what you get is about %(n)s topics.", n)
        return many % {"n": _number(n)}
    named = ngettext(
        "Half of what you get is about %(n)s topic: %(topics)s.",
        "Half of what you get is about %(n)s topics: %(topics)s.",
        n,
    )
    return named % {"n": _number(n), "topics": listed([_quoted(each.label) for each in topics[:n]])}


def _variety(spread: Spread) -> str:
    n = spread.n_publishers
    told = {"topics": _decimal(spread.effective_topics), "n": number_format(n, force_grouping=True)}
    if not n:
        return _("It is as varied as %(topics)s topics of one size would be.") % told
    if spread.effective_publishers < 0.9 * n:
        uneven = ngettext(
            "It is as varied as %(topics)s topics of one size would be, and of %(n)s publisher that bring it some"
            " weigh so much more than others that they are worth %(worth)s.",
            "It is as varied as %(topics)s topics of one size would be, and of %(n)s publishers that bring it some"
            " weigh so much more than others that they are worth %(worth)s.",
            n,
        )
        return uneven % {**told, "worth": _decimal(spread.effective_publishers)}
    even = ngettext(
        "It is as varied as %(topics)s topics of one size would be, from %(n)s publisher that bring about as"
        " much each.",
        "It is as varied as %(topics)s topics of one size would be, from %(n)s publishers that bring about as"
        " much each.",
        n,
    )
    return even % told


def _decimal(number: float) -> str:
    return str(number_format(f"{number:.1f}"))


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
    mostly = listed([f"{_quoted(each.label)} ({per_cent(each.per_cent / 100)})" for each in named])
    return Strip(group, tuple(cells), mostly)


def _level(share: float) -> int:
    return sum(share > least if least < LEVELS[-1] else share >= least for least in LEVELS)


def _number(n: int) -> str:
    return str(_NUMBERS[n]) if n < len(_NUMBERS) else str(number_format(n, force_grouping=True))


def _isolated(name: str) -> str:
    """A name that writes in its own direction and turns nothing else around (Unicode's FSI and PDI)."""
    return f"\u2068{name}\u2069"


def _quoted(label: str) -> str:
    """A label, which holds commas of its own."""
    return f"“{_isolated(label)}”"
