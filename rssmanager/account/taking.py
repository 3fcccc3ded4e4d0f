"""One line of an export put among what a person has: added where it is missing, left alone where it is not.

What a line says may be anybody's words, so every value is looked at. A line that cannot be taken is refused with a
sentence, and the others are taken. Only rows of `user` are written; feeds alone are shared, and made as following them
makes them. Taking a file twice is as taking it once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from digests.errors import PlanRefused
from digests.kinds import PLANNED, Kind
from digests.wishes import Wish, choose_alerts, live_by, plan_digests
from feeds.models import Feed
from feeds.subscription_list import SubscriptionListBuilder, WantedFeed
from reader.errors import NotSaved, RuleRefused, TagRefused
from reader.interest_files import import_profile
from reader.interest_page import RECENCY_RATES, set_recency
from reader.interests import set_learning
from reader.kept_json import Unfit, number, text
from reader.models import Density, Face, Folder, Preferences, Rule, SavedSearch, Subscription, TextSize, Theme
from reader.preferences import installed_languages
from reader.rulebook import Wish as RuleWish
from reader.rulebook import save_rule, switch
from reader.rules.conditions import LONGEST_PATTERN, Conditions, check
from reader.saved_searches import save_search
from reader.scoring.lift import STRENGTHS
from reader.subscriptions import folder_named, follow_all
from reader.tagging import read_names, tags_named
from rssmanager.account.document import KINDS
from rssmanager.account.taking_articles import take_articles
from rssmanager.account.unpacking import parsed

_CHOICES = {"theme": Theme, "density": Density, "face": Face, "text_size": TextSize}
_SWITCHES = ("has_pictures", "has_columns", "reads_on_scroll", "has_keys")
_MOST_REASONS = 20  # of one line of interests

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not taken, counted from 1, and why."""

    line: int
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Taking:
    """Who takes, and when; `max_items` for feeds nobody follows yet."""

    user: User
    now: datetime
    max_items: int


def take_lines(taking: Taking, lines: Sequence[tuple[int, bytes]]) -> list[Refused]:
    """Take these lines in their order, feeds that stand together and articles that do at a time; returns what was not
    taken. In a transaction of the caller's."""
    refused: list[Refused] = []
    feeds: list[tuple[int, Line]] = []
    articles: list[tuple[int, Line]] = []
    for at, raw in lines:
        if not raw.strip():
            continue
        line = parsed(raw)
        kind = line.get("kind") if line else None
        if line is None:
            refused.append(Refused(at, "", _("This line is not JSON, or no object.")))
        elif kind == "feed":
            feeds.append((at, line))
        elif kind == "article":
            articles.append((at, line))
        elif kind in KINDS:
            refused += _take_feeds(taking, feeds)
            feeds = []
            if kind == "interests":  # which count what was done before as learned
                refused += _take_articles(taking, articles)
                articles = []
            refused += _take(taking, at, str(kind), line)
        elif kind != "rssmanager":
            refused.append(Refused(at, "", _("Of a kind that this version does not know.")))
    refused += _take_feeds(taking, feeds)
    return refused + _take_articles(taking, articles)


def _take_articles(taking: Taking, lines: Sequence[tuple[int, Line]]) -> list[Refused]:
    labels = {at: _label(line) for at, line in lines}
    return [Refused(at, labels[at], reason) for at, reason in take_articles(taking.user, lines, now=taking.now)]


def _take(taking: Taking, at: int, kind: str, line: Line) -> list[Refused]:
    try:
        with transaction.atomic():
            return [Refused(at, _label(line), reason) for reason in _TAKERS[kind](taking, line) or ()]
    except (Unfit, RuleRefused, TagRefused, NotSaved, PlanRefused) as error:
        return [Refused(at, _label(line), str(error))]


def _label(line: Line) -> str:
    """What a line calls itself."""
    found = next((line[name] for name in ("title", "name", "url", "digest", "kind") if line.get(name)), "")
    return found.replace("\0", "")[:200] if isinstance(found, str) else ""


