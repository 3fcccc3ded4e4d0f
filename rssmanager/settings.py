"""Django settings. Everything configurable comes from `env.py`."""

import os
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from feeds.fetching.user_agent import user_agent
from rssmanager import __version__
from rssmanager.env import PROJECT, read_environment, usable_data_dir
from rssmanager.languages import LOCALE, languages_in
from rssmanager.operations.logs import logging_config
from rssmanager.secret_key import read_or_make_key

ENV = read_environment()

BASE_DIR = PROJECT
os.umask(0o077)  # every command, web server and worker starts here; what they write is for their own user
DATA_DIR = usable_data_dir(ENV.DATA_DIR)

DEBUG = ENV.DEBUG
SECRET_KEY = ENV.SECRET_KEY or read_or_make_key(DATA_DIR)
BASE_URL = ENV.BASE_URL
_ADDRESS = urlsplit(BASE_URL)
_IS_HTTPS = _ADDRESS.scheme == "https"
_BELOW = _ADDRESS.path  # "" or such as "/reader"
FORCE_SCRIPT_NAME = _BELOW or None  # for workers too, as emails contain links
USER_AGENT = user_agent(__version__, BASE_URL)
ALLOWED_HOSTS = [_ADDRESS.hostname or "localhost", "localhost", "127.0.0.1", "[::1]", *ENV.ALLOWED_HOSTS]
CSRF_TRUSTED_ORIGINS = [f"{_ADDRESS.scheme}://{_ADDRESS.netloc}"]

INSTALLED_APPS = [
    "django_otp",
    "django_otp.plugins.otp_totp",
    "rssmanager",
    "feeds",
    "reader",
    "digests",
    "rssmanager.accounts",
    "rssmanager.authentication",
    "rssmanager.operations",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_q",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "rssmanager.frames.use_large_frame",
    "rssmanager.middleware.trusted_proxies.trust_proxy_headers",
    "rssmanager.middleware.security_headers.add_headers",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "rssmanager.operations.health_checks.HealthCheckMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "rssmanager.operations.request_metrics.RequestMetricsMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "rssmanager.middleware.error_pages.ErrorPageMiddleware",
    "rssmanager.authentication.session_middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "reader.preferences.middleware.PersonalMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

if ENV.DEMO:
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.contrib.auth.middleware.LoginRequiredMiddleware"),
        "rssmanager.demo.auto_login.SignInVisitors",
    )

if ENV.PROXY_SIGN_IN_HEADER:
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.contrib.auth.middleware.LoginRequiredMiddleware"),
        "rssmanager.authentication.remote_user.ProxySignIn",
    )

ROOT_URLCONF = "rssmanager.urls"
WSGI_APPLICATION = "rssmanager.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reader.preferences.middleware.preferences",
            ],
        },
    },
]


# A connection that a firewall dropped silently is noticed within half a minute instead of fifteen. In seconds; the last
# one, for what was sent and isn't acknowledged, in milliseconds.
NOTICE_DEAD = {
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def _database() -> dict[str, Any]:
    config = dict(ENV.DATABASE_URL) or {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DATA_DIR / "reader.sqlite3"),
    }
    if config["ENGINE"].endswith("sqlite3"):
        config["ENGINE"] = "rssmanager.db_sqlite"  # Django's, with a queue for writers
        config["TEST"] = {"NAME": ":memory:"}  # Django does this only for its own backend, by name
        config["OPTIONS"] = {
            # IMMEDIATE takes the write lock when a transaction begins, so a second writer waits its turn instead of
            # failing half way; WAL lets readers continue during writes.
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,  # seconds
            "init_command": (
                "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384;"
                " PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=67108864; PRAGMA temp_store=MEMORY;"
            ),
        }
    else:
        config |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
        config["OPTIONS"] = NOTICE_DEAD | config.get("OPTIONS", {})
    return config


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


REDIS_SECONDS = 10.0  # to wait for an answer; longer than the queue waits for a task


def _redis_cache(url: str) -> dict[str, Any]:
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        # Django's default unpickles whatever is in Redis, so anyone who can write there could run code.
        "OPTIONS": {
            "serializer": "rssmanager.queueing.task_packages.JsonSerializer",
            "socket_timeout": REDIS_SECONDS,
        },
    }


if ENV.REDIS_URL:
    CACHES = {"default": _redis_cache(ENV.REDIS_URL)}

