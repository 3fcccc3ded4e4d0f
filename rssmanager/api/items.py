"""Articles as apps get them, in a fixed number of queries: safe HTML, the user's states, feed, folders and tags."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.utils.html import format_html_join
from django.utils.translation import gettext, override

from feeds.content.sanitized import safe_full_text, safe_html, sanitize_all
from feeds.models import Article, FullText
from reader.access import visible_articles
from reader.articles.arrivals import arrival_at
from reader.articles.enclosures import enclosures, web_address
from reader.models import ArticleState, Delivery, Preferences, Subscription, TaggedArticle
from reader.preferences.store import first_installed
from rssmanager.api.also_reported import also_reported, as_html

CHUNK = 1000  # articles per query
_OF_SUBSCRIPTION = ("title", "feed__title", "feed__url", "feed__site_url", "folder__name")
_HARMLESS = str.maketrans({"<": "＜", ">": "＞"})  # apps disagree on whether a title is text or HTML


@dataclass(frozen=True, slots=True)
class Item:
    """An article for one user; `subscription` delivered it, None if they no longer follow its feed.

    `arrival`: see `reader.articles.arrivals`. `html` ends with other sources of its story, if the user wants them
    (`also_reported`); "" if it wasn't asked for.
    """

    article: Article
    html: str
    is_read: bool
    is_starred: bool
    subscription: Subscription | None
    tags: tuple[str, ...]
    arrival: int

    @property
    def title(self) -> str:
        """Never empty, which Readrops refuses."""
        return plain(self.article.title or self.article.summary or self.link) or gettext("Untitled")

    @property
    def link(self) -> str:
        return web_address(self.article.link)

    @property
    def published_at(self) -> datetime:
        """The publisher's date; that of the poll, if there is none."""
        return self.article.published_at


def plain(text: str) -> str:
    """The text without what could be read as a tag."""
    return text.translate(_HARMLESS)


def spoken(preferences: Preferences) -> AbstractContextManager[None]:
    """The user's language."""
    return override(first_installed([preferences.language, preferences.browser_language]))


def load_items(
    user: User, preferences: Preferences | None, article_ids: Sequence[int], *, with_html: bool = True
) -> list[Item]:
    """The items of those articles that the user may see, in this order; without preferences, their text alone."""
    chunks = [article_ids[at : at + CHUNK] for at in range(0, len(article_ids), CHUNK)]
    if preferences is None:
        return [item for ids in chunks for item in _load(user, ids, with_html=with_html, with_sources=False)]
    with spoken(preferences):
        with_sources = with_html and preferences.apps_get_sources
        folds = not preferences.apps_get_copies
        return [
            item
            for ids in chunks
            for item in _load(user, ids, with_html=with_html, with_sources=with_sources, folds=folds)
        ]


class _Copy(NamedTuple):
    """A delivery of an article."""

    article_id: int
    subscription_id: int
    is_read: bool
    is_folded: bool
    was_listed: bool
    arrival: int

    @property
    def is_listed(self) -> bool:
        return self.was_listed or not self.is_folded

    @property
    def is_folded_away(self) -> bool:
        return self.was_listed and self.is_folded


def _load(user: User, ids: Sequence[int], *, with_html: bool, with_sources: bool, folds: bool = False) -> list[Item]:
    unused = ("text", "markup", "categories") if with_html else ("text", "markup", "categories", "safe_html")
    articles = visible_articles(user).defer(*unused).in_bulk(ids)
    states = {
        pk: (is_read, is_starred)
        for pk, is_read, is_starred in ArticleState.objects.filter(user=user, article__in=articles).values_list(
            "article_id", "is_read", "is_starred"
        )
    }
    deliveries: defaultdict[int, list[_Copy]] = defaultdict(list)
    rows = Delivery.objects.filter(user=user, article__in=articles).order_by("pk")
    for values in rows.values_list(*_Copy._fields):
        deliveries[values[0]].append(_Copy(*values))
    used = {copy.subscription_id for copies in deliveries.values() for copy in copies}
    subscriptions = Subscription.objects.select_related("feed", "folder").only(*_OF_SUBSCRIPTION).in_bulk(used)
    tags: defaultdict[int, list[str]] = defaultdict(list)
    tagged = TaggedArticle.objects.filter(user=user, article__in=articles).order_by("tag__key")
    for pk, name in tagged.values_list("article_id", "tag__name"):
        tags[pk].append(name)
    full_texts = _full_texts(user, list(articles)) if with_html else {}
    reports = also_reported(user, articles) if with_sources else {}
    if with_html:
        sanitize_all(article for pk, article in articles.items() if pk not in full_texts)
    items = []
    for pk in ids:
        if (article := articles.get(pk)) is None:
            continue
        copies = deliveries[pk]
        is_read, is_starred = states.get(pk, (False, False))
        own = [subscriptions[copy.subscription_id] for copy in copies]
        first = next((copy for copy in copies if copy.is_listed), copies[0] if copies else None)
        chosen = next((each for each in own if each.feed_id == article.feed_id), own[0] if own else None)
        html = _html(article, full_texts.get(pk)) if with_html else ""
        items.append(
            Item(
                article,
                html + as_html(reports[pk]) if pk in reports else html,
                any(copy.is_read or (folds and copy.is_folded_away) for copy in copies) if copies else is_read,
                is_starred,
                chosen,
                tuple(tags[pk]),
                (first.arrival if first else 0) or arrival_at(article.first_seen_at),
            )
        )
    return items


def _html(article: Article, full_text: FullText | None) -> str:
    """The text with the pictures that aren't in it: one before, as on the article's page, several after."""
    html = safe_html(article) if full_text is None else safe_full_text(full_text)
    files = enclosures(article.media, body_html=html, is_page=full_text is not None)
    pictures = [(file.url, file.description) for file in files if file.kind == "image"]
    shown = format_html_join("", '<figure><img src="{}" alt="{}"></figure>', pictures)
    return shown + html if len(pictures) == 1 else html + shown


def _full_texts(user: User, ids: Sequence[int]) -> dict[int, FullText]:
    """The full texts of articles from feeds whose full text the user always reads."""
    always = Delivery.objects.filter(user=user, article__in=ids, subscription__fetches_full_text=True)
    found = FullText.objects.filter(article__in=always.values("article")).exclude(text="")
    return {full_text.article_id: full_text for full_text in found}
