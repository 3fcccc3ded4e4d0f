"""The one way to create folders."""

from collections.abc import Collection

from django.contrib.auth.models import User

from reader.limits import FOLDERS
from reader.models import Folder

MAX_CHARACTERS = 200


def folders_named(user: User, names: Collection[str]) -> dict[str, Folder]:
    """The user's folders with these names, created if missing. Raises LimitReached."""
    mine = Folder.objects.filter(user=user)
    known = {folder.name: folder for folder in mine.filter(name__in=names)}
    missing = sorted(set(names) - known.keys())
    if not missing:
        return known
    FOLDERS.check(mine, len(missing))
    Folder.objects.bulk_create([Folder(user=user, name=name) for name in missing], ignore_conflicts=True)
    return {folder.name: folder for folder in mine.filter(name__in=names)}


def folder_named(user: User, name: str) -> Folder | None:
    """The user's folder of that name, created if it's missing; None for an empty name. Raises LimitReached."""
    name = name[:MAX_CHARACTERS]
    return folders_named(user, {name})[name] if name.strip() else None
