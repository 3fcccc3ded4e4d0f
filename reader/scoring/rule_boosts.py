"""How users' rules boost or lower relevance.

A `RuleBoost` row is stored when a rule matches an article, and read each time relevance is worked out. Adding or
removing rows marks the user's deliveries for rating in the same transaction, while it holds their locks. The interest
profile and the relevance model are learned from what users do and ignore boosts.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from feeds.models import Article
from reader.models import Delivery, Rule, RuleBoost, lock_deliveries

STRENGTHS = (20, 10, -10, -20)  # points of relevance that one rule may add
MAX_BOOST = 20  # points that all rules together may add or subtract

_CHUNK = 500  # articles in one transaction


def boosted(relevance: float, points: int) -> float:
    """Relevance (0 to 100) moved by the sum of the rules' points, at most by `MAX_BOOST`."""
    return max(0.0, min(100.0, relevance + max(-MAX_BOOST, min(MAX_BOOST, points))))


def add_boosts(user: User, matches: Mapping[Rule, Collection[int]]) -> None:
    """Store which articles the boosting rules matched. The caller's transaction has locked the user's deliveries."""
    matches = {rule: articles for rule, articles in matches.items() if rule.lift and rule.is_on}
    wanted = {(rule.pk, article): rule for rule, articles in matches.items() for article in articles}
    if not wanted:
        return
    known = _active(RuleBoost.objects.filter(rule__in=matches, article__in={article for _, article in wanted}))
    missing = wanted.keys() - set(known.values_list("rule_id", "article_id"))
    RuleBoost.objects.bulk_create(
        [
            RuleBoost(user=user, rule=wanted[pair], article_id=pair[1], version=wanted[pair].version)
            for pair in sorted(missing)
        ],
        update_conflicts=True,
        unique_fields=("rule", "article"),
        update_fields=("version",),
        batch_size=200,
    )
    Delivery.objects.filter(user=user, article__in={article for _, article in missing}).update(is_rated=False)


def remove_boosts(rule: Rule, *, outdated_only: bool) -> int:
    """Remove the rule's boosts, or only those from before its last change; returns the number of articles."""
    total = 0
    while True:
        boosts = RuleBoost.objects.filter(rule=rule)
        if outdated_only:
            boosts = boosts.exclude(version=rule.version)
        with transaction.atomic():
            chunk = dict(boosts.order_by("article")[:_CHUNK].values_list("pk", "article_id"))
            deliveries = Delivery.objects.filter(user=rule.user_id, article__in=chunk.values())
            lock_deliveries(deliveries)
            RuleBoost.objects.filter(pk__in=chunk).delete()
            deliveries.update(is_rated=False)
        total += len(chunk)
        if len(chunk) < _CHUNK:
            return total


def remove_boosts_of(rules: QuerySet[Rule]) -> None:
    """Remove all boosts of rules that are about to be deleted."""
    for rule in rules.exclude(lift=0):
        Rule.objects.filter(pk=rule.pk).update(is_on=False)  # so that boosts added in the meantime don't count
        remove_boosts(rule, outdated_only=False)


def mark_boosted_for_rating(user: User, rules: QuerySet[Rule]) -> None:
    """Mark the articles that these rules boost for rating, when the rules are turned on or off. In a transaction."""
    deliveries = Delivery.objects.filter(
        user=user, article__in=RuleBoost.objects.filter(rule__in=rules).values("article")
    )
    lock_deliveries(deliveries)
    deliveries.update(is_rated=False)


def boost_points(users: Collection[int], articles: Collection[int]) -> dict[tuple[int, int], int]:
    """The sum of the rules' points by user and article; one query."""
    sums: dict[tuple[int, int], int] = defaultdict(int)
    boosts = _active(RuleBoost.objects.filter(article__in=articles, user__in=users))
    for user, article, points in boosts.values_list("user_id", "article_id", "rule__lift"):
        sums[user, article] += points
    return dict(sums)


def boosting_rules(user: User, article: Article) -> list[Rule]:
    """The rules that boost or lower the article's relevance, oldest first."""
    boosts = _active(RuleBoost.objects.filter(user=user, article=article)).select_related("rule")
    return [boost.rule for boost in boosts.order_by("rule")]


def _active(boosts: QuerySet[RuleBoost]) -> QuerySet[RuleBoost]:
    return boosts.filter(rule__is_on=True, version=F("rule__version"), rule__subscription__unfollowed_at=None).exclude(
        rule__lift=0
    )
