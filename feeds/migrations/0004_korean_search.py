"""Index articles with Hangul again, now by pairs of syllables; a worker does it, newest first."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

HAS_HANGUL = {"sqlite": "{} GLOB '*[가-힣]*'", "postgresql": "{} ~ '[가-힣]'"}


def queue_korean(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    template = HAS_HANGUL[schema_editor.connection.vendor]
    found = " OR ".join(template.format(column) for column in ("title", "author", "text"))
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO feeds_unindexed (article_id, n_requests, n_tries)"
            f" SELECT id, 1, 0 FROM feeds_article WHERE {found} ON CONFLICT DO NOTHING"
        )


class Migration(migrations.Migration):
    dependencies = [("feeds", "0003_outages")]

    operations = [migrations.RunPython(queue_korean, migrations.RunPython.noop)]