def _take_feeds(taking: Taking, lines: Sequence[tuple[int, Line]]) -> list[Refused]:
    """Follow what is not followed yet, with its settings; what is followed stays as it is."""
    if not lines:
        return []
    refused: list[Refused] = []
    builder, settings_of = SubscriptionListBuilder(), {}
    mine = {each.feed.shown_url for each in Subscription.objects.filter(user=taking.user).select_related("feed")}
    for at, line in lines:
        try:
            url = text(line, "url", most=2000, is_needed=True)
            settings = _feed_settings(line)
        except Unfit as error:
            refused.append(Refused(at, _label(line), str(error)))
            continue
        if url not in mine:
            settings_of[at] = settings
            builder.add(_wanted(line, url), line=at)
    listed = builder.finish()
    refused += [Refused(each.line or 0, each.label, each.reason) for each in listed.refusals]
    known = set(Subscription.objects.filter(user=taking.user).values_list("feed__url_key", flat=True))
    follow_all(taking.user, listed.feeds, now=taking.now, default_max_items=taking.max_items)
    not_taken = {each.line for each in listed.refusals}
    kept = [settings for at, settings in settings_of.items() if at not in not_taken]
    for wanted, settings in zip(listed.feeds, kept, strict=True):
        key = Feed.key_of(wanted.url)
        if key not in known:
            Subscription.objects.filter(user=taking.user, feed__url_key=key).update(**settings)
    return refused


