"""A user's folders: list, rename, merge, delete. Their feeds stay."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reader.errors import FolderExists, FolderRefused
from reader.models import Folder, Rule, Subscription
from reader.scoring.rule_boosts import remove_boosts_of
from reader.subscriptions.follow import move
from reader.subscriptions.make_folders import MAX_CHARACTERS


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """A folder with its numbers of feeds and rules."""

    folder: Folder
    n_feeds: int
    n_rules: int


def folders_of(user: User) -> list[FolderSummary]:
    """All folders of the user by name; two queries."""
    rules = dict(Rule.objects.filter(user=user).order_by().values_list("folder").annotate(Count("pk")))
    folders = Folder.objects.filter(user=user).annotate(n_feeds=Count("subscriptions"))
    return [FolderSummary(folder, folder.n_feeds, rules.get(folder.pk, 0)) for folder in folders]


def rename_folder(folder: Folder, name: str, *, joins: bool = False) -> Folder:
    """Rename a folder; with `joins`, merge it into an existing folder of that name. Returns the resulting folder.

    Raises FolderRefused, or FolderExists without `joins`.
    """
    new_name = " ".join(name.replace("\0", "").split())
    if not new_name:
        raise FolderRefused(_("Enter a name."))
    if len(new_name) > MAX_CHARACTERS:
        text = ngettext(
            "A folder's name can have up to %(n)s character.",
            "A folder's name can have up to %(n)s characters.",
            MAX_CHARACTERS,
        )
        raise FolderRefused(text % {"n": MAX_CHARACTERS})
    other = Folder.objects.filter(user=folder.user_id, name=new_name).exclude(pk=folder.pk).first()
    if other is not None:
        if not joins:
            raise FolderExists(_("You have another folder called “%(name)s”.") % {"name": new_name})
        return _join(folder, other)
    folder.name = new_name
    try:
        with transaction.atomic():
            folder.save(update_fields=["name"])
    except IntegrityError as error:  # created at the same time
        raise FolderExists(_("You have another folder called “%(name)s”.") % {"name": new_name}) from error
    return folder


def delete_folder(folder: Folder) -> int:
    """Delete a folder and its rules; returns how many feeds it had. They stay, in no folder."""
    feeds = list(Subscription.objects.filter(folder=folder).values_list("pk", flat=True))
    remove_boosts_of(Rule.objects.filter(folder=folder))
    move(folder.user, feeds, None)
    folder.delete()
    return len(feeds)


def _join(folder: Folder, other: Folder) -> Folder:
    move(folder.user, list(folder.subscriptions.values_list("pk", flat=True)), other)
    Rule.objects.filter(folder=folder).update(folder=other)
    folder.delete()
    return other
