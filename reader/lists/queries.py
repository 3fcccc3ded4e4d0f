"""The queries behind article lists. Lists page by keyset, with a fixed number of queries per page."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When, Window
from django.db.models.functions import DenseRank

from feeds.fetching.credentials import without_credentials
from feeds.models import Article, Disposition, FeedStatus, Link, Source
from feeds.publishers.attribution import source_name
from feeds.storage.compiled import compiled
from reader.lists.highlight import Piece
from reader.lists.story_badges import RowStory, stories_of
from reader.models import ArticleState, Delivery, Folder, ListOrder, Muted, Quiet, Subscription, Tag, TaggedArticle
from reader.models.subscription import ICON_COLUMN, NAME_COLUMNS
from reader.scoring.ranked_order import (
    RankCursor,
    RankedPage,
    importance_score,
    page_by_adjusted_relevance,
    page_by_importance,
)
from reader.scoring.rating import Rates, Rating, rates_of, rating_of

PAGE_SIZE = 25  # rows
MAX_IN_A_ROW = 2  # rows of one publisher while others are waiting; SPEC §8
RANKED = 1000  # articles of a folder or feed that are sorted by importance
PER_SOURCE, PER_SOURCE_OF = 5, 20  # rows of For you
COUNTED_UP_TO = 1000  # counting stops here, shown as "999+"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_ARTICLE = ("url", "canonical_url", "title", "language", "published_at", "date_uncertain", "revised_at",
               "reading_seconds", "summary", "media", "feed", "source", "story")  # fmt: skip
_OF_ASSESSMENT = ("authority", "depth", "sensitivity")
_SHOWN = (*_OF_ARTICLE, *(f"assessment__{name}" for name in _OF_ASSESSMENT))

# For filters: these become `is_read = 0`. A plain False becomes `NOT is_read`, for which SQLite uses no index.
YES, NO = Value(True), Value(False)

_Any = TypeVar("_Any")
_Dated = TypeVar("_Dated", Delivery, ArticleState, TaggedArticle)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A page starts after this article, in the unread or the read half of a list."""

    is_read: bool
    published_at: datetime
    article_id: int

    def encode(self) -> str:
        micros = (self.published_at - _EPOCH) // timedelta(microseconds=1)
        return f"{'r' if self.is_read else 'u'}.{micros}.{self.article_id}"

    @classmethod
    def decode(cls, text: str) -> "Cursor | None":
        """The cursor in a query string; None if it is missing or invalid."""
        half, _, rest = text.partition(".")
        micros, _, pk = rest.partition(".")
        digits = micros.removeprefix("-")
        if half not in ("u", "r") or not (digits.isascii() and digits.isdigit() and pk.isascii() and pk.isdigit()):
            return None
        if len(digits) > 17 or len(pk) > 18:
            return None
        return cls(half == "r", _EPOCH + timedelta(microseconds=int(micros)), int(pk))


@dataclass(frozen=True, slots=True)
class Row:
    """An article in a list: `source` by the user's name for it, `icon` the digest of its icon, `also_in` the user's
    other feeds that have it.

    `story` is the rest of its story in the user's feeds, None if there is none. Feeds that only other users follow are
    never named. `rating` is current, None before the first assessment, and for copies folded under another article.
    `marked_title` and `snippet` highlight search matches. `is_saved`: it is among the user's saved pages.
    """

    article: Article
    source: str
    is_read: bool
    is_starred: bool
    also_in: tuple[str, ...] = ()
    story: RowStory | None = None
    rating: Rating | None = None
    marked_title: tuple[Piece, ...] = ()
    snippet: tuple[Piece, ...] = ()
    icon: str = ""
    is_saved: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    rows: tuple[Row, ...]
    next_cursor: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    article_id: int
    published_at: datetime
    is_read: bool


def all_of(user: User, *, with_folded: bool = False) -> QuerySet[Delivery]:
    """All articles of a user, each story once; `with_folded`: all articles of a story."""
    everything = Delivery.objects.filter(user=user)
    return everything.filter(quiet=Quiet.NOT) if with_folded else everything.filter(is_folded=NO)


