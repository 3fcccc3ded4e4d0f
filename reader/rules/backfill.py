"""Apply a rule to existing articles, in the background.

Goes feed by feed in the order of article ids, and saves its progress after each chunk, so it resumes where it was
interrupted. Repeating a chunk does nothing twice (`reader.rules.apply`). Boosts of an older version of the rule are
removed first.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from reader.models import Delivery, Rule, RuleRun, Subscription
from reader.rules.apply import CHUNK, apply_matches, load_candidates, matches
from reader.rules.matching import compile_rule
from reader.scoring.rule_boosts import remove_boosts


def request_run(rule: Rule, *, now: datetime, is_whole: bool = True, sends: bool = False) -> tuple[RuleRun, bool]:
    """The unfinished run of this rule, and whether it is new; finished runs are deleted.

    `sends`: existing articles go to the rule's URL. A run of an older version, or one that does less than is requested,
    starts over.
    """
    n_total = Delivery.objects.filter(user=rule.user_id).count()
    try:
        with transaction.atomic():
            RuleRun.objects.filter(rule=rule, finished_at__isnull=False).delete()
            values = {
                "n_total": n_total,
                "asked_at": now,
                "version": rule.version,
                "is_whole": is_whole,
                "sends": sends,
            }
            return RuleRun.objects.create(rule=rule, **values), True
    except IntegrityError:
        running = RuleRun.objects.filter(rule=rule, finished_at=None)
        outdated = running.exclude(version=rule.version)
        if is_whole:
            outdated |= running.filter(is_whole=False)
        if sends:
            outdated |= running.filter(sends=False)
        more = ({"is_whole": True} if is_whole else {}) | ({"sends": True} if sends else {})
        restarted = {"subscription_at": 0, "article_at": 0, "n_done": 0, "n_hits": 0, "n_total": n_total}
        outdated.update(**restarted, **more, version=rule.version, asked_at=now)
        return running.get(), False


def unfinished(*, asked_before: datetime) -> list[int]:
    """The rules with an unfinished run that was requested before this time."""
    runs = RuleRun.objects.filter(finished_at=None, asked_at__lt=asked_before)
    return list(runs.order_by("pk").values_list("rule_id", flat=True))


def run_rule(pk: int, *, now: datetime, is_time_left: Callable[[], bool] = lambda: True) -> bool:
    """Finish the run of a rule, if there is one; False if time ran out. Starts over if the rule changes in the
    meantime."""
    runs = RuleRun.objects.filter(rule=pk, finished_at=None).select_related("rule__user", "rule__tag")
    while (run := runs.first()) is not None:
        if not is_time_left():
            return False
        _finish(run, now, is_time_left)
    return True


def _finish(run: RuleRun, now: datetime, is_time_left: Callable[[], bool]) -> bool:
    """Finish the run; False if time ran out, or it was restarted, or deleted with its rule."""
    remove_boosts(run.rule, outdated_only=True)
    if run.is_whole or (run.rule.lift and run.rule.is_on):
        feeds = Subscription.objects.filter(user=run.rule.user_id, pk__gte=run.subscription_at).order_by("pk")
        for subscription_id in list(feeds.values_list("pk", flat=True)):
            after: int | None = run.article_at if subscription_id == run.subscription_at else 0
            while after is not None:
                after, is_current = _apply_to_chunk(run, subscription_id, after, now)
                if not is_current or not is_time_left():
                    return False
    return _save_progress(run, finished_at=now, n_done=F("n_total"))


def _save_progress(run: RuleRun, **changes: Any) -> bool:
    """Save changes of a run; False if it was restarted in the meantime."""
    same = {"asked_at": run.asked_at, "version": run.version, "is_whole": run.is_whole, "sends": run.sends}
    own = RuleRun.objects.filter(pk=run.pk, **same)
    return own.update(**changes) == 1


def _apply_to_chunk(run: RuleRun, subscription_id: int, after: int, now: datetime) -> tuple[int | None, bool]:
    """Apply the rule to the next chunk of a feed; returns its last article (None at the end of the feed), and False if
    the run was restarted."""
    deliveries = Delivery.objects.filter(subscription=subscription_id, article__gt=after).order_by("article")
    matcher = compile_rule(run.rule.conditions)
    chunk = list(load_candidates(deliveries[:CHUNK], [matcher]))
    if not chunk:
        return None, True
    matched = matches([(run.rule, matcher)], chunk, only_boosts=not run.is_whole, sends=run.sends)
    n_new = apply_matches(run.rule.user, matched, now=now) if matched else 0
    last = chunk[-1].article_id
    done = {"n_done": F("n_done") + len(chunk), "n_hits": F("n_hits") + n_new}
    return last, _save_progress(run, **done, subscription_at=subscription_id, article_at=last)
