"""States of articles as plain JSON, and back from JSON that may be anybody's. Pure.

What cannot be right is refused (`Unfit`), naming the field; what is not known is left out.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from reader.listening import MOST_SECONDS
from reader.models import EngagementKind, EngagementSource, Tag
from reader.reading_states import Act, Heard, State, Tagged

MOST_ACTS = 200  # of one person with one article
MOST_TAGS = 100
MOST_FILES = 100
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class Unfit(Exception):
    """A value that cannot be taken; the message says which, and why."""


def state_as_json(state: State) -> dict[str, Any]:
    """Only what is so: an article that was merely read is `{"read": true}`."""
    found: dict[str, Any] = {}
    if state.is_read:
        found["read"] = True
    if state.is_seen:
        found["seen"] = True
    if state.is_starred:
        found["starred"] = moment_as_json(state.starred_at) if state.starred_at else True
    if state.tags:
        found["tags"] = [{"name": each.name, "at": moment_as_json(each.at)} for each in state.tags]
    if state.acts:
        found["acts"] = [
            {"kind": each.kind, "at": moment_as_json(each.at), "source": each.source} for each in state.acts
        ]
    if state.positions:
        found["positions"] = [
            {"file": each.file, "seconds": each.seconds, "at": moment_as_json(each.at)} for each in state.positions
        ]
    return found


def state_from_json(given: Mapping[str, Any]) -> State:
    """The state that `state_as_json` wrote. Raises Unfit."""
    starred = given.get("starred", False)
    return State(
        is_read=given.get("read") is True,
        is_seen=given.get("seen") is True,
        is_starred=starred is True or isinstance(starred, str),
        starred_at=moment(starred, "starred") if isinstance(starred, str) else None,
        tags=[
            Tagged(_tag_name(each), moment(each.get("at"), "at of a tag"))
            for each in listed(given, "tags", most=MOST_TAGS)
        ],
        acts=[_act(each) for each in listed(given, "acts", most=MOST_ACTS)],
        positions=[_heard(each) for each in listed(given, "positions", most=MOST_FILES)],
    )


def moment_as_json(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def moment(given: object, name: str) -> datetime:
    """An aware moment between 1970 and 2200. Raises Unfit."""
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) and len(given) < 50 else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not _FIRST <= found <= _LAST:
        raise Unfit(_("“%(name)s” is not a time like 2026-03-04T12:00:00+00:00.") % {"name": name})
    return found.astimezone(UTC)


def text(given: Mapping[str, Any], name: str, *, most: int, is_needed: bool = False) -> str:
    """The text of a field, "" where there is none; NUL and lone surrogates gone. Raises Unfit."""
    value = given.get(name, "")
    if not isinstance(value, str):
        raise Unfit(_("“%(name)s” is not text.") % {"name": name})
    value = value.replace("\0", "").encode(errors="ignore").decode()
    if len(value) > most:
        told = {"name": name, "most": number_format(most, force_grouping=True)}
        raise Unfit(_("“%(name)s” is longer than %(most)s characters.") % told)
    if is_needed and not value.strip():
        raise Unfit(_("“%(name)s” is missing.") % {"name": name})
    return value


def number(given: Mapping[str, Any], name: str, *, least: int, most: int) -> int | None:
    """A whole number, None where there is none. Raises Unfit."""
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        bounds = {"least": number_format(least, force_grouping=True), "most": number_format(most, force_grouping=True)}
        raise Unfit(_("“%(name)s” is not a whole number from %(least)s to %(most)s.") % {"name": name, **bounds})
    return value


def listed(given: Mapping[str, Any], name: str, *, most: int) -> list[Mapping[str, Any]]:
    """A list of objects, [] where there is none. Raises Unfit."""
    found = given.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise Unfit(_("“%(name)s” is not a list of objects.") % {"name": name})
    if len(found) > most:
        told = {"name": name, "most": number_format(most, force_grouping=True)}
        raise Unfit(_("“%(name)s” has more than %(most)s entries.") % told)
    return found


def _one_of(values: list[str], name: str) -> Callable[[object], str]:
    def read(given: object) -> str:
        if not isinstance(given, str) or given not in values:
            raise Unfit(_("“%(name)s” is none of %(values)s.") % {"name": name, "values": ", ".join(values)})
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
    return " ".join(text(given, "name", most=Tag.MOST_CHARACTERS, is_needed=True).replace(",", " ").split())


def _heard(given: Mapping[str, Any]) -> Heard:
    return Heard(
        file=text(given, "file", most=32, is_needed=True),
        seconds=number(given, "seconds", least=0, most=MOST_SECONDS) or 0,
        at=moment(given.get("at"), "at of a position"),
    )
