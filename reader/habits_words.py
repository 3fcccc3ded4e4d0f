"""A person's habits in a sentence or two. Pure."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reader.habits_counting import WEEKS, Tally

ENOUGH = 10  # articles opened, below which nothing is said of habits


def sentence(everything: Tally, *, place: str, hours: tuple[int, int] | None) -> str:
    """`You open one in nine of the articles you come past, most from Harbour Post, mostly between 7 and 9.`"""
    if everything.n_opened < ENOUGH:
        return ngettext(
            "Too little is known yet: %(n)d article opened in %(weeks)d weeks.",
            "Too little is known yet: %(n)d articles opened in %(weeks)d weeks.",
            everything.n_opened,
        ) % {"n": everything.n_opened, "weeks": WEEKS}
    parts = [_how_many(everything.share)]
    if place:
        parts.append(_("most from %(place)s") % {"place": place})
    if hours:
        parts.append(_("mostly between %(first)d and %(last)d") % {"first": hours[0], "last": hours[1] or 24})
    return ", ".join(parts) + "."


def _how_many(share: float) -> str:
    one_in = round(1 / share)
    if share >= 0.85:
        return _("You open nearly every article you come past")
    if share >= 0.6:
        return _("You open two in three of the articles you come past")
    numbers = {2: _("two"), 3: _("three"), 4: _("four"), 5: _("five"), 6: _("six"), 7: _("seven"), 8: _("eight")}
    numbers |= {9: _("nine"), 10: _("ten"), 11: _("eleven"), 12: _("twelve")}
    return _("You open one in %(number)s of the articles you come past") % {"number": numbers.get(one_in, one_in)}
