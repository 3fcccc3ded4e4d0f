"""Two feeds of a person that are one publication: one is kept, the other is left, and nothing is lost or doubled.

What only the other brought moves to the one that is kept, read or unread as it was. What both brought as one article
stands there already. What both brought as two articles (one guid, two addresses) becomes the article of the one that is
kept: read, starred and tagged as either was. Rules about the other are about the one that is kept from then on. Its own
name, its folder and its category are taken over where the one that is kept has none.

All of that can be taken back (`reader.unjoining`) for as long as a feed that was left can be: the other subscription
waits as it was, its list in bundles, and what changed besides is noted on the parting.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article, Item
from reader.folding import note, note_ids, settle
from reader.locking import lock
from reader.marking import mark_read, recount, star
from reader.models import ArticleState, Delivery, Folder, Muted, Parting, Rule, Subscription, TaggedArticle
from reader.packing import BATCH, lists_of, put_by, remove
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


def join(keep: Subscription, leave: Subscription, *, now: datetime) -> Parting:
    """Leave one feed for the other, of one person, with all that stood in its list; returns the way back."""
    user = keep.user
    names = [leave.shown_title, keep.shown_title]
    folder = keep.folder or leave.folder
    with transaction.atomic():
        changes = note(Article.objects.filter(deliveries__subscription=leave))
        lock(Delivery.objects.filter(subscription__in=(keep.pk, leave.pk)))
        same = _same_entries(keep, leave)
        made = Parting.objects.create(user=user, kind=Parting.Kind.JOINED, made_at=now, names=names)
        made.joined = _take_over(keep, leave) | _hand_over(user, same)
        made.n_articles = made.n_moved = _move_list(made, keep, leave, same)
        made.save()
        Subscription.objects.filter(pk=leave.pk).update(parting=made, unread_count=0)
        recount({keep.pk})
        changes += note_ids(same.values())
    settle(changes, user=user)
    move(user, [keep.pk], folder)
    return made


def _take_over(keep: Subscription, leave: Subscription) -> dict[str, Any]:
    """Settings, rules and what these took out; but for the folder, with which the list moves. Returns what changed."""
    taken = _taken_over(keep, leave)
    rules = Rule.objects.filter(subscription=leave)
    changed = {
        "keep": keep.pk,
        "taken": _as_kept(taken),
        "before": _as_kept({name: getattr(keep, name) for name in taken}),
        "rules": list(rules.values_list("pk", flat=True)),
        "muted": _move_muted(keep, leave),
    }
    rules.update(subscription=keep)
    taken.pop("folder", None)
    for name, value in taken.items():
        setattr(keep, name, value)
    keep.save(update_fields=list(taken))
    return changed


def _move_list(made: Parting, keep: Subscription, leave: Subscription, same: Mapping[int, int]) -> int:
    """Into bundles all that stood there; and what only stood there into the list of the other. Returns how many."""
    leaving = Delivery.objects.filter(subscription=leave)
    there = Delivery.objects.filter(subscription=keep).values("article")
    both = set(leaving.filter(article__in=there).values_list("article", flat=True)) | same.keys()
    rows = dict(leaving.order_by("article").values_list("pk", "article"))
    for pks in _chunks(list(rows), BATCH):
        articles = [rows[pk] for pk in pks]
        moved = {"moved_to": keep.pk, "moved": [pk for pk in articles if pk not in both]}
        put_by(made, {"deliveries": lists_of(pks), "read": [], "unread": []} | moved, articles)
    for pks in _chunks([pk for pk, article in rows.items() if article in both]):
        remove(pks)
    leaving.update(subscription=keep, folder=keep.folder_id)
    return len(rows)


def _move_muted(keep: Subscription, leave: Subscription) -> list[int]:
    """What rules took out of the one stays out of the other; returns what moved."""
    known = Muted.objects.filter(subscription=keep).values("article")
    moving = list(Muted.objects.filter(subscription=leave).exclude(article__in=known).values_list("pk", flat=True))
    for pks in _chunks(moving):
        Muted.objects.filter(pk__in=pks).update(subscription=keep)
    return moving


def _as_kept(values: Mapping[str, object]) -> dict[str, object]:
    """Values of a subscription as they are noted: a folder by its number."""
    return {name: value.pk if isinstance(value, Folder) else value for name, value in values.items()}


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


def _hand_over(user: User, same: Mapping[int, int]) -> dict[str, list[Any]]:
    """What the person did with one article becomes what they did with the other. Returns what changed by that:

    articles that are read now; stars as `[article, starred at, the other, whether that got it now]`; tags as
    `[tag, article, published at, tagged at, the other, whether that got it now]`.
    """
    read: list[int] = []
    stars: list[Any] = []
    tags: list[Any] = []
    for ids in _chunks(sorted(same)):
        states = ArticleState.objects.filter(user=user, article__in=ids)
        ours = [same[pk] for pk in states.filter(is_read=True).values_list("article", flat=True)]
        unread = Delivery.objects.filter(user=user, article__in=ours, is_read=False)
        read += sorted(set(unread.values_list("article", flat=True)))
        mark_read(user, ours)
        stars += _hand_over_stars(user, same, ids)
        tags += _hand_over_tags(user, same, ids)
    return {"read": read, "stars": stars, "tags": tags}


def _hand_over_stars(user: User, same: Mapping[int, int], ids: Sequence[int]) -> list[Any]:
    starred = ArticleState.objects.filter(user=user, article__in=ids, is_starred=True)
    kept = ArticleState.objects.filter(user=user, article__in=[same[pk] for pk in ids], is_starred=True)
    has_star = set(kept.values_list("article", flat=True))
    changed = []
    for article, starred_at in list(starred.values_list("article", "starred_at")):
        if starred_at is not None:
            is_new = same[article] not in has_star
            changed.append([article, starred_at.isoformat(), same[article], is_new])
            if is_new:
                star(user, same[article], is_starred=True, now=starred_at)
    starred.update(is_starred=False, starred_at=None)
    return changed


def _hand_over_tags(user: User, same: Mapping[int, int], ids: Sequence[int]) -> list[Any]:
    tagged = TaggedArticle.objects.filter(user=user, article__in=ids)
    changed = []
    for each in tagged:
        dates = {"published_at": each.published_at, "tagged_at": each.tagged_at}
        other = same[each.article_id]
        _, is_new = TaggedArticle.objects.get_or_create(user=user, tag_id=each.tag_id, article_id=other, defaults=dates)
        moments = [moment.isoformat() for moment in dates.values()]
        changed.append([each.tag_id, each.article_id, *moments, other, is_new])
    tagged.delete()
    return changed


def _chunks(values: Sequence[Any], size: int = _CHUNK) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
