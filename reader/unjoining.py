"""Taking back that two feeds were made one (`reader.joining`): both are as they were, but for what was done since.

The subscription that was left is followed again, and its list comes back as that of any feed that was left
(`reader.returning`). Here is the rest: what the one that stayed had taken over, if it still has it; rules and what they
took out; and what was read, starred and tagged in the place of another article, unless the person did something with it
since.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from reader.marking import mark_unread_again, star
from reader.models import (
    ArticleState,
    Engagement,
    Folder,
    Muted,
    Parting,
    Rule,
    Subscription,
    Tag,
    TaggedArticle,
)
from reader.subscriptions import move


def take_apart(parting: Parting, left: Subscription) -> None:
    """What joining changed besides the lists, in the transaction that follows `left` again."""
    changed: Mapping[str, Any] = parting.joined
    keep = Subscription.everything.filter(pk=changed["keep"], user=parting.user_id).first()
    if keep is not None:
        Rule.everything.filter(pk__in=changed["rules"], subscription=keep).update(subscription=left)
        Muted.everything.filter(pk__in=changed["muted"], subscription=keep).update(subscription=left)
        _give_up(keep, changed["taken"], changed["before"])
    _unread(parting.user, changed["read"], since=parting.made_at)
    _stars(parting.user, changed["stars"])
    _tags(parting.user, changed["tags"])


def move_back(parting: Parting) -> None:
    """The folder that the one that stayed had taken over, after that transaction: its list moves along."""
    taken, before = (parting.joined[name].get("folder") for name in ("taken", "before"))
    keep = Subscription.objects.filter(pk=parting.joined["keep"], user=parting.user_id, folder=taken).first()
    if taken is not None and keep is not None:
        move(parting.user, [keep.pk], Folder.objects.filter(pk=before, user=parting.user_id).first())


def _give_up(keep: Subscription, taken: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    names = [name for name in taken if name != "folder" and getattr(keep, name) == taken[name]]
    for name in names:
        setattr(keep, name, before[name])
    keep.save(update_fields=names)


def _unread(user: User, article_ids: Sequence[int], *, since: datetime) -> None:
    acts = Engagement.objects.filter(user=user, article__in=article_ids, happened_at__gte=since)
    touched = set(acts.values_list("article", flat=True))
    mark_unread_again(user, [pk for pk in article_ids if pk not in touched])


def _stars(user: User, changed: Sequence[Any]) -> None:
    """A star that went over comes back, unless it was taken away since."""
    for article, moment, other, is_new in changed:
        starred_at = datetime.fromisoformat(moment)
        got = ArticleState.objects.filter(user=user, article=other, is_starred=True, starred_at=starred_at)
        if is_new and not got.update(is_starred=False, starred_at=None):
            continue
        star(user, article, is_starred=True, now=starred_at)


def _tags(user: User, changed: Sequence[Any]) -> None:
    """The same of tags; one that is gone is gone."""
    tags = set(Tag.objects.filter(user=user).values_list("pk", flat=True))
    for tag, article, published_at, tagged_at, other, is_new in changed:
        got = TaggedArticle.objects.filter(user=user, tag=tag, article=other)
        if tag not in tags or (is_new and not got.delete()[0]):
            continue
        TaggedArticle.objects.get_or_create(
            user=user,
            tag_id=tag,
            article_id=article,
            defaults={
                "published_at": datetime.fromisoformat(published_at),
                "tagged_at": datetime.fromisoformat(tagged_at),
            },
        )
