"""The list of words by their stems, a limit of tries for indexing, and everything stored so far to be indexed again.

The index stage does that by itself in batches, the newest first; search works meanwhile.
"""

from django.db import migrations, models

SQLITE = (
    "CREATE TABLE feeds_word (language text NOT NULL, stem text NOT NULL, word text NOT NULL,"
    " PRIMARY KEY (language, stem, word)) WITHOUT ROWID"
)
POSTGRESQL = (
    'CREATE TABLE feeds_word (language text NOT NULL COLLATE "C", stem text NOT NULL COLLATE "C",'
    ' word text NOT NULL COLLATE "C", PRIMARY KEY (language, stem, word))'
)


def create(apps, schema_editor):
    schema_editor.execute(SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL, params=None)


def note_everything(apps, schema_editor):
    schema_editor.execute(
        "INSERT INTO feeds_unindexed (article_id, n_asked, n_tries) SELECT id, 1, 0 FROM feeds_article WHERE TRUE"
        " ON CONFLICT (article_id) DO NOTHING"
    )


class Migration(migrations.Migration):

    dependencies = [
        ("feeds", "0006_polling_told"),
    ]

    operations = [
        migrations.RunSQL(migrations.RunSQL.noop, "DROP TABLE feeds_word"),
        migrations.RunPython(create, migrations.RunPython.noop),
        migrations.AddField(
            model_name="unindexed",
            name="n_tries",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.RunPython(note_everything, migrations.RunPython.noop),
    ]
