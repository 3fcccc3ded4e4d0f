"""Importing the lines of an export: what is missing is added, what exists stays.

Lines are untrusted, so every value is checked. An invalid line is refused with a sentence, and the others are imported.
Only rows of `user` are written, except feeds, which are shared and created as if the user followed them. Importing a
file twice has the same result as importing it once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from digests.delivery.preferences import PlanChoice, change_time_zone, choose_alerts, save_plans
from digests.edition.kinds import PLANNED, Kind
from digests.errors import PlanRefused
from feeds.models import Feed
from feeds.subscription_lists.model import ListedFeed, SubscriptionListBuilder
from reader.articles.state_json import Unfit, highlight_from_json, number, text
from reader.articles.tags import read_names, tags_named
from reader.errors import LimitReached, NotSaved, RuleRefused, TagRefused
from reader.interests.import_export import import_profile
from reader.interests.overview import RECENCY_RATES, set_recency
from reader.interests.terms import set_learning
from reader.limits import HIGHLIGHTS
from reader.models import (
    MAX_SIDEBAR,
    MIN_SIDEBAR,
    Density,
    Face,
    Folder,
    Highlight,
    LineHeight,
    LineWidth,
    MailPictures,
    Preferences,
    Rule,
    SavedSearch,
    SidebarOrder,
    Subscription,
    Tag,
    TextSize,
    Theme,
)
from reader.preferences.list_views import LISTS, NUMBERED, changed, save_view, usual_view
from reader.preferences.store import installed_languages, preferences_of
from reader.rules.conditions import MAX_ROWS, MAX_VALUE, Comparison, Condition, Conditions, Field, check
from reader.rules.store import RuleDraft, save_rule, set_enabled
from reader.scoring.rule_boosts import STRENGTHS
from reader.search.saved import save_search
from reader.send_to.webhooks import check_url
from reader.subscriptions.follow import follow_all
from reader.subscriptions.make_folders import folder_named, folders_named
from reader.subscriptions.private import set_private
from rssmanager.accounts.format import KINDS
from rssmanager.accounts.import_articles import import_articles
from rssmanager.accounts.zip_reader import parse_line

_CHOICES = {
    "theme": Theme,
    "density": Density,
    "face": Face,
    "text_size": TextSize,
    "line_width": LineWidth,
    "line_height": LineHeight,
    "sidebar_order": SidebarOrder,
    "mail_pictures": MailPictures,
}
_SWITCHES = (
    *("has_pictures", "has_columns", "reads_on_scroll", "has_keys", "hides_read_feeds", "shows_more_places"),
    *("notifies_broken", "notifies_minor", "apps_get_lists", "apps_get_copies", "apps_get_sources"),
)
_MAX_POSITION = 1_000_000
_MAX_REASONS = 20  # of one line of interests

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that wasn't imported, counted from 1, and why."""

    line: int
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The importing user and the time; `max_items` is for feeds that nobody follows yet."""

    user: User
    now: datetime
    max_items: int


def import_lines(context: ImportContext, lines: Sequence[tuple[int, bytes]]) -> list[RefusedLine]:
    """Import these lines in order, consecutive feeds and articles in bulk; returns the refused ones.

    Runs in the caller's transaction.
    """
    refused: list[RefusedLine] = []
    feeds: list[tuple[int, Line]] = []
    articles: list[tuple[int, Line]] = []
    for line_number, raw in lines:
        if not raw.strip():
            continue
        line = parse_line(raw)
        kind = line.get("kind") if line else None
        if line is None:
            refused.append(RefusedLine(line_number, "", _("This line is not a JSON object.")))
        elif kind == "feed":
            feeds.append((line_number, line))
        elif kind == "article":
            articles.append((line_number, line))
        elif kind in KINDS:
            refused += _import_feeds(context, feeds)
            feeds = []
            if kind == "interests":  # it counts everything imported so far as learned
                refused += _import_articles(context, articles)
                articles = []
            refused += _import_line(context, line_number, str(kind), line)
        elif kind != "rssmanager":
            refused.append(RefusedLine(line_number, "", _("This version doesn't support this kind of line.")))
    refused += _import_feeds(context, feeds)
    return refused + _import_articles(context, articles)


def _import_articles(context: ImportContext, lines: Sequence[tuple[int, Line]]) -> list[RefusedLine]:
    labels = {line_number: _label(line) for line_number, line in lines}
    refused = import_articles(context.user, lines, now=context.now)
    return [RefusedLine(line_number, labels[line_number], reason) for line_number, reason in refused]


def _import_line(context: ImportContext, line_number: int, kind: str, line: Line) -> list[RefusedLine]:
    try:
        with transaction.atomic():
            return [RefusedLine(line_number, _label(line), reason) for reason in _IMPORTERS[kind](context, line) or ()]
    except (Unfit, RuleRefused, TagRefused, NotSaved, LimitReached, PlanRefused) as error:
        return [RefusedLine(line_number, _label(line), str(error))]


def _label(line: Line) -> str:
    """The name of a line in the list of refused ones."""
    label = next((line[name] for name in ("title", "name", "url", "digest", "kind") if line.get(name)), "")
    return label.replace("\0", "")[:200] if isinstance(label, str) else ""


def _import_feeds(context: ImportContext, lines: Sequence[tuple[int, Line]]) -> list[RefusedLine]:
    """Follow the feeds that aren't followed yet, with their settings."""
    if not lines:
        return []
    refused: list[RefusedLine] = []
    builder, settings_of = SubscriptionListBuilder(), {}
    own = Subscription.objects.filter(user=context.user)
    followed = {subscription.feed.shown_url for subscription in own.select_related("feed")}
    for line_number, line in lines:
        try:
            url = text(line, "url", most=2000, is_needed=True)
            settings = _feed_settings(line)
        except Unfit as error:
            refused.append(RefusedLine(line_number, _label(line), str(error)))
            continue
        if url not in followed:
            settings_of[line_number] = settings
            builder.add(_wanted(line, url), line=line_number)
    listed = builder.finish()
    refused += [RefusedLine(refusal.line or 0, refusal.label, refusal.reason) for refusal in listed.refusals]
    known = set(own.values_list("feed__url_key", flat=True))
    try:
        follow_all(context.user, listed.feeds, now=context.now, default_max_items=context.max_items)
    except LimitReached as error:
        left_out = [(number, line) for number, line in lines if number in settings_of]
        return [*refused, *(RefusedLine(number, _label(line), str(error)) for number, line in left_out)]
    refused_numbers = {refusal.line for refusal in listed.refusals}
    accepted = [settings for line_number, settings in settings_of.items() if line_number not in refused_numbers]
    for wanted, settings in zip(listed.feeds, accepted, strict=True):
        key = Feed.key_of(wanted.url)
        is_private = settings.pop("is_private")
        if key not in known:
            own.filter(feed__url_key=key).update(**settings)
        for subscription in own.filter(feed__url_key=key, feed__is_private=False) if is_private else ():
            set_private(subscription, True, now=context.now)
    return refused


