import django.db.models.deletion
from django.db import migrations, models


def order_on_disk(apps, schema_editor):
    """SQLite: one tree ordered by its key instead of a table with an index beside it."""
    if schema_editor.connection.vendor != "sqlite":
        return
    schema_editor.execute('DROP TABLE "feeds_tombstone"')
    schema_editor.execute(
        'CREATE TABLE "feeds_tombstone" ("feed_id" bigint NOT NULL REFERENCES "feeds_feed" ("id") '
        'DEFERRABLE INITIALLY DEFERRED, "value" bigint NOT NULL, "content_hash" bigint NOT NULL, '
        '"minute" integer NOT NULL, PRIMARY KEY ("feed_id", "value")) WITHOUT ROWID'
    )


class Migration(migrations.Migration):
    dependencies = [("feeds", "0010_poll_moves_from_words")]

    operations = [
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                ("pk", models.CompositePrimaryKey("feed_id", "value", blank=True, editable=False, primary_key=True, serialize=False)),
                ("feed", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="feeds.feed")),
                ("value", models.BigIntegerField()),
                ("content_hash", models.BigIntegerField()),
                ("minute", models.IntegerField(help_text="Of publication, since 1970")),
            ],
        ),
        migrations.RunPython(order_on_disk, migrations.RunPython.noop),
        migrations.AddField(
            model_name="feed",
            name="keep_days",
            field=models.PositiveIntegerField(blank=True, help_text="For how many days since it came an article is kept; 0: for good; empty: as RETENTION_DAYS says", null=True),
        ),
        migrations.AddField(
            model_name="feed",
            name="keep_items",
            field=models.PositiveIntegerField(blank=True, help_text="How many of the newest articles are kept; 0: all; empty: as RETENTION_ITEMS says", null=True),
        ),
        migrations.AddField(
            model_name="feed",
            name="purged_at",
            field=models.DateTimeField(editable=False, help_text="When it was last purged", null=True),
        ),
        migrations.AddField(
            model_name="story",
            name="is_stale",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="story",
            index=models.Index(condition=models.Q(("is_stale", True)), fields=["id"], name="story_stale"),
        ),
    ]
