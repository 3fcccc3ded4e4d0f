"""How the database grows: its size once a day, the last of each day, for some months."""

from datetime import UTC, datetime, timedelta

from rssmanager.operating.models import DatabaseSize

KEPT = timedelta(days=120)


def note_size(n_bytes: int, *, now: datetime) -> None:
    """The size of today is `n_bytes`, whatever it was an hour ago."""
    today = now.astimezone(UTC).date()
    DatabaseSize.objects.update_or_create(on=today, defaults={"n_bytes": n_bytes})
    DatabaseSize.objects.filter(on__lt=today - KEPT).delete()


def sizes() -> list[DatabaseSize]:
    """The days that are known, oldest first."""
    return list(DatabaseSize.objects.order_by("on"))
