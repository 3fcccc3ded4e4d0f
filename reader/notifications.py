"""Tell subscribers when the condition of a feed changes: once each, whatever is repeated."""

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from feeds.models import Condition
from reader.models import Notification, Subscription
from reader.preferences import languages_of

_SENTENCES = {
    Condition.WELL: _("%(feed)s is well again."),
    Condition.SLOW: _("%(feed)s is slow: %(reason)s. It is still polled, less often."),
    Condition.UNHEALTHY: _("%(feed)s needs attention: %(reason)s. We go on trying."),
    Condition.SILENT: _("%(feed)s has been silent: %(reason)s"),
    Condition.DEAD: _("%(feed)s is no more: %(reason)s. Its articles stay; it is not polled any longer."),
}


def announce() -> int:
    """Write a notification for every subscriber who has not heard of a feed's present condition; returns how many.

    That a feed is well is news only to those who were told that it was not. Who does not want to be told of a feed is
    not, and not later either.
    """
    changed = Subscription.objects.select_related("feed").filter(
        Q(announced_at=None) | Q(announced_at__lt=F("feed__condition_changed_at")),
        feed__condition_changed_at__isnull=False,
    )
    with transaction.atomic():
        subscriptions = list(changed)
        wanted = [each for each in subscriptions if each.tells_of_trouble]
        told = [each for each in wanted if each.announced_at or each.feed.condition != Condition.WELL]
        languages = languages_of({each.user_id for each in told})
        news = [_notification(each, languages[each.user_id]) for each in told]
        Notification.objects.bulk_create(news, ignore_conflicts=True)
        for each in subscriptions:
            each.announced_at = each.feed.condition_changed_at
        Subscription.objects.bulk_update(subscriptions, ["announced_at"], batch_size=500)
    return len(told)


def _notification(subscription: Subscription, language: str) -> Notification:
    feed = subscription.feed
    with override(language):
        told = {"feed": subscription.shown_title, "reason": feed.condition_reason}
        text = _SENTENCES[Condition(feed.condition)] % told
    return Notification(
        user_id=subscription.user_id,
        feed=feed,
        kind=feed.condition,
        text=text[:700],
        happened_at=feed.condition_changed_at or feed.added_at,
    )
