"""Recurring work of `digests` that costs next to nothing: it looks, and calls a worker where there is more to do.

Nothing here loads what making digests needs. Each task is safe to run twice.
"""

from django.utils import timezone

from digests.alert_mails import queue_alert_mails
from digests.alerting import tell_breaking_news
from digests.delivery.outbox import mail_waits
from digests.plans import ensure_plans, plan_waits
from digests.waiting import stale_pages
from feeds.calling import call_worker


def look() -> None:
    """Give plans to who has none, and call workers for what is due to be made; every minute."""
    now = timezone.now()
    ensure_plans(now)
    if plan_waits(now):
        call_worker("digests.making_tasks.make_due")
    if stale_pages(now).exists():
        call_worker("digests.making_tasks.renew_pages")
    if mail_waits(now):
        call_worker("digests.mailing_tasks.send")


def alert() -> None:
    """Tell breaking news, and mail what people want to hear at once; every minute."""
    now = timezone.now()
    tell_breaking_news(now)
    if queue_alert_mails(now):
        call_worker("digests.mailing_tasks.send")
