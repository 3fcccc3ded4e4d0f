"""A database that lacks a migration, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.migrations.recorder import MigrationRecorder


@contextmanager
def without_newest_migration(app: str) -> Iterator[None]:
    """What a test leaves of this table the next one finds: emptying all others leaves it as it is."""
    newest = MigrationRecorder.Migration.objects.filter(app=app).latest("id")
    MigrationRecorder.Migration.objects.filter(pk=newest.pk).delete()
    try:
        yield
    finally:
        MigrationRecorder.Migration.objects.get_or_create(app=app, name=newest.name)
