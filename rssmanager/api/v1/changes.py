"""What changed since a client last asked."""

from typing import Annotated, Any

from ninja import Query, Router, Schema
from pydantic import Field

from reader.articles.changes import Cursor, CursorExpired, changes_since
from rssmanager.api.v1.base import READ, Refused, Request

router = Router(tags=["Articles"])
MAX_CHANGES, CHANGES = 10_000, 1000  # in one answer


class State(Schema):
    """The state of an article. `feed_ids` are your feeds that deliver it: none of them, if you only kept it.

    `is_folded`: it isn't in the list of all articles, because another one of its story is, or its feed is limited.
    """

    id: int
    is_read: bool
    is_starred: bool
    is_folded: bool
    feed_ids: list[int]
    tag_ids: list[int]


class Changes(Schema):
    """Articles that came or changed, and the ids of those that are no longer yours."""

    items: list[State]
    removed: list[int]
    cursor: str = Field(description="Send it next time.")
    has_more: bool = Field(description="There is more already, so send it at once.")


class Since(Schema):
    cursor: Annotated[str, Field(max_length=100, description="That of the last answer; none for all articles.")] = ""
    limit: Annotated[int, Field(ge=1, le=MAX_CHANGES, description="Articles in one answer.")] = CHANGES


@router.get("/articles/changes", auth=READ, response=Changes)
def list_changes(request: Request, asked: Query[Since]) -> dict[str, Any]:
    """What changed since a cursor: articles that came, went, or were read, starred, tagged or folded.

    The first time, without a cursor, these are all your articles: what your feeds delivered, and what you starred or
    tagged. No change is ever left out, and some come twice. Cursors are valid for 30 days; 410 means to begin anew.
    """
    cursor = Cursor.decode(asked.cursor) if asked.cursor else None
    if asked.cursor and cursor is None:
        raise Refused("This cursor isn't one of this list.")
    try:
        found = changes_since(request.user, cursor, size=asked.limit)
    except CursorExpired as error:
        raise Refused("This cursor is too old. Ask without one, and replace what you have.", 410) from error
    return {
        "items": found.states,
        "removed": found.removed,
        "cursor": found.cursor.encode(),
        "has_more": found.has_more,
    }
