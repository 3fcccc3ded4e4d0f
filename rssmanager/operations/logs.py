"""Log lines: text or JSON, in UTC, with the request or task they belong to, and without secrets.

Callers don't log secrets in the first place; this is a second line of defense. Request paths may contain tokens
(`/mail/act/…/`), and Django's own warnings log them, so they are replaced by their route. User names and passwords in
URLs are removed from every line, including tracebacks.
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

_context: ContextVar[dict[str, str]] = ContextVar("log_context", default={})  # noqa: B039 - replaced, never changed
_CREDENTIALS = re.compile(r"(?<=://)[^/\s\"']*@")
_LONG = re.compile(r"[^/]{16,}")


@contextmanager
def log_context(**values: str) -> Iterator[None]:
    """Add these values to every line logged inside."""
    token = _context.set({**_context.get(), **values})
    try:
        yield
    finally:
        _context.reset(token)


def current_context() -> dict[str, str]:
    """The values added to lines logged now."""
    return _context.get()


def safe_path(request: Any) -> str:
    """The route of a request; without one, its path without anything as long as a token."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match is not None else _LONG.sub("…", str(request.path))


class ContextFilter(logging.Filter):
    """Adds the request or task to each record, and replaces request paths in the records of libraries."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.context = current_context()
        if record.name == "waitress":  # its errors end in the path
            record.msg = str(record.msg).partition(" /")[0]
        request = getattr(record, "request", None)
        if request is not None and hasattr(request, "path") and isinstance(record.args, tuple):
            path = safe_path(request)
            record.args = tuple(path if isinstance(arg, str) and arg.startswith("/") else arg for arg in record.args)
        return True


class TextFormatter(logging.Formatter):
    """Time, level, logger, message, and the context in brackets."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s.%03dZ"
    default_time_format = "%Y-%m-%dT%H:%M:%S"

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        context = " ".join(f"{name}={value}" for name, value in getattr(record, "context", {}).items())
        return super().formatMessage(record) + (f" [{context}]" if context else "")

    def format(self, record: logging.LogRecord) -> str:
        return without_credentials(super().format(record))


class JsonLineFormatter(JsonFormatter):
    """One JSON object per line."""

    def __init__(self) -> None:
        super().__init__(reserved_attrs=[*RESERVED_ATTRS, "request", "response", "context", "status_code"])

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        log_data |= {"time": at, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        log_data |= getattr(record, "context", {})
        super().add_fields(log_data, record, message_dict)

    def format(self, record: logging.LogRecord) -> str:
        return without_credentials(super().format(record))


def logging_config(kind: str, level: str) -> dict[str, Any]:
    """For `logging.config`: everything goes to standard error, as `text` or `json`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"context": {"()": ContextFilter}},
        "formatters": {"chosen": {"()": JsonLineFormatter if kind == "json" else TextFormatter}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "chosen", "filters": ["context"]}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "urllib3": {"level": "WARNING"},  # its debug lines show URLs with their query
            "charset_normalizer": {"level": "WARNING"},
            "fido2": {"level": "WARNING"},  # its debug lines name passkeys
            "django.db.backends": {"level": "INFO"},  # its debug lines show query parameters
            "django.server": {
                "level": "ERROR",
                "handlers": [],
                "propagate": True,
            },  # logs paths; ours replaces it
            "waitress": {"level": "WARNING"},  # its other lines show paths
            "waitress.queue": {"level": "ERROR"},  # one line for each request that waits
        },
    }


def without_credentials(text: str) -> str:
    """The text with `://user:password@` as `://…@`."""
    return _CREDENTIALS.sub("…@", text)
