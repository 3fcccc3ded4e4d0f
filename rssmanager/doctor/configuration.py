"""Settings that are valid but likely mistakes."""

import os
import stat
import time
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from rssmanager.doctor.result import Result, note, ok, problem
from rssmanager.env import PROJECT

HERE = ("localhost", "127.0.0.1", "::1")
MIN_KEY_LENGTH = 50  # characters, as in Django's own check
MIN_KEY_LETTERS = 5  # different ones
KEYS_OF_EXAMPLES = ("changeme", "change-me", "secret", "example", "django-insecure")
WORKER_BYTES = 400 * 2**20  # a worker that detects events; see docs/benchmarks.md
_KEY_COMMAND = "`python -c 'import secrets; print(secrets.token_urlsafe(50))'`"
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
ENV_FILE = PROJECT / ".env"
_MEMORY_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def debug() -> Result:
    if settings.DEBUG:
        return problem("DEBUG is on", "Unset DEBUG on a server that others can reach.")
    return ok("DEBUG is off")


def secret_key() -> Result:
    """Anyone who guesses the key can sign in as any user."""
    key: str = settings.SECRET_KEY
    is_weak = len(key) < MIN_KEY_LENGTH or len(set(key)) < MIN_KEY_LETTERS
    if is_weak or any(word in key.lower() for word in KEYS_OF_EXAMPLES):
        return problem(
            "SECRET_KEY can be guessed",
            f"Unset it to generate one in DATA_DIR, or create one with {_KEY_COMMAND}. All users must sign in again.",
        )
    return ok("SECRET_KEY is long and random")


def address() -> Result:
    """Links in emails and feeds start with BASE_URL."""
    parts = urlsplit(settings.BASE_URL)
    others = [host for host in settings.ENV.ALLOWED_HOSTS if host not in HERE]
    if parts.hostname in HERE and others:
        return problem(
            f"BASE_URL is {settings.BASE_URL}, but ALLOWED_HOSTS has {', '.join(others)}",
            f"Set BASE_URL to the public address, such as https://{others[0].lstrip('.')}.",
        )
    if parts.scheme == "http" and parts.hostname not in HERE:
        return note(
            f"BASE_URL is {settings.BASE_URL}: passwords are sent unencrypted, and cookies aren't limited to https",
            "Use a reverse proxy with TLS that sends X-Forwarded-Proto, and set BASE_URL to https://….",
        )
    return ok(f"BASE_URL is {settings.BASE_URL}")


def visitors() -> Result:
    """An https address implies a proxy, and password guesses are counted by client address."""
    if settings.BASE_URL.startswith("https://") and not settings.ENV.TRUSTED_PROXIES:
        return note(
            "no proxy is trusted, so all visitors behind one share a limit on password guesses",
            "Set TRUSTED_PROXIES to your proxy's network.",
        )
    return ok("identified by their addresses")


def private_networks() -> Result:
    if settings.ENV.FETCH_ALLOW_PRIVATE_NETWORKS:
        return note(
            "any user can read services of your private network by following them as feeds",
            "List the networks in FETCH_ALLOWED_NETWORKS instead of setting FETCH_ALLOW_PRIVATE_NETWORKS.",
        )
    return ok("only FETCH_ALLOWED_NETWORKS can be reached")


def env_file() -> Result:
    """`.env` holds passwords of database and mail server."""
    if not ENV_FILE.exists():
        return ok("there is no .env")
    if ENV_FILE.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return problem(f"every user of this machine can read {ENV_FILE}", f"Run `chmod 600 {ENV_FILE}`.")
    return ok(f"{ENV_FILE} isn't readable by other users")


def time_zone() -> Result:
    """UTC on a machine with another time zone was probably not intended."""
    here = time.strftime("%Z")
    if settings.TIME_ZONE == "UTC" and time.localtime().tm_gmtoff:
        return note(
            f"TIME_ZONE is UTC, but this machine uses {here}: digests are scheduled in UTC",
            "Set TIME_ZONE, such as Europe/Berlin. Users can choose their own.",
        )
    return ok(settings.TIME_ZONE)


def time_limits() -> Result:
    env = settings.ENV
    if env.FETCH_CONNECT_TIMEOUT >= env.FETCH_TIMEOUT:
        return note(
            f"FETCH_CONNECT_TIMEOUT ({env.FETCH_CONNECT_TIMEOUT:g} s) leaves no time within FETCH_TIMEOUT "
            f"({env.FETCH_TIMEOUT:g} s) for a response",
            "Increase FETCH_TIMEOUT, for example to 30.",
        )
    if env.FETCH_TIMEOUT < 5:
        return note(
            f"FETCH_TIMEOUT is {env.FETCH_TIMEOUT:g} s: slow publishers are cut off", "Increase it to about 30."
        )
    return ok(f"{env.FETCH_CONNECT_TIMEOUT:g} s to connect, {env.FETCH_TIMEOUT:g} s in total")


def memory() -> Result:
    """Workers that detect events load language models."""
    available, needed = _memory_bytes(), settings.ENV.WORKERS * WORKER_BYTES
    if available and needed > available:
        maximum = max(1, available // WORKER_BYTES)
        return note(
            f"{settings.ENV.WORKERS} workers need up to {needed // 2**20} MiB, but there are only {available // 2**20}",
            f"Set WORKERS to {maximum}, or DEDUP_MEANING=false.",
        )
    return ok(f"enough for {settings.ENV.WORKERS} workers")


def proxy() -> Result:
    """Feeds are fetched directly, because the address guard has to check the connected socket."""
    names = [name for name in PROXIES if os.environ.get(name) or os.environ.get(name.lower())]
    if names:
        return note(
            f"{' and '.join(names)} is set but not used: feeds are fetched directly",
            "Allow connections to ports 80 and 443 of the internet.",
        )
    return ok("none is set")


def _memory_bytes() -> int:
    """The memory of the machine or container; 0 if unknown."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0
    return min([machine, *(_memory_limit(path) or machine for path in _MEMORY_LIMITS)])


def _memory_limit(path: Path) -> int:
    """The container's limit; 0 for none."""
    try:
        text = path.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0
