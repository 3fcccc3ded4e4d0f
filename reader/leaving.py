"""Leaving feeds, and coming back to them as if nothing had been.

What one press leaves is kept for a week: the subscriptions, what stood in their lists and how, what was read and what
rules had taken out, and the rules about these feeds. Coming back restores exactly these rows; what the feeds brought
meanwhile follows as it does for everybody. Scores are worked out anew, within minutes. Starred articles never leave.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from feeds.merging import final_feed
from feeds.models import Article, Feed
from reader.folding import note_ids, settle
from reader.lifting import give_again, given
from reader.locking import lock
from reader.marking import recount
from reader.models import ArticleState, Delivery, Folder, Muted, Parting, Rule, RuleHit, Subscription, Tag
from reader.subscriptions import drop, states_lost

KEPT_FOR = timedelta(days=7)
MOST_KEPT = 20  # partings a person; the oldest go
_FLAGS = ("is_read", "is_folded", "is_folded_in_folder", "is_seen")
_CHUNK = 5000  # ids in one statement; SQLite may take no more than 32,766


def leave(
    user: User, subscription_ids: Collection[int], *, now: datetime, with_folders: bool = False
) -> Parting | None:
    """Unfollow these feeds of the user's, with a record to come back by; None if none of them is followed.

    `with_folders`: the folders go, too, in which nothing else stands and of which no rule is.
    """
    with transaction.atomic():
        lock(Delivery.objects.filter(user=user, subscription__in=subscription_ids))
        held = Subscription.objects.select_for_update(of=("self",)).filter(user=user, pk__in=subscription_ids)
        leaving = list(held.select_related("feed").order_by("pk"))
        if not leaving:
            return None
        ids = [each.pk for each in leaving]
        emptied = _emptied(user, ids) if with_folders else []
        record = _record(user, leaving, ids) | {"folders": _rows(emptied)}
        kept = zlib.compress(json.dumps(record, default=_written).encode())
        names = [each.shown_title for each in leaving]
        made = Parting.objects.create(user=user, made_at=now, names=names, kept=kept)
        changes = drop(user, ids)
        Folder.objects.filter(pk__in=[each.pk for each in emptied]).delete()
        _forget_old(user, now)
    settle(changes, user=user)
    return made


def lately_left(user: User, *, now: datetime) -> QuerySet[Parting]:
    """What can be come back to, the last first."""
    free = Parting.objects.filter(user=user, undone_at=None, made_at__gte=now - KEPT_FOR)
    return free.defer("kept").order_by("-pk")


def come_back(user: User, parting: Parting, *, now: datetime) -> list[str] | None:
    """Follow again what was left, with all that stood there; returns the names of the feeds.

    None if that was done already, or is too long ago. A feed that is followed again already gets back what stood in
    the list of the other time.
    """
    with transaction.atomic():
        free = Parting.objects.filter(pk=parting.pk, user=user, undone_at=None, made_at__gte=now - KEPT_FOR)
        if not free.update(undone_at=now):
            return None
        kept = json.loads(zlib.decompress(bytes(parting.kept)))
        subscriptions = _follow_again(user, kept["subscriptions"], _folders_again(user, kept.get("folders", ())))
        ids = _restore_lists(user, subscriptions, kept)
        _restore_rules(user, subscriptions, kept)
        recount({each.pk for each in subscriptions.values()})
        changes = note_ids(ids)
    settle(changes, user=user)
    return [each.shown_title for each in subscriptions.values()]


def _record(user: User, leaving: Sequence[Subscription], ids: Sequence[int]) -> dict[str, Any]:
    deliveries: dict[str, list[int]] = defaultdict(list)
    rows = Delivery.objects.filter(subscription__in=ids).order_by("article")
    for subscription, article, quiet, *flags in rows.values_list("subscription", "article", "quiet", *_FLAGS):
        deliveries[f"{subscription} {quiet} {''.join(str(int(flag)) for flag in flags)}"].append(article)
    states = dict(states_lost(user, ids).values_list("article", "is_read"))
    rules = Rule.objects.filter(user=user, subscription__in=ids)
    return {
        "subscriptions": _rows(leaving),
        "deliveries": deliveries,
        "read": [pk for pk, is_read in states.items() if is_read],
        "unread": [pk for pk, is_read in states.items() if not is_read],
        "muted": _rows(Muted.objects.filter(subscription__in=ids)),
        "rules": _rows(rules),
        "lifts": given(rules),
        "hits": list(RuleHit.objects.filter(rule__in=rules).values_list("pk", "rule")),
    }


def _emptied(user: User, ids: Collection[int]) -> list[Folder]:
    others = Subscription.objects.filter(user=user, folder=OuterRef("pk")).exclude(pk__in=ids)
    mine = Folder.objects.filter(~Exists(others), user=user, subscriptions__in=ids, rules=None)
    return list(mine.distinct().order_by("pk"))


def _rows(rows: Collection[Model] | QuerySet[Any]) -> Any:
    """As dictionaries; moments in full, of which Django's own JSON keeps milliseconds."""
    return serializers.serialize("python", rows)


def _written(value: date) -> str:
    return value.isoformat()


def _inserted(rows: Sequence[Any], made_at: str) -> None:
    """Insert rows that are not there, with the moment that they were made first."""
    moments = [getattr(each, made_at) for each in rows]
    if not rows:
        return
    model = type(rows[0])
    model.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    for each, moment in zip(rows, moments, strict=True):
        setattr(each, made_at, moment)
    model.objects.bulk_update(rows, [made_at], batch_size=500)


