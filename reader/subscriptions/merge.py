"""Merges two of a user's feeds that are the same publication: one stays, and the other's subscription is deleted.

Articles that only the other feed delivered move to the remaining one, with their read state. If both delivered the same
entry as two articles (one guid, two URLs), the remaining feed's article stays, read, starred and tagged if either was.
Rules move. Title, folder, category and full text are copied where the remaining feed has none. Merging can't be undone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Item
from reader.articles.read_state import mark_read, star
from reader.models import ArticleState, Delivery, Highlight, Rule, Subscription, TaggedArticle, lock_deliveries
from reader.stories.collapse import fold_now, queue_fold_ids
from reader.subscriptions.follow import absorb, move

_CHUNK = 5000  # ids in one statement; SQLite allows 32,766


@dataclass(frozen=True, slots=True)
class Plan:
    """What merging would do: `n_both` articles are in both feeds, `n_moving` move; `n_stars` and `n_tagged` of the
    removed feed's articles are starred or tagged; `inherited` names the settings that move.
    """

    n_both: int
    n_moving: int
    n_stars: int
    n_tagged: int
    n_rules: int
    inherited: tuple[str, ...]


def plan(keep: Subscription, leave: Subscription) -> Plan:
    """What `merge` would do now; six queries."""
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
        inherited=tuple(_inherited_settings(keep, leave)),
    )


def merge(keep: Subscription, leave: Subscription) -> None:
    """Merge `leave` into `keep`, of the same user."""
    user, folder = keep.user, keep.folder or leave.folder
    with transaction.atomic():
        lock_deliveries(Delivery.objects.filter(subscription__in=(keep.pk, leave.pk)))
        same = _same_entries(keep, leave)
        changes = queue_fold_ids([*same, *same.values()])
        for ids in _chunks(sorted(same)):
            _move_states(user, same, ids)
            Delivery.objects.filter(subscription=leave, article__in=ids).delete()
        settings = _inherited_settings(keep, leave)
        settings.pop("folder", None)  # set below, with the deliveries
        if "title" in settings:
            settings["has_own_title"] = leave.has_own_title
        for name, value in settings.items():
            setattr(keep, name, value)
        keep.save(update_fields=list(settings))
        changes += absorb(keep, leave)
    fold_now(changes, user=user)
    move(user, [keep.pk], folder)


def _inherited_settings(keep: Subscription, leave: Subscription) -> dict[str, object]:
    """The settings that only `leave` has, by field."""
    names = ("title", "folder", "category", "fetches_full_text")
    return {name: getattr(leave, name) for name in names if getattr(leave, name) and not getattr(keep, name)}


def _same_entries(keep: Subscription, leave: Subscription) -> dict[int, int]:
    """Articles of `leave` that `keep` delivered as another article with the same guid, with that article."""
    ours = Item.objects.filter(feed=keep.feed_id)
    both = Item.objects.filter(feed=leave.feed_id, guid__in=ours.values("guid"))
    theirs = dict(both.filter(article__deliveries__subscription=leave).values_list("guid", "article"))
    found: dict[int, int] = {}
    for guids in _chunks(sorted(theirs)):
        known = ours.filter(guid__in=guids, article__deliveries__subscription=keep)
        for guid, article in known.values_list("guid", "article"):
            if article != theirs[guid]:
                found[theirs[guid]] = article
    delivered = set(Delivery.objects.filter(subscription=keep, article__in=found).values_list("article", flat=True))
    return {theirs: article for theirs, article in found.items() if theirs not in delivered}


def _move_states(user: User, same: Mapping[int, int], ids: Sequence[int]) -> None:
    """Move read states, stars, tags and highlights of these articles to the other articles of the same entries."""
    states = ArticleState.objects.filter(user=user, article__in=ids)
    mark_read(user, [same[pk] for pk in states.filter(is_read=True).values_list("article", flat=True)])
    starred = states.filter(is_starred=True)
    others = ArticleState.objects.filter(user=user, article__in=[same[pk] for pk in ids], is_starred=True)
    has_star = set(others.values_list("article", flat=True))
    for article, starred_at in list(starred.values_list("article", "starred_at")):
        if starred_at and same[article] not in has_star:
            star(user, same[article], is_starred=True, now=starred_at)
    starred.update(is_starred=False, starred_at=None)
    tagged = TaggedArticle.objects.filter(user=user, article__in=ids)
    for row in tagged:
        dates = {"published_at": row.published_at, "tagged_at": row.tagged_at}
        TaggedArticle.objects.get_or_create(
            user=user, tag_id=row.tag_id, article_id=same[row.article_id], defaults=dates
        )
    tagged.delete()
    highlights = Highlight.objects.filter(user=user)
    for article in {pk for pk in highlights.filter(article__in=ids).values_list("article", flat=True) if pk}:
        highlights.filter(article=article).update(article=same[article])


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]
