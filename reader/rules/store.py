"""Save, list and delete a user's rules."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from reader.articles.tags import read_names, tags_named
from reader.errors import RuleRefused
from reader.limits import RULES, WEBHOOKS
from reader.models import Folder, Rule, RuleRun, SendingState, Subscription, Webhook
from reader.rules.backfill import request_run
from reader.rules.conditions import Conditions
from reader.rules.sentences import sentence
from reader.scoring.rule_boosts import remove_boosts_of
from reader.send_to.webhooks import last_delivery, new_secret

MAX_FEEDS = 500  # in a form's choices


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule as entered in its form; `tag` is a name."""

    name: str
    conditions: Conditions
    mutes: bool
    marks_read: bool
    stars: bool
    tag: str
    lift: int = 0
    url: str = ""


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """A rule as a sentence, with its last run over existing articles and what it sent last, if any."""

    rule: Rule
    sentence: str
    run: RuleRun | None
    last_delivery: Webhook | None = None

    @property
    def is_running(self) -> bool:
        return self.run is not None and self.run.finished_at is None


def save_rule(
    user: User,
    rule: Rule | None,
    draft: RuleDraft,
    *,
    also_here: bool = False,
    sends_here: bool = False,
    now: datetime,
) -> tuple[Rule, bool]:
    """Create or change a rule; also returns whether it has to run over existing articles.

    It does if `also_here` is set, or if its boost changes. `sends_here`: existing articles are sent to its URL too.
    Raises RuleRefused, TagRefused.
    """
    with transaction.atomic():
        before = (rule.conditions, rule.lift) if rule else (None, 0)
        if rule is None:
            RULES.check(Rule.objects.filter(user=user), error=RuleRefused)
            rule = Rule(user=user)
        if draft.url and not rule.url:
            WEBHOOKS.check(Rule.objects.filter(user=user).exclude(url=""), error=RuleRefused)
        names = read_names(draft.tag)
        if len(names) > 1:
            raise RuleRefused(_("A rule can add one tag. Create another rule for the second tag."))
        rule.rows = [asdict(row) for row in draft.conditions.rows]
        for name in ("is_any", "subscription_id", "folder_id"):
            setattr(rule, name, getattr(draft.conditions, name))
        for name in ("name", "mutes", "marks_read", "stars", "lift", "url"):
            setattr(rule, name, getattr(draft, name))
        rule.tag = tags_named(user, names)[0] if names else None
        rule.secret = (rule.secret or new_secret()) if rule.url else ""
        rule.save()
        if not rule.url:
            Webhook.objects.filter(rule=rule, state=SendingState.WAITING).delete()
        moves = (before[1] or rule.lift) and before != (rule.conditions, rule.lift)
        if moves:
            _bump_version(rule)
        if moves or also_here:
            request_run(rule, now=now, is_whole=also_here, sends=also_here and sends_here)
    return rule, bool(moves or also_here)


def check_acts(draft: RuleDraft) -> None:
    """Raises RuleRefused if the rule does nothing."""
    if not (draft.tag or draft.lift or draft.url or draft.mutes or draft.marks_read or draft.stars):
        raise RuleRefused(_("Choose at least one action."))


def set_enabled(rule: Rule, *, is_on: bool, now: datetime) -> bool:
    """Turn a rule on or off; returns whether it has to run, to update its boosts."""
    with transaction.atomic():
        Rule.objects.filter(pk=rule.pk).update(is_on=is_on)
        if not rule.lift or rule.is_on == is_on:
            return False
        _bump_version(rule)
        request_run(rule, now=now, is_whole=False)
    return True


def delete_rule(rule: Rule) -> None:
    """Delete a rule and its boosts; its other actions stay."""
    remove_boosts_of(Rule.objects.filter(pk=rule.pk))
    rule.delete()


def _bump_version(rule: Rule) -> None:
    """Invalidate the rule's boosts."""
    Rule.objects.filter(pk=rule.pk).update(version=F("version") + 1)
    rule.refresh_from_db(fields=["version"])


def rules_of(user: User) -> list[RuleSummary]:
    """The user's rules, oldest first; three queries."""
    rules = list(Rule.objects.filter(user=user).select_related("tag", "folder", "subscription__feed__source"))
    runs = {run.rule_id: run for run in RuleRun.objects.filter(rule__user=user).order_by("pk")}
    sent = last_delivery([rule for rule in rules if rule.url])
    return [RuleSummary(rule, sentence(rule), runs.get(rule.pk), sent.get(rule.pk)) for rule in rules]


def scope_choices(user: User, chosen: Rule | None = None) -> list[tuple[str, str]]:
    """Folders and feeds by name, as choices of a form; always with the feed of the rule `chosen`."""
    folders = Folder.objects.filter(user=user)
    feeds = list(Subscription.objects.filter(user=user).select_related("feed__source").order_by("-pk")[:MAX_FEEDS])
    if chosen and chosen.subscription and chosen.subscription not in feeds:
        feeds.append(chosen.subscription)
    named = sorted((feed.shown_title.casefold(), feed.shown_title, feed.pk) for feed in feeds)
    return [
        *((f"folder-{folder.pk}", _("Folder %(name)s") % {"name": folder.name}) for folder in folders),
        *((f"feed-{pk}", title) for _name, title, pk in named),
    ]
