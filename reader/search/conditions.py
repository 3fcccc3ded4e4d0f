"""What a query asks, as a condition on rows: words by the index, everything else by what is known of these rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from feeds.search.index import matching
from feeds.search.match import AllOf, AnyOf, Not, Text, is_text
from reader.acting import VOTES
from reader.models import Engagement


@dataclass(frozen=True, slots=True)
class Ground:
    """The rows that `user` looks among at `now`: their column for the article, and how each filter is asked of them.

    `since`: articles with lower ids are not among them.
    """

    user: User
    now: datetime
    article: str
    filters: Mapping[type, Callable[["Ground", Any], Q]]
    since: int = 0

    def among(self, articles: Any) -> Q:
        """The article is one of these."""
        return Q(**{f"{self.article}__in": articles})

    def said(self, words: Text) -> Q:
        """The index of words finds the article."""
        return self.among(matching(words, since=self.since))


def asked(ground: Ground, tree: Any) -> Q:
    """The condition on rows that they are of the ground, and what the tree of a query says."""
    bound = Q(**{f"{ground.article}__gte": ground.since}) if ground.since else Q()
    return bound & condition(ground, tree)


def condition(ground: Ground, tree: Any) -> Q:
    """What the tree of a query says of rows of the ground."""
    if is_text(tree):
        return ground.said(tree)
    match tree:
        case Not(negated):
            return ~condition(ground, negated)
        case AllOf(nodes):
            return _all(ground, nodes)
        case AnyOf(nodes):
            return _any(ground, nodes)
    return ground.filters[type(tree)](ground, tree)


def _all(ground: Ground, nodes: Sequence[Any]) -> Q:
    """What words can answer is asked of the index in one."""
    words = AllOf(tuple(each for each in nodes if is_text(each) or (isinstance(each, Not) and is_text(each.node))))
    together = words.nodes if is_text(words) else ()
    asked = ground.said(words) if is_text(words) else Q()
    for each in nodes:
        if each not in together:
            asked &= condition(ground, each)
    return asked


def _any(ground: Ground, nodes: Sequence[Any]) -> Q:
    words = AnyOf(tuple(each for each in nodes if is_text(each)))
    asked = ground.said(words) if words.nodes else Q()
    for each in nodes:
        if each not in words.nodes:
            asked |= condition(ground, each)
    return asked


def done(ground: Ground, kind: str) -> Q:
    """The person did this with the article, and did not take it back."""
    acts = Engagement.objects.filter(user=ground.user, undoes=None, undone_by=None)
    found = acts.filter(kind=kind)
    if kind in VOTES:  # the later of the two counts
        later = Q(happened_at__gt=OuterRef("happened_at")) | Q(
            happened_at=OuterRef("happened_at"), pk__gt=OuterRef("pk")
        )
        found = found.filter(~Exists(acts.filter(later, article=OuterRef("article"), kind__in=VOTES)))
    return ground.among(found.values("article"))


def beginning(day: date) -> datetime:
    """Of a day, where the person is."""
    return timezone.make_aware(datetime.combine(day, time.min))
