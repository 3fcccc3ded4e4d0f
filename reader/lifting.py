"""What a person's rules move relevance by: given as rules meet articles, and taken back as exactly.

Nothing but `Lift` rows says it, and the stage that rates reads them each time it works out relevance: what is given or
taken back is a row here and a copy marked to be rated anew, in one transaction that locks these copies, as the stage
does. The interest profile and the model are learned from what people do and never see it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from feeds.models import Article
from reader.locking import lock
from reader.models import Delivery, Lift, Rule

_CHUNK = 500  # articles in one transaction


def give(user: User, met: Mapping[Rule, Collection[int]]) -> None:
    """Note which articles each lifting rule met. In a transaction that holds the user's copies of them."""
    met = {rule: articles for rule, articles in met.items() if rule.lift and rule.is_on}
    wanted = {(rule.pk, article): rule for rule, articles in met.items() for article in articles}
    if not wanted:
        return
    known = _valid(Lift.objects.filter(rule__in=met, article__in={article for _, article in wanted}))
    missing = wanted.keys() - set(known.values_list("rule_id", "article_id"))
    Lift.objects.bulk_create(
        [
            Lift(user=user, rule=wanted[pair], article_id=pair[1], version=wanted[pair].version)
            for pair in sorted(missing)
        ],
        update_conflicts=True,
        unique_fields=("rule", "article"),
        update_fields=("version",),
        batch_size=200,
    )
    Delivery.objects.filter(user=user, article__in={article for _, article in missing}).update(is_rated=False)


def take_back(rule: Rule, *, outdated_only: bool) -> int:
    """Take back what the rule gave, or what it gave as it was before it changed; returns how many articles."""
    total = 0
    while True:
        lifts = Lift.objects.filter(rule=rule)
        if outdated_only:
            lifts = lifts.exclude(version=rule.version)
        with transaction.atomic():
            several = dict(lifts.order_by("article")[:_CHUNK].values_list("pk", "article_id"))
            copies = Delivery.objects.filter(user=rule.user_id, article__in=several.values())
            lock(copies)
            Lift.objects.filter(pk__in=several).delete()
            copies.update(is_rated=False)
        total += len(several)
        if len(several) < _CHUNK:
            return total


def forget(rules: QuerySet[Rule]) -> None:
    """Take back all that these rules gave, which are about to be deleted."""
    for rule in rules.exclude(lift=0):
        Rule.objects.filter(pk=rule.pk).update(is_on=False)  # what is given meanwhile does not count any more
        take_back(rule, outdated_only=False)


def rate_again(user: User, rules: QuerySet[Rule], article_ids: Collection[int]) -> None:
    """Have copies of these articles rated anew where the rules lifted them: the rules came, or went. In a transaction
    that holds the user's copies of them."""
    lifted = Lift.objects.filter(rule__in=rules, article__in=article_ids)
    Delivery.objects.filter(user=user, article__in=lifted.values("article")).update(is_rated=False)


def points_of(users: Collection[int], articles: Collection[int]) -> dict[tuple[int, int], int]:
    """The sum of points that rules give, by user and article; one statement."""
    sums: dict[tuple[int, int], int] = defaultdict(int)
    lifts = _valid(Lift.objects.filter(article__in=articles, user__in=users))
    for user, article, points in lifts.values_list("user_id", "article_id", "rule__lift"):
        sums[user, article] += points
    return dict(sums)


def rules_lifting(user: User, article: Article) -> list[Rule]:
    """The rules that move the article's relevance now, the oldest first."""
    lifts = _valid(Lift.objects.filter(user=user, article=article)).select_related("rule")
    return [each.rule for each in lifts.order_by("rule")]


def _valid(lifts: QuerySet[Lift]) -> QuerySet[Lift]:
    there = lifts.filter(rule__is_on=True, version=F("rule__version"), rule__subscription__parting=None)
    return there.exclude(rule__lift=0)
