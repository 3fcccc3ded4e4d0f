"""Temporarily removing a migration from the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.migrations.recorder import MigrationRecorder


@contextmanager
def without_newest_migration(app: str) -> Iterator[None]:
    """Restores the row, because flushing the database between tests doesn't reset this table."""
    newest = MigrationRecorder.Migration.objects.filter(app=app).latest("id")
    MigrationRecorder.Migration.objects.filter(pk=newest.pk).delete()
    try:
        yield
    finally:
        MigrationRecorder.Migration.objects.get_or_create(app=app, name=newest.name)
