"""How each list is shown: density, pictures, unread only, and order. What a user never changed follows the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from reader.models import Density, ListOrder, Preferences

MAX_LISTS = 2000  # that differ from the settings
LISTS = ("home", "for_you", "important", "starred", "muted", "search")
NUMBERED = ("folder", "feed", "tag", "saved_search")
_OF_FEEDS = (ListOrder.UNREAD, ListOrder.NEWEST, ListOrder.OLDEST, ListOrder.IMPORTANT)
_ORDERS = {
    "home": _OF_FEEDS,
    "folder": _OF_FEEDS,
    "feed": _OF_FEEDS,
    "starred": (ListOrder.STARRED, ListOrder.NEWEST, ListOrder.OLDEST),
    "tag": (ListOrder.NEWEST, ListOrder.OLDEST),
}


@dataclass(frozen=True, slots=True)
class ListView:
    """`name` is that of the list's URL, with its number if it has one: "home", "folder.3"."""

    name: str
    density: str
    has_pictures: bool
    only_unread: bool = False
    order: str = ListOrder.UNREAD

    def changes(self, usual: "ListView") -> dict[str, Any]:
        """What differs from the `usual` view, to be stored."""
        names = ("density", "has_pictures", "only_unread", "order")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(usual, name)}


def orders_of(name: str) -> tuple[ListOrder, ...]:
    """The orders that a list offers, the usual one first; none for lists with a single order, or with their own."""
    return _ORDERS.get(name.partition(".")[0], ())


def usual_view(preferences: Preferences, name: str = "") -> ListView:
    """The view of a list that was never changed."""
    order = next(iter(orders_of(name)), ListOrder.UNREAD)
    return ListView(name, preferences.density, preferences.has_pictures, order=order)


def view_of(preferences: Preferences, name: str) -> ListView:
    """The user's view of a list."""
    usual = usual_view(preferences, name)
    stored = preferences.list_views.get(name)
    return changed(usual, stored) if stored else usual


def changed(usual: ListView, values: Mapping[str, object]) -> ListView:
    """The view with these values; invalid ones are ignored."""
    density, order = values.get("density"), values.get("order")
    has_pictures, only_unread = values.get("has_pictures"), values.get("only_unread")
    return ListView(
        usual.name,
        density if isinstance(density, str) and density in Density.values else usual.density,
        has_pictures if isinstance(has_pictures, bool) else usual.has_pictures,
        only_unread if isinstance(only_unread, bool) else usual.only_unread,
        order if isinstance(order, str) and order in orders_of(usual.name) else usual.order,
    )


def save_view(user: User, view: ListView) -> None:
    """Store the user's view of a list, or that it is the usual one again."""
    with transaction.atomic():
        Preferences.objects.get_or_create(user=user)
        preferences = Preferences.objects.select_for_update().get(user=user)
        preferences.list_views.pop(view.name, None)
        changes = view.changes(usual_view(preferences, view.name))
        if changes and len(preferences.list_views) < MAX_LISTS:
            preferences.list_views[view.name] = changes
        preferences.save(update_fields=["list_views"])
