"""How log lines look: plain or JSON, in UTC, with the request or task they belong to, and without secrets.

Secrets are kept out where lines are written; what stands here is the second lock. Addresses of requests may hold tokens
(`/mail/act/…/`), and Django's own warnings name them: they are told by their route. User names and passwords in URLs
are left out of every line, tracebacks too.
"""

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

_said: ContextVar[dict[str, str]] = ContextVar("said", default={})  # noqa: B039 - replaced, never changed
_CREDENTIALS = re.compile(r"(?<=://)[^/\s\"']*@")
_LONG = re.compile(r"[^/]{16,}")


@contextmanager
def said_of(**values: str) -> Iterator[None]:
    """Add these to every line that is logged inside."""
    token = _said.set({**_said.get(), **values})
    try:
        yield
    finally:
        _said.reset(token)


def said() -> dict[str, str]:
    """What lines logged now are about."""
    return _said.get()


def shown_path(request: Any) -> str:
    """The address of a request as its route; where none fits, without anything as long as a token."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match is not None else _LONG.sub("…", str(request.path))


class Surroundings(logging.Filter):
    """Gives each record its request or task, and takes the addresses of requests out of Django's own records."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.said = said()
        request = getattr(record, "request", None)
        if request is not None and hasattr(request, "path") and isinstance(record.args, tuple):
            shown = shown_path(request)
            record.args = tuple(shown if _is_path(each) else each for each in record.args)
        return True


class Line(logging.Formatter):
    """One line for people: time, level, logger, message, and in brackets what it belongs to."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s.%03dZ"
    default_time_format = "%Y-%m-%dT%H:%M:%S"

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        said: dict[str, str] = getattr(record, "said", {})
        words = " ".join(f"{name}={value}" for name, value in said.items())
        return super().formatMessage(record) + (f" [{words}]" if words else "")

    def format(self, record: logging.LogRecord) -> str:
        return without_credentials(super().format(record))


class Json(JsonFormatter):
    """One JSON object a line, for programs."""

    def __init__(self) -> None:
        super().__init__(reserved_attrs=[*RESERVED_ATTRS, "request", "response", "said", "status_code"])

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        log_data |= {"time": at, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        log_data |= getattr(record, "said", {})
        super().add_fields(log_data, record, message_dict)

    def format(self, record: logging.LogRecord) -> str:
        return without_credentials(super().format(record))


def configuration(kind: str, level: str) -> dict[str, Any]:
    """For `logging.config`: everything to standard error, as `text` or `json`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"surroundings": {"()": Surroundings}},
        "formatters": {"chosen": {"()": Json if kind == "json" else Line}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "chosen", "filters": ["surroundings"]}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "urllib3": {"level": "WARNING"},  # its debug lines would show addresses with their query
            "charset_normalizer": {"level": "WARNING"},
            "django.db.backends": {"level": "INFO"},  # its debug lines would show what queries are asked about
            "django.server": {"level": "ERROR", "handlers": [], "propagate": True},  # addresses, and ours say as much
            # its debug lines are addresses
            "gunicorn.error": {"level": "INFO" if level == "DEBUG" else level, "handlers": [], "propagate": True},
            "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},  # addresses
        },
    }


def without_credentials(text: str) -> str:
    """The text with `://user:password@` as `://…@`."""
    return _CREDENTIALS.sub("…@", text)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value.startswith("/")
