"""What of a query was not understood. Pure; `reader.search_notes` says it in words."""

from dataclasses import dataclass
from enum import Enum, auto


class Trouble(Enum):
    TOO_LONG = auto()
    TOO_MANY = auto()
    TOO_DEEP = auto()
    OPEN_QUOTE = auto()
    NOT_CLOSED = auto()
    NOT_OPENED = auto()
    EMPTY = auto()
    LONELY = auto()
    NO_VALUE = auto()
    NO_OPERATOR = auto()
    NO_STATE = auto()
    NO_LANGUAGE = auto()
    NO_NUMBER = auto()
    NO_DAY = auto()
    NO_SUCH_DAY = auto()


@dataclass(frozen=True, slots=True)
class Note:
    """One trouble: with what, at which character of the query (1 is the first), and the query that may be meant."""

    trouble: Trouble
    value: str = ""
    at: int | None = None
    instead: str = ""
