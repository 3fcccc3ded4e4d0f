"""Settings from environment variables, as one frozen, typed object. A reader of a variable raises ValueError that says,
after its name, what it must be.

Every variable is a field of `Environment` with its help; `docs/configuration.md` and `.env.example` are checked against
them. Variables that aren't set are read from `.env` in the project folder.
"""

import ipaddress
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from email.utils import parseaddr
from math import inf, nan
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, available_timezones

import environs
from django.core.exceptions import ImproperlyConfigured

from rssmanager.languages import LOCALE, WRITTEN_IN, languages_in

PROJECT = Path(__file__).resolve().parent.parent

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _variable(
    reader: Callable[[environs.Env, str], Any], shown_default: str, text: str, *, is_secret: bool = False
) -> Any:
    return field(repr=not is_secret, metadata={"read": reader, "default": shown_default, "help": text})


def _text(default: str) -> Callable[[environs.Env, str], str]:
    return lambda env, name: str(env.str(name, default))


def _switch(default: bool) -> Callable[[environs.Env, str], bool]:
    def read(env: environs.Env, name: str) -> bool:
        try:
            return env.bool(name, default)
        except environs.EnvError as error:
            raise ValueError(f'must be true or false, not "{env.str(name)}"') from error

    return read


def _number(default: int, low: int, high: int, *, or_zero: str = "") -> Callable[[environs.Env, str], int]:
    def read(env: environs.Env, name: str) -> int:
        text = env.str(name, str(default)).strip()
        value = int(text) if re.fullmatch("[0-9]{1,15}", text) else -1
        if not low <= value <= high and not (or_zero and value == 0):
            zero = f"0 ({or_zero}) or " if or_zero else ""
            raise ValueError(f'must be {zero}a whole number from {low} to {high}, not "{text}"')
        return value

    return read


def _between(default: float, low: float, high: float, unit: str = "") -> Callable[[environs.Env, str], float]:
    def read(env: environs.Env, name: str) -> float:
        text = env.str(name, str(default)).strip()
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not low <= value <= high:
            raise ValueError(f'must be a number from {low} to {high}{unit}, not "{text}"')
        return value

    return read


def _seconds(default: float, low: float, high: float) -> Callable[[environs.Env, str], float]:
    return _between(default, low, high, " seconds")


def _choice(*choices: str) -> Callable[[environs.Env, str], str]:
    def read(env: environs.Env, name: str) -> str:
        value = env.str(name, choices[0])
        if value not in choices:
            raise ValueError(f'must be one of {", ".join(choices)}, not "{value}"')
        return value

    return read


def _words(default: tuple[str, ...]) -> Callable[[environs.Env, str], tuple[str, ...]]:
    return lambda env, name: tuple(word.strip() for word in env.list(name, list(default)) if word.strip())


def _hosts(env: environs.Env, name: str) -> tuple[str, ...]:
    hosts = _words(())(env, name)
    for host in hosts:
        if not re.fullmatch(r"[^/:@\s]+|\[[0-9a-fA-F:.]+\]", host):
            raise ValueError(f'must be host names like reader.example.org, without scheme and port, not "{host}"')
    return hosts


def _networks(env: environs.Env, name: str) -> tuple[Network, ...]:
    texts: list[str] = env.list(name, [])
    try:
        return tuple(ipaddress.ip_network(text.strip()) for text in texts if text.strip())
    except ValueError as error:
        raise ValueError(f"must be networks like 192.168.1.0/24 or 10.0.0.7, separated by commas: {error}") from error


def _base_url(env: environs.Env, name: str) -> str:
    value = env.str(name, "http://127.0.0.1:8000").rstrip("/")
    is_like_one = re.fullmatch(r"https?://[^/?#@\s]+(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*", value)
    if not is_like_one or not _has_host(value):
        raise ValueError(f'must be like https://reader.example.org or https://example.org/reader, not "{value}"')
    return value


def _has_host(url: str) -> bool:
    """Whether it names a host, and no impossible port."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port or IPv6 address
        return False


def _server_url(env: environs.Env, name: str) -> str:
    """An http or https URL without query, or "" for none. Errors don't repeat it, as it may contain a password."""
    value = env.str(name, "").strip()
    if value and not (re.match("https?://[^?#]+$", value) and _has_host(value)):
        raise ValueError("must be like http://127.0.0.1:11434/v1")
    return value


