"""When deliveries came into a user's lists: a number that reading apps page and sync by.

Theory. Google Reader's apps remember the newest article that they have, or when they asked, and next ask for what came
later (`ot`). They count in whole seconds, and what they miss once they never get. So `Delivery.arrival` is a time in
microseconds since 1970 that rises with every delivery to the user, whatever an article's own date:

- Within a transaction, deliveries count up from a half second, in the order in which their feeds' items were stored;
  the next transaction starts in a later second than any before. Fluent Reader rounds the newest arrival that it has to
  seconds, and so asks for exactly what came after it. Apps that cut it off get those of that second again, and know
  them.
- Transactions that deliver to the same user wait for each other, so that no number appears after a higher one.
- If a user gets several transactions within a second, their numbers run ahead of the clock, by a second each.

A delivery that was folded from the beginning, was quiet, muted or unfollowed arrives when lists show it (again).
Deliveries made before arrivals were recorded have 0, if they were older than `reader.migrations.0002_arrival` dates.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from reader.models import Delivery

SECOND = 10**6  # microseconds
ARRIVING = -1  # until the end of the transaction
_FIRST = SECOND // 2  # within a second
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_RENUMBER = """
UPDATE reader_delivery SET arrival = %s + numbered.number
FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY arrival, id) AS number FROM ({rows}) AS rows_) AS numbered
WHERE numbered.id = reader_delivery.id
"""


def arrival_at(moment: datetime) -> int:
    """The number of a delivery at this moment."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(arrival: int) -> datetime:
    """When a delivery of this number arrived."""
    return _EPOCH + timedelta(microseconds=arrival)


def last_arrival(user_ids: Collection[int]) -> int:
    """The number to count up from for what is delivered to these users now.

    No other transaction delivers to them before this one ends. Call it last of what waits for locks: deliveries, then
    subscriptions, then users.
    """
    users = User.objects.filter(pk__in=user_ids).order_by("pk")
    list(users.select_for_update(no_key=True).values_list("pk"))
    newest = Delivery.everything.filter(user=OuterRef("pk")).order_by("-arrival").values("arrival")[:1]
    last = max((at or 0 for at in users.values_list(Subquery(newest), flat=True)), default=0)
    return max(int(timezone.now().timestamp()), last // SECOND + 1) * SECOND + _FIRST


def arrive(deliveries: QuerySet[Delivery]) -> None:
    """Let these deliveries arrive now, in their order until now. In a transaction that has locked them."""
    users = set(deliveries.order_by().values_list("user", flat=True).distinct())
    if not users:
        return
    rows, parameters = deliveries.order_by().values("id", "arrival").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_RENUMBER.format(rows=rows), [last_arrival(users), *parameters])
