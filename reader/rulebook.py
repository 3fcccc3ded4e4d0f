"""A person's rules as they see them: saved, listed with what each looks for, does and did."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from reader.backfilling import ask
from reader.errors import RuleRefused
from reader.lifting import forget
from reader.models import Folder, Rule, RuleRun, Subscription
from reader.rules.conditions import Conditions
from reader.tagging import read_names, tags_named

MOST_RULES = 200  # of one person; each is asked of every article that comes
MOST_FEEDS = 500  # to choose from; more no list of choices bears


@dataclass(frozen=True, slots=True)
class Wish:
    """A rule as its form says it; `tag` is a name."""

    name: str
    conditions: Conditions
    mutes: bool
    marks_read: bool
    stars: bool
    tag: str
    lift: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule in words, and its last application to what was here already, if any."""

    rule: Rule
    looks_for: tuple[str, ...]
    does: tuple[str, ...]
    run: RuleRun | None

    @property
    def is_running(self) -> bool:
        return self.run is not None and self.run.finished_at is None


def save_rule(
    user: User, rule: Rule | None, wish: Wish, *, also_here: bool = False, now: datetime
) -> tuple[Rule, bool]:
    """Make a rule, or change one of the user's, and whether it is to be run over what is here: because that was asked
    for, or what it moves relevance by follows. Raises RuleRefused, TagRefused."""
    with transaction.atomic():
        before = (rule.conditions, rule.lift) if rule else (None, 0)
        if rule is None:
            if Rule.objects.filter(user=user).count() >= MOST_RULES:
                raise RuleRefused(
                    ngettext(
                        "You have %(n)s rule, which is the most there can be. Delete some first.",
                        "You have %(n)s rules, which is the most there can be. Delete some first.",
                        MOST_RULES,
                    )
                    % {"n": MOST_RULES}
                )
            rule = Rule(user=user)
        names = read_names(wish.tag)
        if len(names) > 1:
            raise RuleRefused(_("A rule gives one tag. Make a second rule for another."))
        found = wish.conditions
        rule.name, rule.words, rule.author, rule.category = wish.name, found.words, found.author, found.category
        rule.language, rule.pattern = found.language, found.pattern
        rule.subscription_id, rule.folder_id = found.subscription_id, found.folder_id
        rule.mutes, rule.marks_read, rule.stars = wish.mutes, wish.marks_read, wish.stars
        rule.tag = tags_named(user, names)[0] if names else None
        rule.lift = wish.lift
        rule.save()
        moves = (before[1] or rule.lift) and before != (rule.conditions, rule.lift)
        if moves:
            _renew(rule)
        if moves or also_here:
            ask(rule, now=now, is_whole=also_here)
    return rule, bool(moves or also_here)


def switch(rule: Rule, *, is_on: bool, now: datetime) -> bool:
    """Switch it on or off; returns whether it is to be run, so that relevance follows."""
    with transaction.atomic():
        Rule.objects.filter(pk=rule.pk).update(is_on=is_on)
        if not rule.lift or rule.is_on == is_on:
            return False
        _renew(rule)
        ask(rule, now=now, is_whole=False)
    return True


def delete_rule(rule: Rule) -> None:
    """What it did stays done; what it moves relevance by is taken back."""
    forget(Rule.objects.filter(pk=rule.pk))
    rule.delete()


def _renew(rule: Rule) -> None:
    """Let what it moved relevance by so far count no more."""
    Rule.objects.filter(pk=rule.pk).update(version=F("version") + 1)
    rule.refresh_from_db(fields=["version"])


def rules_of(user: User) -> list[Listed]:
    """The user's rules, the oldest first; two queries."""
    rules = Rule.objects.filter(user=user).select_related("tag", "folder", "subscription__feed__source")
    runs = {run.rule_id: run for run in RuleRun.objects.filter(rule__user=user).order_by("pk")}
    return [Listed(rule, tuple(_looks_for(rule)), tuple(_does(rule)), runs.get(rule.pk)) for rule in rules]


def places_of(user: User, chosen: Rule | None = None) -> list[tuple[str, str]]:
    """Where a rule may hold: folders and feeds by name, as a form's choices; what `chosen` names is among them."""
    folders = Folder.objects.filter(user=user)
    feeds = list(Subscription.objects.filter(user=user).select_related("feed__source").order_by("-pk")[:MOST_FEEDS])
    if chosen and chosen.subscription and chosen.subscription not in feeds:
        feeds.append(chosen.subscription)
    named = sorted((each.shown_title.casefold(), each.shown_title, each.pk) for each in feeds)
    return [
        *((f"folder-{each.pk}", _("Folder %(name)s") % {"name": each.name}) for each in folders),
        *((f"feed-{pk}", title) for _name, title, pk in named),
    ]


def _looks_for(rule: Rule) -> Iterator[str]:
    if rule.words:
        yield _("words: %(words)s") % {"words": rule.words}
    if rule.pattern:
        yield _("pattern: %(pattern)s") % {"pattern": rule.pattern}
    if rule.author:
        yield _("author: %(author)s") % {"author": rule.author}
    if rule.category:
        yield _("category: %(category)s") % {"category": rule.category}
    if rule.language:
        yield _("language: %(language)s") % {"language": rule.language}
    if rule.folder:
        yield _("in the folder %(folder)s") % {"folder": rule.folder}
    if rule.subscription:
        yield _("from %(feed)s") % {"feed": rule.subscription}


def _does(rule: Rule) -> Iterator[str]:
    if rule.mutes:
        yield pgettext("what a rule does", "mute")
    if rule.marks_read:
        yield pgettext("what a rule does", "mark read")
    if rule.stars:
        yield pgettext("what a rule does", "star")
    if rule.tag:
        yield _("tag %(tag)s") % {"tag": rule.tag}
    if rule.lift > 0:
        yield _("lift relevance by %(n)d") % {"n": rule.lift}
    if rule.lift < 0:
        yield _("lower relevance by %(n)d") % {"n": -rule.lift}
    if not (rule.mutes or rule.marks_read or rule.stars or rule.tag or rule.lift):
        yield _("nothing: its tag was deleted")
