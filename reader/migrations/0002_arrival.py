"""When deliveries arrived and what changed, which reading apps sync by; own titles of subscriptions.

The columns are added as they are, where Django would copy the whole table on SQLite. Of the last `N_DATED` deliveries,
what was first seen or followed within `DATED` arrived a minute later, since deliveries are made every minute. Others
have 0: PostgreSQL takes half a minute to change a million, and apps rarely ask for what arrived longer ago.

Articles without a date are placed by the poll that found them (`feeds.migrations.0002_entries`), and rated again.
"""

from datetime import UTC, datetime, timedelta

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery
from django.utils import timezone

DATED = timedelta(days=90)
N_DATED = 250_000
UNDATED = datetime(1989, 12, 31, tzinfo=UTC)

_SECONDS = {
    "sqlite": "strftime('%%s', MAX(a.first_seen_at, s.added_at))",
    "postgresql": "EXTRACT(EPOCH FROM GREATEST(a.first_seen_at, s.added_at))::bigint",
}
_DATE = """
UPDATE reader_delivery SET arrival = ({seconds} + 60) * 1000000 + reader_delivery.id %% 1000000
FROM feeds_article a, reader_subscription s
WHERE a.id = reader_delivery.article_id AND s.id = reader_delivery.subscription_id
AND (a.first_seen_at >= %s OR s.added_at >= %s)
AND reader_delivery.id > (SELECT MAX(id) FROM reader_delivery) - %s
"""


def date_deliveries(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    connection = schema_editor.connection
    since = connection.ops.adapt_datetimefield_value(timezone.now() - DATED)
    with connection.cursor() as cursor:
        cursor.execute(_DATE.format(seconds=_SECONDS[connection.vendor]), [since, since, N_DATED])


def place_undated(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    found = apps.get_model("feeds", "Article").objects.filter(pk=OuterRef("article_id")).values("published_at")
    for name, changes in (("Delivery", {"is_rated": False}), ("TaggedArticle", {}), ("Muted", {})):
        undated = apps.get_model("reader", name).objects.filter(published_at=UNDATED)
        undated.update(published_at=Subquery(found), **changes)


def add_column(name: str, kind: str, field: models.Field) -> migrations.SeparateDatabaseAndState:
    add = f"ALTER TABLE reader_delivery ADD COLUMN {name} {kind}"
    return migrations.SeparateDatabaseAndState(
        [migrations.RunSQL(add, f"ALTER TABLE reader_delivery DROP COLUMN {name}")],
        [migrations.AddField("delivery", name, field)],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("reader", "0001_initial"),
        ("feeds", "0002_entries"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="subscription",
            name="has_own_title",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("article_id", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                ("day", models.IntegerField()),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["user", "number", "article_id"], name="change_of_user")],
            },
        ),
        add_column("arrival", "bigint NOT NULL DEFAULT 0", models.BigIntegerField(db_default=0, default=0)),
        add_column("was_listed", "bool NOT NULL DEFAULT false", models.BooleanField(db_default=False, default=False)),
        migrations.RunPython(date_deliveries, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["user", "-arrival"], name="delivery_by_arrival"),
        ),
        migrations.RunPython(place_undated, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="preferences",
            name="notifies_broken",
            field=models.BooleanField(
                default=True, verbose_name="feeds that stop working, go quiet or are gone"
            ),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="notifies_minor",
            field=models.BooleanField(default=False, verbose_name="feeds that work again"),
        ),
    ]