def _wanted(line: Line, url: str) -> ListedFeed:
    folder = text(line, "folder", most=200)
    return ListedFeed(
        url=url,
        title=text(line, "feed_title", most=300),
        site_url=text(line, "site_url", most=2000),
        folder=tuple(folder.split(Folder.PATH_SEPARATOR)) if folder else (),
        category=text(line, "category", most=100),
    )


def _feed_settings(line: Line) -> dict[str, Any]:
    for name, most in (("folder", 200), ("feed_title", 300), ("site_url", 2000), ("category", 100)):
        text(line, name, most=most)
    quiet_until = text(line, "quiet_until", most=10) if line.get("quiet_until") else ""
    try:
        until = date.fromisoformat(quiet_until) if quiet_until else None
    except ValueError as error:
        raise Unfit(_("“%(name)s” is not a date like 2026-03-04.") % {"name": "quiet_until"}) from error
    return {
        "title": text(line, "title", most=300),
        "has_own_title": line.get("has_own_title") is True,
        "fetches_full_text": line.get("fetches_full_text") is True,
        "most_a_day": number(line, "most_a_day", least=1, most=1000),
        "is_digest_only": line.get("is_digest_only") is True,
        "quiet_until": until,
        "has_alerts": line.get("has_alerts") is not False,
        "tells_of_trouble": line.get("tells_of_trouble") is not False,
        "is_kept": line.get("is_kept") is True,
        "position": number(line, "position", least=0, most=_MAX_POSITION) or 0,
        "is_private": line.get("is_private") is True,
    }


