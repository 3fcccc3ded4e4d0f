"""Searching what feeds that the person follows brought them: deliveries."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, ExpressionWrapper, F, FloatField, Func, Q, Value, When
from django.db.models.functions import Exp, Greatest
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual

from reader.models import ArticleState, Subscription
from reader.queries import NO, YES
from reader.rates import rates_of
from reader.scoring.importance import WEIGHTS
from reader.scoring.recency import UNCERTAIN_FACTOR
from reader.search.conditions import Ground, beginning, done
from reader.search.filters import After, Before, InFolder, InLanguage, InState, OfFeed, Scored

_COMPARISONS = {"gt": GreaterThan, "gte": GreaterThanOrEqual, "lt": LessThan, "lte": LessThanOrEqual}


def delivered(user: User, now: datetime, *, since: int = 0) -> Ground:
    """The deliveries of `user`."""
    return Ground(user, now, "article", _FILTERS, since)


def _of_feed(ground: Ground, asked: OfFeed) -> Q:
    named = Q(title__icontains=asked.name) | Q(title="", feed__title__icontains=asked.name)
    named |= Q(feed__source__domain__icontains=asked.name)
    return Q(subscription__in=Subscription.objects.filter(named, user=ground.user).values("pk"))


def _in_folder(ground: Ground, asked: InFolder) -> Q:
    return Q(folder__in=ground.user.folders.filter(name__icontains=asked.name).values("pk"))


def _in_state(ground: Ground, asked: InState) -> Q:
    match asked.state:
        case "read":
            return Q(is_read=YES)
        case "unread":
            return Q(is_read=NO)
        case "starred":
            starred = ArticleState.objects.filter(user=ground.user, is_starred=True)
            return ground.among(starred.values("article"))
        case "updated":
            return Q(article__revised_at__isnull=False)
    return done(ground, asked.state)


def _in_language(ground: Ground, asked: InLanguage) -> Q:
    return Q(article__language=asked.code)


def _before(ground: Ground, asked: Before) -> Q:
    return Q(published_at__lt=beginning(asked.day))


def _after(ground: Ground, asked: After) -> Q:
    return Q(published_at__gte=beginning(asked.day))


class _Hours(Func):
    """Hours since 1970 of a moment, as each database counts them."""

    template = "(EXTRACT(EPOCH FROM %(expressions)s) / 3600.0)"
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="((julianday(%(expressions)s) - 2440587.5) * 24.0)")


def _scored(ground: Ground, asked: Scored) -> Q:
    """Importance as of now, which no column holds (`reader.ranking`); what is not rated yet has none."""
    rate = rates_of(ground.user).recency
    age = Greatest(Value(0.0), Value(ground.now.timestamp() / 3600) - _Hours("published_at"))
    certainty = Case(When(date_uncertain=True, then=Value(UNCERTAIN_FACTOR)), default=Value(1.0))
    recency = Exp(-rate * ExpressionWrapper(age, FloatField())) * certainty * Value(100 * WEIGHTS["recency"])
    score = ExpressionWrapper(F("standing") + recency, FloatField())
    return Q(_COMPARISONS[asked.comparison](score, asked.points), standing__isnull=False)


_FILTERS: Mapping[type, Callable[[Ground, Any], Q]] = {
    OfFeed: _of_feed,
    InFolder: _in_folder,
    InState: _in_state,
    InLanguage: _in_language,
    Before: _before,
    After: _after,
    Scored: _scored,
}
