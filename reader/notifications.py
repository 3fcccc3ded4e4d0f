"""Tell subscribers when the condition of a feed changes: once each, whatever is repeated."""

from django.db import transaction
from django.db.models import F, Q

from feeds.models import Condition
from reader.models import Notification, Subscription

_SENTENCES = {
    Condition.WELL: "{feed} is well again.",
    Condition.SLOW: "{feed} is slow: {reason}. It is still polled, less often.",
    Condition.UNHEALTHY: "{feed} needs attention: {reason}. We go on trying.",
    Condition.SILENT: "{feed} has been silent: {reason}",
    Condition.DEAD: "{feed} is no more: {reason}. Its articles stay; it is not polled any longer.",
}


def announce() -> int:
    """Write a notification for every subscriber who has not heard of a feed's present condition; returns how many.

    That a feed is well is news only to those who were told that it was not.
    """
    changed = Subscription.objects.select_related("feed").filter(
        Q(announced_at=None) | Q(announced_at__lt=F("feed__condition_changed_at")),
        feed__condition_changed_at__isnull=False,
    )
    with transaction.atomic():
        subscriptions = list(changed)
        told = [each for each in subscriptions if each.announced_at or each.feed.condition != Condition.WELL]
        Notification.objects.bulk_create([_notification(each) for each in told], ignore_conflicts=True)
        for each in subscriptions:
            each.announced_at = each.feed.condition_changed_at
        Subscription.objects.bulk_update(subscriptions, ["announced_at"], batch_size=500)
    return len(told)


def _notification(subscription: Subscription) -> Notification:
    feed = subscription.feed
    text = _SENTENCES[Condition(feed.condition)].format(feed=subscription.shown_title, reason=feed.condition_reason)
    return Notification(
        user_id=subscription.user_id,
        feed=feed,
        kind=feed.condition,
        text=text[:700],
        happened_at=feed.condition_changed_at or feed.added_at,
    )
