"""Values of the environment that are well-formed, each, and still a mistake."""

import os
import stat
import time
from urllib.parse import urlsplit

from django.conf import settings

from rssmanager.diagnosis.seen import Seen, note, problem, well
from rssmanager.env import PROJECT
from rssmanager.memory import memory_bytes

HERE = ("localhost", "127.0.0.1", "::1")
LEAST_KEY = 50  # characters, as Django's own check has it
LEAST_LETTERS = 5  # different ones
KEYS_OF_EXAMPLES = ("changeme", "change-me", "secret", "example", "django-insecure")
BYTES_OF_A_WORKER = 400 * 2**20  # one that reads for events; see the README
_TO_MAKE_A_KEY = "`python -c 'import secrets; print(secrets.token_urlsafe(50))'`"
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
ENV_FILE = PROJECT / ".env"


def debug() -> Seen:
    if settings.DEBUG:
        return problem("DEBUG is on", "Unset DEBUG on a server that others can reach.")
    return well("error pages tell nothing of the inside")


def secret_key() -> Seen:
    """A key that one can guess lets everybody sign in as anybody."""
    key: str = settings.SECRET_KEY
    is_weak = len(key) < LEAST_KEY or len(set(key)) < LEAST_LETTERS
    if is_weak or any(word in key.lower() for word in KEYS_OF_EXAMPLES):
        return problem(
            "SECRET_KEY can be guessed",
            f"Unset it, and one is made in DATA_DIR; or make one by {_TO_MAKE_A_KEY}. Everybody signs in once more.",
        )
    return well("not to be guessed")


def address() -> Seen:
    """Links in mail and feeds begin with BASE_URL."""
    parts = urlsplit(settings.BASE_URL)
    others = [host for host in settings.ENV.ALLOWED_HOSTS if host not in HERE]
    if parts.hostname in HERE and others:
        return problem(
            f"BASE_URL is {settings.BASE_URL}, yet people come by {', '.join(others)}",
            f"Set BASE_URL to what they type, such as https://{others[0].lstrip('.')}; links in mail begin with it.",
        )
    if parts.scheme == "http" and parts.hostname not in HERE:
        return note(
            f"BASE_URL is {settings.BASE_URL}: passwords travel in clear, and cookies are not kept to TLS",
            "Put a server with TLS before it, let it send X-Forwarded-Proto, and set BASE_URL to https://….",
        )
    return well(f"reached at {settings.BASE_URL}")


def visitors() -> Seen:
    """What ends TLS stands before this reader, and guesses of passwords are counted by address."""
    if settings.BASE_URL.startswith("https://") and not settings.ENV.TRUSTED_PROXIES:
        return note(
            "no proxy is trusted, so all visitors who come through one count as one address when they sign in",
            "Name your proxy's network in TRUSTED_PROXIES.",
        )
    return well("told apart by their addresses")


def private_networks() -> Seen:
    if settings.ENV.FETCH_ALLOW_PRIVATE_NETWORKS:
        return note(
            "feeds may point into private networks: whoever follows one can look at what stands there",
            "Name the networks in FETCH_ALLOWED_NETWORKS instead of FETCH_ALLOW_PRIVATE_NETWORKS.",
        )
    return well("only what FETCH_ALLOWED_NETWORKS names, if anything")


def env_file() -> Seen:
    """Passwords of database and mail stand in `.env`."""
    if not ENV_FILE.exists():
        return well("there is no .env")
    if ENV_FILE.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        return problem(f"everybody on this machine can read {ENV_FILE}", f"Run `chmod 600 {ENV_FILE}`.")
    return well(f"{ENV_FILE} is not for everybody")


def time_zone() -> Seen:
    """UTC may be meant; on a machine that lives elsewhere it was forgotten, more likely."""
    here = time.strftime("%Z")
    if settings.TIME_ZONE == "UTC" and time.localtime().tm_gmtoff:
        return note(
            f"TIME_ZONE is UTC, and this machine is in {here}: digests come at hours of UTC",
            "Set TIME_ZONE, such as Europe/Berlin; people may choose their own besides.",
        )
    return well(settings.TIME_ZONE)


def time_limits() -> Seen:
    env = settings.ENV
    if env.FETCH_CONNECT_TIMEOUT >= env.FETCH_TIMEOUT:
        return note(
            f"FETCH_CONNECT_TIMEOUT ({env.FETCH_CONNECT_TIMEOUT:g} s) leaves nothing of FETCH_TIMEOUT "
            f"({env.FETCH_TIMEOUT:g} s) to answer in",
            "Set FETCH_TIMEOUT higher, to 30 or so.",
        )
    if env.FETCH_TIMEOUT < 5:
        return note(f"FETCH_TIMEOUT is {env.FETCH_TIMEOUT:g} s: slow publishers are cut off", "Set it to 30 or so.")
    return well(f"{env.FETCH_CONNECT_TIMEOUT:g} s to connect, {env.FETCH_TIMEOUT:g} s for all")


def memory() -> Seen:
    """Workers that read for events hold language models."""
    has, wants = memory_bytes(), settings.ENV.WORKERS * BYTES_OF_A_WORKER
    if has and wants > has:
        most = max(1, has // BYTES_OF_A_WORKER)
        return note(
            f"{settings.ENV.WORKERS} workers want up to {wants // 2**20} MiB, and there are {has // 2**20}",
            f"Set WORKERS to {most}, or DEDUP_MEANING=false.",
        )
    return well(f"room for {settings.ENV.WORKERS} workers")


def proxy() -> Seen:
    """Publishers are asked directly: the address guard has to see the socket."""
    names = [name for name in PROXIES if os.environ.get(name) or os.environ.get(name.lower())]
    if names:
        return note(
            f"{' and '.join(names)} is set, and not used: feeds are fetched directly",
            "Let this machine reach ports 80 and 443 of the Internet.",
        )
    return well("none is asked for")
