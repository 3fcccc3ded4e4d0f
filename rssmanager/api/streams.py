"""Google Reader's streams: which articles are in one, page by page, and how articles are named.

A stream sorts by arrival, whatever the articles' dates, and continues after the last one sent, so that new articles
neither shift a page nor repeat on it: apps read up to the newest one that they have. `ot` and `nt` are about the same
number (`reader.articles.arrivals`). Starred articles and tags arrive when they are starred and tagged.

An article that several feeds deliver arrives once, first. If it was listed and then folded under another one, it stays
in its streams as read, so that apps mark it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from feeds.models import Feed
from reader.articles.arrivals import arrival_at, moment_of
from reader.lists.queries import NO, YES, Cursor, all_of, of_folder, of_subscription
from reader.models import ArticleState, Delivery, Folder, Subscription, Tag, TaggedArticle
from rssmanager.api.access import as_number

STATE, LABEL, FEED = "user/-/state/com.google/", "user/-/label/", "feed/"
READING_LIST, READ, STARRED = f"{STATE}reading-list", f"{STATE}read", f"{STATE}starred"
UNREAD = (f"{STATE}kept-unread", f"{STATE}unread", f"{STATE}fresh", f"{STATE}tracking-kept-unread")
UNFOLLOWED = f"{FEED}{2**31 - 1}"  # what is kept of feeds that the user doesn't follow; no subscription has this id
_ITEM = "tag:google.com,2005:reader/item/"
LONG = 1000  # articles: a longer page is looked through for repeated ones
_FIRST_ID = 10**15  # so that short ids have the 16 digits of FreshRSS's: Readrops makes long ones from no others

_Kept = TypeVar("_Kept", ArticleState, TaggedArticle)

_IS_READ, _IS_UNREAD = _STATES = Q(is_read=YES), Q(is_read=NO)
_IS_FOLDED_AWAY = Q(is_folded=YES, was_listed=YES)


def long_id(article_id: int) -> str:
    return f"{_ITEM}{article_id + _FIRST_ID:016x}"


def short_id(article_id: int) -> int:
    return article_id + _FIRST_ID


def article_id_of(text: str) -> int | None:
    """The article of an id: long (hexadecimal), or short (decimal); None if it is invalid.

    Apps that cut off the prefix send hexadecimal digits alone, which begin with zeros.
    """
    text = text.strip()
    digits = text.removeprefix(_ITEM)
    if digits != text or digits.startswith("0"):
        try:
            number = int(digits, 16) if digits.isascii() and digits.isalnum() and len(digits) <= 18 else -1
        except ValueError:
            return None
    else:
        number = as_number(digits) or -1
    return number % _FIRST_ID or None if 0 < number < 2 * _FIRST_ID else None


def article_ids_of(texts: Iterable[str]) -> list[int]:
    """The articles of these ids, each once, without invalid ones."""
    return list(dict.fromkeys(pk for text in texts if (pk := article_id_of(text)) is not None))


def normalized(name: str) -> str:
    """The stream's name with `-` for the user, whose id apps may send instead."""
    parts = name.split("/", 2)
    return f"user/-/{parts[2]}" if len(parts) == 3 and parts[0] == "user" else name


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows with an article each, the column of their arrival, and which of them apps take for read and for unread.

    `repeats`: deliveries of which only the first one of an article counts. `is_since`: the stream begins at a time.
    """

    rows: QuerySet[Delivery] | QuerySet[ArticleState] | QuerySet[TaggedArticle]
    arrival: str = "arrival"
    read: Q = _IS_READ | _IS_FOLDED_AWAY
    unread: Q = _IS_UNREAD & ~_IS_FOLDED_AWAY
    repeats: QuerySet[Delivery] | None = None
    is_since: bool = False


def stream_named(user: User, name: str, *, with_folded: bool = False) -> Stream:
    """A stream of the user, each story once; `with_folded`: all articles of a story. Raises Http404."""
    name = normalized(name)
    if name == UNFOLLOWED:
        return Stream(unfollowed(user, ArticleState.objects.filter(is_starred=True)), "starred_at", *_STATES)
    if name == STARRED:
        return Stream(ArticleState.objects.filter(user=user, is_starred=True), "starred_at", *_STATES)
    if name in ("", READING_LIST, READ, *UNREAD):
        everything = _everything(user, with_folded=with_folded)
        return filtered(user, everything, within=[name]) if name in (READ, *UNREAD) else everything
    states = _STATES if with_folded else ()
    if name.startswith(FEED):
        return Stream(of_subscription(subscription_named(user, name)), "arrival", *states)
    place = place_named(user, name)
    if isinstance(place, Folder):
        inside = of_folder(user, place, with_folded=with_folded)
        return Stream(inside, "arrival", *states, repeats=inside)  # type: ignore[misc]  # no states or two
    is_read = Exists(ArticleState.objects.filter(user=user, article=OuterRef("article"), is_read=True))
    return Stream(TaggedArticle.objects.filter(user=user, tag=place), "tagged_at", Q(is_read), ~Q(is_read))


def _everything(user: User, *, with_folded: bool) -> Stream:
    if with_folded:
        copies = all_of(user, with_folded=True)
        return Stream(copies, "arrival", *_STATES, repeats=copies)
    listed = Delivery.objects.filter(Q(is_folded=False) | Q(was_listed=True), user=user)
    read = _IS_READ & Q(is_folded=NO) | _IS_FOLDED_AWAY
    return Stream(listed, read=read, unread=_IS_UNREAD & Q(is_folded=NO), repeats=listed)


def each_once(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery]:
    """Of each article, its first delivery among these."""
    return deliveries.filter(_is_first(deliveries))


def _is_first(deliveries: QuerySet[Delivery]) -> Q:
    return ~Q(Exists(deliveries.filter(article=OuterRef("article"), pk__lt=OuterRef("pk"))))


def unfollowed(user: User, rows: QuerySet[_Kept]) -> QuerySet[_Kept]:
    """Those of the user's rows whose article no feed delivers that they follow."""
    followed = Delivery.objects.filter(user=user, article=OuterRef("article"))
    return rows.filter(~Exists(followed), user=user)


