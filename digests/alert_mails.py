"""What people asked to be told by mail at once: gathered, one mail a person and look."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from digests.alerting import BREAKING_WITHIN
from digests.delivery.queueing import queue_alerts
from digests.models import AlertSettings, MailedNotification, Mailing, MailingKind
from feeds.models import Condition
from reader.models import ArticleState, Notification, NotificationKind, Subscription

PAUSE = timedelta(minutes=10)  # between two mails to one person, unless there is breaking news
MAILED_CONDITIONS = (Condition.UNHEALTHY, Condition.SILENT, Condition.DEAD)


def queue_alert_mails(now: datetime) -> int:
    """Write a mail for everybody who asked for mail and has unseen news that no mail told; returns how many.

    One query as long as there is nothing to mail.
    """
    waiting: dict[int, list[Notification]] = defaultdict(list)
    for each in _to_mail(now):
        waiting[each.user_id].append(each)
    if not waiting:
        return 0
    paused = set(
        Mailing.objects.filter(user__in=waiting, kind=MailingKind.ALERTS, created_at__gt=now - PAUSE)
        .values_list("user_id", flat=True)
    )  # fmt: skip
    due = {pk: news for pk, news in waiting.items() if pk not in paused or _is_urgent(news)}
    people = User.objects.in_bulk(due)
    mails = [queue_alerts(people[pk], [each.pk for each in news], now=now) for pk, news in due.items() if pk in people]
    return sum(mail is not None for mail in mails)


def _is_urgent(news: Sequence[Notification]) -> bool:
    return any(each.kind == NotificationKind.BREAKING for each in news)


def _to_mail(now: datetime) -> QuerySet[Notification]:
    """Unseen news that was not mailed and that its person wants by mail: from when they asked for it on, breaking news
    that they have not read, and what is still so of feeds that they still follow."""
    asked = AlertSettings.objects.filter(user=OuterRef("user"), user__is_active=True, user__email__gt="")
    mailed = MailedNotification.objects.filter(notification=OuterRef("pk"))
    read = ArticleState.objects.filter(user=OuterRef("user"), article=OuterRef("article"), is_read=True)
    breaking = Q(
        Exists(asked.filter(breaking_by_mail=True)),
        ~Exists(read),
        kind=NotificationKind.BREAKING,
        happened_at__gte=now - BREAKING_WITHIN,
    )
    follows = Subscription.objects.filter(user=OuterRef("user"), feed=OuterRef("feed"))
    of_feeds = Q(
        Exists(asked.filter(feeds_by_mail=True)),
        Exists(follows),
        kind__in=MAILED_CONDITIONS,
        feed__condition=F("kind"),
        feed__condition_changed_at=F("happened_at"),
    )
    people = AlertSettings.objects.filter(Q(breaking_by_mail=True) | Q(feeds_by_mail=True), mail_from__isnull=False)
    unseen = Notification.objects.filter(user__in=people.values("user"), seen_at=None)
    since = Subquery(AlertSettings.objects.filter(user=OuterRef("user")).values("mail_from"))
    return unseen.filter(breaking | of_feeds, ~Exists(mailed), happened_at__gte=since).order_by("happened_at", "pk")
