"""Folders that go with the last of their feeds, and come back with them."""

from django.db.models import Exists, OuterRef

from reader.models import Delivery, Folder, Parting, Subscription


def take_folders(parting: Parting) -> None:
    """Delete the folders that leaving these feeds emptied, unless a rule is about them. In a transaction."""
    left = Subscription.everything.filter(parting=parting, folder=OuterRef("pk"))
    others = Subscription.objects.filter(folder=OuterRef("pk"))
    emptied = Folder.objects.filter(Exists(left), ~Exists(others), user=parting.user_id, rules=None)
    for folder in emptied:
        held = Subscription.everything.filter(parting=parting, folder=folder)
        kept = {
            "name": folder.name,
            "language": folder.language,
            "item_limit_per_category": folder.item_limit_per_category,
            "subscriptions": list(held.values_list("pk", flat=True)),
        }
        parting.folders.append(kept)
        folder.delete()
    parting.save(update_fields=["folders"])


def bring_folders(parting: Parting) -> None:
    """The feeds of this parting stand in their folders again; one made anew meanwhile is used. In a transaction."""
    for kept in parting.folders:
        like = {name: kept[name] for name in ("language", "item_limit_per_category")}
        folder, _ = Folder.objects.get_or_create(user_id=parting.user_id, name=kept["name"], defaults=like)
        held = Subscription.everything.filter(parting=parting, pk__in=kept["subscriptions"])
        Delivery.everything.filter(subscription__in=list(held.values_list("pk", flat=True))).update(folder=folder)
        held.update(folder=folder)
    parting.folders = []
    parting.save(update_fields=["folders"])
