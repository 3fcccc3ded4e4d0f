"""A person's folders: their names, what each holds, one made of two, and away with them. Feeds stay in any case."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reader.errors import FolderExists, FolderRefused
from reader.lifting import forget
from reader.models import Folder, Rule, Subscription
from reader.subscriptions import move

MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Filed:
    """A folder with how many feeds it holds and how many rules are about it."""

    folder: Folder
    n_feeds: int
    n_rules: int


def folders_of(user: User) -> list[Filed]:
    """All folders of the user by name; two queries."""
    rules = dict(Rule.objects.filter(user=user).order_by().values_list("folder").annotate(Count("pk")))
    folders = Folder.objects.filter(user=user).annotate(n_feeds=Count("subscriptions"))
    return [Filed(each, each.n_feeds, rules.get(each.pk, 0)) for each in folders]


def rename_folder(folder: Folder, name: str, *, joins: bool = False) -> Folder:
    """Give a folder another name; returns what it is now: with `joins`, the folder that has the name already.

    Raises FolderRefused, or FolderExists without `joins`.
    """
    wanted = " ".join(name.replace("\0", "").split())
    if not wanted:
        raise FolderRefused(_("A folder needs a name."))
    if len(wanted) > MOST_CHARACTERS:
        told = ngettext(
            "A folder's name has at most %(n)s character.",
            "A folder's name has at most %(n)s characters.",
            MOST_CHARACTERS,
        )
        raise FolderRefused(told % {"n": MOST_CHARACTERS})
    other = Folder.objects.filter(user=folder.user_id, name=wanted).exclude(pk=folder.pk).first()
    if other is not None:
        if not joins:
            raise FolderExists(_("You have another folder called “%(name)s”.") % {"name": wanted})
        return _join(folder, other)
    folder.name = wanted
    try:
        with transaction.atomic():
            folder.save(update_fields=["name"])
    except IntegrityError as error:  # it was made just now, in another window
        raise FolderExists(_("You have another folder called “%(name)s”.") % {"name": wanted}) from error
    return folder


def delete_folder(folder: Folder) -> int:
    """Delete a folder and the rules about it; its feeds stay, in none. Returns how many feeds."""
    held = list(Subscription.objects.filter(folder=folder).values_list("pk", flat=True))
    forget(Rule.objects.filter(folder=folder))
    move(folder.user, held, None)
    folder.delete()
    return len(held)


def _join(folder: Folder, other: Folder) -> Folder:
    move(folder.user, list(folder.subscriptions.values_list("pk", flat=True)), other)
    Rule.objects.filter(folder=folder).update(folder=other)
    folder.delete()
    return other