def _preferences(context: ImportContext, line: Line) -> None:
    values: dict[str, Any] = {}
    for name, choices in _CHOICES.items():
        if (value := text(line, name, most=20)) and value not in choices.values:
            raise Unfit(_("“%(name)s” is not one of %(values)s.") % {"name": name, "values": ", ".join(choices.values)})
        values |= {name: value} if value else {}
    values |= {name: line[name] for name in _SWITCHES if isinstance(line.get(name), bool)}
    if width := number(line, "sidebar_width", least=MIN_SIDEBAR, most=MAX_SIDEBAR):
        values["sidebar_width"] = width // 10 * 10
    zone = text(line, "time_zone", most=64)
    if zone and zone not in available_timezones():
        raise Unfit(_("There is no time zone “%(name)s”.") % {"name": zone})
    language = text(line, "language", most=15)
    if "language" in line and language in ("", *installed_languages()):
        values["language"] = language
    Preferences.objects.update_or_create(user=context.user, defaults=values)
    change_time_zone(context.user, zone, now=context.now)


def _folder(context: ImportContext, line: Line) -> None:
    limit = number(line, "item_limit_per_category", least=1, most=10_000)
    defaults = {
        "language": text(line, "language", most=8),
        "item_limit_per_category": limit,
        "position": number(line, "position", least=0, most=_MAX_POSITION) or 0,
        "is_open": line.get("is_open") is True,
    }
    name = text(line, "name", most=200, is_needed=True)
    if not Folder.objects.filter(user=context.user, name=name).exists():
        folders_named(context.user, {name})
        Folder.objects.filter(user=context.user, name=name).update(**defaults)


def _tag(context: ImportContext, line: Line) -> None:
    tags_named(context.user, read_names(text(line, "name", most=60, is_needed=True)))


def _rule(context: ImportContext, line: Line) -> None:
    """Save the rule, unless an identical one exists."""
    subscription = _subscription(context.user, text(line, "feed", most=2000))
    folder = folder_named(context.user, text(line, "folder", most=200))
    conditions = Conditions(
        rows=_rule_rows(line),
        is_any=line.get("is_any") is True,
        subscription_id=subscription.pk if subscription else None,
        folder_id=folder.pk if folder else None,
    )
    check(conditions)
    actions: dict[str, Any] = {name: line.get(name) is True for name in ("mutes", "marks_read", "stars")}
    actions["lift"] = line.get("lift") if line.get("lift") in STRENGTHS else 0
    actions["url"] = check_url(text(line, "url", most=2000))
    name, tag = text(line, "name", most=100), text(line, "tag", most=60)
    same = Rule.objects.filter(user=context.user, name=name, tag__name=tag or None, **actions)
    if any(rule.conditions == conditions for rule in same):
        return
    rule, _is_to_run = save_rule(context.user, None, RuleDraft(name, conditions, **actions, tag=tag), now=context.now)
    if line.get("is_on") is not True:
        set_enabled(rule, is_on=False, now=context.now)


def _rule_rows(line: Line) -> tuple[Condition, ...]:
    rows = line.get("conditions", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows[: MAX_ROWS + 1]):
        raise Unfit(_("“%(name)s” is not a list of objects.") % {"name": "conditions"})
    try:
        return tuple(
            Condition(
                Field(text(row, "field", most=20)),
                Comparison(text(row, "test", most=20)),
                text(row, "value", most=MAX_VALUE, is_needed=True),
            )
            for row in rows[: MAX_ROWS + 1]
        )
    except ValueError as error:
        raise Unfit(_("This version doesn't support one of its conditions.")) from error


