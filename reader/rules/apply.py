"""Apply users' rules to deliveries.

All matching rules apply, in any order. Matching takes no locks. The actions of one user are one transaction, which
locks the deliveries and then reads what rules did before (`RuleHit`), so that repeating it does nothing twice.

A rule never undoes what the user did: it does each action once per article, doesn't mark as read what they kept unread,
doesn't star what they unstarred, and doesn't mute what they starred, liked, tagged or highlighted. It writes no
engagement, so it teaches the interest profile nothing. A boost isn't an action: it lasts as long as the rule
(`rule_boosts`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Substr

from reader.articles.read_state import mark_read, star_all
from reader.articles.tags import tag_articles
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Engagement,
    EngagementKind,
    Highlight,
    Rule,
    RuleHit,
    Subscription,
    Tag,
    TaggedArticle,
    lock_deliveries,
)
from reader.rules.conditions import MAX_TEXT, Subject, subject
from reader.rules.matching import Matcher, compile_rule
from reader.rules.mute import mute
from reader.scoring.rule_boosts import add_boosts
from reader.send_to import webhooks
from reader.stories.collapse import fold_now

CHUNK = 500  # deliveries
FIRST_POLL_WITHIN = timedelta(hours=1)  # of following a feed
READ, STAR = "read", "star"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A delivery to match rules against."""

    pk: int
    user_id: int
    article_id: int
    subject: Subject
    is_new: bool


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matches a delivery; `only_boosts`: its actions don't apply. `sends`: the article goes to its URL."""

    rule: Rule
    candidate: Candidate
    only_boosts: bool = False
    sends: bool = False

    def acts(self) -> set[str]:
        """The rule's actions, by their names in `RuleHit`."""
        if self.only_boosts:
            return set()
        rule, about = self.rule, self.candidate.subject
        wanted = {
            READ: rule.marks_read,
            STAR: rule.stars,
            f"tag:{rule.tag_id}": rule.tag_id is not None,
            f"mute:{about.subscription_id}": rule.mutes,
            f"send:{rule.pk}": bool(rule.url) and self.sends,
        }
        return {act for act, is_wanted in wanted.items() if is_wanted}


def apply_to_arrivals(ids: Collection[int] | None = None, *, now: datetime) -> int:
    """Apply rules to these arrivals, or to the next `CHUNK`; returns how many. Safe to interrupt and repeat."""
    followed = Arrival.objects.filter(delivery__subscription__unfollowed_at=None)
    oldest = followed.order_by("pk").values_list("pk", flat=True)[:CHUNK]
    waiting = list(oldest) if ids is None else sorted(ids)
    for start in range(0, len(waiting), CHUNK):
        _apply_to(waiting[start : start + CHUNK], now)
    return len(waiting)


def _apply_to(ids: Sequence[int], now: datetime) -> None:
    users = Delivery.objects.filter(pk__in=ids).order_by().values("user")
    rules: dict[int, list[Rule]] = defaultdict(list)
    for rule in Rule.objects.filter(user__in=users, is_on=True).select_related("user", "tag"):
        rules[rule.user_id].append(rule)
    compiled = {pk: [(rule, compile_rule(rule.conditions)) for rule in own] for pk, own in rules.items()}
    matchers = [matcher for own in compiled.values() for _, matcher in own]
    matched: dict[int, list[Match]] = defaultdict(list)
    arrived = Delivery.objects.filter(pk__in=ids).order_by("published_at", "article_id")  # the order of webhooks
    for candidate in load_candidates(arrived, matchers):
        matched[candidate.user_id] += matches(compiled.get(candidate.user_id, ()), [candidate])
    for user_id, own in matched.items():
        if own:
            apply_matches(rules[user_id][0].user, own, now=now)
    Arrival.objects.filter(pk__in=ids).delete()


def load_candidates(deliveries: QuerySet[Delivery], matchers: Collection[Matcher]) -> Iterable[Candidate]:
    """The deliveries to match, with the beginning of the text and the feed's name if the matchers need them."""
    text = Substr("article__text", 1, MAX_TEXT if any(matcher.reads_text for matcher in matchers) else 0)
    columns = ("pk", "user_id", "article_id", "subscription_id", "folder_id")
    dates = ("published_at", "article__date_uncertain", "article__first_seen_at", "subscription__added_at")
    fields = ("article__title", "article__author", "article__categories", "article__language", "article__url")
    rows = list(deliveries.values_list(*columns, *dates, *fields, text))
    names: dict[int, str] = {}
    if any(matcher.reads_feed for matcher in matchers):
        feeds = Subscription.objects.filter(pk__in={row[3] for row in rows}).select_related("feed__source")
        names = {feed.pk: feed.shown_title for feed in feeds}
    for row in rows:
        pk, user, article, subscription, folder, published_at, is_uncertain, seen_at, added_at, *about = row
        title, author, categories, language, url, beginning = about
        article_subject = subject(
            title=title,
            text=beginning,
            author=author,
            categories=categories,
            language=language,
            feed=names.get(subscription, ""),
            url=url,
            subscription_id=subscription,
            folder_id=folder,
        )
        yield Candidate(pk, user, article, article_subject, _is_new(published_at, is_uncertain, seen_at, added_at))


