"""Turns the tree of a query into ORM conditions: words through the full-text index, filters through columns.

A user searches the deliveries of feeds they follow, and the articles they starred or tagged whose feed they no longer
follow. These have no folder and no current importance.
"""

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db.models import Case, Exists, ExpressionWrapper, F, FloatField, Func, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Exp, Greatest
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual
from django.utils import timezone

from feeds.models import Article
from feeds.search.index import matching
from feeds.search.query_tree import AllOf, AnyOf, Not, Text, is_text
from reader.articles.actions import VOTES
from reader.lists.queries import NO, YES
from reader.models import ArticleState, Delivery, Engagement, Subscription, TaggedArticle
from reader.scoring.importance import UNCERTAIN_FACTOR, WEIGHTS
from reader.scoring.rating import rates_of
from reader.search.query_filters import Filter

_COMPARISONS = {"gt": GreaterThan, "gte": GreaterThanOrEqual, "lt": LessThan, "lte": LessThanOrEqual}
_NOTHING = Q(pk__in=())


@dataclass(frozen=True, slots=True)
class DeliveredRows:
    """Conditions on the deliveries of `user` at `now`, for articles from the id `since` on."""

    user: User
    now: datetime
    since: int = 0

    article_column: ClassVar[str] = "article"
    article_prefix: ClassVar[str] = "article__"  # of columns of the article

    def matching(self, tree: Any) -> Q:
        """The condition that a row matches the tree."""
        bound = Q(**{f"{self.article_column}__gte": self.since}) if self.since else Q()
        return bound & self._condition(tree)

    def _condition(self, tree: Any) -> Q:
        if is_text(tree):
            return self._with_words(tree)
        match tree:
            case Not(node):
                return ~self._condition(node)
            case AllOf(nodes):
                words = AllOf(tuple(node for node in nodes if is_text(node.node if isinstance(node, Not) else node)))
                # One query of the index for all words, unless all are negated
                combined = words.nodes if is_text(words) else ()
                condition = self._with_words(words) if is_text(words) else Q()
                for node in nodes:
                    condition &= Q() if node in combined else self._condition(node)
                return condition
            case AnyOf(nodes):
                alternatives = AnyOf(tuple(filter(is_text, nodes)))
                condition = self._with_words(alternatives) if alternatives.nodes else Q()
                for node in nodes:
                    condition |= Q() if node in alternatives.nodes else self._condition(node)
                return condition
        return self._filter(tree)

    def _with_words(self, text: Text) -> Q:
        return self._among(matching(text, since=self.since))

    def _among(self, articles: Any) -> Q:
        return Q(**{f"{self.article_column}__in": articles})

    def _filter(self, condition: Filter) -> Q:
        match condition.kind:
            case "feed":
                return self._of_feed(condition.value)
            case "folder":
                return self._in_folder(condition.value)
            case "is":
                return self._in_state(condition.value)
            case "lang":
                return Q(**{f"{self.article_prefix}language": condition.value})
            case "before":
                return Q(published_at__lt=_moment(condition.value))
            case "after":
                return Q(published_at__gte=_moment(condition.value))
            case "feed_id":
                return self._delivered_in(subscription=condition.value)
            case "folder_id":
                return self._delivered_in(folder=condition.value)
            case "tag_id":
                tagged = TaggedArticle.objects.filter(user=self.user, tag=condition.value)
                return self._among(tagged.values("article"))
            case "story_id":
                return Q(**{f"{self.article_prefix}story": condition.value})
            case "ids":
                return self._among(condition.value)
        return self._scored(*condition.value)

    def _in_state(self, state: str) -> Q:
        match state:
            case "read" | "unread":
                return self._is_read(state == "read")
            case "starred":
                starred = ArticleState.objects.filter(user=self.user, is_starred=True)
                return self._among(starred.values("article"))
            case "updated":
                return Q(**{f"{self.article_prefix}revised_at__isnull": False})
        engagements = Engagement.active.filter(user=self.user)
        matching_state = engagements.filter(kind=state)
        if state in VOTES:  # only the latest vote counts
            later = Q(happened_at__gt=OuterRef("happened_at")) | Q(
                happened_at=OuterRef("happened_at"), pk__gt=OuterRef("pk")
            )
            later_votes = engagements.filter(later, article=OuterRef("article"), kind__in=VOTES)
            matching_state = matching_state.filter(~Exists(later_votes))
        return self._among(matching_state.values("article"))

    def _of_feed(self, name: str) -> Q:
        named = Q(title__icontains=name) | Q(title="", feed__title__icontains=name)
        named |= Q(feed__source__domain__icontains=name)
        return Q(subscription__in=Subscription.objects.filter(named, user=self.user).values("pk"))

    def _in_folder(self, name: str) -> Q:
        return Q(folder__in=self.user.folders.filter(name__icontains=name).values("pk"))

    def _delivered_in(self, **place: int) -> Q:
        return Q(**place)

    def _is_read(self, is_read: bool) -> Q:
        return Q(is_read=YES if is_read else NO)

    def _scored(self, comparison: str, points: float) -> Q:
        """By current importance, computed in SQL because it isn't stored; articles not scored yet don't match."""
        age = Greatest(Value(0.0), Value(self.now.timestamp() / 3600) - _Hours("published_at"))
        certainty = Case(When(date_uncertain=True, then=Value(UNCERTAIN_FACTOR)), default=Value(1.0))
        decay = Exp(-rates_of(self.user).recency * ExpressionWrapper(age, FloatField()))
        score = ExpressionWrapper(
            F("static_importance") + decay * certainty * Value(100 * WEIGHTS["recency"]), FloatField()
        )
        return Q(_COMPARISONS[comparison](score, points), static_importance__isnull=False)


class SavedRows(DeliveredRows):
    """Conditions on `saved_articles`."""

    article_column, article_prefix = "pk", ""

    def _of_feed(self, name: str) -> Q:
        return Q(feed__title__icontains=name) | Q(source__domain__icontains=name)

    def _in_folder(self, name: str) -> Q:
        return _NOTHING

    def _delivered_in(self, **place: int) -> Q:
        return _NOTHING

    def _is_read(self, is_read: bool) -> Q:
        read = self._among(ArticleState.objects.filter(user=self.user, is_read=True).values("article"))
        return read if is_read else ~read

    def _scored(self, comparison: str, points: float) -> Q:
        return _NOTHING


def saved_articles(user: User) -> QuerySet[Article]:
    """Articles that `user` starred or tagged and that no feed delivers to them any more."""
    delivered = Exists(Delivery.objects.filter(user=user, article=OuterRef("article")))
    starred = ArticleState.objects.filter(~delivered, user=user, is_starred=True).order_by().values("article")
    tagged = TaggedArticle.objects.filter(~delivered, user=user).order_by().values("article")
    return Article.objects.filter(pk__in=starred.union(tagged))


def _moment(day: date) -> datetime:
    """The start of the day in the user's time zone, unless it is a time."""
    if isinstance(day, datetime):
        return day
    return timezone.make_aware(datetime.combine(day, time.min))


class _Hours(Func):
    """Hours since 1970, in either database."""

    template = "(EXTRACT(EPOCH FROM %(expressions)s) / 3600.0)"
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="((julianday(%(expressions)s) - 2440587.5) * 24.0)")