def _key(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    if not re.fullmatch(r"[!-~]*", value):  # allowed in a header
        raise ValueError("must be visible ASCII characters without spaces")
    return value


def _header(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    if not re.fullmatch(r"[A-Za-z0-9-]*", value):  # an underscore would be indistinguishable from a hyphen
        raise ValueError(f'must be a header like Remote-User, not "{value}"')
    return value


def _long_key(env: environs.Env, name: str) -> str:
    value = _key(env, name)
    if value and len(value) < 16:
        raise ValueError("must have 16 characters or more")
    return value


def _rates(*default: float) -> Callable[[environs.Env, str], tuple[float, ...]]:
    def read(env: environs.Env, name: str) -> tuple[float, ...]:
        texts: list[str] = env.list(name, [])
        try:
            values = tuple(float(text) for text in texts) or default
        except ValueError:
            values = ()
        is_ascending = list(values) == sorted(values) and all(0 <= value < inf for value in values)
        if len(values) != len(default) or not is_ascending:
            raise ValueError(f'must be {len(default)} numbers from 0 in ascending order, not "{env.str(name)}"')
        return values

    return read


def _time_zone(env: environs.Env, name: str) -> str:
    value = env.str(name, "UTC")
    if value not in available_timezones():
        raise ValueError(f'must be a time zone like Europe/Berlin, not "{value}"')
    return ZoneInfo(value).key


def _language(env: environs.Env, name: str) -> str:
    value, known = env.str(name, WRITTEN_IN).strip().lower().replace("_", "-"), languages_in(LOCALE)
    if value not in known:
        raise ValueError(f'must be one of {", ".join(known)}, not "{value}"')
    return value


def _log_level(env: environs.Env, name: str) -> str:
    value = env.str(name, "INFO").upper()
    if value not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise ValueError(f'must be DEBUG, INFO, WARNING or ERROR, not "{value}"')
    return value


def _database(env: environs.Env, name: str) -> dict[str, Any]:
    """Errors don't repeat the URL, as it may contain a password."""
    value = env.str(name, "")
    if not value:
        return {}
    if not re.match("(sqlite:///|postgres(ql)?://).", value):
        raise ValueError("must be like postgres://user:password@host:5432/name or sqlite:///path")
    try:
        config = dict(env.dj_db_url(name))
    except (ValueError, environs.EnvError) as error:  # an invalid port, for example
        raise ValueError("must be like postgres://user:password@host:5432/name; host or port is invalid") from error
    if value.startswith("sqlite:") and not Path(config["NAME"]).parent.is_dir():
        raise ValueError(f'must name a file in an existing folder, not "{config["NAME"]}"')
    return config


def _redis(env: environs.Env, name: str) -> str:
    value = env.str(name, "")
    if value and not (re.match("rediss?://", value) and _has_host(value)) and not re.match("unix://.*/", value):
        raise ValueError("must be like redis://127.0.0.1:6379/0, rediss://host:6379/0 or unix:///path")
    return value


def _email(env: environs.Env, name: str) -> dict[str, Any]:
    value = env.str(name, "")
    if not value:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if not re.match("(smtp|submission)://", value) or not _has_host(value):
        raise ValueError("must be like submission://user:password@mail.example.org or smtp://mail.example.org:25")
    return dict(env.dj_email_url(name))


def _sender(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    _, address = parseaddr(value)
    if value and ("\n" in value or "\r" in value or not re.fullmatch(r"[^@\s]+@[^@\s]+", address)):
        raise ValueError("must be like Reader <reader@example.org>")
    return value


@dataclass(frozen=True, slots=True)
class Environment:
    """All settings. Times in seconds, sizes in bytes."""

    DATA_DIR: str = _variable(
        _text("var"), "var", "Folder for the SQLite database, the generated secret key and collected static files"
    )
    DATABASE_URL: dict[str, Any] = _variable(
        _database, "SQLite in `DATA_DIR`", "`postgres://user:password@host:5432/name` or `sqlite:///path`"
    )
    REDIS_URL: str = _variable(_redis, "none", "Redis server for the task queue and the cache")
    SECRET_KEY: str = _variable(
        _text(""), "generated", "Signs sessions and links; generated in `DATA_DIR` on first start", is_secret=True
    )
    DEBUG: bool = _variable(
        _switch(False), "false", "Show error pages with source code; never turn this on for a public server"
    )
    DEMO: bool = _variable(_switch(False), "false", "Sign in every visitor from this machine; only `make demo` sets it")
    BASE_URL: str = _variable(
        _base_url,
        "http://127.0.0.1:8000",
        "Address of this app, including any path; used in links and, if it is public, in the User-Agent",
    )
    ALLOWED_HOSTS: tuple[str, ...] = _variable(
        _hosts, "host of `BASE_URL`", "Comma-separated host names to answer to, in addition to localhost"
    )
    TRUSTED_PROXIES: tuple[Network, ...] = _variable(
        _networks,
        "none",
        "Comma-separated networks of reverse proxies, such as `127.0.0.1/32`, whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` headers are trusted",
    )
    PROXY_SIGN_IN_HEADER: str = _variable(
        _header, "none", "Header in which a trusted proxy names the signed-in user, such as `Remote-User`"
    )
    PROXY_SIGN_IN_CREATE: bool = _variable(
        _switch(False), "false", "Create an account for unknown users named in that header"
    )
    OIDC_ISSUER: str = _variable(
        _server_url, "none", "Issuer URL of an OpenID Connect provider, exactly as the provider states it"
    )
    OIDC_CLIENT_ID: str = _variable(_key, "none", "Client ID at that provider")
    OIDC_CLIENT_SECRET: str = _variable(_key, "none", "Client secret at that provider", is_secret=True)
    OIDC_NAME: str = _variable(_text("OpenID Connect"), "OpenID Connect", "Name of that provider on the sign-in button")
    OIDC_CREATE: bool = _variable(_switch(False), "false", "Create an account for unknown users of that provider")
    EMAIL_URL: dict[str, Any] = _variable(
        _email,
        "printed, not sent",
        "Mail server: `submission://user:password@host` (STARTTLS) or `smtp://host:25`; add `?ssl=True` for "
        "implicit TLS",
    )
    EMAIL_FROM: str = _variable(
        _sender,
        "rssmanager@host of `BASE_URL`",
        "Sender of emails: `reader@example.org` or `Reader <reader@example.org>`",
    )
    TIME_ZONE: str = _variable(_time_zone, "UTC", "Default time zone, such as `Europe/Berlin`")
    INTERFACE_LANGUAGE: str = _variable(
        _language,
        "en",
        "Language of pages and emails where neither the user nor the browser asks for one that is in "
        "`rssmanager/locale`",
    )
    LOG_LEVEL: str = _variable(_log_level, "INFO", "`DEBUG`, `INFO`, `WARNING` or `ERROR`")
    LOG_FORMAT: str = _variable(
        _choice("text", "json"), "text", "Log lines for people (`text`) or for programs (`json`)"
    )
    LOG_SLOW_QUERY_SECONDS: float = _variable(
        _seconds(0.5, 0, 600), "0.5", "Log and record database queries that take at least this long; 0 turns it off"
    )
    LOG_SLOW_REQUEST_SECONDS: float = _variable(
        _seconds(2, 0, 600), "2", "Log pages that take at least this long; 0 turns it off"
    )
    METRICS_TOKEN: str = _variable(
        _long_key, "none", "Turns on `/metrics` for clients that send this bearer token", is_secret=True
    )
    WORKERS: int = _variable(
        _number(2, 1, 64), "2", "Worker processes per machine, in addition to one for what users are waiting for"
    )
    FETCH_CONCURRENCY: int = _variable(
        _number(24, 1, 256),
        "24",
        "Feeds fetched at the same time per worker process; slow publishers are counted separately",
    )
    FETCH_PER_DOMAIN: int = _variable(_number(2, 1, 16), "2", "Simultaneous connections per registrable domain")
    FETCH_CONNECT_TIMEOUT: float = _variable(_seconds(10, 0.1, 120), "10", "Seconds to connect")
    FETCH_TIMEOUT: float = _variable(
        _seconds(30, 0.1, 600), "30", "Seconds for one try of a fetch, including redirects; there are up to three"
    )
    FETCH_MAX_BYTES: int = _variable(
        _number(16 * 2**20, 1024, 2**30), "16777216", "Maximum size of a feed, decompressed"
    )
    FETCH_MAX_REDIRECTS: int = _variable(_number(5, 0, 20), "5", "Maximum redirects to follow")
    FETCH_MAX_ITEMS: int = _variable(_number(500, 1, 100_000), "500", "Maximum entries read per poll, newest first")
    FETCH_ALLOW_PRIVATE_NETWORKS: bool = _variable(
        _switch(False), "false", "Allow feeds on private, loopback and link-local addresses"
    )
    FETCH_ALLOWED_NETWORKS: tuple[Network, ...] = _variable(
        _networks, "none", "Comma-separated private networks to allow, such as `192.168.1.0/24`"
    )
    FETCH_EXTRA_TRACKERS: tuple[str, ...] = _variable(
        _words(()), "none", "Comma-separated query parameters to remove as trackers, in addition to the built-in list"
    )
    PUSH: bool = _variable(
        _switch(True),
        "true",
        "Let hubs announce new articles of feeds that name one (WebSub), and poll less; needs a public `BASE_URL`",
    )
    IMAGE_PROXY: bool = _variable(
        _switch(True),
        "true",
        "Load article images through this server, so publishers can't see who reads and https pages show http images",
    )
    RETENTION_DAYS: int = _variable(
        _number(0, 7, 36_500, or_zero="forever"),  # a week is the period of the longest digest
        "0",
        "Days to keep articles, at least 7; 0 keeps them forever. Starred and tagged articles stay; opened, skipped "
        "or rated ones stay for a year",
    )
    RETENTION_ITEMS: int = _variable(
        _number(0, 0, 10_000_000), "0", "Newest articles to keep per feed, with the same exceptions; 0 keeps all"
    )
    RETENTION_KEEP_UNREAD: bool = _variable(
        _switch(False), "false", "Never delete articles that someone hasn't read yet"
    )
    DEDUP_POLICY: str = _variable(
        _choice("layered", "three_tier", "newest"),
        "layered",
        "How copies and stories are found: `layered` (titles, texts, events), `three_tier` (similar titles across "
        "publishers) or `newest` (similar titles within one publisher)",
    )
    DEDUP_CLOSENESS: float = _variable(
        _between(0.25, 0.1, 1.0),
        "0.25",
        "How similar reports must be on average to share a story; higher means fewer, purer stories",
    )
    DEDUP_MEANING: bool = _variable(
        _switch(True), "true", "Also compare what headlines mean, across languages; workers need less memory without it"
    )
    DECAY_RATES: tuple[float, ...] = _variable(
        _rates(0.0019, 0.004, 0.0231, 0.069, 0.139),
        "0.0019,0.004,0.0231,0.069,0.139",
        "Relevance lost per day for each time sensitivity, from evergreen to critical",
    )
    LLM_BASE_URL: str = _variable(
        _server_url,
        "none",
        "OpenAI-compatible server (llama.cpp, Ollama, vLLM, …) for a second opinion on time sensitivity",
        is_secret=True,  # it may contain a password
    )
    LLM_MODEL: str = _variable(_text(""), "the server's", "Model to use")
    LLM_API_KEY: str = _variable(_key, "none", "API key for that server", is_secret=True)
    LLM_TIMEOUT: float = _variable(_seconds(30, 0.1, 600), "30", "Seconds to wait for an answer")
    DIGEST_SUMMARIES: str = _variable(
        _choice("extract", "llm"),
        "extract",
        "Summaries of a digest's top stories: `extract` (sentences from the article) or `llm` (written by the "
        "language model and checked, with `extract` as fallback)",
    )
    LLM_RATE: int = _variable(_number(20, 1, 600), "20", "Maximum requests to the language model per minute")


def read_environment() -> Environment:
    """The settings from environment variables and `.env`. Raises ImproperlyConfigured, naming the invalid variable."""
    env = environs.Env()
    try:
        env.read_env(str(PROJECT / ".env"), recurse=False)
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"{PROJECT / '.env'} must be a readable UTF-8 file: {error}.") from error
    values = {entry.name: _value(env, entry.name, entry.metadata["read"]) for entry in fields(Environment)}
    settings = Environment(**values)
    if settings.PROXY_SIGN_IN_HEADER and not settings.TRUSTED_PROXIES:
        raise ImproperlyConfigured("PROXY_SIGN_IN_HEADER needs TRUSTED_PROXIES, or anyone could send the header.")
    if settings.OIDC_ISSUER and not settings.OIDC_CLIENT_ID:
        raise ImproperlyConfigured("OIDC_ISSUER needs OIDC_CLIENT_ID, the client ID at the provider.")
    return settings


def _value(env: environs.Env, name: str, read: Callable[[environs.Env, str], Any]) -> Any:
    try:
        return read(env, name)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} {error}.") from error


def usable_data_dir(path: str) -> Path:
    """The data folder, created on first use. Raises ImproperlyConfigured if this user can't write there."""
    folder = PROJECT / path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        reason = "" if os.access(folder, os.R_OK | os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = "It is a file" if isinstance(error, FileExistsError) else str(error.strerror)
    if reason:
        raise ImproperlyConfigured(f"DATA_DIR must be a folder that this user can write to, not {folder}: {reason}.")
    return folder
