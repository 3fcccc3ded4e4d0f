"""The Fever API: groups, feeds, icons, items, links, and marking.

An item is the first delivery of an article to the user: its number grows with arrival, which `since_id` relies on, and
an article that several feeds have is one item. Hot links are the user's stories, hotter the more sources they have.

Groups hold feeds, and an item is in one feed, so a choice of articles such as Today can't be a group here: its articles
would have to be sent again as others.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters

from feeds.models import Icon
from reader.articles.enclosures import web_address
from reader.lists.queries import NO, Cursor, all_of, of_folder, of_subscription
from reader.models import ArticleState, Delivery, Folder, Subscription
from reader.stories.list_page import StoryRow, stories_page
from rssmanager.api import access, marking
from rssmanager.api.access import Caller, as_number
from rssmanager.api.items import load_items, plain
from rssmanager.api.streams import each_once
from rssmanager.authentication.models import Scope

PAGE = 50  # items, as Fever has it
MAX_PAGES = 10  # of links
COLDEST = 98.6  # degrees: a link of two sources


@csrf_exempt
@login_not_required
@sensitive_post_parameters()
@cache_control(private=True, no_cache=True)
def fever(request: HttpRequest) -> HttpResponse:
    """Any request of the API; several commands may come at once."""
    caller = access.fever_caller(request, now=timezone.now())
    if caller is None:
        return JsonResponse({"api_version": 3, "auth": 0})
    sent, user = caller.sent, caller.user
    if "mark" in sent and Scope.WRITE in caller.scopes and request.method == "POST":
        _mark(caller)
    polled = Subscription.objects.filter(user=user).aggregate(at=Max("feed__last_success_at"))["at"]
    answer: dict[str, Any] = {"api_version": 3, "auth": 1, "last_refreshed_on_time": _seconds(polled)}
    if "groups" in sent:
        answer["groups"] = [
            {"id": pk, "title": name} for pk, name in Folder.objects.filter(user=user).values_list("pk", "name")
        ]
    if "feeds" in sent:
        answer["feeds"] = _feeds(user)
    if "groups" in sent or "feeds" in sent:
        answer["feeds_groups"] = _feeds_groups(user)
    if "favicons" in sent:
        answer["favicons"] = _favicons(user)
    if "items" in sent:
        answer["total_items"] = _first_deliveries(caller).count()
        answer["items"] = _items(caller)
    if "links" in sent:
        answer["links"] = _links(caller)
    if "unread_item_ids" in sent:
        answer["unread_item_ids"] = _joined(_first_deliveries(caller).filter(is_read=NO))
    if "saved_item_ids" in sent:
        answer["saved_item_ids"] = _joined(_first_deliveries(caller).filter(_starred(user)))
    return JsonResponse(answer)


def _first_deliveries(caller: Caller) -> QuerySet[Delivery]:
    """The items: what the user's lists show, every story once unless they want its copies in apps."""
    return each_once(all_of(caller.user, with_folded=caller.preferences.apps_get_copies))


def _starred(user: User) -> Exists:
    return Exists(ArticleState.objects.filter(user=user, article=OuterRef("article"), is_starred=True))


def _joined(deliveries: QuerySet[Delivery]) -> str:
    return ",".join(map(str, deliveries.order_by("pk").values_list("pk", flat=True)))


def _seconds(at: datetime | None) -> int:
    return int(at.timestamp()) if at else 0


def _feeds(user: User) -> list[dict[str, Any]]:
    mine = Subscription.objects.filter(user=user).select_related("feed").order_by("pk")
    with_icon = set(_icons(user).values_list("pk", flat=True))
    return [
        {
            "id": row.pk,
            "favicon_id": row.feed.icon_id if row.feed.icon_id in with_icon else 0,
            "title": plain(row.shown_title),
            "url": row.feed.shown_url,
            "site_url": web_address(row.feed.site_url),
            "is_spark": 0,
            "last_updated_on_time": _seconds(row.feed.last_success_at),
        }
        for row in mine
    ]