def subscription_named(user: User, name: str) -> Subscription:
    """The user's subscription `feed/` with its id or its address. Raises Http404."""
    rest = name.removeprefix(FEED)
    number = as_number(rest)
    which = Q(pk=number) if number is not None else Q(feed__url_key=Feed.key_of(rest))
    found = Subscription.objects.filter(which, user=user).select_related("feed", "folder").first()
    if found is None:
        raise Http404
    return found


def place_named(user: User, name: str) -> Folder | Tag:
    """The user's folder of this label, else the tag. Raises Http404."""
    found = place_labelled(user, label_in(name))
    if found is None:
        raise Http404
    return found


def place_labelled(user: User, label: str) -> Folder | Tag | None:
    """The user's folder of this name, else the tag; None if there is neither."""
    if not label:
        return None
    return (
        Folder.objects.filter(user=user, name=label).first()
        or Tag.objects.filter(user=user, key=Tag.key_of(label)).first()
    )


def label_in(name: str) -> str:
    """The label of a stream's name, "" if it is no label."""
    name = normalized(name)
    return name.removeprefix(LABEL) if name.startswith(LABEL) else ""


def filtered(
    user: User,
    stream: Stream,
    *,
    without: Sequence[str] = (),
    within: Sequence[str] = (),
    since: int | None = None,
    until: int | None = None,
) -> Stream:
    """The stream without some states and with others only, of what arrived in this time."""
    rows = stream.rows
    for name in without:
        rows = rows.filter(_has_state(user, stream, normalized(name), wanted=False))
    for name in within:
        rows = rows.filter(_has_state(user, stream, normalized(name), wanted=True))
    if since is not None:
        rows = rows.filter(**{f"{stream.arrival}__gte": _value(stream, since)})
    if until is not None:
        rows = rows.filter(**{f"{stream.arrival}__lte": _value(stream, until)})
    return replace(stream, rows=rows, is_since=since is not None)


def _has_state(user: User, stream: Stream, state: str, *, wanted: bool) -> Q:
    """A filter for rows whose article has the state, or doesn't; all rows for other names."""
    if state == READ or state in UNREAD:
        return stream.read if wanted == (state == READ) else stream.unread
    if state == STARRED:
        starred = Exists(ArticleState.objects.filter(user=user, article=OuterRef("article"), is_starred=True))
        return Q(starred) if wanted else ~Q(starred)
    return Q()


def page_of(stream: Stream, *, size: int, after: Cursor | None, oldest_first: bool = False) -> tuple[list[int], str]:
    """The articles of a page, and where the next one continues ("" at the end)."""
    arrival, rows = stream.arrival, stream.rows
    order = (arrival, "article_id") if oldest_first else (f"-{arrival}", "-article_id")
    if stream.repeats is not None:
        if size > LONG and after is None and not stream.is_since:
            ids = list(rows.order_by(*order).values_list("article_id", flat=True)[: size + 1])
            if len(ids) <= size:  # the whole stream, with the first delivery of each article
                return list(dict.fromkeys(ids)) if oldest_first else list(dict.fromkeys(ids[::-1]))[::-1], ""
        rows = rows.filter(_is_first(stream.repeats))
    if after is not None:
        towards = "gt" if oldest_first else "lt"
        at = _value(stream, arrival_at(after.published_at))
        beyond = Q(**{f"{arrival}__{towards}": at}) | Q(**{f"article_id__{towards}": after.article_id})
        rows = rows.filter(Q(**{f"{arrival}__{towards}e": at}) & beyond)
    places = list(rows.order_by(*order).values_list(arrival, "article_id")[: size + 1])
    following = ""
    if len(places) > size:
        at, pk = places[size - 1]
        following = Cursor(False, at if isinstance(at, datetime) else moment_of(at), pk).encode()
    return [pk for _, pk in places[:size]], following


def _value(stream: Stream, arrival: int) -> int | datetime:
    """A number of arrival as the stream's column has it."""
    return arrival if stream.rows.model is Delivery else moment_of(arrival)
