"""Apply people's rules to what was brought to them: as it comes, and to what is here already.

All rules that match apply, and their order does not matter. What matches is worked out without any lock; what is done
is one transaction a person, in which the deliveries of the articles are locked first and what rules did before is read
then: whatever is repeated, at once or later, does nothing twice (`RuleHit`).

A rule never undoes what a person did. What it did once with an article it does not do again; it marks nothing read
that they kept unread, stars nothing that they took the star from, and mutes nothing that they starred, liked or tagged.
It teaches the interest profile nothing, because it writes no engagement. What a rule moves relevance by is no act done
once: it stands as long as the rule does (`reader.lifting`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Substr

from reader.folding import settle
from reader.lifting import give
from reader.locking import lock
from reader.marking import mark_read, star_all
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Engagement,
    EngagementKind,
    Rule,
    RuleHit,
    Tag,
    TaggedArticle,
)
from reader.muting import mute
from reader.rules.conditions import LOOKED_AT, Subject, subject
from reader.rules.matching import Matcher, compile_rule
from reader.tagging import tag_articles

CHUNK = 500  # deliveries looked at between two writings
READ, STAR = "read", "star"


@dataclass(frozen=True, slots=True)
class Brought:
    """A delivery as rules look at it."""

    pk: int
    user_id: int
    article_id: int
    subject: Subject


@dataclass(frozen=True, slots=True)
class Match:
    """A rule met a delivery."""

    rule: Rule
    brought: Brought
    only_lifts: bool = False

    def acts(self) -> set[str]:
        """What the rule wants done once, as `RuleHit` calls it; what it lifts by is no such act."""
        if self.only_lifts:
            return set()
        rule, about = self.rule, self.brought.subject
        wanted = {
            READ: rule.marks_read,
            STAR: rule.stars,
            f"tag:{rule.tag_id}": rule.tag_id is not None,
            f"mute:{about.subscription_id}": rule.mutes,
        }
        return {act for act, is_wanted in wanted.items() if is_wanted}


def apply_to_arrivals(ids: Collection[int] | None = None, *, now: datetime) -> int:
    """Apply their people's rules to the next `CHUNK` arrivals, or to all those of these deliveries; returns how many.

    What is interrupted is still waiting; what another worker does at the same time is done once all the same.
    """
    oldest = Arrival.objects.order_by("pk").values_list("pk", flat=True)[:CHUNK]
    waiting = list(oldest) if ids is None else sorted(ids)
    for start in range(0, len(waiting), CHUNK):
        _look_at(waiting[start : start + CHUNK], now)
    return len(waiting)


def _look_at(ids: Sequence[int], now: datetime) -> None:
    users = Delivery.objects.filter(pk__in=ids).order_by().values("user")
    rules: dict[int, list[Rule]] = defaultdict(list)
    for rule in Rule.objects.filter(user__in=users, is_on=True).select_related("user", "tag"):
        rules[rule.user_id].append(rule)
    compiled = {pk: [(rule, compile_rule(rule.conditions)) for rule in own] for pk, own in rules.items()}
    with_text = any(matcher.reads_text for own in compiled.values() for _, matcher in own)
    found: dict[int, list[Match]] = defaultdict(list)
    for each in brought(Delivery.objects.filter(pk__in=ids), with_text=with_text):
        found[each.user_id] += matches(compiled.get(each.user_id, ()), [each])
    for user_id, own in found.items():
        if own:
            carry_out(rules[user_id][0].user, own, now=now)
    Arrival.objects.filter(pk__in=ids).delete()


def brought(deliveries: QuerySet[Delivery], *, with_text: bool) -> Iterable[Brought]:
    """These deliveries, ready to be looked at; the beginning of the text is read where it counts."""
    text = Substr("article__text", 1, LOOKED_AT if with_text else 0)
    for pk, user, article, sub, folder, title, author, categories, language, beginning in deliveries.values_list(
        "pk",
        "user_id",
        "article_id",
        "subscription_id",
        "folder_id",
        "article__title",
        "article__author",
        "article__categories",
        "article__language",
        text,
    ):
        about = subject(
            title=title,
            text=beginning,
            author=author,
            categories=categories,
            language=language,
            subscription_id=sub,
            folder_id=folder,
        )
        yield Brought(pk, user, article, about)


def matches(
    compiled: Sequence[tuple[Rule, Matcher]], several: Iterable[Brought], *, only_lifts: bool = False
) -> list[Match]:
    """Which of the rules meet which of the deliveries."""
    return [
        Match(rule, each, only_lifts) for each in several for rule, matcher in compiled if matcher.matches(each.subject)
    ]


def carry_out(user: User, found: Collection[Match], *, now: datetime) -> int:
    """Do what the rules of one person want done with what they met, and count it; returns how many hits were new."""
    articles = sorted({each.brought.article_id for each in found})
    with transaction.atomic():
        lock(Delivery.objects.filter(user=user, article__in=articles))
        known = {
            (each.rule_id, each.article_id): each for each in RuleHit.objects.filter(user=user, article__in=articles)
        }
        done: dict[int, set[str]] = defaultdict(set)
        for hit in known.values():
            done[hit.article_id].update(hit.acts)
        wanted: dict[str, dict[int, Rule]] = defaultdict(dict)  # the articles of each act, with a rule that wants it
        for each in found:
            for act in each.acts() - done[each.brought.article_id]:
                wanted[act].setdefault(each.brought.article_id, each.rule)
        n_new = _count(user, found, known, now)
        changes = _do(user, wanted, articles, now)
        met: dict[Rule, set[int]] = defaultdict(set)
        for each in found:
            met[each.rule].add(each.brought.article_id)
        give(user, met)
    settle(changes, user=user)
    return n_new


def _count(user: User, found: Collection[Match], known: Mapping[tuple[int | None, int], RuleHit], now: datetime) -> int:
    """Write down every hit with what it is for, and count those that are new."""
    new: dict[tuple[int, int], RuleHit] = {}
    changed: dict[int, RuleHit] = {}
    for each in found:
        key = each.rule.pk, each.brought.article_id
        if (hit := known.get(key)) is None:
            hit = new.setdefault(key, RuleHit(user=user, rule=each.rule, article_id=key[1], acts=[]))
        elif not each.acts() <= set(hit.acts):
            changed[hit.pk] = hit
        hit.acts = sorted({*hit.acts, *each.acts()})
    RuleHit.objects.bulk_create(new.values())
    RuleHit.objects.bulk_update(changed.values(), ["acts"], batch_size=100)
    counts: dict[int, int] = defaultdict(int)
    for rule_id, _ in new:
        counts[rule_id] += 1
    for rule_id, n in sorted(counts.items()):
        Rule.objects.filter(pk=rule_id).update(n_hits=F("n_hits") + n, last_hit_at=now)
    return len(new)


def _do(user: User, wanted: Mapping[str, Mapping[int, Rule]], articles: Collection[int], now: datetime) -> list[int]:
    acts = Engagement.objects.filter(user=user, article__in=articles, undoes=None)
    valued = _valued(user, articles, acts)  # before rules star or tag anything
    if reading := set(wanted.get(READ, ())) - _articles(acts.filter(kind=EngagementKind.UNREAD, undone_by=None)):
        mark_read(user, reading)
    if starring := set(wanted.get(STAR, ())) - _articles(
        acts.filter(kind=EngagementKind.STARRED, undone_by__isnull=False)
    ):
        star_all(user, sorted(starring), now=now)
    tags = Tag.objects.filter(user=user).in_bulk([_number(act) for act in wanted if act.startswith("tag:")])
    for pk, tag in tags.items():
        tag_articles(tag, sorted(wanted[f"tag:{pk}"]), now=now)
    muting = {_number(act): by for act, by in wanted.items() if act.startswith("mute:")}
    return mute(user, muting, valued, now=now) if muting else []


def _valued(user: User, articles: Collection[int], acts: QuerySet[Engagement]) -> set[int]:
    """What the person starred, tagged or liked."""
    starred = ArticleState.objects.filter(user=user, article__in=articles, is_starred=True)
    tagged = TaggedArticle.objects.filter(user=user, article__in=articles)
    liked = acts.filter(kind=EngagementKind.LIKED, undone_by=None)
    return {
        *starred.values_list("article_id", flat=True),
        *tagged.values_list("article_id", flat=True),
        *_articles(liked),
    }


def _articles(acts: QuerySet[Engagement]) -> set[int]:
    return set(acts.values_list("article_id", flat=True))


def _number(act: str) -> int:
    return int(act.partition(":")[2])
