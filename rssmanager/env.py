"""The environment, read once into one frozen, typed object; nonsense is refused with the variable's name.

Every variable is a field of `Environment`, its help beside it: the README's table and `.env.example` are checked
against these fields. `.env` in the project folder is read when present; the real environment wins over it.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from email.utils import parseaddr
from math import inf
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
    return lambda env, name: env.bool(name, default)


def _number(default: int, low: int, high: int) -> Callable[[environs.Env, str], int]:
    def read(env: environs.Env, name: str) -> int:
        value = env.int(name, default)
        if not low <= value <= high:
            raise environs.EnvError(f'Environment variable "{name}" must be from {low} to {high}, not {value}')
        return value

    return read


def _days(env: environs.Env, name: str) -> int:
    """0 for ever, or at least the week that the longest digest looks back."""
    value = env.int(name, 0)
    if value != 0 and not 7 <= value <= 36_500:
        raise environs.EnvError(f'Environment variable "{name}" must be 0 (for good) or from 7 to 36500, not {value}')
    return value


def _between(default: float, low: float, high: float, unit: str = "") -> Callable[[environs.Env, str], float]:
    def read(env: environs.Env, name: str) -> float:
        value = env.float(name, default)
        if not low <= value <= high:
            raise environs.EnvError(f'Environment variable "{name}" must be from {low} to {high}{unit}, not {value}')
        return value

    return read


def _seconds(default: float, low: float, high: float) -> Callable[[environs.Env, str], float]:
    return _between(default, low, high, " seconds")


def _choice(*choices: str) -> Callable[[environs.Env, str], str]:
    def read(env: environs.Env, name: str) -> str:
        value = env.str(name, choices[0])
        if value not in choices:
            raise environs.EnvError(f'Environment variable "{name}" must be one of {", ".join(choices)}, not {value!r}')
        return value

    return read


def _words(default: tuple[str, ...]) -> Callable[[environs.Env, str], tuple[str, ...]]:
    return lambda env, name: tuple(word.strip() for word in env.list(name, list(default)) if word.strip())


def _networks(env: environs.Env, name: str) -> tuple[Network, ...]:
    texts: list[str] = env.list(name, [])
    try:
        return tuple(ipaddress.ip_network(text.strip()) for text in texts if text.strip())
    except ValueError as error:
        raise environs.EnvError(f'Environment variable "{name}" invalid: {error}') from error


def _base_url(env: environs.Env, name: str) -> str:
    value = env.str(name, "http://127.0.0.1:8000").rstrip("/")
    if not re.fullmatch(r"https?://[^/?#@\s]+(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*", value):
        raise environs.EnvError(
            f'Environment variable "{name}" must be like https://reader.example.org/path, not "{value}"'
        )
    return value


def _server_url(env: environs.Env, name: str) -> str:
    """An http or https URL without query, or "" for none. What was given is not repeated: it may hold a password."""
    value = env.str(name, "").strip()
    if value:
        try:
            parts = urlsplit(value)
            is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port or an address in brackets that is none
            is_usable = False
        if not is_usable or parts.query or parts.fragment:
            raise environs.EnvError(f'Environment variable "{name}" must be like http://127.0.0.1:11434/v1')
    return value


def _key(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    if not re.fullmatch(r"[!-~]*", value):  # what a header can carry
        raise environs.EnvError(f'Environment variable "{name}" must be visible ASCII characters without spaces')
    return value


def _header(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    if not re.fullmatch(r"[A-Za-z0-9-]*", value):  # with an underscore it could not be told from one with a hyphen
        raise environs.EnvError(f'Environment variable "{name}" must be a header like Remote-User, not "{value}"')
    return value


def _long_key(env: environs.Env, name: str) -> str:
    value = _key(env, name)
    if value and len(value) < 16:
        raise environs.EnvError(f'Environment variable "{name}" must have 16 characters or more')
    return value


def _rates(*default: float) -> Callable[[environs.Env, str], tuple[float, ...]]:
    def read(env: environs.Env, name: str) -> tuple[float, ...]:
        texts: list[str] = env.list(name, [])
        try:
            values = tuple(float(text) for text in texts) or default
        except ValueError as error:
            raise environs.EnvError(f'Environment variable "{name}" invalid: {error}') from error
        if len(values) != len(default) or list(values) != sorted(values) or not all(0 <= each < inf for each in values):
            raise environs.EnvError(
                f'Environment variable "{name}" must be {len(default)} numbers from 0, none below the one before it'
            )
        return values

    return read


def _time_zone(env: environs.Env, name: str) -> str:
    value = env.str(name, "UTC")
    if value not in available_timezones():
        raise environs.EnvError(f'Environment variable "{name}": no time zone is called "{value}"')
    return ZoneInfo(value).key


def _language(env: environs.Env, name: str) -> str:
    value, known = env.str(name, WRITTEN_IN).strip().lower().replace("_", "-"), languages_in(LOCALE)
    if value not in known:
        raise environs.EnvError(f'Environment variable "{name}" must be one of {", ".join(known)}, not "{value}"')
    return value


def _log_level(env: environs.Env, name: str) -> str:
    value = env.str(name, "INFO").upper()
    if value not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise environs.EnvError(f'Environment variable "{name}" must be DEBUG, INFO, WARNING or ERROR, not "{value}"')
    return value


def _database(env: environs.Env, name: str) -> dict[str, Any]:
    value = env.str(name, "")
    if value and not value.startswith(("sqlite:", "postgres:", "postgresql:")):
        raise environs.EnvError(f'Environment variable "{name}" must begin with sqlite:/// or postgres://')
    return dict(env.dj_db_url(name)) if value else {}


def _redis(env: environs.Env, name: str) -> str:
    value = env.str(name, "")
    if value and not value.startswith(("redis://", "rediss://", "unix://")):
        raise environs.EnvError(f'Environment variable "{name}" must begin with redis://, rediss:// or unix://')
    return value


def _email(env: environs.Env, name: str) -> dict[str, Any]:
    value = env.str(name, "")
    if not value:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if value.partition(":")[0] not in ("smtp", "submission"):
        raise environs.EnvError(f'Environment variable "{name}" must begin with submission:// or smtp://')
    return dict(env.dj_email_url(name))


def _sender(env: environs.Env, name: str) -> str:
    value = env.str(name, "").strip()
    _, address = parseaddr(value)
    if value and ("\n" in value or "\r" in value or not re.fullmatch(r"[^@\s]+@[^@\s]+", address)):
        raise environs.EnvError(f'Environment variable "{name}" must be like Reader <reader@example.org>')
    return value


@dataclass(frozen=True, slots=True)
class Environment:
    """All settings an operator can change. Times in seconds, sizes in bytes."""

    DATA_DIR: str = _variable(
        _text("var"), "var", "Folder for the SQLite file, the generated key and built static files"
    )
    DATABASE_URL: dict[str, Any] = _variable(
        _database, "SQLite in `DATA_DIR`", "`postgres://user:password@host:5432/name`, or `sqlite:///path`"
    )
    REDIS_URL: str = _variable(_redis, "none", "When given, Redis is the task broker and the cache")
    SECRET_KEY: str = _variable(
        _text(""), "generated", "Signs sessions and links; made in `DATA_DIR` on first run", is_secret=True
    )
    DEBUG: bool = _variable(_switch(False), "false", "Error pages with source code; never on a server others reach")
    DEMO: bool = _variable(
        _switch(False), "false", "Signs in every visitor from this machine; set by `make demo` alone"
    )
    BASE_URL: str = _variable(
        _base_url,
        "http://127.0.0.1:8000",
        "How people reach the reader, path included; used in links, User-Agent",
    )
    ALLOWED_HOSTS: tuple[str, ...] = _variable(
        _words(()), "host of `BASE_URL`", "Comma-separated host names to answer to, beside localhost"
    )
    TRUSTED_PROXIES: tuple[Network, ...] = _variable(
        _networks,
        "none",
        "Comma-separated networks of reverse proxies, such as `127.0.0.1/32`, whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are believed",
    )
    PROXY_SIGN_IN_HEADER: str = _variable(
        _header, "none", "Header by which a trusted proxy says who is signed in, such as `Remote-User`"
    )
    PROXY_SIGN_IN_CREATE: bool = _variable(
        _switch(False), "false", "Make an account for whom that header names and nobody knows"
    )
    OIDC_ISSUER: str = _variable(
        _server_url, "none", "Provider of OpenID Connect to sign in by, exactly as it calls itself"
    )
    OIDC_CLIENT_ID: str = _variable(_key, "none", "What that provider calls this reader")
    OIDC_CLIENT_SECRET: str = _variable(_key, "none", "What this reader proves itself with there", is_secret=True)
    OIDC_NAME: str = _variable(_text("OpenID Connect"), "OpenID Connect", "What people call that provider")
    OIDC_CREATE: bool = _variable(
        _switch(False), "false", "Make an account for whom that provider names and nobody knows"
    )
    EMAIL_URL: dict[str, Any] = _variable(
        _email,
        "printed, not sent",
        "Mail server: `submission://user:password@host` (STARTTLS) or `smtp://host:25`; `?ssl=True` for TLS at once",
    )
    EMAIL_FROM: str = _variable(
        _sender,
        "rssmanager@host of `BASE_URL`",
        "Whom mail comes from: `reader@example.org` or `Reader <reader@example.org>`",
    )
    TIME_ZONE: str = _variable(_time_zone, "UTC", "Default time zone of the interface, such as `Europe/Berlin`")
    INTERFACE_LANGUAGE: str = _variable(
        _language,
        "en",
        "Language of pages and mail: `en`, or another in `rssmanager/locale`; people may choose another of these",
    )
    LOG_LEVEL: str = _variable(_log_level, "INFO", "`DEBUG`, `INFO`, `WARNING` or `ERROR`")
    LOG_FORMAT: str = _variable(
        _choice("text", "json"), "text", "Log lines for people (`text`) or for programs (`json`)"
    )
    LOG_SLOW_QUERY_SECONDS: float = _variable(
        _seconds(0.5, 0, 600), "0.5", "Queries from here on are logged as warnings and kept; 0: none"
    )
    LOG_SLOW_REQUEST_SECONDS: float = _variable(
        _seconds(2, 0, 600), "2", "Pages from here on are logged as warnings; 0: none"
    )
    METRICS_TOKEN: str = _variable(
        _long_key, "none", "When given, `/metrics` answers who sends it as a bearer token", is_secret=True
    )
    WORKERS: int = _variable(_number(2, 1, 64), "2", "Worker processes of one task cluster")
    FETCH_CONCURRENCY: int = _variable(_number(24, 1, 256), "24", "Feeds in flight at once in one worker process")
    FETCH_PER_DOMAIN: int = _variable(_number(2, 1, 16), "2", "Connections at a time to one registrable domain")
    FETCH_CONNECT_TIMEOUT: float = _variable(_seconds(10, 0.1, 120), "10", "Seconds to connect")
    FETCH_TIMEOUT: float = _variable(_seconds(30, 0.1, 600), "30", "Seconds for a whole attempt, slow answers included")
    FETCH_MAX_BYTES: int = _variable(_number(16 * 2**20, 1024, 2**30), "16777216", "Largest decompressed feed")
    FETCH_MAX_REDIRECTS: int = _variable(_number(5, 0, 20), "5", "Redirects followed")
    FETCH_MAX_ITEMS: int = _variable(_number(500, 1, 100_000), "500", "Newest entries taken from one poll of a feed")
    FETCH_ALLOW_PRIVATE_NETWORKS: bool = _variable(
        _switch(False), "false", "Allow feeds on private, loopback and link-local addresses"
    )
    FETCH_ALLOWED_NETWORKS: tuple[Network, ...] = _variable(
        _networks, "none", "Comma-separated networks allowed though private, such as `192.168.1.0/24`"
    )
    FETCH_EXTRA_TRACKERS: tuple[str, ...] = _variable(
        _words(()), "none", "Comma-separated query parameters to treat as trackers beside the built-in list"
    )
    IMAGE_PROXY: bool = _variable(
        _switch(False),
        "false",
        "Load the pictures of articles through this reader: publishers do not learn who reads, nor does a page by "
        "https lack those by http",
    )
    RETENTION_DAYS: int = _variable(
        _days,
        "0",
        "Days that an article is kept after it came, 7 and more; 0 keeps all for good. What somebody starred or tagged "
        "stays, and for a year what somebody opened, skipped or judged",
    )
    RETENTION_ITEMS: int = _variable(
        _number(0, 0, 10_000_000), "0", "Newest articles kept of each feed, under the same exceptions; 0 keeps all"
    )
    RETENTION_KEEP_UNREAD: bool = _variable(
        _switch(False), "false", "Keep for good what somebody has not read yet, whatever its age"
    )
    DEDUP_POLICY: str = _variable(
        _choice("layered", "three_tier", "newest"),
        "layered",
        "How copies and stories are found: `layered` (titles, texts, events), `three_tier` (titles alike, by anybody), "
        "`newest` (titles alike, by one publisher)",
    )
    DEDUP_CLOSENESS: float = _variable(
        _between(0.3, 0.1, 1.0),
        "0.3",
        "How close reports must be on average to tell one story; higher makes fewer and purer stories",
    )
    DEDUP_MEANING: bool = _variable(
        _switch(True), "true", "Compare the meaning of headlines too, across languages; off, workers are lighter"
    )
    DECAY_RATES: tuple[float, ...] = _variable(
        _rates(0.0019, 0.004, 0.0231, 0.069, 0.139),
        "0.0019,0.004,0.0231,0.069,0.139",
        "What articles lose of their relevance per day, from evergreen to critical time sensitivity",
    )
    LLM_BASE_URL: str = _variable(
        _server_url,
        "none",
        "OpenAI-compatible server (llama.cpp, Ollama, vLLM, …) asked how fast articles age; without one, the built-in "
        "judge alone decides",
        is_secret=True,  # it may hold a password
    )
    LLM_MODEL: str = _variable(_text(""), "the server's", "Name of the model to ask for")
    LLM_API_KEY: str = _variable(_key, "none", "Sent to that server as a bearer token", is_secret=True)
    LLM_TIMEOUT: float = _variable(_seconds(30, 0.1, 600), "30", "Seconds for one answer of the language model")
    DIGEST_SUMMARIES: str = _variable(
        _choice("extract", "llm"),
        "extract",
        "Who writes the summaries of a digest's top stories: `extract` (whole sentences of the article) or `llm` (the "
        "language model, checked; what is not of use is replaced by sentences of the article)",
    )
    LLM_RATE: int = _variable(_number(20, 1, 600), "20", "Requests to the language model in any minute, at most")


def read_environment() -> Environment:
    """The settings from the process environment and, below it, `.env`.

    Raises ImproperlyConfigured naming the variable that makes no sense.
    """
    env = environs.Env()
    env.read_env(str(PROJECT / ".env"), recurse=False)
    try:
        found = Environment(**{each.name: each.metadata["read"](env, each.name) for each in fields(Environment)})
    except (environs.EnvError, ValueError) as error:
        raise ImproperlyConfigured(str(error)) from error
    if found.PROXY_SIGN_IN_HEADER and not found.TRUSTED_PROXIES:
        raise ImproperlyConfigured("PROXY_SIGN_IN_HEADER would be anybody's word: name your proxy in TRUSTED_PROXIES")
    if found.OIDC_ISSUER and not found.OIDC_CLIENT_ID:
        raise ImproperlyConfigured("OIDC_ISSUER needs OIDC_CLIENT_ID, what the provider calls this reader")
    return found
