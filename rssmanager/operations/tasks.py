"""Recurring tasks of monitoring. Each is safe to run twice."""

from datetime import UTC, timedelta

from django.utils import timezone
from django_q.models import Failure

from rssmanager.operations.disk_usage import database_bytes
from rssmanager.operations.models import DatabaseSize
from rssmanager.operations.worker_heartbeat import delete_inactive

FAILURE_RETENTION = timedelta(days=90)  # the queue itself keeps them forever
SIZE_RETENTION = timedelta(days=120)


def record() -> None:
    """Record today's size of the database, and delete inactive workers and old failures; hourly."""
    now = timezone.now()
    today = now.astimezone(UTC).date()
    DatabaseSize.objects.update_or_create(on=today, defaults={"n_bytes": database_bytes()})
    DatabaseSize.objects.filter(on__lt=today - SIZE_RETENTION).delete()
    delete_inactive(now)
    Failure.objects.filter(stopped__lt=now - FAILURE_RETENTION).delete()
