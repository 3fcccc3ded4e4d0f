"""What identity, corrections, outages of hosts and clocks ahead need; Korean search and undated articles put right.

Articles with Hangul are indexed again, now by pairs of syllables; a worker does it, newest first. Entries without a
date were stored as of 31 December 1989; they get the date of the poll that found them.
"""

from datetime import UTC, datetime

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import F

HAS_HANGUL = {"sqlite": "{} GLOB '*[가-힣]*'", "postgresql": "{} ~ '[가-힣]'"}


UNDATED = datetime(1989, 12, 31, tzinfo=UTC)


def queue_korean(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    template = HAS_HANGUL[schema_editor.connection.vendor]
    found = " OR ".join(template.format(column) for column in ("title", "author", "text"))
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO feeds_unindexed (article_id, n_requests, n_tries)"
            f" SELECT id, 1, 0 FROM feeds_article WHERE {found} ON CONFLICT DO NOTHING"
        )


def date_undated(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for name in ("Article", "Item"):
        apps.get_model("feeds", name).objects.filter(published_at=UNDATED).update(published_at=F("first_seen_at"))


class Migration(migrations.Migration):
    dependencies = [("feeds", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="feed",
            name="day_corrections",
            field=models.PositiveIntegerField(
                db_default=0, default=0, editable=False, help_text="Articles corrected since then without a revision"
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="details_hash",
            field=models.BigIntegerField(
                help_text="Hash of its latest link, author, date, files and markup", null=True
            ),
        ),
        migrations.AddField(
            model_name="poll",
            name="n_left_out",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="Beyond the feed's limits, or deleted before"
            ),
        ),
        migrations.AlterField(
            model_name="feed",
            name="raw_hashes",
            field=models.BinaryField(
                default=b"", help_text="What is known of the last document's entries, so that only new ones are parsed"
            ),
        ),
        migrations.AlterField(
            model_name="poll",
            name="n_duplicates",
            field=models.PositiveIntegerField(
                default=0, help_text="Delivered before, by this feed or another, or listed twice"
            ),
        ),
        migrations.AlterField(
            model_name="poll",
            name="n_entries",
            field=models.PositiveIntegerField(default=0, help_text="New or changed since the last poll"),
        ),
        migrations.AlterField(
            model_name="poll",
            name="n_read",
            field=models.PositiveIntegerField(default=0, help_text="Entries that were parsed"),
        ),
        migrations.AddField(
            model_name="source",
            name="down_since",
            field=models.DateTimeField(
                blank=True, editable=False, help_text="Since when most of its feeds have failed alike", null=True
            ),
        ),
        migrations.AlterField(
            model_name="poll",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("new", "New entries"),
                    ("unchanged", "Nothing new"),
                    ("not_modified", "Not modified (304)"),
                    ("limited", "Rate limited"),
                    ("gone", "Gone (410)"),
                    ("http_error", "HTTP error"),
                    ("timeout", "Timeout"),
                    ("unreachable", "Unreachable"),
                    ("refused", "Blocked"),
                    ("outage", "Host down"),
                    ("challenge", "Bot check"),
                    ("parse_error", "Not a valid feed"),
                    ("internal", "Internal error"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="polltally",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("new", "New entries"),
                    ("unchanged", "Nothing new"),
                    ("not_modified", "Not modified (304)"),
                    ("limited", "Rate limited"),
                    ("gone", "Gone (410)"),
                    ("http_error", "HTTP error"),
                    ("timeout", "Timeout"),
                    ("unreachable", "Unreachable"),
                    ("refused", "Blocked"),
                    ("outage", "Host down"),
                    ("challenge", "Bot check"),
                    ("parse_error", "Not a valid feed"),
                    ("internal", "Internal error"),
                ],
                max_length=12,
                primary_key=True,
                serialize=False,
            ),
        ),
        migrations.AddField(
            model_name="feed",
            name="clock_ahead_minutes",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="Minutes its dates without a time zone run ahead of UTC",
            ),
        ),
        migrations.AlterField(
            model_name="feed",
            name="tier",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=[(1, "Wire service or official source"), (2, "Major established outlet"), (3, "Respected niche or industry source"), (4, "Community or expert blog"), (5, "Unverified")],
                help_text="Overrides the tier of the publisher",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="tier",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=[(1, "Wire service or official source"), (2, "Major established outlet"), (3, "Respected niche or industry source"), (4, "Community or expert blog"), (5, "Unverified")],
                help_text="Empty if unknown: T4 for feeds that users added by address, else T5",
                null=True,
            ),
        ),
        migrations.RunPython(queue_korean, migrations.RunPython.noop),
        migrations.RunPython(date_undated, migrations.RunPython.noop),
    ]
