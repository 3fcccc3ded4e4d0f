"""The scale that relevance is on for each user, and an order of For you by odds. All deliveries are rated again; until
then they are in the order of a neutral relevance.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


LN_50 = 3.912023005428146  # of a relevance of 50, whose odds have the logarithm 0


def rate_again(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("reader", "InterestProfile").objects.update(rated_at=None)
    schema_editor.execute("UPDATE reader_delivery SET decay_key = decay_key - %s, is_rated = %s", (LN_50, False))


class Migration(migrations.Migration):
    dependencies = [("reader", "0002_arrival")]

    operations = [
        migrations.AddField("interestprofile", "middle", models.FloatField(db_default=0.0, default=0.0)),
        migrations.AddField("interestprofile", "spread", models.FloatField(db_default=0.0, default=0.0)),
        migrations.RunPython(rate_again, migrations.RunPython.noop),
    ]
