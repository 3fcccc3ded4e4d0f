"""What migrations make that models cannot say: tables ordered by their key, the index of words, the first rows."""

from feeds.publishers.hosts import is_shared
from feeds.publishers.registry import load_registry, load_synonyms

SEARCH_SQLITE = (
    "CREATE VIRTUAL TABLE feeds_search USING fts5(title, author, body, tokenize='ascii')",
    "CREATE TRIGGER feeds_search_forgets AFTER DELETE ON feeds_article BEGIN"
    " DELETE FROM feeds_search WHERE rowid = old.id; END",
    "CREATE TABLE feeds_word (language text NOT NULL, stem text NOT NULL, word text NOT NULL,"
    " PRIMARY KEY (language, stem, word)) WITHOUT ROWID",
)
SEARCH_POSTGRESQL = (
    "CREATE TABLE feeds_search (article_id bigint PRIMARY KEY, words tsvector NOT NULL)",
    "CREATE INDEX feeds_search_words ON feeds_search USING gin (words)",
    "CREATE FUNCTION feeds_search_forget() RETURNS trigger LANGUAGE plpgsql AS $$"
    " BEGIN DELETE FROM feeds_search WHERE article_id = old.id; RETURN NULL; END $$",
    "CREATE TRIGGER feeds_search_forgets AFTER DELETE ON feeds_article"
    " FOR EACH ROW EXECUTE FUNCTION feeds_search_forget()",
    'CREATE TABLE feeds_word (language text NOT NULL COLLATE "C", stem text NOT NULL COLLATE "C",'
    ' word text NOT NULL COLLATE "C", PRIMARY KEY (language, stem, word))',
)
# One tree ordered by its key instead of a table with an index beside it. PostgreSQL has no such tables.
ORDERED_BY_KEY_SQLITE = (
    'DROP TABLE "feeds_blockingkey"',
    'CREATE TABLE "feeds_blockingkey" ("value" bigint NOT NULL, "hour" integer NOT NULL, '
    '"article_id" bigint NOT NULL, "bits" bigint NULL, PRIMARY KEY ("value", "hour", "article_id")) WITHOUT ROWID',
    'DROP TABLE "feeds_tombstone"',
    'CREATE TABLE "feeds_tombstone" ("feed_id" bigint NOT NULL REFERENCES "feeds_feed" ("id") '
    'DEFERRABLE INITIALLY DEFERRED, "value" bigint NOT NULL, "content_hash" bigint NOT NULL, '
    '"minute" integer NOT NULL, PRIMARY KEY ("feed_id", "value")) WITHOUT ROWID',
)


def create_raw_tables(apps, schema_editor):
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    for statement in (*SEARCH_SQLITE, *ORDERED_BY_KEY_SQLITE) if is_sqlite else SEARCH_POSTGRESQL:
        schema_editor.execute(statement, params=None)


def remove_raw_tables(apps, schema_editor):
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    schema_editor.execute(f"DROP TRIGGER feeds_search_forgets{'' if is_sqlite else ' ON feeds_article'}")
    if not is_sqlite:
        schema_editor.execute("DROP FUNCTION feeds_search_forget()")
    for table in ("feeds_search", "feeds_word"):
        schema_editor.execute(f"DROP TABLE {table}")


def add_first_rows(apps, schema_editor):
    """The known publishers, and the first category synonyms. On a shared host, feeds have their own names."""
    Source = apps.get_model("feeds", "Source")
    known = [
        Source(domain=entry.domain, name="" if is_shared(entry.domain) else entry.name, tier=entry.tier)
        for entry in load_registry()
    ]
    Source.objects.bulk_create(known)
    Synonym = apps.get_model("feeds", "CategorySynonym")
    Synonym.objects.bulk_create([Synonym(term=term, category=category) for term, category in load_synonyms().items()])
