"""The first release's database, as `data/README.md` tells: put into a bare database, and compared with what is there.

Called in processes of their own, which have settings of their own.
"""

import json
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data/first_release.json").read_text())
OURS = {"feeds": "0002_known_sources", "reader": "0001_initial"}
NOT_YET = {"digests", "account"}


def load() -> None:
    """Migrate an empty database as far as the first release did, and fill it."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    goal = [(app, OURS.get(app, name)) for app, name in leaves if app not in NOT_YET]
    executor.migrate(goal)
    then = executor.loader.project_state(goal).apps
    models = {row["model"]: then.get_model(row["model"]) for row in ROWS}
    with transaction.atomic():
        for row in ROWS:
            _insert(models[row["model"]], row)
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), list(models.values())):
            cursor.execute(sql)


def _insert(model: Any, row: dict[str, Any]) -> None:
    made = model(pk=row["pk"])
    for field in model._meta.concrete_fields:
        if field.name in row["fields"]:
            given = row["fields"][field.name]
            setattr(made, field.attname, given if field.is_relation else field.to_python(given))
        if getattr(field, "auto_now_add", False):
            field.auto_now_add = False  # it was then, not now
    made.save(force_insert=True)


def changed() -> list[str]:
    """What of its rows is not as it was: a line for each that is gone, for each column that is gone or differs."""
    wrong: list[str] = []
    for row in ROWS:
        found = apps.get_model(row["model"]).objects.filter(pk=row["pk"])
        now = json.loads(json.dumps(serializers.serialize("python", found), cls=DjangoJSONEncoder))
        if not now:
            wrong.append(f"{row['model']} {row['pk']} is gone")
            continue
        for name, value in row["fields"].items():
            if name not in now[0]["fields"]:
                wrong.append(f"{row['model']}.{name} is gone")
            elif now[0]["fields"][name] != value:
                wrong.append(f"{row['model']}.{name} was {value!r}, is {now[0]['fields'][name]!r}"[:300])
    return sorted(set(wrong))
