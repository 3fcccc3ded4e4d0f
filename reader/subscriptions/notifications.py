"""Notify subscribers when the condition of a feed changes."""

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from feeds.models import Condition
from feeds.polling.schedule import LONG_SILENCE
from reader.models import Notification, Subscription
from reader.preferences.store import languages_of

_SENTENCES = {
    Condition.WELL: _("%(feed)s is working again."),
    Condition.UNHEALTHY: _("%(feed)s needs attention: %(reason)s. We keep trying."),
    Condition.SILENT: _("%(feed)s has been quiet: %(reason)s"),
    Condition.DEAD: _("%(feed)s is gone: %(reason)s. Its articles stay, and we stopped polling it."),
}


def notify_subscribers() -> int:
    """Create notifications for changed conditions; returns how many. Safe to repeat.

    A working feed is news only after a problem was reported, and silence only if it began while the user followed the
    feed: a list to import has many feeds that publish rarely. Users who turned notifications for a feed off don't get
    them later either.
    """
    changed = Subscription.objects.select_related("feed").filter(
        Q(announced_at=None) | Q(announced_at__lt=F("feed__condition_changed_at")),
        feed__condition_changed_at__isnull=False,
    )
    with transaction.atomic():
        subscriptions = [row for row in changed if not _was_silent_before(row)]
        wanted = [subscription for subscription in subscriptions if subscription.tells_of_trouble]
        affected = [row for row in wanted if row.announced_at or row.feed.condition != Condition.WELL]
        languages = languages_of({row.user_id for row in affected})
        news = [_notification(row, languages[row.user_id]) for row in affected]
        Notification.objects.bulk_create(news, ignore_conflicts=True)
        for subscription in subscriptions:
            subscription.announced_at = subscription.feed.condition_changed_at
        Subscription.objects.bulk_update(subscriptions, ["announced_at"], batch_size=500)
    return len(affected)


def _was_silent_before(subscription: Subscription) -> bool:
    """Whether the feed is silent, and already was when the user followed it."""
    last = subscription.feed.last_published_at
    if subscription.feed.condition != Condition.SILENT or last is None:
        return False
    return subscription.added_at - last >= LONG_SILENCE


def _notification(subscription: Subscription, language: str) -> Notification:
    feed = subscription.feed
    with override(language):
        values = {"feed": subscription.shown_title, "reason": feed.condition_reason}
        text = _SENTENCES[Condition(feed.condition)] % values
    return Notification(
        user_id=subscription.user_id,
        feed=feed,
        kind=feed.condition,
        text=text[:700],
        happened_at=feed.condition_changed_at or feed.added_at,
    )
