"""Two feeds of a person that are one publication: one is kept, the other is left, and nothing is lost or doubled.

What only the other brought moves to the one that is kept, read or unread as it was. What both brought as one article
stands there already. What both brought as two articles (one guid, two addresses) becomes the article of the one that is
kept: read, starred and tagged as either was. Rules about the other are about the one that is kept from then on. Its own
name, its folder and its category are taken over where the one that is kept has none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article, Item
from reader.folding import note, note_ids, settle
from reader.locking import lock
from reader.marking import mark_read, recount, star
from reader.models import ArticleState, Delivery, Muted, Rule, Subscription, TaggedArticle
from reader.subscriptions import move

_CHUNK = 5000  # ids in one statement; SQLite may take no more than 32,766


@dataclass(frozen=True, slots=True)
class Plan:
    """What joining would do: `n_both` articles are in both lists, `n_moving` come over, `n_stars` and `n_tagged` of the
    feed that is left are kept; `takes` names what is taken over besides."""

    n_both: int
    n_moving: int
    n_stars: int
    n_tagged: int
    n_rules: int
    takes: tuple[str, ...]


def plan(keep: Subscription, leave: Subscription) -> Plan:
    """What `join` would do now; six queries."""
    same = _same_entries(keep, leave)
    leaving = Delivery.objects.filter(subscription=leave)
    there = Delivery.objects.filter(subscription=keep)
    n_both = leaving.filter(article__in=there.values("article")).count() + len(same)
    ids = leaving.values("article")
    return Plan(
        n_both=n_both,
        n_moving=leaving.count() - n_both,
        n_stars=ArticleState.objects.filter(user=keep.user_id, is_starred=True, article__in=ids).count(),
        n_tagged=TaggedArticle.objects.filter(user=keep.user_id, article__in=ids).values("article").distinct().count(),
        n_rules=Rule.objects.filter(subscription=leave).count(),
        takes=tuple(_taken_over(keep, leave)),
    )


def join(keep: Subscription, leave: Subscription) -> None:
    """Leave one feed for the other, of one person, with all that stood in its list."""
    user = keep.user
    with transaction.atomic():
        changes = note(Article.objects.filter(deliveries__subscription=leave))
        lock(Delivery.objects.filter(subscription__in=(keep.pk, leave.pk)))
        same = _same_entries(keep, leave)
        _hand_over(user, same)
        leaving = Delivery.objects.filter(subscription=leave)
        there = Delivery.objects.filter(subscription=keep).values("article")
        leaving.filter(article__in=list(same)).delete()
        leaving.filter(article__in=there).delete()
        leaving.update(subscription=keep, folder=keep.folder_id)
        Muted.objects.filter(subscription=leave).exclude(
            article__in=Muted.objects.filter(subscription=keep).values("article")
        ).update(subscription=keep)
        Rule.objects.filter(subscription=leave).update(subscription=keep)
        taken = _taken_over(keep, leave)
        Subscription.objects.filter(pk=leave.pk).delete()
        folder = keep.folder or leave.folder
        taken.pop("folder", None)
        for name, value in taken.items():
            setattr(keep, name, value)
        keep.save(update_fields=list(taken))
        recount({keep.pk})
        changes += note_ids(same.values())
    settle(changes, user=user)
    move(user, [keep.pk], folder)


def _taken_over(keep: Subscription, leave: Subscription) -> dict[str, object]:
    """By field, what the one that is left has and the one that is kept has not."""
    names = ("title", "folder", "category", "fetches_full_text")
    return {name: getattr(leave, name) for name in names if getattr(leave, name) and not getattr(keep, name)}


def _same_entries(keep: Subscription, leave: Subscription) -> dict[int, int]:
    """The articles of `leave` that `keep` brought under the same guid as another article, with that one."""
    ours = Item.objects.filter(feed=keep.feed_id)
    both = Item.objects.filter(feed=leave.feed_id, guid__in=ours.values("guid"))
    theirs = dict(both.filter(article__deliveries__subscription=leave).values_list("guid", "article"))
    found: dict[int, int] = {}
    for guids in _chunks(sorted(theirs)):
        known = ours.filter(guid__in=guids, article__deliveries__subscription=keep)
        for guid, article in known.values_list("guid", "article"):
            if article != theirs[guid]:
                found[theirs[guid]] = article
    brought = set(Delivery.objects.filter(subscription=keep, article__in=found).values_list("article", flat=True))
    return {theirs: article for theirs, article in found.items() if theirs not in brought}


def _hand_over(user: User, same: Mapping[int, int]) -> None:
    """What the person did with one article becomes what they did with the other."""
    for ids in _chunks(sorted(same)):
        states = ArticleState.objects.filter(user=user, article__in=ids)
        mark_read(user, [same[pk] for pk in states.filter(is_read=True).values_list("article", flat=True)])
        starred = states.filter(is_starred=True)
        kept = ArticleState.objects.filter(user=user, article__in=[same[pk] for pk in ids], is_starred=True)
        has_star = set(kept.values_list("article", flat=True))
        for article, starred_at in list(starred.values_list("article", "starred_at")):
            if same[article] not in has_star and starred_at is not None:
                star(user, same[article], is_starred=True, now=starred_at)
        starred.update(is_starred=False, starred_at=None)
        tagged = TaggedArticle.objects.filter(user=user, article__in=ids)
        for each in tagged:
            TaggedArticle.objects.get_or_create(
                user=user,
                tag_id=each.tag_id,
                article_id=same[each.article_id],
                defaults={"published_at": each.published_at, "tagged_at": each.tagged_at},
            )
        tagged.delete()


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]
