"""The database itself: that it answers, is as this code needs it, and agrees about the time."""

from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from feeds.scheduling import spell
from rssmanager.diagnosis.seen import Seen, note, problem, well
from rssmanager.readiness import n_migrations_missing

MOST_APART = timedelta(seconds=30)  # between two clocks; leases and mail are told by them


def database() -> Seen:
    """Django refuses versions of PostgreSQL that are too old, and says so here."""
    try:
        n_missing = n_migrations_missing()
    except (DatabaseError, InterfaceError) as error:
        text = str(error).strip().partition("\n")[0]
        return problem(text, "Check DATABASE_URL and that the server runs.")
    if n_missing:
        return problem(f"{n_missing} migrations are missing", "Run `python manage.py prepare`.")
    return well(f"{connection.display_name}, up to date")


def encoding() -> Seen:
    if connection.vendor != "postgresql":
        return well("UTF-8, as always in SQLite")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        found = str(cursor.fetchone()[0])
    if found != "UTF8":
        return problem(
            f"the database's encoding is {found}: it cannot hold every article",
            "Make one with `CREATE DATABASE reader ENCODING 'UTF8' TEMPLATE template0` and take a backup over.",
        )
    return well(found)


def clock() -> Seen:
    if connection.vendor != "postgresql":
        return well("one machine, one clock")
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        theirs = cursor.fetchone()[0]
    return compared(theirs, timezone.now(), whose="the database's")


def compared(theirs: datetime, ours: datetime, *, whose: str) -> Seen:
    apart = abs(theirs - ours)
    if apart > MOST_APART:
        return note(
            f"this machine's clock is {spell(apart)} from {whose}",
            "Let both be set by NTP: `timedatectl set-ntp true`.",
        )
    return well("the clocks agree")
