"""Queues one email per user for notifications they want by email."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from digests.alerts import BREAKING_WITHIN
from digests.delivery.enqueue import queue_alerts
from digests.models import AlertSettings, MailedNotification, Mailing, MailingKind
from feeds.models import Condition
from reader.models import ArticleState, Notification, NotificationKind, Subscription

PAUSE = timedelta(minutes=10)  # between two emails to a user, except for breaking news
MAILED_CONDITIONS = (Condition.UNHEALTHY, Condition.SILENT, Condition.DEAD)


def queue_alert_mails(now: datetime) -> int:
    """Queue an email for each user with unseen notifications that they want by email; returns how many.

    One query if there are none.
    """
    waiting: dict[int, list[Notification]] = defaultdict(list)
    for notification in _to_mail(now):
        waiting[notification.user_id].append(notification)
    if not waiting:
        return 0
    paused = set(
        Mailing.objects.filter(user__in=waiting, kind=MailingKind.ALERTS, created_at__gt=now - PAUSE)
        .values_list("user_id", flat=True)
    )  # fmt: skip
    due = {pk: news for pk, news in waiting.items() if pk not in paused or _is_urgent(news)}
    users = User.objects.in_bulk(due)
    mails = [
        queue_alerts(users[pk], [news_item.pk for news_item in news], now=now)
        for pk, news in due.items()
        if pk in users
    ]
    return sum(mail is not None for mail in mails)


def _is_urgent(news: Sequence[Notification]) -> bool:
    return any(news_item.kind == NotificationKind.BREAKING for news_item in news)


def _to_mail(now: datetime) -> QuerySet[Notification]:
    """Unseen notifications that weren't emailed and that the user wants by email, from when they asked for it.

    Breaking news only while unread; feed problems only while they last and the feed is followed.
    """
    subscribed = AlertSettings.objects.filter(user=OuterRef("user"), user__is_active=True, user__email__gt="")
    mailed = MailedNotification.objects.filter(notification=OuterRef("pk"))
    read = ArticleState.objects.filter(user=OuterRef("user"), article=OuterRef("article"), is_read=True)
    breaking = Q(
        Exists(subscribed.filter(breaking_by_mail=True)),
        ~Exists(read),
        kind=NotificationKind.BREAKING,
        happened_at__gte=now - BREAKING_WITHIN,
    )
    follows = Subscription.objects.filter(user=OuterRef("user"), feed=OuterRef("feed"))
    of_feeds = Q(
        Exists(subscribed.filter(feeds_by_mail=True)),
        Exists(follows),
        kind__in=MAILED_CONDITIONS,
        feed__condition=F("kind"),
        feed__condition_changed_at=F("happened_at"),
    )
    people = AlertSettings.objects.filter(Q(breaking_by_mail=True) | Q(feeds_by_mail=True), mail_from__isnull=False)
    unseen = Notification.objects.filter(user__in=people.values("user"), seen_at=None)
    since = Subquery(AlertSettings.objects.filter(user=OuterRef("user")).values("mail_from"))
    return unseen.filter(breaking | of_feeds, ~Exists(mailed), happened_at__gte=since).order_by("happened_at", "pk")
