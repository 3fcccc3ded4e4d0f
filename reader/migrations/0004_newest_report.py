"""The newest report of a delivery's story, by which ranked lists place it. Recent deliveries are rated again."""

from datetime import timedelta

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone


def rate_recent_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    since = timezone.now() - timedelta(days=30)
    apps.get_model("reader", "Delivery").objects.filter(published_at__gte=since).update(is_rated=False)


class Migration(migrations.Migration):
    dependencies = [("reader", "0003_relevance_scale")]

    operations = [
        migrations.AddField(model_name="delivery", name="newest_at", field=models.DateTimeField(null=True)),
        migrations.RunPython(rate_recent_again, migrations.RunPython.noop),
    ]