def _wanted(line: Line, url: str) -> WantedFeed:
    folder = text(line, "folder", most=200)
    return WantedFeed(
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
        raise Unfit(_("“%(name)s” is no day like 2026-03-04.") % {"name": "quiet_until"}) from error
    return {
        "title": text(line, "title", most=300),
        "fetches_full_text": line.get("fetches_full_text") is True,
        "most_a_day": number(line, "most_a_day", least=1, most=1000),
        "is_digest_only": line.get("is_digest_only") is True,
        "quiet_until": until,
        "has_alerts": line.get("has_alerts") is not False,
        "tells_of_trouble": line.get("tells_of_trouble") is not False,
        "is_kept": line.get("is_kept") is True,
    }


def _preferences(taking: Taking, line: Line) -> None:
    found: dict[str, Any] = {}
    for name, choices in _CHOICES.items():
        if (value := text(line, name, most=20)) and value not in choices.values:
            raise Unfit(_("“%(name)s” is none of %(values)s.") % {"name": name, "values": ", ".join(choices.values)})
        found |= {name: value} if value else {}
    found |= {name: line[name] for name in _SWITCHES if isinstance(line.get(name), bool)}
    zone = text(line, "time_zone", most=64)
    if zone and zone not in available_timezones():
        raise Unfit(_("No time zone is called “%(name)s”.") % {"name": zone})
    language = text(line, "language", most=15)
    if "language" in line and language in ("", *installed_languages()):
        found["language"] = language
    Preferences.objects.update_or_create(user=taking.user, defaults=found)
    live_by(taking.user, zone, now=taking.now)


def _folder(taking: Taking, line: Line) -> None:
    limit = number(line, "item_limit_per_category", least=1, most=10_000)
    defaults = {"language": text(line, "language", most=8), "item_limit_per_category": limit}
    name = text(line, "name", most=200, is_needed=True)
    Folder.objects.get_or_create(user=taking.user, name=name, defaults=defaults)


def _tag(taking: Taking, line: Line) -> None:
    tags_named(taking.user, read_names(text(line, "name", most=60, is_needed=True)))


def _rule(taking: Taking, line: Line) -> None:
    """A rule that is there in every field is not made twice."""
    subscription = _subscription(taking.user, text(line, "feed", most=2000))
    folder = folder_named(taking.user, text(line, "folder", most=200))
    conditions = Conditions(
        words=text(line, "words", most=2000),
        author=text(line, "author", most=500),
        category=text(line, "category", most=500),
        language=text(line, "language", most=8),
        pattern=text(line, "pattern", most=LONGEST_PATTERN),
        subscription_id=subscription.pk if subscription else None,
        folder_id=folder.pk if folder else None,
    )
    check(conditions)
    acts: dict[str, Any] = {name: line.get(name) is True for name in ("mutes", "marks_read", "stars")}
    acts["lift"] = line.get("lift") if line.get("lift") in STRENGTHS else 0
    name, tag = text(line, "name", most=100), text(line, "tag", most=60)
    same = Rule.objects.filter(user=taking.user, name=name, tag__name=tag or None, **acts)
    said = {each: getattr(conditions, each) for each in ("words", "author", "category", "language", "pattern")}
    if same.filter(subscription=subscription, folder=folder, **said).exists():
        return
    rule, _is_to_run = save_rule(taking.user, None, RuleWish(name, conditions, **acts, tag=tag), now=taking.now)
    if line.get("is_on") is not True:
        switch(rule, is_on=False, now=taking.now)


def _subscription(user: User, url: str) -> Subscription | None:
    if not url:
        return None
    rows = Subscription.objects.filter(user=user).select_related("feed")
    found = rows.filter(feed__url_key=Feed.key_of(url)).first()
    found = found or next((each for each in rows if each.feed.shown_url == url), None)
    if found is None:
        raise Unfit(_("It is about the feed %(url)s, which you do not follow.") % {"url": url[:200]})
    return found


def _search(taking: Taking, line: Line) -> None:
    name, query = text(line, "name", most=100, is_needed=True), text(line, "query", most=500, is_needed=True)
    if not SavedSearch.objects.filter(user=taking.user, name=name, query=query).exists():
        save_search(taking.user, name=name, query=query)


def _digest(taking: Taking, line: Line) -> None:
    kind = text(line, "digest", most=20)
    if kind not in PLANNED:
        raise Unfit(_("No digest is called “%(name)s”.") % {"name": kind})
    try:
        at = time.fromisoformat(text(line, "at", most=8, is_needed=True))
    except ValueError as error:
        raise Unfit(_("“%(name)s” is no time like 07:30.") % {"name": "at"}) from error
    wish = Wish(
        kind=Kind(kind),
        is_on=line.get("is_on") is True,
        at=at.replace(tzinfo=None),
        weekday=number(line, "weekday", least=0, most=6),
        by_mail=line.get("by_mail") is True and bool(taking.user.email),
        n_topics=number(line, "n_topics", least=0, most=1000),
    )
    plan_digests(taking.user, [wish], now=taking.now)


def _alerts(taking: Taking, line: Line) -> None:
    has_address = bool(taking.user.email)
    choose_alerts(
        taking.user,
        breaking=line.get("breaking") is not False,
        breaking_by_mail=line.get("breaking_by_mail") is True and has_address,
        feeds_by_mail=line.get("feeds_by_mail") is True and has_address,
        now=taking.now,
    )


def _interests(taking: Taking, line: Line) -> Sequence[str]:
    """What `import_profile` refuses of it, in words."""
    report = import_profile(taking.user, line, taking.now)
    rate = line.get("recency_rate")
    if isinstance(rate, float) and rate in RECENCY_RATES:
        set_recency(taking.user, rate, taking.now)
    if isinstance(line.get("is_learning"), bool):
        set_learning(taking.user, line["is_learning"], taking.now)
    term = _("Term %(n)s: %(reason)s")
    told = report.refused[:_MOST_REASONS]
    return [term % {"n": each.row, "reason": each.reason} if each.row else each.reason for each in told]


_TAKERS: dict[str, Callable[[Taking, Line], Sequence[str] | None]] = {
    "preferences": _preferences,
    "folder": _folder,
    "tag": _tag,
    "rule": _rule,
    "search": _search,
    "digest": _digest,
    "alerts": _alerts,
    "interests": _interests,
}
