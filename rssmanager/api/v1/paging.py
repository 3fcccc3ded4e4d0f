"""Pages of rows with a date, the latest first."""

from typing import Any

from django.db.models import Q, QuerySet
from ninja import Schema

from reader.lists.queries import Cursor as DateCursor
from rssmanager.api.v1.base import PAGE, Cursor, Limit, Refused


class Paging(Schema):
    cursor: Cursor = ""
    limit: Limit = PAGE


def date_cursor(text: str) -> DateCursor | None:
    """The place in a cursor, None for the first page. Raises Refused."""
    if not text:
        return None
    if (cursor := DateCursor.decode(text)) is None:
        raise Refused("This cursor isn't one of this list.")
    return cursor


def dated_page(rows: QuerySet[Any], date: str, asked: Paging) -> dict[str, Any]:
    """A page of rows, the latest first. The cursor holds the date and id of the last row."""
    if after := date_cursor(asked.cursor):
        at, pk = after.published_at, after.article_id
        rows = rows.filter(Q(**{f"{date}__lt": at}) | Q(**{date: at, "pk__lt": pk}))
    found = list(rows.order_by(f"-{date}", "-pk")[: asked.limit + 1])
    shown = found[: asked.limit]
    more = len(found) > len(shown)
    return {
        "items": shown,
        "next": DateCursor(False, getattr(shown[-1], date), shown[-1].pk).encode() if more else None,
    }
