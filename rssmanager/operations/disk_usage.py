"""Disk usage of the database by kind of data, and whether to compact it.

SQLite reuses the space of deleted rows but never returns it to the disk; PostgreSQL's autovacuum takes care of it. So
only a file that is largely empty is worth compacting.
"""

import shutil
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from django.db import DatabaseError, connection

from feeds.models import Article, Tombstone

COMPACT_SHARE = 0.25  # of the file that is free
COMPACT_BYTES = 64 * 2**20  # free, at least

# What tables hold, by the first matching prefix.
HOLDINGS = (
    ("feeds_search", "search"),
    ("feeds_article", "articles"),
    ("feeds_item", "feed entries"),
    ("feeds_revision", "earlier versions"),
    ("feeds_fulltext", "full texts"),
    ("feeds_poll", "polls"),
    ("feeds_tombstone", "deleted entries"),
    ("feeds_", "copies and stories"),
    ("reader_delivery", "users' lists"),
    ("reader_articlefeatures", "learning"),
    ("reader_assessment", "learning"),
    ("reader_", "users' activity"),
    ("digests_", "digests"),
)
REST = "other"


@dataclass(frozen=True, slots=True)
class Storage:
    """Bytes on disk. `holdings`: by kind of data, largest first; empty if unknown.

    `n_free`: bytes of these that are free for new rows. `n_disk_free`: free bytes on the disk; None if the database is
    on another machine.
    """

    n_bytes: int
    n_free: int
    n_articles: int
    n_tombstones: int
    holdings: tuple[tuple[str, int], ...]
    n_disk_free: int | None

    @property
    def bytes_an_article(self) -> int:
        """Used bytes per article; 0 without articles."""
        return (self.n_bytes - self.n_free) // self.n_articles if self.n_articles else 0

    @property
    def is_worth_compacting(self) -> bool:
        return self.n_free >= max(COMPACT_BYTES, COMPACT_SHARE * self.n_bytes)

    @property
    def has_room_to_compact(self) -> bool:
        """The used part is written to a second file, and once more through its log."""
        return self.n_disk_free is None or self.n_disk_free > 2 * (self.n_bytes - self.n_free)


class NoRoom(Exception):
    """The disk is too full to compact; the message says how much is needed."""


def measure_storage() -> Storage:
    """Current disk usage. Reads the whole file on SQLite, which takes a few seconds per gigabyte."""
    n_free, tables = _sqlite() if connection.vendor == "sqlite" else _postgresql()
    holdings: dict[str, int] = defaultdict(int)
    for name, n_bytes in tables.items():
        holdings[next((kind for prefix, kind in HOLDINGS if name.startswith(prefix)), REST)] += n_bytes
    return Storage(
        n_bytes=database_bytes(),
        n_free=n_free,
        n_articles=Article.objects.count(),
        n_tombstones=Tombstone.objects.count(),
        holdings=tuple(sorted(holdings.items(), key=lambda holding: -holding[1])),
        n_disk_free=_disk_free(),
    )


def database_bytes() -> int:
    """The size of the database, without reading it; for SQLite, without the write-ahead log."""
    sql = "SELECT pg_database_size(current_database())"
    if connection.vendor == "sqlite":
        sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def compact(storage: Storage) -> None:
    """Return free space to the disk, while nothing writes. Raises NoRoom if the disk is too full."""
    if not storage.has_room_to_compact:
        raise NoRoom(f"Compacting needs {2 * (storage.n_bytes - storage.n_free):,} bytes of free disk space.")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("INSERT INTO feeds_search(feeds_search) VALUES ('optimize')")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            cursor.execute("VACUUM (ANALYZE)")


def _sqlite() -> tuple[int, dict[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        (n_free,) = cursor.fetchone()
        try:
            cursor.execute(
                # In pages, as its sums of bytes overflow at 2 GB.
                "SELECT COALESCE(tbl_name, dbstat.name), SUM(pageno) * page_size FROM dbstat, pragma_page_size"
                " LEFT JOIN sqlite_master ON sqlite_master.name = dbstat.name WHERE aggregate = TRUE GROUP BY 1"
            )
        except DatabaseError:  # some builds of SQLite don't have dbstat
            return n_free, {}
        return n_free, dict(cursor.fetchall())


def _postgresql() -> tuple[int, dict[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_total_relation_size(relid), pg_relation_size(relid) * n_dead_tup"
            " / GREATEST(n_dead_tup + n_live_tup, 1) FROM pg_stat_user_tables"
        )
        rows = cursor.fetchall()
    return sum(int(dead) for _, _, dead in rows), {name: n for name, n, _ in rows}


def _disk_free() -> int | None:
    path = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or not Path(path).is_file():
        return None
    return shutil.disk_usage(Path(path).parent).free
