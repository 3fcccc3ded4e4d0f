"""All of a user's data as lines (`format`), in bounded memory.

Articles are read 500 at a time in the order of their keys, merged with imported states whose article hasn't arrived.
What the user does during the export may or may not be included.
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from digests.models import AlertSettings, DigestPlan
from feeds.models import Article, FeedStatus
from reader.articles.feed_items import carriers, feed_urls
from reader.articles.state_bulk import Highlighted, State, articles_with_states, states_of
from reader.articles.state_json import highlight_as_json, moment_as_json, state_as_json
from reader.interests.import_export import export_profile
from reader.models import (
    Folder,
    Highlight,
    InterestProfile,
    PendingState,
    Preferences,
    Rule,
    SavedSearch,
    Subscription,
    Tag,
)
from reader.subscriptions.opml_export import UNLISTED, export_opml
from rssmanager.accounts.format import LINES_NAME, MAX_MARKUP, OPML_NAME, VERSION
from rssmanager.accounts.zip_writer import stream_zip

CHUNK = 500  # articles read at once
_PREFERENCES = (
    *("theme", "density", "face", "text_size", "line_width", "line_height"),
    *("has_pictures", "has_columns", "reads_on_scroll", "has_keys", "time_zone", "language"),
    *("sidebar_order", "sidebar_width", "hides_read_feeds", "shows_more_places"),
    *("notifies_broken", "notifies_minor", "mail_pictures"),
    *("apps_get_lists", "apps_get_copies", "apps_get_sources"),
)
_SUBSCRIPTION = (
    *(
        "title",
        "has_own_title",
        "category",
        "fetches_full_text",
        "most_a_day",
        "is_digest_only",
        "has_alerts",
        "tells_of_trouble",
    ),
    *("is_kept", "position"),
)
_FOLDER = ("name", "language", "item_limit_per_category", "position", "is_open")
_RULE = ("name", "is_on", "is_any", "mutes", "marks_read", "stars", "lift", "url")
_ARTICLE = ("pk", "url_key", "url", "title", "author", "published_at")

Line = dict[str, Any]


def export_zip(user: User, *, now: datetime) -> Iterator[bytes]:
    """The ZIP file, in chunks."""
    title = _("%(name)s's feeds") % {"name": user.get_username()}
    opml = export_opml(user, title=title, now=now)
    return stream_zip([(OPML_NAME, [opml]), (LINES_NAME, encode_lines(export_lines(user, now=now)))], made_at=now)


def encode_lines(lines: Iterator[Line]) -> Iterator[bytes]:
    """JSON Lines."""
    for line in lines:
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def export_lines(user: User, *, now: datetime) -> Iterator[Line]:
    """All data of `user`, in the order of the format."""
    yield {"kind": "rssmanager", "version": VERSION, "exported_at": moment_as_json(now)}
    yield from _settings(user)
    yield from _feeds(user)
    yield from _filing(user)
    yield from _digests(user)
    yield from _articles(user)
    profile = InterestProfile.objects.filter(user=user).first()
    if profile is not None:
        learned = {"is_learning": profile.is_learning, "recency_rate": profile.recency_rate}
        yield {"kind": "interests", **learned, **export_profile(user, now)}


def _settings(user: User) -> Iterator[Line]:
    for row in Preferences.objects.filter(user=user):
        yield {"kind": "preferences", **{name: getattr(row, name) for name in _PREFERENCES}}


def _feeds(user: User) -> Iterator[Line]:
    for folder in Folder.objects.filter(user=user):
        yield {"kind": "folder", **{name: getattr(folder, name) for name in _FOLDER}}
    rows = Subscription.objects.filter(user=user).exclude(feed__status__in=UNLISTED)
    rows = rows.select_related("feed", "folder")
    for row in sorted(rows, key=lambda row: (row.folder.name if row.folder else "", row.feed.shown_url)):
        yield {
            "kind": "feed",
            "url": row.feed.shown_url,
            "feed_title": row.feed.title,
            "site_url": row.feed.site_url,
            "folder": row.folder.name if row.folder else "",
            **{name: getattr(row, name) for name in _SUBSCRIPTION},
            "is_private": row.feed.is_private,
            "quiet_until": row.quiet_until.isoformat() if row.quiet_until else None,
        }


def _filing(user: User) -> Iterator[Line]:
    for name in Tag.objects.filter(user=user).values_list("name", flat=True):
        yield {"kind": "tag", "name": name}
    rules = Rule.objects.filter(user=user).exclude(
        subscription__feed__status=FeedStatus.SAVED
    )  # would be for all feeds
    for rule in rules.select_related("tag", "folder", "subscription__feed"):
        yield {
            "kind": "rule",
            **{name: getattr(rule, name) for name in _RULE},
            "conditions": rule.rows,
            "feed": rule.subscription.feed.shown_url if rule.subscription else "",
            "folder": rule.folder.name if rule.folder else "",
            "tag": rule.tag.name if rule.tag else "",
        }
    for name, query in SavedSearch.objects.filter(user=user).values_list("name", "query"):
        yield {"kind": "search", "name": name, "query": query}
    for row in Highlight.objects.filter(user=user, article=None).order_by("made_at", "pk"):
        marked = Highlighted(row.quote, row.prefix, row.suffix, row.note, row.made_at)
        yield {"kind": "highlight", "title": row.title, "url": row.url, **highlight_as_json(marked)}
    yield from _views(user)


def _views(user: User) -> Iterator[Line]:
    rows = Subscription.objects.filter(user=user).exclude(feed__status__in=UNLISTED).select_related("feed")
    names = {f"feed.{row.pk}": row.feed.shown_url for row in rows}
    for kind, model in (("folder", Folder), ("tag", Tag), ("saved_search", SavedSearch)):
        names |= {f"{kind}.{pk}": name for pk, name in model.objects.filter(user=user).values_list("pk", "name")}
    for views in Preferences.objects.filter(user=user).values_list("list_views", flat=True):
        for name, changes in views.items():
            kind, _dot, number = name.partition(".")
            if not number or name in names:
                yield {"kind": "view", "list": kind, "name": names.get(name, ""), **changes}


def _digests(user: User) -> Iterator[Line]:
    for plan in DigestPlan.objects.filter(user=user).order_by("kind"):
        yield {
            "kind": "digest",
            "digest": plan.kind,
            "is_on": plan.is_on,
            "at": f"{plan.at:%H:%M}",
            "weekday": plan.weekday,
            "by_mail": plan.by_mail,
            "n_topics": plan.n_topics,
        }
    for alerts in AlertSettings.objects.filter(user=user):
        names = ("breaking", "breaking_by_mail", "feeds_by_mail")
        yield {"kind": "alerts", **{name: getattr(alerts, name) for name in names}}


def _articles(user: User) -> Iterator[Line]:
    copies = PendingState.objects.filter(user=user, copy__isnull=False).values("copy_id")
    for _key, line in merge(_stored_articles(user, copies), _pending_articles(user), key=lambda pair: pair[0]):
        yield line


def _stored_articles(user: User, copies: Any) -> Iterator[tuple[bytes, Line]]:
    with_states = articles_with_states(user).exclude(pk__in=copies).order_by("url_key")
    feeds = feed_urls(user.pk)
    ids = array("q", with_states.values_list("pk", flat=True).iterator(chunk_size=5000))
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK].tolist()
        states, carried = states_of(user, chunk), _carriers(chunk, feeds)
        rows = Article.objects.filter(pk__in=states).order_by("url_key").values_list(*_ARTICLE)
        for pk, key, url, title, author, published_at in rows.iterator():
            identity = _identity(bytes(key), url, title, author, published_at) | {"in": carried.get(pk, [])}
            yield bytes(key), identity | _state(states[pk], pk)


def _pending_articles(user: User) -> Iterator[tuple[bytes, Line]]:
    """Imported states whose article hasn't arrived; with a copy of the article, the copy's current state."""
    ids = array("q", PendingState.objects.filter(user=user).order_by("key").values_list("pk", flat=True).iterator())
    for start in range(0, len(ids), CHUNK):
        chunk = PendingState.objects.filter(pk__in=ids[start : start + CHUNK].tolist()).order_by("key")
        rows = list(chunk.values_list("key", "data", "copy__title", "copy__author", "copy_id"))
        states = states_of(user, [copy for *_, copy in rows if copy])
        for key, data, title, author, copy in rows:
            identity = {name: data[name] for name in ("key", "url", "title", "author", "published_at", "in")}
            identity |= {"title": title or data["title"], "author": author or data["author"]}
            state = _state(states[copy], copy) if copy in states else {} if copy else data
            yield bytes(key), {"kind": "article", **identity, **state}


def _identity(key: bytes, url: str, title: str, author: str, published_at: datetime) -> Line:
    at = moment_as_json(published_at)
    return {"kind": "article", "key": key.hex(), "url": url, "title": title, "author": author, "published_at": at}


def _state(state: State, article_id: int) -> Line:
    return state_as_json(state) | (_content(article_id) if state.is_kept else {})


def _content(article_id: int) -> Line:
    names = ("markup", "markup_is_text", "base_url", "language")
    markup, is_text, base, language = Article.objects.values_list(*names).get(pk=article_id)
    if not markup or len(markup) > MAX_MARKUP:
        return {}
    return {"content": {"markup": markup, "is_text": is_text, "base_url": base, "language": language}}


def _carriers(article_ids: Collection[int], feeds: Mapping[int, str]) -> Mapping[int, list[dict[str, str]]]:
    """The user's feeds that carry each article, with its guid there."""
    feeds_of: dict[int, list[dict[str, str]]] = defaultdict(list)
    for carrier in carriers(article_ids, feeds):
        feeds_of[carrier.article_id].append({"feed": carrier.feed_url, "guid": carrier.guid})
    return feeds_of
