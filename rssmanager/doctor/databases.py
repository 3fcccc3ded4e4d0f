"""The database: availability, migrations, encoding and clock."""

from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from feeds.polling.schedule import format_duration
from rssmanager.doctor.result import Result, note, ok, problem
from rssmanager.middleware.readiness import n_migrations_missing

MAX_CLOCK_DIFFERENCE = timedelta(seconds=30)  # leases and emails depend on the clocks


def database() -> Result:
    """Django's error for versions of PostgreSQL that are too old shows up here."""
    try:
        n_missing = n_migrations_missing()
    except (DatabaseError, InterfaceError) as error:
        text = str(error).strip().partition("\n")[0]
        return problem(text, "Check DATABASE_URL, and that the server is running.")
    if n_missing:
        return problem(f"{n_missing} migrations are missing", "Run `python manage.py prepare`.")
    return ok(f"{connection.display_name}, up to date")


def encoding() -> Result:
    if connection.vendor != "postgresql":
        return ok("UTF-8, as always with SQLite")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        name = str(cursor.fetchone()[0])
    if name != "UTF8":
        return problem(
            f"the database's encoding is {name}, which can't store every article",
            "Create one with `CREATE DATABASE reader ENCODING 'UTF8' TEMPLATE template0`, and restore a backup there.",
        )
    return ok(name)


def clock() -> Result:
    if connection.vendor != "postgresql":
        return ok("one machine, one clock")
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        theirs = cursor.fetchone()[0]
    return compare_clocks(theirs, timezone.now(), source="the database's")


def compare_clocks(theirs: datetime, ours: datetime, *, source: str) -> Result:
    difference = abs(theirs - ours)
    if difference > MAX_CLOCK_DIFFERENCE:
        return note(
            f"this machine's clock and {source} differ by {format_duration(difference)}",
            "Synchronize both with NTP: `timedatectl set-ntp true`.",
        )
    return ok("the clocks agree")
