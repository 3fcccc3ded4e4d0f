"""The page about a user's relevance model: the quality of each training, and what is in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.wording import format_number, join_list
from reader.interests.training_labels import load_training_labels
from reader.models import InterestProfile, RelevanceModel

MIN_PER_CLASS = 50  # SPEC §10; `reader.interests.learning.holdout` has it too, and loads numpy
MAX_SHOWN = 60  # trainings: two months
_N_STEPS = 5  # between the grid lines of the chart
_WEIGHT_FIELDS = ("indices", "weights", "embedding")


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric over time as SVG path data in a box of 100 × 100: a line, and a dot for each training."""

    name: str
    line: str
    dots: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Average precision over time; `labels` of the grid lines, from top to bottom, at equal distances."""

    curves: tuple[Curve, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelReport:
    """`trainings` newest first; `n_for` and `n_against`: labels that the next training uses."""

    trainings: tuple[RelevanceModel, ...]
    chart: Chart | None
    n_for: int
    n_against: int
    is_learning: bool

    @property
    def is_used(self) -> bool:
        return self.is_learning and bool(self.trainings) and self.trainings[0].is_used

    @property
    def sentence(self) -> str:
        """What predicts relevance, and why."""
        if not self.is_learning:
            return _("Relevance is based on your interests. Learning is off.")
        if not self.trainings:
            return _("Relevance is based on your interests. %(missing)s") % {"missing": self._missing}
        newest = self.trainings[0]
        both = {"model": newest.average_precision, "interests": newest.profile_average_precision}
        figures = _("average precision %(model)s vs. %(interests)s") % {
            name: format_number(value, 2) for name, value in both.items()
        }
        if newest.is_used:
            sentence = _(
                "Relevance comes from the model, which was at least as good on held-out articles (%(figures)s)."
            )
        else:
            sentence = _(
                "Relevance is based on your interests, better than the model on held-out articles (%(figures)s)."
            )
        return sentence % {"figures": figures}

    @property
    def _missing(self) -> str:
        n_for, n_against = (max(0, MIN_PER_CLASS - n) for n in (self.n_for, self.n_against))
        if not n_for and not n_against:
            return _("You have enough choices for a model; it will be trained tonight.")
        words = []
        if n_for:
            words.append(ngettext("%(n)s more opened or liked", "%(n)s more opened or liked", n_for) % {"n": n_for})
        if n_against:
            template = ngettext("%(n)s more skipped or disliked", "%(n)s more skipped or disliked", n_against)
            words.append(template % {"n": n_against})
        missing = _("To train a model, we need %(choices)s (at least %(least)s of each).")
        return missing % {"choices": join_list(words), "least": MIN_PER_CLASS}


def load_report(user: User, now: datetime) -> ModelReport:
    """The page's contents; a fixed number of queries per thousand labels."""
    rows = RelevanceModel.objects.filter(user=user).defer(*_WEIGHT_FIELDS)
    trainings = tuple(rows.order_by("-trained_at", "-pk")[:MAX_SHOWN])
    labels = [label.is_positive for label in load_training_labels(user, now=now)]
    learning = InterestProfile.objects.filter(user=user).values_list("is_learning", flat=True).first()
    return ModelReport(
        trainings=trainings,
        chart=_chart(trainings[::-1]),
        n_for=sum(labels),
        n_against=len(labels) - sum(labels),
        is_learning=learning is not False,
    )


def _chart(oldest_first: Sequence[RelevanceModel]) -> Chart | None:
    """Starts at 0.5 unless a value is lower, else at 0; None without a training."""
    if not oldest_first:
        return None
    series = {
        "model": [row.average_precision for row in oldest_first],
        "profile": [row.profile_average_precision for row in oldest_first],
    }
    floor = 0.5 if min(min(values) for values in series.values()) >= 0.5 else 0.0
    first, last = oldest_first[0].trained_at, oldest_first[-1].trained_at
    xs = [100 * (row.trained_at - first) / (last - first) if last > first else 50.0 for row in oldest_first]
    curves = []
    for name, values in series.items():
        points = [f"{x:.1f} {100 * (1 - y) / (1 - floor):.1f}" for x, y in zip(xs, values, strict=True)]
        curves.append(Curve(name, "M" + "L".join(points), "".join(f"M{point}h0" for point in points)))
    labels = (format_number(1 - (1 - floor) * step / _N_STEPS, 1) for step in range(_N_STEPS + 1))
    return Chart(tuple(curves), tuple(labels))
