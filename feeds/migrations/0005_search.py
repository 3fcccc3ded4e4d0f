"""The index of words, the list of what waits for it, and everything stored so far on that list."""

import django.db.models.deletion
from django.db import migrations, models

SQLITE = (
    "CREATE VIRTUAL TABLE feeds_search USING fts5(title, author, body, tokenize='ascii')",
    "CREATE TRIGGER feeds_search_forgets AFTER DELETE ON feeds_article BEGIN"
    " DELETE FROM feeds_search WHERE rowid = old.id; END",
)
POSTGRESQL = (
    "CREATE TABLE feeds_search (article_id bigint PRIMARY KEY, words tsvector NOT NULL)",
    "CREATE INDEX feeds_search_words ON feeds_search USING gin (words)",
    "CREATE FUNCTION feeds_search_forget() RETURNS trigger LANGUAGE plpgsql AS $$"
    " BEGIN DELETE FROM feeds_search WHERE article_id = old.id; RETURN NULL; END $$",
    "CREATE TRIGGER feeds_search_forgets AFTER DELETE ON feeds_article"
    " FOR EACH ROW EXECUTE FUNCTION feeds_search_forget()",
)


def create(apps, schema_editor):
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement, params=None)


def remove(apps, schema_editor):
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    schema_editor.execute(f"DROP TRIGGER feeds_search_forgets{'' if is_sqlite else ' ON feeds_article'}")
    if not is_sqlite:
        schema_editor.execute("DROP FUNCTION feeds_search_forget()")
    schema_editor.execute("DROP TABLE feeds_search")


class Migration(migrations.Migration):

    dependencies = [
        ("feeds", "0004_full_text"),
    ]

    operations = [
        migrations.CreateModel(
            name="Unindexed",
            fields=[
                ("article", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="+", serialize=False, to="feeds.article")),
                ("n_asked", models.PositiveIntegerField(default=1)),
            ],
            options={
                "verbose_name_plural": "unindexed",
            },
        ),
        migrations.RunPython(create, remove),
        migrations.RunSQL("INSERT INTO feeds_unindexed (article_id, n_asked) SELECT id, 1 FROM feeds_article", migrations.RunSQL.noop),
    ]