def of_folder(user: User, folder: Folder, *, with_folded: bool = False) -> QuerySet[Delivery]:
    """The articles of a folder, each story once; `with_folded`: all articles of a story."""
    inside = Delivery.objects.filter(folder=folder, user=user)
    return inside.filter(quiet=Quiet.NOT) if with_folded else inside.filter(is_folded_in_folder=NO)


def of_subscription(subscription: Subscription) -> QuerySet[Delivery]:
    """The articles of a feed; stories aren't folded here."""
    return Delivery.objects.filter(subscription=subscription)


def page_of(
    user: User,
    deliveries: QuerySet[Delivery],
    cursor: Cursor | None,
    *,
    now: datetime,
    only_unread: bool = False,
    size: int = PAGE_SIZE,
) -> Page:
    """A page of `deliveries`, each article once: unread first, then read unless `only_unread`, newest first."""
    places: list[_Place] = []
    if cursor is None or not cursor.is_read:
        places = _next_places(deliveries.filter(is_read=NO), cursor, size + 1)
    if len(places) <= size and not only_unread:
        after = cursor if cursor is not None and cursor.is_read else None
        places += _next_places(deliveries.filter(is_read=YES), after, size + 1 - len(places))
    more = len(places) > size
    places = places[:size]
    last = places[-1] if more else None
    following = Cursor(last.is_read, last.published_at, last.article_id).encode() if last else ""
    return Page(_rows(user, places, now), following)


def by_date_page(
    user: User,
    deliveries: QuerySet[Delivery],
    cursor: Cursor | None,
    *,
    now: datetime,
    oldest_first: bool = False,
    only_unread: bool = False,
    size: int = PAGE_SIZE,
) -> Page:
    """A page of `deliveries` by date, read or not unless `only_unread`, each article once.

    The indexes separate read from unread, so this merges a page of each.
    """
    wanted = (NO,) if only_unread else (NO, YES)
    halves = (
        _next_places(deliveries.filter(is_read=value), cursor, size + 1, oldest_first=oldest_first) for value in wanted
    )
    by_id = {place.article_id: place for half in halves for place in half}
    places = sorted(by_id.values(), key=lambda place: (place.published_at, place.article_id), reverse=not oldest_first)
    last = places[size - 1] if len(places) > size else None
    following = Cursor(False, last.published_at, last.article_id).encode() if last else ""
    return Page(_rows(user, places[:size], now), following)


def by_importance_page(
    user: User, deliveries: QuerySet[Delivery], after: str, *, now: datetime, size: int = PAGE_SIZE
) -> Page:
    """A page of the unread `deliveries` of a folder or a feed, most important first, each article once.

    No index has this order, so the newest `RANKED` are read and sorted. Older ones follow, newest first. A cursor is
    the place among the former, and where the latter begin.
    """
    place, _tilde, tail = after.partition("~")
    rank, end = RankCursor.decode(place), Cursor.decode(tail)
    unread = deliveries.filter(is_read=NO)
    best: list[tuple[float, int]] = []
    as_of = rank.as_of if rank else now
    if rank or not end:
        newest = unread.filter(_until(end)) if end else unread
        best, older_from = most_important(user, newest, as_of=as_of, n_newest=2 * RANKED if rank else RANKED)
        end = end if rank else older_from
        best = [one for one in best if not rank or one < (rank.score, rank.article_id)]
    if not best and end:
        older = page_of(user, deliveries, end, now=now, only_unread=True, size=size)
        return replace(older, next_cursor=older.next_cursor and f"~{older.next_cursor}")
    tail = f"~{end.encode()}" if end else ""
    following = f"{RankCursor(as_of, *best[size - 1]).encode()}{tail}" if len(best) > size else tail
    rows = _rows(user, [_Place(pk, now, is_read=False) for _, pk in best[:size]], now)
    return Page(_apart(rows), following)