# How long a task may run before its worker is ended. Tasks take new work for 50 s, and may then wait for a response;
# `LONGER` in `rssmanager.queueing.allowed_tasks` has exceptions. What hangs on one article or feed ends much sooner
# (`feeds.time_limit`).
TASK_SECONDS = 90 + max(30, int(ENV.FETCH_TIMEOUT))
FETCH_SECONDS = max(150.0, ENV.FETCH_TIMEOUT)  # for all tries of a fetch and waiting between them

# django-q2 with every limit set: with its defaults a task that runs over a minute is started twice.
Q_CLUSTER: dict[str, Any] = {
    "name": "rssmanager",
    "workers": ENV.WORKERS,
    "timeout": TASK_SECONDS,
    "retry": 1500,  # seconds; above timeout, or running tasks would be started again
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,  # after a pause, one run is enough
    "recycle": 200,  # tasks after which a worker process is replaced
    "max_rss": 450_000,  # kilobytes; a worker that exceeded this is replaced after its task
    "save_limit": 500,
    "queue_limit": ENV.WORKERS,  # tasks that a cluster takes in advance
    "bulk": 1,
    "poll": 1,  # seconds, of the ORM broker
    "label": "Tasks",
    **({"redis": ENV.REDIS_URL} if ENV.REDIS_URL else {"orm": "default"}),
    "broker_class": f"rssmanager.queueing.brokers.{'RedisBroker' if ENV.REDIS_URL else 'DatabaseBroker'}",
}

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if ENV.PROXY_SIGN_IN_HEADER:
    AUTHENTICATION_BACKENDS.append("rssmanager.authentication.remote_user.ProxyBackend")
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "rssmanager.authentication.passwords.ServiceNameValidator"},
]
OTP_TOTP_ISSUER = f"RSS Manager {urlsplit(BASE_URL).hostname}"  # shown by authenticator apps
OTP_TOTP_THROTTLE_FACTOR = 0  # codes are counted by `rssmanager.authentication.throttling`
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "today"
LOGOUT_REDIRECT_URL = "login"

# The installation's language; who is signed in may have chosen another of those here (`reader.preferences.middleware`).
# Pages need no look at what each browser prefers, and caches no `Vary` for it.
LANGUAGE_CODE = ENV.INTERFACE_LANGUAGE
LANGUAGES = list(languages_in(LOCALE).items())
LOCALE_PATHS = [LOCALE]
FORMAT_MODULE_PATH = "rssmanager.formats"
TIME_ZONE = ENV.TIME_ZONE
USE_I18N = True
USE_TZ = True

STATIC_URL = f"{_BELOW}/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [PROJECT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "reader.bundles.BundlingStorage"},
}
WHITENOISE_MAX_AGE = 3600  # seconds, for files requested without their hash

SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _IS_HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True  # scripts send the form's token
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"  # links in emails open signed in
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _IS_HTTPS else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains, and
    "security.W021",  # its preloading: other programs may live on names below this host's, and not all of them by https
    # Redirecting http to https: where a proxy is not named in TRUSTED_PROXIES, or does not say by what its visitors
    # came, every request seems to come by http, and would be redirected forever. The proxy redirects; HSTS stays.
    "security.W008",
]
if _BELOW:  # another program may lie beside this one, whose cookies the browser sends along
    SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{_BELOW}/"
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "rssmanager_session", "rssmanager_csrf"
SECURE_PROXY_SSL_HEADER = (
    "HTTP_X_FORWARDED_PROTO",
    "https",
)  # kept from others by `rssmanager.middleware.trusted_proxies`
SESSION_ENGINE = "rssmanager.authentication.sessions"
SESSION_COOKIE_AGE = 90 * 24 * 3600  # seconds
X_FRAME_OPTIONS = "DENY"
# Articles show pictures and sound from anywhere on the web, and nothing else from outside; with `IMAGE_PROXY`, sound
# alone.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["default"],
        "img-src": [SELF, "data:", *(() if ENV.IMAGE_PROXY else ("http:", "https:"))],
        "media-src": [SELF, "http:", "https:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20  # bytes, for subscription lists
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000  # the admin's bulk edits

vars().update(ENV.EMAIL_URL)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENV.EMAIL_FROM or f"rssmanager@{_ADDRESS.hostname}"
EMAIL_TIMEOUT = 30  # seconds per step of sending an email

LOGGING = logging_config(ENV.LOG_FORMAT, ENV.LOG_LEVEL)
