"""Cheap recurring tasks that start a worker if there is something to do.

Nothing here imports what making digests needs. Each task is safe to run twice.
"""

from django.utils import timezone

from digests.alerts import notify_breaking_news
from digests.delivery.alert_mail import queue_alert_mails
from digests.delivery.outbox import has_due_mail
from digests.schedule.plans import ensure_plans, has_due_plan, plans_to_prepare
from digests.today.stale import stale_pages
from feeds.tasks.enqueue import call_worker


def start_due_work() -> None:
    """Create missing plans and start workers for due digests, front pages and emails; every minute."""
    now = timezone.now()
    ensure_plans(now)
    if has_due_plan(now):
        call_worker("digests.tasks.make.make_due")
    if plans_to_prepare(now).exists():
        call_worker("digests.tasks.make.request_texts")
    if stale_pages(now).exists():
        call_worker("digests.tasks.make.renew_pages")
    if has_due_mail(now):
        call_worker("digests.tasks.mail.send")


def send_alerts() -> None:
    """Notify users of breaking news, and email alerts; every minute."""
    now = timezone.now()
    notify_breaking_news(now)
    if queue_alert_mails(now):
        call_worker("digests.tasks.mail.send")
