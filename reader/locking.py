"""Deliveries locked in one order, so that two who change them wait in line and never for each other."""

from django.db.models import QuerySet

from reader.models import Delivery


def lock(deliveries: QuerySet[Delivery]) -> set[int]:
    """Lock `deliveries` until the transaction ends, in the order of ids; returns the subscriptions they belong to."""
    return set(deliveries.select_for_update().order_by("pk").values_list("subscription_id", flat=True))
