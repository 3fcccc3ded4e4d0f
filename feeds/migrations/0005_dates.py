"""Remember by how much a feed's clock is ahead, and date entries without a date by the poll that found them.

Until now they were stored as of 31 December 1989.
"""

from datetime import UTC, datetime

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import F

UNDATED = datetime(1989, 12, 31, tzinfo=UTC)


def date_undated(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for name in ("Article", "Item"):
        apps.get_model("feeds", name).objects.filter(published_at=UNDATED).update(published_at=F("first_seen_at"))


class Migration(migrations.Migration):
    dependencies = [("feeds", "0004_korean_search")]

    operations = [
        migrations.AddField(
            model_name="feed",
            name="clock_ahead_minutes",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="By which its dates without a zone are ahead of UTC",
            ),
        ),
        migrations.RunPython(date_undated, migrations.RunPython.noop),
    ]
