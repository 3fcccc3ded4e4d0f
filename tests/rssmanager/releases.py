"""Filled databases of released versions: written once with each release, loaded and upgraded by tests.

`python -m tests.rssmanager.releases` writes that of the current version, an installation with at least one row of
everything, to `tests/data/releases`. Rows are loaded with the models as they were then.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor

from rssmanager import __version__
from tests.rssmanager.installation import Installation, installation

FOLDER = Path(__file__).parents[1] / "data" / "releases"
_LEFT_OUT = {"admin", "django_q"}  # logs, and the queue
_PLAIN = (str, int, float, bool, type(None))


def released() -> list[str]:
    """All versions with a file."""
    return sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))


def dump(to: str) -> None:
    """Write the rows of this process's database, and its migrations."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    rows = {model._meta.label_lower: [_row(row) for row in model._base_manager.all()] for model in _models(apps)}
    content = {"migrations": leaves, "rows": {label: found for label, found in rows.items() if found}}
    Path(to).write_bytes(gzip.compress(json.dumps(content, sort_keys=True).encode(), mtime=0))


def load(version: str) -> dict[str, int]:
    """Migrate this process's empty database to the release, and fill it; returns the number of rows by table."""
    content = json.loads(gzip.decompress((FOLDER / f"{version}.json.gz").read_bytes()))
    executor = MigrationExecutor(connection)
    targets = [tuple(node) for node in content["migrations"]]
    executor.migrate(targets)
    then = executor.loader.project_state(targets).apps
    counts = {}
    with transaction.atomic(), connection.constraint_checks_disabled():
        for model in _models(then):
            found = content["rows"].get(model._meta.label_lower, [])
            if found:
                model._base_manager.all().delete()
                model._base_manager.bulk_create([model(**_values(model, row)) for row in found])
                counts[model._meta.db_table] = len(found)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(_models(then))):
            cursor.execute(statement)
    return counts


def counts_of(tables: list[str]) -> dict[str, int]:
    """The number of rows in these tables."""
    counts = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608
            counts[table] = cursor.fetchone()[0]
    return counts


def pages() -> dict[str, int]:
    """The status of every list and article of a user who has everything, as far as it isn't 200."""
    from django.contrib.auth.models import User  # the models of this version
    from django.test import Client

    from feeds.models import Article

    browser = Client()
    browser.force_login(User.objects.get(username="victim"))
    lists = ("", "all/", "for-you/", "important/", "stories/", "starred/", "search/?q=zqsecret", "health/", "digests/")
    more = ("interests/", "settings/", "rules/", "highlights/", "notifications/", "export.opml")
    paths = [f"/{path}" for path in lists + more]
    paths += [
        f"/articles/{pk}/"
        for pk in Article.objects.filter(deliveries__user__username="victim").values_list("pk", flat=True)
    ]
    statuses = {path: browser.get(path, headers={"host": "127.0.0.1"}).status_code for path in paths}
    return {path: status for path, status in statuses.items() if status != 200}


def _models(registry: Any) -> Iterator[type[models.Model]]:
    for model in registry.get_models():
        if model._meta.app_label not in _LEFT_OUT and model._meta.managed:
            yield model


def _row(row: models.Model) -> dict[str, Any]:
    fields = [field for field in row._meta.concrete_fields if not isinstance(field, models.CompositePrimaryKey)]
    return {field.attname: _encoded(getattr(row, field.attname)) for field in fields}


def _encoded(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"hex": bytes(value).hex()}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    return value


def _values(model: type[models.Model], row: dict[str, Any]) -> dict[str, Any]:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return {name: _decoded(fields[name], value) for name, value in row.items()}


def _decoded(field: Any, value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"hex"}:
        return bytes.fromhex(value["hex"])
    is_plain = isinstance(field, models.JSONField) or field.is_relation
    return value if value is None or is_plain else field.to_python(value)


def write() -> Path:
    """Write the file of the current version."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{__version__}.json.gz"
    with TemporaryDirectory() as folder, installation(Path(folder)) as made:
        made.prepare()
        ask(made, "from tests.attacks.filling import fill; fill()")
        ask(made, f"from tests.rssmanager.releases import dump; dump({str(path)!r})")
    return path


def ask(made: Installation, code: str) -> str:
    """Run Python code in an installation; what it printed."""
    return made.run("shell", "--no-imports", "-c", code).stdout.strip()


if __name__ == "__main__":
    sys.stdout.write(f"{write()}\n")