def _subscription(user: User, url: str) -> Subscription | None:
    if not url:
        return None
    rows = Subscription.objects.filter(user=user).select_related("feed")
    subscription = rows.filter(feed__url_key=Feed.key_of(url)).first()
    subscription = subscription or next((row for row in rows if row.feed.shown_url == url), None)
    if subscription is None:
        raise Unfit(_("It refers to the feed %(url)s, which you don't follow.") % {"url": url[:200]})
    return subscription


def _search(context: ImportContext, line: Line) -> None:
    name, query = text(line, "name", most=100, is_needed=True), text(line, "query", most=500, is_needed=True)
    if not SavedSearch.objects.filter(user=context.user, name=name, query=query).exists():
        save_search(context.user, name=name, query=query)


def _highlight(context: ImportContext, line: Line) -> None:
    row = highlight_from_json(line)
    values: dict[str, Any] = {
        "title": text(line, "title", most=5000),
        "url": text(line, "url", most=4000),
        "quote": row.quote,
    }
    mine = Highlight.objects.filter(user=context.user)
    values |= {"article": None, "made_at": row.at}
    if not mine.filter(**values).exists():
        HIGHLIGHTS.check(mine)
        mine.create(user=context.user, prefix=row.prefix, suffix=row.suffix, note=row.note, **values)


def _view(context: ImportContext, line: Line) -> None:
    kind, name = text(line, "list", most=20), text(line, "name", most=2000)
    mine: dict[str, type[Folder | Tag | SavedSearch]] = {"folder": Folder, "tag": Tag, "saved_search": SavedSearch}
    pk = None
    if kind == "feed":
        subscription = _subscription(context.user, name)
        pk = subscription.pk if subscription else None
    elif kind in mine:
        pk = mine[kind].objects.filter(user=context.user, name=name).values_list("pk", flat=True).first()
    if kind in NUMBERED and pk is not None:
        kind = f"{kind}.{pk}"
    elif kind not in LISTS:
        raise Unfit(_("There is no list “%(name)s”.") % {"name": name or kind})
    usual = usual_view(preferences_of(context.user), kind)
    save_view(context.user, changed(usual, line))


def _digest(context: ImportContext, line: Line) -> None:
    kind = text(line, "digest", most=20)
    if kind not in PLANNED:
        raise Unfit(_("There is no digest “%(name)s”.") % {"name": kind})
    try:
        at = time.fromisoformat(text(line, "at", most=8, is_needed=True))
    except ValueError as error:
        raise Unfit(_("“%(name)s” is not a time like 07:30.") % {"name": "at"}) from error
    choice = PlanChoice(
        kind=Kind(kind),
        is_on=line.get("is_on") is True,
        at=at.replace(tzinfo=None),
        weekday=number(line, "weekday", least=0, most=6),
        by_mail=line.get("by_mail") is True and bool(context.user.email),
        n_topics=number(line, "n_topics", least=0, most=1000),
    )
    save_plans(context.user, [choice], now=context.now)


def _alerts(context: ImportContext, line: Line) -> None:
    has_address = bool(context.user.email)
    choose_alerts(
        context.user,
        breaking=line.get("breaking") is True,
        breaking_by_mail=line.get("breaking_by_mail") is True and has_address,
        feeds_by_mail=line.get("feeds_by_mail") is True and has_address,
        now=context.now,
    )


def _interests(context: ImportContext, line: Line) -> Sequence[str]:
    """Import the profile; returns reasons for the refused terms."""
    report = import_profile(context.user, line, context.now)
    rate = line.get("recency_rate")
    if isinstance(rate, float) and rate in RECENCY_RATES:
        set_recency(context.user, rate, context.now)
    if isinstance(line.get("is_learning"), bool):
        set_learning(context.user, line["is_learning"], context.now)
    term = _("Term %(n)s: %(reason)s")
    return [
        term % {"n": refusal.row, "reason": refusal.reason} if refusal.row else refusal.reason
        for refusal in report.refused[:_MAX_REASONS]
    ]


_IMPORTERS: dict[str, Callable[[ImportContext, Line], Sequence[str] | None]] = {
    "preferences": _preferences,
    "folder": _folder,
    "tag": _tag,
    "rule": _rule,
    "search": _search,
    "highlight": _highlight,
    "view": _view,
    "digest": _digest,
    "alerts": _alerts,
    "interests": _interests,
}
