"""The order of feeds and folders by hand."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from reader.models import Folder, Subscription

MAX_PLACED = 1000  # feeds or folders in one order


def place_feeds(user: User, ids: Sequence[int]) -> None:
    """Give the user's feeds these places, from 1; ids of others are left out."""
    _place(Subscription.objects.filter(user=user), ids[:MAX_PLACED])


def place_folders(user: User, ids: Sequence[int]) -> None:
    """Give the user's folders these places, from 1; ids of others are left out."""
    _place(Folder.objects.filter(user=user), ids[:MAX_PLACED])


def _place(mine: QuerySet[Any], ids: Sequence[int]) -> None:
    with transaction.atomic():
        found = mine.in_bulk(ids)
        rows = [found[pk] for pk in dict.fromkeys(ids) if pk in found]
        for place, row in enumerate(rows, 1):
            row.position = place
        mine.bulk_update(rows, ["position"], batch_size=200)