def _is_new(published_at: datetime, is_uncertain: bool, seen_at: datetime, added_at: datetime) -> bool:
    """Whether an article appeared since its feed is followed, rather than being there already."""
    return published_at >= added_at and not (is_uncertain and seen_at < added_at + FIRST_POLL_WITHIN)


def matches(
    compiled: Sequence[tuple[Rule, Matcher]],
    candidates: Iterable[Candidate],
    *,
    only_boosts: bool = False,
    sends: bool | None = None,
) -> list[Match]:
    """Which rules match which deliveries. `sends`: whether they go to the rules' URLs; None: new articles do."""
    return [
        Match(rule, candidate, only_boosts, candidate.is_new if sends is None else sends)
        for candidate in candidates
        for rule, matcher in compiled
        if matcher.matches(candidate.subject)
    ]


def apply_matches(user: User, found: Collection[Match], *, now: datetime) -> int:
    """Apply the actions of a user's matching rules and count the hits; returns how many are new."""
    articles = sorted({match.candidate.article_id for match in found})
    with transaction.atomic():
        lock_deliveries(Delivery.objects.filter(user=user, article__in=articles))
        hits = RuleHit.objects.filter(user=user, article__in=articles)
        known = {(hit.rule_id, hit.article_id): hit for hit in hits}
        done: dict[int, set[str]] = defaultdict(set)
        for hit in known.values():
            done[hit.article_id].update(hit.acts)
        wanted: dict[str, dict[int, Rule]] = defaultdict(dict)  # by action and article
        for match in found:
            for act in match.acts() - done[match.candidate.article_id]:
                wanted[act].setdefault(match.candidate.article_id, match.rule)
        n_new = _count(user, found, known, now)
        changes = _do(user, wanted, articles, now)
        met: dict[Rule, set[int]] = defaultdict(set)
        for match in found:
            met[match.rule].add(match.candidate.article_id)
        add_boosts(user, met)
    fold_now(changes, user=user)
    return n_new


def _count(user: User, found: Collection[Match], known: Mapping[tuple[int | None, int], RuleHit], now: datetime) -> int:
    """Save all hits with their actions; returns how many are new."""
    new: dict[tuple[int, int], RuleHit] = {}
    changed: dict[int, RuleHit] = {}
    for match in found:
        key = match.rule.pk, match.candidate.article_id
        if (hit := known.get(key)) is None:
            hit = new.setdefault(key, RuleHit(user=user, rule=match.rule, article_id=key[1], acts=[]))
        elif not match.acts() <= set(hit.acts):
            changed[hit.pk] = hit
        hit.acts = sorted({*hit.acts, *match.acts()})
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
    valued = _valued(user, articles, acts)  # before the rules star or tag anything
    if reading := set(wanted.get(READ, ())) - _articles(acts.filter(kind=EngagementKind.UNREAD, undone_by=None)):
        mark_read(user, reading)
    if starring := set(wanted.get(STAR, ())) - _articles(
        acts.filter(kind=EngagementKind.STARRED, undone_by__isnull=False)
    ):
        star_all(user, sorted(starring), now=now)
    tags = Tag.objects.filter(user=user).in_bulk([_number(act) for act in wanted if act.startswith("tag:")])
    for pk, tag in tags.items():
        tag_articles(tag, sorted(wanted[f"tag:{pk}"]), now=now)
    for act, by in wanted.items():
        if act.startswith("send:"):
            webhooks.queue(_number(act), by, now=now)
    muting = {_number(act): by for act, by in wanted.items() if act.startswith("mute:")}
    return mute(user, muting, valued, now=now) if muting else []


def _valued(user: User, articles: Collection[int], acts: QuerySet[Engagement]) -> set[int]:
    """The articles that the user starred, tagged, liked or highlighted."""
    starred = ArticleState.objects.filter(user=user, article__in=articles, is_starred=True)
    tagged = TaggedArticle.objects.filter(user=user, article__in=articles)
    liked = acts.filter(kind=EngagementKind.LIKED, undone_by=None)
    highlighted = Highlight.objects.filter(user=user, article__in=articles)
    return {
        *highlighted.values_list("article_id", flat=True),
        *starred.values_list("article_id", flat=True),
        *tagged.values_list("article_id", flat=True),
        *_articles(liked),
    }


def _articles(acts: QuerySet[Engagement]) -> set[int]:
    return set(acts.values_list("article_id", flat=True))


def _number(act: str) -> int:
    return int(act.partition(":")[2])
