"""Today, For you, Important and Stories as labels, which apps read like a tag.

A ranked list has every unread article, and most apps sort by date, so that it would be the same as "All". A label is
therefore the first `MOST` of its list: the leads of Today's topics, the best of For you and Important, and the lead of
each story. Pages are in the list's order, which apps keep that show what they get; dates stay the articles' own, since
an app stores an article once, and a date made up for one list would move it in all others.

Labels are in English in every language: apps keep articles by the id of a label and show its end, so translated ones
would be new labels after a change of language. A user's own folder or tag of that name goes first, and the list gets
`_OTHERWISE` behind its name. Nothing can be filed there.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import QuerySet

from digests.access import front_pages
from digests.today.articles import FEW_TOPICS, N_LATEST, leads_of_today
from digests.today.refresh import open_front_page
from feeds.models import Article
from reader.lists.queries import NO, YES, Cursor, all_of
from reader.models import Delivery, Quiet, Tag
from reader.preferences.store import time_zone_of
from reader.scoring.ranked_order import RankCursor, page_by_adjusted_relevance, page_by_importance
from reader.scoring.rating import rates_of
from reader.stories.list_page import stories_page
from rssmanager.api import streams
from rssmanager.api.access import Caller, as_number
from rssmanager.api.streams import Stream

MOST = 100  # articles of a list
_OTHERWISE = " (RSS Manager)"


class Listed(StrEnum):
    """The lists and their names as labels."""

    TODAY = "Today"
    FOR_YOU = "For you"
    IMPORTANT = "Important"
    STORIES = "Stories"


@dataclass(frozen=True, slots=True)
class ListPage:
    """The articles of a page, and where the next one continues ("" at the end)."""

    article_ids: Sequence[int]
    following: str = ""


class BadContinuation(Exception):
    """The continuation isn't one of this list."""


def labels(taken: Collection[str]) -> dict[Listed, str]:
    """The labels of the lists beside the user's own folders and tags."""
    keys = {Tag.key_of(name) for name in taken}
    named = {listed: listed if Tag.key_of(listed) not in keys else f"{listed}{_OTHERWISE}" for listed in Listed}
    return {listed: label for listed, label in named.items() if Tag.key_of(label) not in keys}


def list_named(caller: Caller, stream: str) -> Listed | None:
    """Our list of this stream's name; None if it is another stream or the user doesn't want our lists.

    A folder or tag of the user of that name goes first.
    """
    label = streams.label_in(stream)
    name = label.removesuffix(_OTHERWISE)
    if not caller.preferences.apps_get_lists or name not in list(Listed):
        return None
    return None if streams.place_labelled(caller.user, label) else Listed(name)


def list_page(user: User, listed: Listed, *, size: int, after: str, now: datetime) -> ListPage:
    """A page of the list. Asking for the first one of Today opens it as in the interface: a newer one is made if due.

    Raises BadContinuation.
    """
    before, _, place = after.partition("~")
    n_before = int(before) if before.isascii() and before.isdigit() and len(before) < 4 else 0
    if after and not (0 < n_before < MOST and place):
        raise BadContinuation
    if listed is Listed.TODAY and not after:
        open_front_page(user, front_pages(user).first(), zone=time_zone_of(user), now=now)
    if listed is Listed.TODAY:
        return _today_page(user, n_before, place, size)
    size = min(size, MOST - n_before)
    if listed is Listed.STORIES:
        found = _stories_page(user, place, size)
    else:
        found = _ranked_page(user, listed, place, size, now)
    n_so_far = n_before + max(1, len(found.article_ids))  # a page of stories may be empty, but not for ever
    more = found.following and n_so_far < MOST
    return ListPage(found.article_ids, f"{n_so_far}~{found.following}" if more else "")


def delivered(user: User, article_ids: Sequence[int]) -> Stream:
    """A stream of these articles as far as the user's feeds deliver them, to filter it."""
    return Stream(Delivery.objects.filter(user=user, article__in=article_ids))


def articles_of(user: User, listed: Listed, *, now: datetime) -> Sequence[int]:
    """All articles of the list now, without opening it."""
    if listed is Listed.TODAY:
        return _articles_of_today(user)
    return list_page(user, listed, size=MOST, after="", now=now).article_ids


def with_copies(user: User, listed: Listed, *, now: datetime) -> QuerySet[Delivery]:
    """The whole list, and what is folded under its articles: what is marked when the list is."""
    ids = articles_of(user, listed, now=now)
    stories = Article.objects.filter(pk__in=ids, story__isnull=False).values("story")
    inside = Article.objects.filter(story__in=stories)  # as a subquery, or SQLite scans all deliveries of the user
    folded = Delivery.objects.filter(user=user, is_folded=YES, quiet=Quiet.NOT, article__in=inside.values("pk"))
    return Delivery.objects.filter(user=user, article__in={*ids, *folded.values_list("article_id", flat=True)})


def n_unread_today(user: User) -> int:
    """The unread articles of Today."""
    unread = Delivery.objects.filter(user=user, article__in=_articles_of_today(user), is_read=NO)
    return unread.order_by().values("article").distinct().count()


def _articles_of_today(user: User) -> list[int]:
    """The leads of topics; with few of them, the newest articles follow, as on the front page."""
    leads = leads_of_today(user)[:MOST]
    if len(leads) >= FEW_TOPICS:
        return leads
    newest: list[tuple[datetime, int]] = []
    for is_read in (NO, YES):  # as the index separates them
        rows = all_of(user).filter(is_read=is_read).values_list("published_at", "article_id").distinct()
        newest += rows.order_by("-published_at", "-article_id")[: N_LATEST + len(leads)]
    return leads + [pk for _, pk in sorted(newest, reverse=True) if pk not in leads][:N_LATEST]


def _today_page(user: User, n_before: int, place: str, size: int) -> ListPage:
    """`place`: the last article. If it isn't there any more, a newer front page is read from its beginning."""
    ids = _articles_of_today(user)
    start = n_before if ids[max(0, n_before - 1) : n_before] == [as_number(place)] else 0
    shown = ids[start : start + size]
    end = start + len(shown)
    return ListPage(shown, f"{end}~{shown[-1]}" if end < len(ids) else "")


def _ranked_page(user: User, listed: Listed, place: str, size: int, now: datetime) -> ListPage:
    cursor = RankCursor.decode(place)
    if place and cursor is None:
        raise BadContinuation
    rates = rates_of(user)
    if listed is Listed.IMPORTANT:
        ranked = page_by_importance(user, cursor, now=now, rate=rates.recency, size=size)
    else:
        ranked = page_by_adjusted_relevance(user, cursor, now=now, rates=rates.decay, size=size)
    return ListPage(ranked.article_ids, ranked.following.encode() if ranked.following else "")


def _stories_page(user: User, place: str, size: int) -> ListPage:
    cursor = Cursor.decode(place)
    if place and cursor is None:
        raise BadContinuation
    page = stories_page(user, cursor, size=size)
    return ListPage([row.article.pk for row in page.rows], page.next_cursor)
