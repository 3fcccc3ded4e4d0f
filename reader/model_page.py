"""What the page of a person's relevance model shows: how good each training was, and who judges now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.wording import listed
from reader.drawing_lines import Lines, lines
from reader.labels import labels_of
from reader.models import InterestProfile, RelevanceModel

YEAR = timedelta(days=365)  # of choices that a training learns from; SPEC §10
LEAST_OF_A_CLASS = 50  # SPEC §10; `reader.learning.held_out` has it too, and loads numpy
MOST_SHOWN = 60  # trainings: two months of nights
_NUMBERS = ("indices", "weights", "meaning")


@dataclass(frozen=True, slots=True)
class ModelShown:
    """`trainings` newest first; `n_for` and `n_against`: choices of the last year, by article."""

    trainings: tuple[RelevanceModel, ...]
    drawing: Lines | None
    n_for: int
    n_against: int
    is_learning: bool

    @property
    def is_used(self) -> bool:
        return self.is_learning and bool(self.trainings) and self.trainings[0].is_used

    @property
    def sentence(self) -> str:
        """Who judges relevance, and why."""
        if not self.is_learning:
            return _("Your interests judge relevance as they stand: learning is switched off.")
        if not self.trainings:
            return _("Your interests judge relevance. %(missing)s") % {"missing": self._missing}
        newest = self.trainings[0]
        both = {"model": newest.average_precision, "interests": newest.profile_average_precision}
        figures = _("%(model)s to %(interests)s of average precision") % {
            name: number_format(round(value, 2), decimal_pos=2) for name, value in both.items()
        }
        if newest.is_used:
            judged = _("The model judges relevance: on choices it was not shown it was at least as good (%(figures)s).")
        else:
            judged = _(
                "Your interests judge relevance: on choices kept apart they were better than the model (%(figures)s)."
            )
        return judged % {"figures": figures}

    @property
    def _missing(self) -> str:
        n_for, n_against = (max(0, LEAST_OF_A_CLASS - n) for n in (self.n_for, self.n_against))
        if not n_for and not n_against:
            return _("There are enough choices for a model; it is trained in the night.")
        words = []
        if n_for:
            words.append(ngettext("%(n)s more opened or liked", "%(n)s more opened or liked", n_for) % {"n": n_for})
        if n_against:
            told = ngettext("%(n)s more skipped or disliked", "%(n)s more skipped or disliked", n_against)
            words.append(told % {"n": n_against})
        missing = _("Until a model can be trained %(choices)s are missing (%(least)s of each).")
        return missing % {"choices": listed(words), "least": LEAST_OF_A_CLASS}


def model_shown(user: User, now: datetime) -> ModelShown:
    """The page's contents; three queries."""
    rows = RelevanceModel.objects.filter(user=user).defer(*_NUMBERS)
    trainings = tuple(rows.order_by("-trained_at", "-pk")[:MOST_SHOWN])
    judged = [label.is_positive for label in labels_of(user, since=now - YEAR)]
    learning = InterestProfile.objects.filter(user=user).values_list("is_learning", flat=True).first()
    return ModelShown(
        trainings=trainings,
        drawing=_drawing(trainings[::-1]),
        n_for=sum(judged),
        n_against=len(judged) - sum(judged),
        is_learning=learning is not False,
    )


def _drawing(oldest_first: Sequence[RelevanceModel]) -> Lines | None:
    return lines(
        [each.trained_at for each in oldest_first],
        {
            "model": [each.average_precision for each in oldest_first],
            "profile": [each.profile_average_precision for each in oldest_first],
        },
    )
