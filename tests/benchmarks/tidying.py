"""What a database does by itself between rounds."""

from django.db import connection


def tidy() -> None:
    """Give PostgreSQL the statistics that autovacuum would have collected; SQLite has none here."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