def _made(rows: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """The rows as they were, not saved."""
    return (each.object for each in serializers.deserialize("python", rows))


def _folders_again(user: User, rows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """The user's folders by the numbers they have or had: those that went with their feeds are there again."""
    places = {pk: pk for pk in Folder.objects.filter(user=user).values_list("pk", flat=True)}
    for folder in _made(rows):
        like = {"language": folder.language, "item_limit_per_category": folder.item_limit_per_category}
        places[folder.pk] = Folder.objects.get_or_create(user=user, name=folder.name, defaults=like)[0].pk
    return places


def _follow_again(user: User, rows: Sequence[Mapping[str, Any]], folders: Mapping[int, int]) -> dict[int, Subscription]:
    """The subscriptions by the numbers they had; `folders` as they are numbered now, one that is gone is none."""
    feeds = Feed.objects.select_related("merged_into").in_bulk([row["fields"]["feed"] for row in rows])
    known = {each.feed_id: each for each in Subscription.objects.filter(user=user).select_related("feed")}
    found: dict[int, Subscription] = {}
    new: list[Subscription] = []
    for subscription in _made([row for row in rows if row["fields"]["feed"] in feeds]):
        feed = final_feed(feeds[subscription.feed_id])
        if feed.pk not in known:
            if feed.pk != subscription.feed_id:
                subscription.delivered_item_id = 0
            subscription.feed = feed
            subscription.folder_id = folders.get(subscription.folder_id)
            new.append(subscription)
            known[feed.pk] = subscription
        found[subscription.pk] = known[feed.pk]
    _inserted(new, "added_at")
    return found


def _restore_lists(user: User, subscriptions: Mapping[int, Subscription], kept: Mapping[str, Any]) -> set[int]:
    """The states and deliveries of articles that are still there; returns their ids."""
    by_place = {tuple(key.split()): ids for key, ids in kept["deliveries"].items()}
    dates: dict[int, tuple[datetime, bool]] = {}
    for ids in _chunks(sorted({pk for each in by_place.values() for pk in each})):
        rows = Article.objects.filter(pk__in=ids).values_list("pk", "published_at", "date_uncertain")
        dates |= {pk: (published_at, is_uncertain) for pk, published_at, is_uncertain in rows}
    for name in ("read", "unread"):
        states = [ArticleState(user=user, article_id=pk, is_read=name == "read") for pk in kept[name] if pk in dates]
        ArticleState.objects.bulk_create(states, ignore_conflicts=True, batch_size=_CHUNK)
    is_read = _now_read(user, dates)
    deliveries = []
    for (number, quiet, flags), ids in by_place.items():
        if (subscription := subscriptions.get(int(number))) is None:
            continue
        values = {name: flag == "1" for name, flag in zip(_FLAGS, flags, strict=True)}
        for pk in ids:
            if pk in dates:
                deliveries.append(
                    Delivery(
                        user=user,
                        folder_id=subscription.folder_id,
                        subscription=subscription,
                        article_id=pk,
                        published_at=dates[pk][0],
                        date_uncertain=dates[pk][1],
                        quiet=int(quiet),
                        **values | {"is_read": is_read.get(pk, values["is_read"])},
                    )
                )
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True, batch_size=1000)
    return set(dates)


def _now_read(user: User, ids: Collection[int]) -> dict[int, bool]:
    """What the person may have done with these articles meanwhile, where other feeds brought them, holds."""
    found: dict[int, bool] = {}
    for some in _chunks(sorted(ids)):
        found |= dict(ArticleState.objects.filter(user=user, article__in=some).values_list("article", "is_read"))
    return found


def _restore_rules(user: User, subscriptions: Mapping[int, Subscription], kept: Mapping[str, Any]) -> None:
    tags = set(Tag.objects.filter(user=user).values_list("pk", flat=True))
    rules = []
    for rule in _made(kept["rules"]):
        if rule.subscription_id in subscriptions:
            rule.subscription = subscriptions[rule.subscription_id]
            rule.tag_id = rule.tag_id if rule.tag_id in tags else None
            rules.append(rule)
    _inserted(rules, "created_at")
    give_again(user, kept["lifts"])
    hits: dict[int, list[int]] = defaultdict(list)
    for hit, rule_id in kept["hits"]:
        hits[rule_id].append(hit)
    for rule_id, ids in hits.items():
        for some in _chunks(ids):
            RuleHit.objects.filter(pk__in=some, rule=None, user=user).update(rule=rule_id)
    known = set(Rule.objects.filter(user=user).values_list("pk", flat=True))
    muted = [each for each in _made(kept["muted"]) if each.subscription_id in subscriptions]
    there = set(Article.objects.filter(pk__in=[each.article_id for each in muted]).values_list("pk", flat=True))
    for each in muted:
        each.subscription = subscriptions[each.subscription_id]
        each.rule_id = each.rule_id if each.rule_id in known else None
    Muted.objects.bulk_create([each for each in muted if each.article_id in there], ignore_conflicts=True)


def _forget_old(user: User, now: datetime) -> None:
    mine = Parting.objects.filter(user=user)
    kept = list(mine.order_by("-pk").values_list("pk", flat=True)[:MOST_KEPT])
    mine.filter(~Q(pk__in=kept) | Q(made_at__lt=now - KEPT_FOR)).delete()


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
