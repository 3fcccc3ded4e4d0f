"""`manage.py storage [--compact] [--json]`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from rssmanager.storage import NoRoom, Storage, compact, look


class Command(BaseCommand):
    help = "Say what the database takes on disk, by what it holds and by article, and whether to compact it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--compact", action="store_true", help="give the room of purged articles back to the disk; nobody can write"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        found = look()
        n_before = found.n_bytes
        if options["compact"]:
            try:
                compact(found)
            except NoRoom as error:
                raise CommandError(str(error)) from error
            found = look()
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(found, n_given_back=max(0, n_before - found.n_bytes))))
            return
        if options["compact"]:
            self.stdout.write(f"{_size(max(0, n_before - found.n_bytes))} given back.\n")
        self.stdout.write("\n".join(_lines(found)))


def _as_json(found: Storage, *, n_given_back: int) -> dict[str, Any]:
    return {
        "bytes": found.n_bytes,
        "free_bytes": found.n_free,
        "given_back_bytes": n_given_back,
        "disk_free_bytes": found.n_disk_free,
        "articles": found.n_articles,
        "bytes_an_article": found.bytes_an_article,
        "purged_entries_known": found.n_tombstones,
        "holdings": dict(found.holdings),
        "is_worth_compacting": found.is_worth_compacting,
    }


def _lines(found: Storage) -> list[str]:
    lines = [f"{_size(n):>10}  {name}" for name, n in found.holdings]
    lines.append(f"{_size(found.n_free):>10}  free for new rows")
    lines.append(f"{_size(found.n_bytes):>10}  in all; {found.n_articles:,} articles")
    if found.n_articles:
        lines.append(f"{found.bytes_an_article:>10,}  bytes an article, with all that belongs to it")
    lines += ["", _advice(found)]
    return lines


def _advice(found: Storage) -> str:
    if not found.is_worth_compacting:
        return "Nothing to do: free room is used for what comes next."
    if connection.vendor != "sqlite":
        return (
            "Autovacuum falls behind: run `manage.py storage --compact`, and look at PostgreSQL's autovacuum settings."
        )
    if not found.has_room_to_compact:
        return "A large part is free, but the disk is too full to compact: make room first."
    return "A large part is free: stop the reader and run `manage.py storage --compact`."


def _size(n: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if n < 1024:
            return f"{n} bytes" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1024  # type: ignore[assignment]
    return f"{n:.2f} GiB"
