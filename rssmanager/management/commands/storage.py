"""`manage.py storage [--compact] [--json]`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from rssmanager.operations.disk_usage import NoRoom, Storage, compact, measure_storage


class Command(BaseCommand):
    help = "Show disk usage of the database, by kind of data and per article, and whether to compact it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--compact", action="store_true", help="return free space to the disk; stop the app first")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        storage = measure_storage()
        n_before = storage.n_bytes
        if options["compact"]:
            try:
                compact(storage)
            except NoRoom as error:
                raise CommandError(str(error)) from error
            storage = measure_storage()
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(storage, n_given_back=max(0, n_before - storage.n_bytes))))
            return
        if options["compact"]:
            self.stdout.write(f"{_size(max(0, n_before - storage.n_bytes))} returned to the disk.\n")
        self.stdout.write("\n".join(_lines(storage)))


def _as_json(storage: Storage, *, n_given_back: int) -> dict[str, Any]:
    return {
        "bytes": storage.n_bytes,
        "free_bytes": storage.n_free,
        "given_back_bytes": n_given_back,
        "disk_free_bytes": storage.n_disk_free,
        "articles": storage.n_articles,
        "bytes_an_article": storage.bytes_an_article,
        "purged_entries_known": storage.n_tombstones,
        "holdings": dict(storage.holdings),
        "is_worth_compacting": storage.is_worth_compacting,
    }


def _lines(storage: Storage) -> list[str]:
    lines = [f"{_size(n):>10}  {name}" for name, n in storage.holdings]
    lines.append(f"{_size(storage.n_free):>10}  free for new rows")
    lines.append(f"{_size(storage.n_bytes):>10}  in total; {storage.n_articles:,} articles")
    if storage.n_articles:
        lines.append(f"{storage.bytes_an_article:>10,}  bytes per article, with everything that belongs to it")
    lines += ["", _advice(storage)]
    return lines


def _advice(storage: Storage) -> str:
    if not storage.is_worth_compacting:
        return "Nothing to do: free space is reused for new data."
    if connection.vendor != "sqlite":
        return "Autovacuum is falling behind: run `manage.py storage --compact`, and check its settings in PostgreSQL."
    if not storage.has_room_to_compact:
        return "A large part is free, but the disk is too full to compact it. Free up space first."
    return "A large part is free: stop the app and run `manage.py storage --compact`."


def _size(n: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if n < 1024:
            return f"{n} bytes" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1024  # type: ignore[assignment]
    return f"{n:.2f} GiB"
