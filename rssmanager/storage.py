"""What the database takes on disk, by what it holds, and what to do about it.

SQLite keeps the room that purged rows leave for new ones, and never gives it back by itself; PostgreSQL does as soon as
autovacuum has been there. So a file that is much emptier than it is large is worth compacting, and any other is not.
"""

import shutil
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from django.db import DatabaseError, connection

from feeds.models import Article, Tombstone

WORTH_COMPACTING = 0.25  # of the file that is empty
LEAST_WORTH_COMPACTING = 64 * 2**20  # bytes of it

# The first beginning that fits a table's name says what it holds.
HOLDINGS = (
    ("feeds_search", "search"),
    ("feeds_article", "articles"),
    ("feeds_item", "what feeds delivered"),
    ("feeds_revision", "earlier versions"),
    ("feeds_fulltext", "full texts"),
    ("feeds_poll", "record of polls"),
    ("feeds_tombstone", "what was purged"),
    ("feeds_", "copies and stories"),
    ("reader_delivery", "people's lists"),
    ("reader_features", "learning"),
    ("reader_assessment", "learning"),
    ("reader_", "what people did"),
    ("digests_", "digests"),
)
REST = "the rest"


@dataclass(frozen=True, slots=True)
class Storage:
    """Bytes on disk. `holdings`: by what is held, the largest first; empty where the database cannot tell.

    `n_free`: bytes within that are kept for new rows. `n_disk_free`: bytes left where the database lies; None where
    that is another machine.
    """

    n_bytes: int
    n_free: int
    n_articles: int
    n_tombstones: int
    holdings: tuple[tuple[str, int], ...]
    n_disk_free: int | None

    @property
    def bytes_an_article(self) -> int:
        """All that is in use, divided by the articles; 0 without any."""
        return (self.n_bytes - self.n_free) // self.n_articles if self.n_articles else 0

    @property
    def is_worth_compacting(self) -> bool:
        return self.n_free >= max(LEAST_WORTH_COMPACTING, WORTH_COMPACTING * self.n_bytes)

    @property
    def has_room_to_compact(self) -> bool:
        """What is in use is written once more beside the file, and once through its log."""
        return self.n_disk_free is None or self.n_disk_free > 2 * (self.n_bytes - self.n_free)


class NoRoom(Exception):
    """The disk is too full to compact. `str(error)` says what is needed."""


def look() -> Storage:
    """What is stored now. Reads the whole file on SQLite, which takes some seconds a gigabyte."""
    n_free, tables = _sqlite() if connection.vendor == "sqlite" else _postgresql()
    held: dict[str, int] = defaultdict(int)
    for name, n in tables.items():
        held[_held_in(name)] += n
    return Storage(
        n_bytes=database_bytes(),
        n_free=n_free,
        n_articles=Article.objects.count(),
        n_tombstones=Tombstone.objects.count(),
        holdings=tuple(sorted(held.items(), key=lambda each: -each[1])),
        n_disk_free=_disk_free(),
    )


def database_bytes() -> int:
    """The size of the database, told at once; of a file, what it would be without its write-ahead log."""
    sql = "SELECT pg_database_size(current_database())"
    if connection.vendor == "sqlite":
        sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def compact(found: Storage) -> None:
    """Give the room of purged rows back, while nobody writes. Raises NoRoom where the disk is too full."""
    if not found.has_room_to_compact:
        raise NoRoom(f"Compacting needs {2 * (found.n_bytes - found.n_free):,} bytes of free disk.")
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("INSERT INTO feeds_search(feeds_search) VALUES ('optimize')")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            cursor.execute("VACUUM (ANALYZE)")


def _held_in(table: str) -> str:
    return next((name for beginning, name in HOLDINGS if table.startswith(beginning)), REST)


def _sqlite() -> tuple[int, dict[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        (n_free,) = cursor.fetchone()
        try:
            cursor.execute(
                # Pages, for its sums of bytes run over at 2 GB.
                "SELECT COALESCE(tbl_name, dbstat.name), SUM(pageno) * page_size FROM dbstat, pragma_page_size"
                " LEFT JOIN sqlite_master ON sqlite_master.name = dbstat.name WHERE aggregate = TRUE GROUP BY 1"
            )
        except DatabaseError:  # some builds of SQLite come without it
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
    place = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or not Path(place).is_file():
        return None
    return shutil.disk_usage(Path(place).parent).free
