"""Django settings: every value that an operator can change comes through `env.py`."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from rssmanager import __version__
from rssmanager.env import PROJECT, read_environment
from rssmanager.languages import LOCALE, languages_in
from rssmanager.secret import read_or_make_key

ENV = read_environment()

BASE_DIR = PROJECT
DATA_DIR = Path(ENV.DATA_DIR) if Path(ENV.DATA_DIR).is_absolute() else PROJECT / ENV.DATA_DIR
DATA_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = ENV.DEBUG
SECRET_KEY = ENV.SECRET_KEY or read_or_make_key(DATA_DIR)
BASE_URL = ENV.BASE_URL
USER_AGENT = f"rssmanager/{__version__} (+{BASE_URL})"
ALLOWED_HOSTS = [urlsplit(BASE_URL).hostname or "localhost", "localhost", "127.0.0.1", "[::1]", *ENV.ALLOWED_HOSTS]
CSRF_TRUSTED_ORIGINS = [BASE_URL]

INSTALLED_APPS = [
    "rssmanager",
    "feeds",
    "reader",
    "digests",
    "rssmanager.account",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_q",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "rssmanager.frames.one_piece",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "rssmanager.trouble.TroubleMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "reader.personal.PersonalMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

if ENV.DEMO:
    MIDDLEWARE.insert(
        MIDDLEWARE.index("django.contrib.auth.middleware.LoginRequiredMiddleware"),
        "rssmanager.demo.sign_in.SignInVisitors",
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
                "reader.personal.preferences",
            ],
        },
    },
]


def _database() -> dict[str, Any]:
    config = dict(ENV.DATABASE_URL) or {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DATA_DIR / "reader.sqlite3"),
    }
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {
            # IMMEDIATE takes the write lock when a transaction begins, so a second writer waits its turn (busy timeout)
            # instead of failing half way; WAL lets readers go on meanwhile.
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,  # seconds
            "init_command": (
                "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384;"
                " PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=67108864; PRAGMA temp_store=MEMORY;"
            ),
        }
    else:
        config |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    return config


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

if ENV.REDIS_URL:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": ENV.REDIS_URL}}

# django-q2 with every limit set: with its defaults a task that runs over a minute is started twice.
Q_CLUSTER: dict[str, Any] = {
    "name": "rssmanager",
    "workers": ENV.WORKERS,
    "timeout": 1200,  # seconds; a poll task stops taking new batches long before
    "retry": 1500,  # seconds; above timeout, or a task that still runs would be started again
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,  # after a pause, one run is enough
    "recycle": 200,  # tasks after which a worker process is replaced
    "max_rss": 500_000,  # kilobytes; a worker above it is replaced
    "save_limit": 500,
    "queue_limit": 50,
    "bulk": 1,
    "poll": 1,  # seconds between looks at the ORM broker
    "label": "Tasks",
    **({"redis": ENV.REDIS_URL} if ENV.REDIS_URL else {"orm": "default"}),
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "today"
LOGOUT_REDIRECT_URL = "login"

# The installation's language; who is signed in may have chosen another of those here (`reader.personal`). Pages need no
# look at what each browser prefers, and caches no `Vary` for it.
LANGUAGE_CODE = ENV.INTERFACE_LANGUAGE
LANGUAGES = list(languages_in(LOCALE).items())
LOCALE_PATHS = [LOCALE]
TIME_ZONE = ENV.TIME_ZONE
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [PROJECT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 3600  # seconds, for the few files that are asked for without their hash

SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BASE_URL.startswith("https://")
if BASE_URL.startswith("https://"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_AGE = 90 * 24 * 3600  # seconds; people read daily for years
X_FRAME_OPTIONS = "DENY"
# Articles show pictures and sound from anywhere on the web, and nothing else from outside.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:", "http:", "https:"],
        "media-src": [SELF, "http:", "https:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20  # bytes; subscription lists are uploaded
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000  # the admin's bulk edits

vars().update(ENV.EMAIL_URL)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENV.EMAIL_FROM or f"rssmanager@{urlsplit(BASE_URL).hostname}"
EMAIL_TIMEOUT = 30  # seconds for each step of handing over a mail

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": ENV.LOG_LEVEL},
    "loggers": {
        "urllib3": {"level": "WARNING"},  # its debug lines would show addresses with their query
        "charset_normalizer": {"level": "WARNING"},
    },
}
