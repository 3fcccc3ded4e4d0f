"""Google Reader's streams: which articles are in one, page by page, and how articles are named.

A stream sorts by date and id and continues after the last one sent, so new articles neither shift a page nor repeat on
it. `ot` and `nt` are about arrival, not publication: a late article with an old date is new to an app. Articles arrive
in lists moments after they are first seen, so `ot` reaches back by `MARGIN`; apps know what they have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, product

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from feeds.models import Feed
from reader.lists.queries import NO, YES, Cursor, all_of, of_folder, of_subscription
from reader.models import ArticleState, Delivery, Folder, Subscription, Tag, TaggedArticle
from rssmanager.api.access import MAX_DATABASE_INTEGER, as_number

MARGIN = timedelta(minutes=15)
MERGED = 1000  # articles; the database sorts a longer page
STATE, LABEL, FEED = "user/-/state/com.google/", "user/-/label/", "feed/"
READING_LIST, READ, STARRED = f"{STATE}reading-list", f"{STATE}read", f"{STATE}starred"
UNREAD = (f"{STATE}kept-unread", f"{STATE}unread", f"{STATE}fresh", f"{STATE}tracking-kept-unread")
_ITEM = "tag:google.com,2005:reader/item/"


def long_id(article_id: int) -> str:
    return f"{_ITEM}{article_id:016x}"


def article_id_of(text: str) -> int | None:
    """The article of an id: long (hexadecimal), or short (decimal, even signed); None if it is invalid.

    A short id of exactly 16 digits is read as hexadecimal: apps that cut off the prefix send it so.
    """
    text = text.strip()
    digits = text.removeprefix(_ITEM)
    if digits != text or len(digits) == 16 or digits.startswith("0x"):
        try:
            number = int(digits, 16) if digits.isascii() and digits.isalnum() and len(digits) <= 18 else -1
        except ValueError:
            return None
    else:
        number = as_number(digits) or -1
    return number if 0 < number <= MAX_DATABASE_INTEGER else None


def article_ids_of(texts: Iterable[str]) -> list[int]:
    """The articles of these ids, each once, without invalid ones."""
    return list(dict.fromkeys(pk for text in texts if (pk := article_id_of(text)) is not None))


def normalized(name: str) -> str:
    """The stream's name with `-` for the user, whose id apps may send instead."""
    parts = name.split("/", 2)
    return f"user/-/{parts[2]}" if len(parts) == 3 and parts[0] == "user" else name


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows with an article each, the column they are sorted by, and those that say when a row arrived.

    `flags`: the columns of deliveries by which the index separates rows before it sorts them.
    """

    rows: QuerySet[Delivery] | QuerySet[ArticleState] | QuerySet[TaggedArticle]
    date: str = "published_at"
    arrival: tuple[str, ...] = ("article__first_seen_at", "subscription__added_at")
    flags: tuple[str, ...] = ("is_read",)


def stream_named(user: User, name: str, *, with_folded: bool = False) -> Stream:
    """A stream of the user, each story once; `with_folded`: all articles of a story. Raises Http404."""
    name = normalized(name)
    everything = all_of(user, with_folded=with_folded)
    flags = ("is_read", "is_folded") if with_folded else ("is_read",)
    if name in ("", READING_LIST):
        return Stream(everything, flags=flags)
    if name == READ:
        return Stream(everything.filter(is_read=YES), flags=flags)
    if name in UNREAD:
        return Stream(everything.filter(is_read=NO), flags=flags)
    if name == STARRED:
        starred = ArticleState.objects.filter(user=user, is_starred=True)
        return Stream(starred, "article__published_at", ("starred_at",))
    if name.startswith(FEED):
        return Stream(of_subscription(subscription_named(user, name)))
    place = place_named(user, name)
    if isinstance(place, Folder):
        flags = ("is_read", "is_folded_in_folder") if with_folded else ("is_read",)
        return Stream(of_folder(user, place, with_folded=with_folded), flags=flags)
    return Stream(TaggedArticle.objects.filter(user=user, tag=place), arrival=("tagged_at",))


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
    since: datetime | None = None,
    until: datetime | None = None,
) -> Stream:
    """The stream without some states and with others only, of articles that arrived in this time."""
    rows = stream.rows
    for name in without:
        rows = rows.filter(_has_state(user, rows.model, normalized(name), wanted=False))
    for name in within:
        rows = rows.filter(_has_state(user, rows.model, normalized(name), wanted=True))
    if since is not None:
        later = Q()
        for column in stream.arrival:
            later |= Q(**{f"{column}__gte": since - MARGIN})
        rows = rows.filter(later)
    if until is not None:
        rows = rows.filter(**{f"{column}__lte": until for column in stream.arrival})
    return replace(stream, rows=rows)


def _has_state(user: User, model: type, state: str, *, wanted: bool) -> Q:
    """A filter for rows whose article has the state, or doesn't; all rows for other names."""
    if state == READ or state in UNREAD:
        is_read = wanted == (state == READ)
        if model is not TaggedArticle:
            return Q(is_read=YES if is_read else NO)
        read = Exists(ArticleState.objects.filter(user=user, article=OuterRef("article"), is_read=True))
        return Q(read) if is_read else ~Q(read)
    if state == STARRED:
        starred = Exists(ArticleState.objects.filter(user=user, article=OuterRef("article"), is_starred=True))
        return Q(starred) if wanted else ~Q(starred)
    return Q()


def page_of(stream: Stream, *, size: int, after: Cursor | None, oldest_first: bool = False) -> tuple[list[int], str]:
    """The articles of a page, each once, and where the next one continues ("" at the end)."""
    date, rows = stream.date, stream.rows
    if after is not None:
        towards = "gt" if oldest_first else "lt"
        at, pk = after.published_at, after.article_id
        beyond = Q(**{f"{date}__{towards}": at}) | Q(**{date: at, f"article_id__{towards}": pk})
        rows = rows.filter(Q(**{f"{date}__{towards}e": at}) & beyond)
    order = (date, "article_id") if oldest_first else (f"-{date}", "-article_id")
    places: list[tuple[datetime, int]]
    if rows.model is Delivery and size <= MERGED:  # the indexes separate read from unread, so no part has to be sorted
        flags = (
            dict(zip(stream.flags, values, strict=True)) for values in product((NO, YES), repeat=len(stream.flags))
        )
        parts = (rows.filter(**values).order_by(*order).values_list(date, "article_id") for values in flags)
        places = sorted(chain(*(part[: size + 1] for part in parts)), reverse=not oldest_first)
    else:  # ids alone, which is lighter, and then the date of the last one
        ids = list(rows.order_by(*order).values_list("article_id", flat=True)[: size + 1])
        if len(ids) <= size:
            return list(dict.fromkeys(ids)), ""
        last = stream.rows.filter(article=ids[size - 1]).values_list(date, flat=True)[0]
        return list(dict.fromkeys(ids[:size])), Cursor(False, last, ids[size - 1]).encode()
    ids = list(dict.fromkeys(pk for _, pk in places[:size]))
    return ids, Cursor(False, *places[size - 1]).encode() if len(places) > size else ""
