"""The triggers that write `Change`s: nothing that changes these tables can forget to, be it code, a cascade or by hand.

They aren't part of a migration: SQLite can't rebuild a table that a trigger reads, and loses those of one that it
rebuilds. So they are dropped before migrations, and created after them.
"""

from typing import Any

from django.db import connections

from reader.articles.changes import forget_all
from reader.models import Change

_COLUMNS = "INSERT INTO reader_change (user_id, article_id, number, day)"
_NOTE = (
    f"{_COLUMNS} SELECT {{0}}.user_id, {{0}}.article_id,"  # noqa: S608
    " COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'reader_change'), 0) + 1,"
    " CAST(strftime('%s', 'now') AS INTEGER) / 86400"
)
_NEW, _OLD = _NOTE.format("NEW"), _NOTE.format("OLD")
_UNLESS_DELIVERED = (
    " WHERE {0}.is_starred{1} OR NOT EXISTS (SELECT 1 FROM reader_delivery AS d"
    " WHERE d.article_id = {0}.article_id AND d.user_id = {0}.user_id)"
)
_SQLITE = (
    ("INSERT ON reader_delivery", _NEW),
    ("DELETE ON reader_delivery", _OLD),
    (
        "UPDATE OF is_read, is_folded, subscription_id ON reader_delivery WHEN NEW.is_read <> OLD.is_read"
        " OR NEW.is_folded <> OLD.is_folded OR NEW.subscription_id <> OLD.subscription_id",
        _NEW,
    ),
    ("UPDATE OF article_id ON reader_delivery WHEN NEW.article_id <> OLD.article_id", f"{_OLD}; {_NEW}"),
    ("INSERT ON reader_articlestate", _NEW + _UNLESS_DELIVERED.format("NEW", "")),
    ("DELETE ON reader_articlestate", _OLD + _UNLESS_DELIVERED.format("OLD", "")),
    (
        "UPDATE OF is_read, is_starred ON reader_articlestate"
        " WHEN NEW.is_read <> OLD.is_read OR NEW.is_starred <> OLD.is_starred",
        _NEW + _UNLESS_DELIVERED.format("NEW", " <> OLD.is_starred"),
    ),
    ("INSERT ON reader_taggedarticle", _NEW),
    ("DELETE ON reader_taggedarticle", _OLD),
    ("UPDATE OF article_id, tag_id ON reader_taggedarticle", f"{_OLD}; {_NEW}"),
    (
        "UPDATE OF unfollowed_at ON reader_subscription"
        " WHEN (NEW.unfollowed_at IS NULL) <> (OLD.unfollowed_at IS NULL)",
        f"{_NOTE.format('d')} FROM reader_delivery AS d WHERE d.subscription_id = NEW.id",
    ),
)
_NUMBER = "pg_current_xact_id()::text::bigint, floor(extract(epoch FROM now()) / 86400)::int"
_VALUES = f"{_COLUMNS} VALUES ({{0}}.user_id, {{0}}.article_id, {_NUMBER});"
_FUNCTION = "CREATE OR REPLACE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {} RETURN NULL; END $$"
_FUNCTIONS = {
    "reader_note_article": (
        f"IF TG_OP <> 'INSERT' THEN {_VALUES.format('OLD')} END IF;"
        " IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.article_id <> OLD.article_id) THEN"
        f" {_VALUES.format('NEW')} END IF;"
    ),
    "reader_note_state": (
        "IF TG_OP = 'DELETE' THEN NEW := OLD; NEW.is_starred := false; END IF;"
        " IF NEW.is_starred <> coalesce(OLD.is_starred, false) OR NOT EXISTS (SELECT FROM reader_delivery AS d"
        " WHERE d.article_id = NEW.article_id AND d.user_id = NEW.user_id)"
        f" THEN {_VALUES.format('NEW')} END IF;"
    ),
    "reader_note_subscription": (
        f"{_COLUMNS} SELECT d.user_id, d.article_id, {_NUMBER}"  # noqa: S608
        " FROM reader_delivery AS d WHERE d.subscription_id = NEW.id;"
    ),
}
_POSTGRESQL = (
    ("INSERT OR DELETE ON reader_delivery", "reader_note_article"),
    (
        "UPDATE OF is_read, is_folded, subscription_id, article_id ON reader_delivery"
        " WHEN (OLD.is_read, OLD.is_folded, OLD.subscription_id, OLD.article_id)"
        " IS DISTINCT FROM (NEW.is_read, NEW.is_folded, NEW.subscription_id, NEW.article_id)",
        "reader_note_article",
    ),
    ("INSERT OR DELETE ON reader_articlestate", "reader_note_state"),
    (
        "UPDATE OF is_read, is_starred ON reader_articlestate"
        " WHEN (OLD.is_read, OLD.is_starred) IS DISTINCT FROM (NEW.is_read, NEW.is_starred)",
        "reader_note_state",
    ),
    ("INSERT OR DELETE OR UPDATE OF article_id, tag_id ON reader_taggedarticle", "reader_note_article"),
    (
        "UPDATE OF unfollowed_at ON reader_subscription"
        " WHEN (NEW.unfollowed_at IS NULL) <> (OLD.unfollowed_at IS NULL)",
        "reader_note_subscription",
    ),
)


def drop_triggers(*, using: str, plan: list[Any], **_: Any) -> None:
    """Drop the triggers, if there are migrations to follow."""
    if not plan:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        if connection.vendor != "sqlite":
            for name in _FUNCTIONS:
                cursor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
            return
        for n in range(len(_SQLITE)):
            cursor.execute(f"DROP TRIGGER IF EXISTS reader_note_{n}")


def create_triggers(*, using: str, **_: Any) -> None:
    """Create the triggers unless they are there. What happened without them is unknown, so clients begin anew."""
    connection = connections[using]
    if Change._meta.db_table not in connection.introspection.table_names():  # migrated to an earlier version
        return
    with connection.cursor() as cursor:
        is_sqlite = connection.vendor == "sqlite"
        names = (
            "SELECT name FROM sqlite_master WHERE type = 'trigger'" if is_sqlite else "SELECT tgname FROM pg_trigger"
        )
        cursor.execute(names)
        known = {name for (name,) in cursor.fetchall()}
        events = _SQLITE if is_sqlite else _POSTGRESQL
        if known.issuperset(f"reader_note_{n}" for n in range(len(events))):
            return
        if not is_sqlite:
            for name, body in _FUNCTIONS.items():
                cursor.execute(_FUNCTION.format(name, body))
        for n, (event, act) in enumerate(events):
            if is_sqlite:
                cursor.execute(f"CREATE TRIGGER IF NOT EXISTS reader_note_{n} AFTER {event} BEGIN {act}; END")
            else:
                table, _when, condition = event.partition(" WHEN ")
                only = f"WHEN ({condition})" if condition else ""
                call = f"FOR EACH ROW {only} EXECUTE FUNCTION {act}()"
                cursor.execute(f"CREATE OR REPLACE TRIGGER reader_note_{n} AFTER {table} {call}")
    forget_all()