def most_important(
    user: User, deliveries: QuerySet[Delivery], *, as_of: datetime, n_newest: int = RANKED
) -> tuple[list[tuple[float, int]], Cursor | None]:
    """Importance and id of the newest articles, most important first, and where older ones begin, if there are any."""
    columns = ("article_id", "published_at", "static_importance", "newest_at", "date_uncertain", "n_publishers")
    rows = deliveries.order_by("-published_at", "-article_id").values_list(*columns)[:n_newest]
    rate = rates_of(user).recency
    scores: dict[int, float] = {}
    for pk, at, static, newest_at, is_uncertain, n_publishers in rows:
        scores[pk] = importance_score(
            static or 0.0,
            newest_at or at,
            is_uncertain=is_uncertain,
            n_publishers=n_publishers,
            now=as_of,
            rate=rate,
        )
    best = sorted(((score, pk) for pk, score in scores.items()), reverse=True)
    return best, Cursor(False, rows[n_newest - 1][1], rows[n_newest - 1][0]) if len(rows) == n_newest else None


def _next_places(
    half: QuerySet[Delivery], cursor: Cursor | None, size: int, *, oldest_first: bool = False
) -> list[_Place]:
    """The next `size` different articles; several subscriptions can deliver the same one."""
    places: dict[int, _Place] = {}
    order = ("published_at", "article_id") if oldest_first else ("-published_at", "-article_id")
    while len(places) < size:
        remaining = half if cursor is None else half.filter(newer_than(cursor) if oldest_first else older_than(cursor))
        rows = list(remaining.order_by(*order).values_list("article_id", "published_at", "is_read")[: 2 * size])
        for pk, published_at, is_read in rows:
            places.setdefault(pk, _Place(pk, published_at, is_read))
        if len(rows) < 2 * size:
            break
        cursor = Cursor(rows[-1][2], rows[-1][1], rows[-1][0])
    return list(places.values())[:size]


def place_of(deliveries: QuerySet[Delivery], article: Article) -> datetime:
    """Where the article is in these lists by date; one query if its date is uncertain."""
    if not article.date_uncertain:
        return article.published_at
    placed = deliveries.filter(article=article).order_by("-published_at").values_list("published_at", flat=True)
    return placed.first() or article.published_at


def older_than(cursor: Cursor, field: str = "published_at") -> Q:
    """A filter for what follows the cursor, newest first."""
    return Q(**{f"{field}__lte": cursor.published_at}) & (
        Q(**{f"{field}__lt": cursor.published_at}) | Q(article_id__lt=cursor.article_id)
    )


def _until(cursor: Cursor) -> Q:
    return Q(published_at__gte=cursor.published_at) & (
        Q(published_at__gt=cursor.published_at) | Q(article_id__gte=cursor.article_id)
    )


def newer_than(cursor: Cursor, field: str = "published_at") -> Q:
    """A filter for what precedes the cursor, newest first."""
    return Q(**{f"{field}__gte": cursor.published_at}) & (
        Q(**{f"{field}__gt": cursor.published_at}) | Q(article_id__gt=cursor.article_id)
    )


def important_page(user: User, cursor: RankCursor | None, *, now: datetime, size: int = PAGE_SIZE) -> Page:
    """Unread articles, most important first, spread over their publishers."""
    rate = rates_of(user).recency
    page = _ranked_page(user, page_by_importance(user, cursor, now=now, rate=rate, size=size), now)
    return replace(page, rows=_apart(page.rows))


def for_you_page(user: User, cursor: RankCursor | None, *, now: datetime, size: int = PAGE_SIZE) -> Page:
    """Unread articles, highest time-adjusted relevance first.

    Of `PER_SOURCE_OF` rows at most `PER_SOURCE` are of one source, as long as the page has others.
    """
    rates = rates_of(user).decay
    page = _ranked_page(user, page_by_adjusted_relevance(user, cursor, now=now, rates=rates, size=size), now)
    return replace(page, rows=tuple(varied(page.rows, _publisher, most=PER_SOURCE, of=PER_SOURCE_OF)))


