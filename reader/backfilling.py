"""Apply a rule to what is here already, in the background. Interrupted anywhere, it goes on where it was.

Feed after feed, and in each by the articles' ids, which is a stretch of the index that keeps deliveries unique,
whatever the rule does to the lists meanwhile. How far it is, is written after each chunk; a chunk done twice does
nothing twice (`reader.ruling`), so two workers at once only waste time. What the rule moved relevance by before it
changed is taken back first.
"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from reader.lifting import take_back
from reader.models import Delivery, Rule, RuleRun, Subscription
from reader.rules.matching import compile_rule
from reader.ruling import CHUNK, brought, carry_out, matches


def ask(rule: Rule, *, now: datetime, is_whole: bool = True) -> tuple[RuleRun, bool]:
    """The run of this rule that is not over, made if there is none, and whether it is new. Runs that are over are
    forgotten then; one of the rule as it was before, or of less than is asked now, begins anew."""
    n_total = Delivery.objects.filter(user=rule.user_id).count()
    try:
        with transaction.atomic():
            RuleRun.objects.filter(rule=rule, finished_at__isnull=False).delete()
            asked = {"n_total": n_total, "asked_at": now, "version": rule.version, "is_whole": is_whole}
            return RuleRun.objects.create(rule=rule, **asked), True
    except IntegrityError:
        running = RuleRun.objects.filter(rule=rule, finished_at=None)
        outdated = running.exclude(version=rule.version)
        if is_whole:
            outdated |= running.filter(is_whole=False)
        more = {"is_whole": True} if is_whole else {}
        begun = {"subscription_at": 0, "article_at": 0, "n_done": 0, "n_hits": 0, "n_total": n_total}
        outdated.update(**begun, **more, version=rule.version, asked_at=now)
        return running.get(), False


def unfinished(*, asked_before: datetime) -> list[int]:
    """The rules whose run is not over although it was asked for that long ago."""
    runs = RuleRun.objects.filter(finished_at=None, asked_at__lt=asked_before)
    return list(runs.order_by("pk").values_list("rule_id", flat=True))


def run_rule(pk: int, *, now: datetime) -> None:
    """Carry out what is left of the run of rule `pk`, from the beginning where the rule changes meanwhile; nothing if
    there is none."""
    runs = RuleRun.objects.filter(rule=pk, finished_at=None).select_related("rule__user", "rule__tag")
    while (run := runs.first()) is not None and not _is_carried_out(run, now):
        pass


def _is_carried_out(run: RuleRun, now: datetime) -> bool:
    """Carry out the run; False as soon as it was begun anew, or is gone with its rule."""
    take_back(run.rule, outdated_only=True)
    if run.is_whole or (run.rule.lift and run.rule.is_on):
        feeds = Subscription.objects.filter(user=run.rule.user_id, pk__gte=run.subscription_at).order_by("pk")
        for subscription_id in list(feeds.values_list("pk", flat=True)):
            after: int | None = run.article_at if subscription_id == run.subscription_at else 0
            while after is not None:
                after, is_ours = _look_at(run, subscription_id, after, now)
                if not is_ours:
                    return False
    return _go_on(run, finished_at=now, n_done=F("n_total"))


def _go_on(run: RuleRun, **changes: Any) -> bool:
    """Write down how far it is; False if it was begun anew meanwhile."""
    own = RuleRun.objects.filter(pk=run.pk, asked_at=run.asked_at, version=run.version, is_whole=run.is_whole)
    return own.update(**changes) == 1


def _look_at(run: RuleRun, subscription_id: int, after: int, now: datetime) -> tuple[int | None, bool]:
    """Apply the rule to the next chunk of one feed; returns the last article looked at, None at the end, and whether
    the run still is what it was."""
    deliveries = Delivery.objects.filter(subscription=subscription_id, article__gt=after).order_by("article")
    matcher = compile_rule(run.rule.conditions)
    chunk = list(brought(deliveries[:CHUNK], with_text=matcher.reads_text))
    if not chunk:
        return None, True
    found = matches([(run.rule, matcher)], chunk, only_lifts=not run.is_whole)
    n_new = carry_out(run.rule.user, found, now=now) if found else 0
    last = chunk[-1].article_id
    done = {"n_done": F("n_done") + len(chunk), "n_hits": F("n_hits") + n_new}
    return last, _go_on(run, **done, subscription_at=subscription_id, article_at=last)
