"""States of articles as JSON, and parsed from untrusted JSON. Pure.

Invalid values raise `Unfit` with the field's name; unknown fields are ignored.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from feeds.wording import format_number
from reader.articles.highlights import MAX_PER_ARTICLE
from reader.articles.playback import MAX_SECONDS
from reader.articles.state_bulk import Act, Highlighted, Position, State, Tagged
from reader.models import EngagementKind, EngagementSource, Highlight, Tag

MAX_ACTS = 200  # of one user on one article
MAX_TAGS = 100
MAX_FILES = 100
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class Unfit(Exception):
    """An invalid value; the message says which one and why."""


def state_as_json(state: State) -> dict[str, Any]:
    """Only what is set: an article that was merely read is `{"read": true}`."""
    found: dict[str, Any] = {}
    if state.is_read:
        found["read"] = True
    if state.is_seen:
        found["seen"] = True
    if state.is_starred:
        found["starred"] = moment_as_json(state.starred_at) if state.starred_at else True
    if state.tags:
        found["tags"] = [{"name": tag.name, "at": moment_as_json(tag.at)} for tag in state.tags]
    if state.acts:
        found["acts"] = [{"kind": act.kind, "at": moment_as_json(act.at), "source": act.source} for act in state.acts]
    if state.positions:
        found["positions"] = [
            {"file": position.file, "seconds": position.seconds, "at": moment_as_json(position.at)}
            for position in state.positions
        ]
    if state.highlights:
        found["highlights"] = [highlight_as_json(row) for row in state.highlights]
    if state.saved_at:
        found["saved"] = moment_as_json(state.saved_at)
    return found


def highlight_as_json(row: Highlighted) -> dict[str, str]:
    texts = {"quote": row.quote, "prefix": row.prefix, "suffix": row.suffix, "note": row.note}
    return {name: value for name, value in texts.items() if value} | {"at": moment_as_json(row.at)}


def state_from_json(given: Mapping[str, Any]) -> State:
    """The inverse of `state_as_json`. Raises Unfit."""
    starred = given.get("starred", False)
    return State(
        is_read=given.get("read") is True,
        is_seen=given.get("seen") is True,
        is_starred=starred is True or isinstance(starred, str),
        starred_at=moment(starred, "starred") if isinstance(starred, str) else None,
        tags=[
            Tagged(_tag_name(tag), moment(tag.get("at"), "at of a tag")) for tag in listed(given, "tags", most=MAX_TAGS)
        ],
        acts=[_act(act) for act in listed(given, "acts", most=MAX_ACTS)],
        positions=[_position(position) for position in listed(given, "positions", most=MAX_FILES)],
        highlights=[highlight_from_json(row) for row in listed(given, "highlights", most=MAX_PER_ARTICLE)],
        saved_at=moment(given["saved"], "saved") if given.get("saved") else None,
    )


def moment_as_json(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def moment(given: object, name: str) -> datetime:
    """An aware timestamp between 1970 and 2200. Raises Unfit."""
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) and len(given) < 50 else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not _FIRST <= found <= _LAST:
        raise Unfit(_("“%(name)s” is not a time like 2026-03-04T12:00:00+00:00.") % {"name": name})
    return found.astimezone(UTC)


def text(given: Mapping[str, Any], name: str, *, most: int, is_needed: bool = False) -> str:
    """A text field, "" if missing; NUL and lone surrogates are removed. Raises Unfit."""
    value = given.get(name, "")
    if not isinstance(value, str):
        raise Unfit(_("“%(name)s” is not text.") % {"name": name})
    value = value.replace("\0", "").encode(errors="ignore").decode()
    if len(value) > most:
        values = {"name": name, "most": format_number(most)}
        raise Unfit(_("“%(name)s” is longer than %(most)s characters.") % values)
    if is_needed and not value.strip():
        raise Unfit(_("“%(name)s” is missing.") % {"name": name})
    return value


def number(given: Mapping[str, Any], name: str, *, least: int, most: int) -> int | None:
    """A whole number, None if missing. Raises Unfit."""
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        bounds = {"least": format_number(least), "most": format_number(most)}
        raise Unfit(_("“%(name)s” is not a whole number from %(least)s to %(most)s.") % {"name": name, **bounds})
    return value


def listed(given: Mapping[str, Any], name: str, *, most: int) -> list[Mapping[str, Any]]:
    """A list of objects, [] if missing. Raises Unfit."""
    found = given.get(name, [])
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise Unfit(_("“%(name)s” is not a list of objects.") % {"name": name})
    if len(found) > most:
        values = {"name": name, "most": format_number(most)}
        raise Unfit(_("“%(name)s” has more than %(most)s entries.") % values)
    return found


def _one_of(values: list[str], name: str) -> Callable[[object], str]:
    def read(given: object) -> str:
        if not isinstance(given, str) or given not in values:
            raise Unfit(_("“%(name)s” is not one of %(values)s.") % {"name": name, "values": ", ".join(values)})
        return given

    return read


_kind = _one_of(EngagementKind.values, "kind of an act")
_source = _one_of(EngagementSource.values, "source of an act")


def _act(given: Mapping[str, Any]) -> Act:
    return Act(
        kind=_kind(given.get("kind")),
        at=moment(given.get("at"), "at of an act"),
        source=_source(given.get("source", EngagementSource.IMPORT)),
    )


def _tag_name(given: Mapping[str, Any]) -> str:
    return " ".join(text(given, "name", most=Tag.MAX_CHARACTERS, is_needed=True).replace(",", " ").split())


def highlight_from_json(given: Mapping[str, Any]) -> Highlighted:
    """The inverse of `highlight_as_json`. Raises Unfit."""
    return Highlighted(
        quote=text(given, "quote", most=Highlight.MAX_QUOTE, is_needed=True),
        prefix=text(given, "prefix", most=Highlight.MAX_CONTEXT),
        suffix=text(given, "suffix", most=Highlight.MAX_CONTEXT),
        note=text(given, "note", most=Highlight.MAX_NOTE),
        at=moment(given.get("at"), "at of a highlight"),
    )


def _position(given: Mapping[str, Any]) -> Position:
    return Position(
        file=text(given, "file", most=32, is_needed=True),
        seconds=number(given, "seconds", least=0, most=MAX_SECONDS) or 0,
        at=moment(given.get("at"), "at of a position"),
    )