def _apart(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(varied(rows, _publisher, most=MAX_IN_A_ROW, of=MAX_IN_A_ROW + 1))


def varied(rows: Sequence[_Any], publisher: Callable[[_Any], object], *, most: int, of: int) -> list[_Any]:
    """The rows in their order, but of any `of` in a row at most `most` of one publisher while others follow."""
    waiting, found = list(rows), list[_Any]()
    while waiting:
        recent = Counter(publisher(row) for row in found[max(0, len(found) + 1 - of) :])
        chosen = next((row for row in waiting if recent[publisher(row)] < most), waiting[0])
        waiting.remove(chosen)
        found.append(chosen)
    return found


def _publisher(row: Row) -> int | str:
    return row.article.source_id or row.source


def _ranked_page(user: User, ranked: RankedPage, now: datetime) -> Page:
    places = [_Place(pk, now, is_read=False) for pk in ranked.article_ids]
    return Page(_rows(user, places, now), ranked.following.encode() if ranked.following else "")


def starred_page(
    user: User, cursor: Cursor | None, *, now: datetime, order: str = ListOrder.STARRED, size: int = PAGE_SIZE
) -> Page:
    """Starred articles, read or not: last starred first, or by date."""
    states = ArticleState.objects.filter(user=user, is_starred=True)
    field = "starred_at" if order == ListOrder.STARRED else "article__published_at"
    found = _dated_rows(states, cursor, size + 1, field=field, oldest_first=order == ListOrder.OLDEST)
    return _page_of_dated(user, [(pk, at or _EPOCH) for pk, at in found], size, now)


def tagged_page(
    user: User,
    tag: Tag,
    cursor: Cursor | None,
    *,
    now: datetime,
    oldest_first: bool = False,
    size: int = PAGE_SIZE,
) -> Page:
    """Articles with a tag, read or not, by date."""
    tagged = TaggedArticle.objects.filter(user=user, tag=tag)
    return _page_of_dated(user, _dated_rows(tagged, cursor, size + 1, oldest_first=oldest_first), size, now)


def _dated_rows(
    rows: QuerySet[_Dated],
    cursor: Cursor | None,
    size: int,
    *,
    field: str = "published_at",
    oldest_first: bool = False,
) -> list[tuple[int, datetime]]:
    """The next `size` articles and their dates in `field`."""
    if cursor is not None:
        rows = rows.filter(newer_than(cursor, field) if oldest_first else older_than(cursor, field))
    order = (field, "article_id") if oldest_first else (f"-{field}", "-article_id")
    return list(rows.order_by(*order).values_list("article_id", field)[:size])


def muted_page(user: User, cursor: Cursor | None, *, now: datetime, size: int = PAGE_SIZE) -> Page:
    """Articles muted by rules, newest first, each once."""
    muted = Muted.objects.filter(user=user).order_by().values_list("article_id", "published_at").distinct()
    if cursor is not None:
        muted = muted.filter(older_than(cursor))
    return _page_of_dated(user, list(muted.order_by("-published_at", "-article_id")[: size + 1]), size, now)


def rows_of(user: User, dated: Sequence[tuple[int, datetime]], *, now: datetime) -> tuple[Row, ...]:
    """Rows of these articles and dates, in this order."""
    return _page_of_dated(user, dated, len(dated), now).rows


def _page_of_dated(user: User, found: Sequence[tuple[int, datetime]], size: int, now: datetime) -> Page:
    """A page of articles and dates, in this order; a row beyond `size` only means that there are more."""
    read = ArticleState.objects.filter(user=user, article__in=[pk for pk, _ in found], is_read=True)
    are_read = set(read.values_list("article_id", flat=True))
    places = [_Place(pk, published_at, pk in are_read) for pk, published_at in found[:size]]
    last = places[-1] if len(found) > size else None
    following = Cursor(False, last.published_at, last.article_id).encode() if last else ""
    return Page(_rows(user, places, now), following)


def selection_of(user: User, folder: Folder, *, now: datetime) -> list[tuple[str, tuple[Row, ...]]]:
    """The newest stories of each category in a folder, up to the folder's limit (feeds.yaml's selection)."""
    limit = folder.item_limit_per_category or PAGE_SIZE
    rank = Window(
        DenseRank(), partition_by=F("subscription__category"), order_by=(F("published_at").desc(), F("article").desc())
    )
    ranked = of_folder(user, folder).annotate(rank=rank).filter(rank__lte=limit)
    rows = ranked.order_by("subscription__category", "-published_at", "-article_id")
    chosen: dict[str, dict[int, _Place]] = {}
    for category, pk, published_at, is_read in rows.values_list(
        "subscription__category", "article_id", "published_at", "is_read"
    ):
        chosen.setdefault(category, {}).setdefault(pk, _Place(pk, published_at, is_read))
    places = {pk: place for category in chosen.values() for pk, place in category.items()}
    rows_by_id = {row.article.pk: row for row in _rows(user, list(places.values()), now)}
    return [(category, tuple(rows_by_id[pk] for pk in ids)) for category, ids in chosen.items()]


def row_of(user: User, article: Article, *, now: datetime) -> Row:
    """One article as a row."""
    is_read = ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
    place = _Place(article.pk, article.published_at, is_read)
    return _rows(user, [place], now, loaded={article.pk: article})[0]


@dataclass(frozen=True, slots=True)
class _Copy:
    """An article's delivery by one subscription, as plain values: a page has many."""

    feed_id: int
    title: str
    has_own_title: bool
    feed_title: str
    feed_url: str
    publisher: str | None
    via: str
    icon: str | None
    n_publishers: int
    n_tiers: int
    relevance: float | None
    sensitivity: int | None
    is_folded: bool
    is_folded_in_folder: bool
    feed_status: str

    @property
    def name(self) -> str:
        """See `Subscription.source_name`."""
        named = source_name(self.title, self.publisher, self.feed_title, self.via, is_own=self.has_own_title)
        return named or without_credentials(self.feed_url)


def _rows(
    user: User, places: Sequence[_Place], now: datetime, *, loaded: Mapping[int, Article] | None = None
) -> tuple[Row, ...]:
    ids = [place.article_id for place in places]
    articles = loaded or {article.pk: article for article in _articles(ids)}
    starred = set(_starred(user.pk, ids))
    copies_of = _load_copies(user, ids)
    published = {pk for pk, copies in copies_of.items() if any(copy.feed_status != FeedStatus.SAVED for copy in copies)}
    undelivered = {article.source_id for pk, article in articles.items() if pk not in published} - {None}
    sources = Source.objects.in_bulk(undelivered) if undelivered else {}
    stories = stories_of(user, articles)
    rates = rates_of(user)
    unrated = _folded_copies(user, copies_of)
    rows = []
    for place in places:
        article = articles[place.article_id]
        copies = copies_of.get(place.article_id, [])
        own = {copy.feed_id: copy for copy in copies if copy.feed_status != FeedStatus.SAVED}
        chosen = own.get(article.feed_id or 0) or next(iter(own.values()), None)
        source = chosen.name if chosen is not None else str(sources.get(article.source_id or 0, ""))
        also = tuple(dict.fromkeys(copy.name for copy in own.values() if copy.name != source))
        is_starred = place.article_id in starred
        rating = None if place.article_id in unrated else _rating(article, copies, now, rates)
        story, icon = stories.get(place.article_id), (chosen and chosen.icon) or ""
        is_saved = len(own) < len({copy.feed_id for copy in copies})
        rows.append(Row(article, source, place.is_read, is_starred, also, story, rating, icon=icon, is_saved=is_saved))
    return tuple(rows)


@compiled
def _articles(ids: Collection[int]) -> QuerySet[Article]:
    return Article.objects.filter(pk__in=ids).select_related("assessment").only(*_SHOWN)


@compiled
def _starred(user: int, articles: Collection[int]) -> QuerySet[ArticleState, int]:
    return ArticleState.objects.filter(user=user, article__in=articles, is_starred=True).values_list(
        "article_id", flat=True
    )


def _folded_copies(user: User, copies_of: Mapping[int, Sequence[_Copy]]) -> set[int]:
    """Articles folded in every list under another of which they are a near-duplicate: they have its score (SPEC §8)."""
    folded = [
        pk for pk, copies in copies_of.items() if all(copy.is_folded and copy.is_folded_in_folder for copy in copies)
    ]
    if not folded:
        return set()
    links = Link.objects.filter(disposition=Disposition.NEAR_DUPLICATE)
    mine = Delivery.objects.filter(user=user)
    ones = links.filter(Exists(mine.filter(article=OuterRef("other"))), one__in=folded).values_list("one_id")
    others = links.filter(Exists(mine.filter(article=OuterRef("one"))), other__in=folded).values_list("other_id")
    return {pk for (pk,) in ones.union(others)}


def _rating(article: Article, copies: Sequence[_Copy], now: datetime, rates: Rates) -> Rating | None:
    assessment = getattr(article, "assessment", None)
    if assessment is None:
        return None
    first = copies[0] if copies else None
    return rating_of(
        assessment,
        n_publishers=first.n_publishers if first else 1,
        n_tiers=first.n_tiers if first else 1,
        relevance=first.relevance if first else None,
        sensitivity=first.sensitivity if first else None,
        published_at=article.published_at,
        date_uncertain=article.date_uncertain,
        now=now,
        rates=rates,
    )


def feed_names(user: User, ids: Sequence[int]) -> dict[int, dict[int, str]]:
    """By article and feed, the names of the user's feeds that delivered it."""
    return {pk: {copy.feed_id: copy.name for copy in copies} for pk, copies in _load_copies(user, ids).items()}


def _load_copies(user: User, ids: Sequence[int]) -> dict[int, list[_Copy]]:
    """The deliveries of each article to the user, earliest first."""
    copies: dict[int, list[_Copy]] = {}
    for article, *copy in _copies(user.pk, ids):
        copies.setdefault(article, []).append(_Copy(*copy))
    return copies


@compiled
def _copies(user: int, articles: Collection[int]) -> QuerySet[Delivery, tuple[Any, ...]]:
    of_feed = ("feed", "title", *NAME_COLUMNS, ICON_COLUMN)
    columns = (f"subscription__{column}" for column in of_feed)
    ratings = ("n_publishers", "n_tiers", "relevance", "sensitivity")
    own = (*ratings, "is_folded", "is_folded_in_folder", "subscription__feed__status")
    copies = Delivery.objects.filter(user=user, article__in=articles).order_by("pk")
    return copies.values_list("article", *columns, *own)


def icon_of_row(user: User) -> Subquery:
    """An annotation for articles: `Row.icon`, None without."""
    chosen = Case(When(subscription__feed=F("article__feed"), then=0), default=1)
    copies = Delivery.objects.filter(user=user, article=OuterRef("pk")).order_by(chosen, "pk")
    return Subquery(copies.values(f"subscription__{ICON_COLUMN}")[:1])


def _unread(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery, tuple[datetime, int]]:
    return deliveries.filter(is_read=NO).values_list("published_at", "article").distinct()[:COUNTED_UP_TO]


class CountOf(Subquery):
    """The number of rows of a query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


def unread_of_user() -> Subquery:
    """An annotation for users: their unread articles in all lists, each counted once, up to `COUNTED_UP_TO`."""
    return CountOf(_unread(Delivery.objects.filter(user=OuterRef("pk"), is_folded=NO)))


def unread_in_folder() -> Subquery:
    """An annotation for folders: their unread articles, counted as for users."""
    return CountOf(_unread(Delivery.objects.filter(folder=OuterRef("pk"), is_folded_in_folder=NO)))


def newest_delivery_id() -> int:
    """The id of the latest delivery to any user, 0 before the first."""
    return next(iter(_newest_deliveries()), 0)


@compiled
def _newest_deliveries() -> QuerySet[Delivery, int]:
    return Delivery.everything.order_by("-pk").values_list("pk", flat=True)[:1]