def _feeds_groups(user: User) -> list[dict[str, Any]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    filed = Subscription.objects.filter(user=user, folder__isnull=False).order_by("pk")
    for folder, pk in filed.values_list("folder_id", "pk"):
        groups[folder].append(pk)
    return [{"group_id": folder, "feed_ids": ",".join(map(str, ids))} for folder, ids in groups.items()]


def _icons(user: User) -> QuerySet[Icon]:
    followed = Subscription.objects.filter(user=user, feed__icon=OuterRef("pk"))
    return Icon.objects.filter(Exists(followed)).exclude(digest="")


def _favicons(user: User) -> list[dict[str, Any]]:
    icons = _icons(user).order_by("pk").values_list("pk", "mime_type", "content")
    return [{"id": pk, "data": f"{kind};base64,{b64encode(bytes(data)).decode()}"} for pk, kind, data in icons]


def _numbers(text: str) -> list[int]:
    return [number for part in text.split(",")[:PAGE] if (number := as_number(part)) is not None]


def _items(caller: Caller) -> list[dict[str, Any]]:
    """The items of `with_ids`, or a page before `max_id`, or after `since_id`."""
    user, sent = caller.user, caller.sent
    if "with_ids" in sent:
        rows = Delivery.objects.filter(user=user, pk__in=_numbers(sent.one("with_ids"))).order_by("pk")
    elif (before := as_number(sent.one("max_id"))) is not None:
        rows = _first_deliveries(caller).filter(pk__lt=before).order_by("-pk")
    else:
        since = as_number(sent.one("since_id")) or 0
        rows = _first_deliveries(caller).filter(pk__gt=since).order_by("pk")
    places = list(rows.values_list("pk", "article_id", "subscription_id", "is_read")[:PAGE])
    ids = [article for _, article, _, _ in places]
    items = {item.article.pk: item for item in load_items(user, caller.preferences, ids)}
    return [
        {
            "id": pk,
            "feed_id": subscription,
            "title": item.title,
            "author": plain(item.article.author),
            "html": item.html,
            "url": item.link,
            "is_saved": int(item.is_starred),
            "is_read": int(is_read),
            "created_on_time": _seconds(item.published_at),
        }
        for pk, article, subscription, is_read in places
        if (item := items.get(article)) is not None
    ]


def _links(caller: Caller) -> list[dict[str, Any]]:
    """The stories of `range` days, from `offset` days ago backwards, a page of them."""
    user, sent = caller.user, caller.sent
    until = caller.now - timedelta(days=sent.number("offset", 0, most=3650))
    since = until - timedelta(days=sent.number("range", 7, most=3650))
    cursor = Cursor(is_read=False, published_at=until, article_id=access.MAX_DATABASE_INTEGER)
    after: Cursor | None = cursor
    rows: tuple[StoryRow, ...] = ()
    for _ in range(max(1, sent.number("page", 1, most=MAX_PAGES))):
        if after is None:
            return []
        page = stories_page(user, after, size=PAGE)
        rows, after = page.rows, Cursor.decode(page.next_cursor)
    rows = tuple(row for row in rows if row.latest_at >= since)
    items = _items_of_stories(user, [row.story_id for row in rows])
    starred = set(
        ArticleState.objects.filter(
            user=user, is_starred=True, article__in=[row.article.pk for row in rows]
        ).values_list("article_id", flat=True)
    )
    return [_link(row, items[row.story_id], is_saved=row.article.pk in starred) for row in rows]


def _items_of_stories(user: User, story_ids: Sequence[int]) -> dict[int, dict[int, tuple[int, int]]]:
    """By story and article, the item and its feed."""
    found: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    deliveries = Delivery.objects.filter(user=user, article__story__in=story_ids).order_by("pk")
    for story, article, pk, feed in deliveries.values_list("article__story", "article_id", "pk", "subscription_id"):
        found[story].setdefault(article, (pk, feed))
    return found


def _link(row: StoryRow, items: dict[int, tuple[int, int]], *, is_saved: bool) -> dict[str, Any]:
    item_id, feed_id = items[row.article.pk]
    return {
        "id": row.story_id,
        "feed_id": feed_id,
        "item_id": item_id,
        "temperature": round(COLDEST + len(row.sources) - 2, 1),
        "is_item": 1,
        "is_local": 1,
        "is_saved": int(is_saved),
        "title": plain(row.article.title),
        "url": web_address(row.article.link),
        "item_ids": ",".join(str(pk) for pk, _ in items.values()),
    }


def _mark(caller: Caller) -> None:
    """An item read, unread, saved or unsaved; a feed or a group read up to `before`. Group 0 is everything."""
    user, sent, now = caller.user, caller.sent, caller.now
    number, state, before = as_number(sent.one("id")), sent.one("as"), sent.arrival("before", is_end=True)
    pk = -1 if number is None else number
    match sent.one("mark"):
        case "item":
            ids = list(Delivery.objects.filter(user=user, pk=pk).values_list("article_id", flat=True))
            if state in ("read", "unread"):
                marking.set_articles_read(user, ids, is_read=state == "read", now=now)
            elif state in ("saved", "unsaved"):
                marking.set_articles_starred(user, ids, is_starred=state == "saved", now=now)
        case "feed" if state == "read":
            for subscription in Subscription.objects.filter(user=user, pk=pk):
                marking.mark_delivered_read(user, of_subscription(subscription), until=before, now=now)
        case "group" if state == "read" and pk == 0:
            marking.mark_delivered_read(user, all_of(user, with_folded=True), until=before, now=now)
        case "group" if state == "read":
            for folder in Folder.objects.filter(user=user, pk=pk):
                inside = of_folder(user, folder, with_folded=True)
                marking.mark_delivered_read(user, inside, until=before, now=now)
