"""Place articles without a date by the poll that found them (`feeds.migrations.0005_dates`), and rate them again."""

from datetime import UTC, datetime

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery

UNDATED = datetime(1989, 12, 31, tzinfo=UTC)


def place_undated(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    found = apps.get_model("feeds", "Article").objects.filter(pk=OuterRef("article_id")).values("published_at")
    for name, changes in (("Delivery", {"is_rated": False}), ("TaggedArticle", {}), ("Muted", {})):
        undated = apps.get_model("reader", name).objects.filter(published_at=UNDATED)
        undated.update(published_at=Subquery(found), **changes)


class Migration(migrations.Migration):
    dependencies = [("reader", "0004_arrival"), ("feeds", "0005_dates")]

    operations = [migrations.RunPython(place_undated, migrations.RunPython.noop)]
