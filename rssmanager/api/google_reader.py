"""The Google Reader API as FreshRSS has it, which most reading apps speak.

Apps choose FreshRSS or Google Reader and give `/api/greader.php`, `/api/greader` or the site's address. Folders and
tags are both labels here; a name that is both means the folder, except on articles.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db.models import F, OuterRef, Subquery, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import conditional_page

from feeds.errors import ImportFileError
from feeds.models import Item as FeedItem
from reader.articles.enclosures import files_of, web_address
from reader.errors import ReaderError
from reader.lists.queries import COUNTED_UP_TO, Cursor, unread_in_folder, unread_of_user
from reader.models import ArticleState, Folder, Subscription, Tag, TaggedArticle
from reader.models.subscription import ICON_COLUMN
from reader.subscriptions.opml_export import export_opml
from rssmanager.api import access, lists, streams
from rssmanager.api.access import BadRequest, Caller, Parameters
from rssmanager.api.atom import as_atom
from rssmanager.api.editing import WRITING
from rssmanager.api.icons import icon_address
from rssmanager.api.items import Item, load_items, plain, spoken
from rssmanager.api.lists import Listed
from rssmanager.api.streams import FEED, LABEL, READ, READING_LIST, STARRED, UNFOLLOWED, UNREAD, Stream
from rssmanager.authentication.app_passwords import token_of, write_token_of

logger = logging.getLogger(__name__)
PAGE = 20  # articles, if the app names no number
MAX_ITEMS = 10_000  # articles with their text in one answer; FreshRSS has no limit
MAX_IDS = 200_000  # ids in one answer; RSS Guard wants as many


@csrf_exempt
@login_not_required
@sensitive_post_parameters()
@cache_control(private=True, no_cache=True)
@conditional_page
def google_reader(request: HttpRequest, call: str = "") -> HttpResponse:
    """Any call of the API."""
    call, now = call.removeprefix("api/greader.php").strip("/"), timezone.now()  # RSS Guard adds it to any address
    if call == "accounts/ClientLogin":
        return _sign_in(request)
    name = call.removeprefix("reader/").removeprefix("api/0/")
    caller = access.google_reader_caller(request, now=now)
    if caller is None:
        if not call:
            return HttpResponse("OK", content_type="text/plain")  # apps check the address without signing in
        headers = {"Google-Bad-Token": "true", "WWW-Authenticate": "GoogleLogin"}
        return _text("Unauthorized", status=401, headers=headers)
    try:
        return _answer(caller, request, name)
    except Http404:
        return _text("Not found", status=404)
    except (BadRequest, ReaderError, ImportFileError) as error:
        return _text(str(error), status=400)


def _sign_in(request: HttpRequest) -> HttpResponse:
    """`ClientLogin`: a token for an app password."""
    sent = Parameters(request)
    app_password = access.sign_in(request, sent, now=timezone.now())
    if app_password is None:
        return _text("Error=BadAuthentication\n", status=401)
    token = token_of(app_password)
    if sent.one("output") == "json":
        return JsonResponse({"SID": token, "LSID": token, "Auth": token})
    return _text(f"SID={token}\nLSID={token}\nAuth={token}\n")


def _answer(caller: Caller, request: HttpRequest, name: str) -> HttpResponse:
    if name.startswith("stream/contents"):
        return _contents(caller, name.removeprefix("stream/contents").strip("/"))
    if name.startswith("atom/"):
        return _atom(caller, name.removeprefix("atom/").strip("/"), urljoin(settings.BASE_URL, request.path))
    if name in _READING:
        return _READING[name](caller)
    if name not in WRITING:
        logger.debug("unknown call of an app: %s %s", request.method, name[:200])
        raise Http404
    if request.method != "POST":
        return _text("Send this as POST", status=405, headers={"Allow": "POST"})
    scope, write = WRITING[name]
    if scope not in caller.scopes:
        return _text("This app password may not do that", status=403)
    return write(caller) or _text("OK")


def _text(text: str, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers=headers)


# Reading


def _token(caller: Caller) -> HttpResponse:
    """The token that writing calls send as `T`. The header is what counts, if there is one."""
    return _text(write_token_of(caller.app_password, now=caller.now))


def _user_info(caller: Caller) -> HttpResponse:
    user = caller.user
    shown = {"userId": str(user.pk), "userProfileId": str(user.pk), "userName": user.get_username()}
    return JsonResponse(shown | {"userEmail": user.email, "isBloggerUser": False, "signupTimeSec": 0})


def _subscriptions(caller: Caller) -> HttpResponse:
    mine = Subscription.objects.filter(user=caller.user).select_related("feed", "folder").order_by("pk")
    mine = mine.defer("feed__raw_hashes").annotate(icon=F(ICON_COLUMN))
    rows = [
        {
            "id": f"{FEED}{row.pk}",
            "title": plain(row.shown_title),
            "categories": [_label(row.folder.name)] if row.folder else [],
            "url": row.feed.shown_url or urljoin(settings.BASE_URL, reverse("feed", args=[row.pk])),
            "htmlUrl": web_address(row.feed.site_url),
            "iconUrl": icon_address(row.icon),
        }
        for row in mine
    ]
    return JsonResponse({"subscriptions": rows + _unfollowed(caller)})


def _unfollowed(caller: Caller) -> list[dict[str, Any]]:
    """One more subscription, if the user keeps articles of feeds that they don't follow: apps need a feed for each."""
    starred, tagged = ArticleState.objects.filter(is_starred=True), TaggedArticle.objects.all()
    if not (streams.unfollowed(caller.user, starred).exists() or streams.unfollowed(caller.user, tagged).exists()):
        return []
    address = urljoin(settings.BASE_URL, reverse("starred"))
    shown = {"id": UNFOLLOWED, "title": _unfollowed_title(caller), "categories": []}
    return [shown | {"url": address, "htmlUrl": address, "iconUrl": ""}]


def _unfollowed_title(caller: Caller) -> str:
    with spoken(caller.preferences):
        return _("No longer followed")


def _label(name: str) -> dict[str, str]:
    return {"id": f"{LABEL}{name}", "label": name}


def _tags(caller: Caller) -> HttpResponse:
    """The states that are lists, our lists, folders and tags."""
    folders = list(Folder.objects.filter(user=caller.user).values_list("name", flat=True))
    tags = _tag_names(caller.user)
    offered = _list_labels(caller, folders, tags)
    rows = [{"id": STARRED}, {"id": READING_LIST}]
    rows += [{"id": f"{LABEL}{name}", "type": "tag"} for name in offered.values()]
    rows += [{"id": f"{LABEL}{name}", "type": "folder"} for name in folders]
    rows += [{"id": f"{LABEL}{name}", "type": "tag"} for name in tags if name not in folders]
    return JsonResponse({"tags": rows})


def _tag_names(user: User) -> list[str]:
    return list(Tag.objects.filter(user=user).values_list("name", flat=True))


def _list_labels(caller: Caller, folders: Sequence[str], tags: Sequence[str]) -> Mapping[Listed, str]:
    """The labels of our lists beside these; none if the user or the app doesn't want them."""
    is_wanted = caller.preferences.apps_get_lists and caller.reads_labels
    return lists.labels([*folders, *tags]) if is_wanted else {}


def _unread_count(caller: Caller) -> HttpResponse:
    """Counts as the sidebar has them: up to 1,000 of a folder and of all feeds, every story once.

    Of our lists, Today has a count. The others are what is best of everything unread, however much that is.
    """
    user, most = caller.user, COUNTED_UP_TO
    newest = Subquery(FeedItem.objects.filter(pk=OuterRef("delivered_item_id")).values("first_seen_at"))
    rows = Subscription.objects.filter(user=user).annotate(newest=newest)
    counts = [(f"{FEED}{pk}", n, at) for pk, n, at in rows.order_by("pk").values_list("pk", "unread_count", "newest")]
    at_all = max((at for _, _, at in counts if at), default=None)
    if caller.preferences.apps_get_copies:
        folders = Folder.objects.filter(user=user).values_list("name", Sum("subscriptions__unread_count", default=0))
        n_all = sum(n for _, n, _ in counts)
    else:
        folders = Folder.objects.filter(user=user).values_list("name", unread_in_folder())
        [n_all] = User.objects.filter(pk=user.pk).values_list(unread_of_user(), flat=True)
    in_folders = dict(folders)
    counts += [(f"{LABEL}{name}", min(most, n), at_all) for name, n in in_folders.items()]
    if today := _list_labels(caller, list(in_folders), _tag_names(user)).get(Listed.TODAY):
        counts.append((f"{LABEL}{today}", lists.n_unread_today(user), at_all))
    shown = [
        {"id": name, "count": n, "newestItemTimestampUsec": str(int(at.timestamp() * 10**6) if at else 0)}
        for name, n, at in [*counts, (READING_LIST, min(most, n_all), at_all)]
    ]
    return JsonResponse({"max": most, "unreadcounts": shown})


def _export(caller: Caller) -> HttpResponse:
    document = export_opml(caller.user, title="RSS Manager", now=caller.now)
    return HttpResponse(document, content_type="text/xml; charset=utf-8")


def _page(caller: Caller, name: str, listed: Listed | None, *, size: int, most: int) -> tuple[list[int], str]:
    """The articles of a page of a stream or list, and where the next one continues."""
    sent = caller.sent
    size = sent.number("n", size, most=most) or size
    if listed is not None:
        return _list_page(caller, listed, size)
    after = Cursor.decode(continuation) if (continuation := sent.one("c")) else None
    if continuation and after is None:
        raise BadRequest("Invalid continuation")
    stream = streams.stream_named(caller.user, name, with_folded=caller.preferences.apps_get_copies)
    return streams.page_of(_filtered(caller, stream), size=size, after=after, oldest_first=sent.one("r") == "o")


def _list_page(caller: Caller, listed: Listed, size: int) -> tuple[list[int], str]:
    ids: list[int] = []
    following = caller.sent.one("c")
    while True:
        try:
            page = lists.list_page(caller.user, listed, size=size - len(ids), after=following, now=caller.now)
        except lists.BadContinuation as error:
            raise BadRequest("Invalid continuation") from error
        delivered = _filtered(caller, lists.delivered(caller.user, page.article_ids))
        left = set(delivered.rows.values_list("article_id", flat=True))
        ids += [pk for pk in page.article_ids if pk in left]
        following = page.following
        if len(ids) >= size or not following:
            return ids, following


def _filtered(caller: Caller, stream: Stream) -> Stream:
    sent = caller.sent
    return streams.filtered(
        caller.user,
        stream,
        without=sent.all("xt"),
        within=sent.all("it"),
        since=sent.arrival("ot"),
        until=sent.arrival("nt", is_end=True),
    )


def _item_ids(caller: Caller) -> HttpResponse:
    """The ids of a stream alone. Read You names a state as `it`, without a stream."""
    name = caller.sent.one("s")
    ids, continuation = _page(caller, name, lists.list_named(caller, name), size=PAGE, most=MAX_IDS)
    refs = ",".join(f'{{"id":"{streams.short_id(pk)}"}}' for pk in ids)
    end = f',"continuation":"{continuation}"' if continuation else ""
    return HttpResponse(f'{{"itemRefs":[{refs}]{end}}}', content_type="application/json")


def _contents(caller: Caller, name: str) -> HttpResponse:
    """The articles of a stream, named in the path or as `s`."""
    name = name or caller.sent.one("s") or READING_LIST
    items, shown, continuation = _articles(caller, name)
    answer = {"id": name, "updated": _updated(items), "items": shown}
    return JsonResponse(answer | ({"continuation": continuation} if continuation else {}))


def _atom(caller: Caller, name: str, feed_url: str) -> HttpResponse:
    """The articles of a stream as Atom, for Newsboat."""
    items, shown, _ = _articles(caller, name)
    label = streams.label_in(name)
    title = items[0].subscription.shown_title if items and items[0].subscription and not label else label or name
    document = as_atom(items, title=plain(title), feed_url=feed_url, entries=shown)
    return HttpResponse(document, content_type="application/atom+xml; charset=utf-8")


def _articles(caller: Caller, name: str) -> tuple[list[Item], list[dict[str, Any]], str]:
    """The articles of a stream's page, as they are sent, and where the next page continues.

    Those of our lists have its label there, and only there: it says where they stand now.
    """
    listed = lists.list_named(caller, name)
    ids, continuation = _page(caller, name, listed, size=PAGE, most=MAX_ITEMS)
    items = load_items(caller.user, caller.preferences, ids)
    label = [f"{LABEL}{streams.label_in(name)}"] if listed else []
    return items, _shown(caller, items, dict.fromkeys(ids, label)), continuation


def _items_by_id(caller: Caller) -> HttpResponse:
    ids = streams.article_ids_of(caller.sent.all("i"))
    if len(ids) > MAX_ITEMS:
        raise BadRequest("Too many ids")
    items = load_items(caller.user, caller.preferences, ids)
    shown = _shown(caller, items, _labels_of(caller, ids))
    return JsonResponse({"id": READING_LIST, "updated": _updated(items), "items": shown})


def _labels_of(caller: Caller, ids: Collection[int]) -> Mapping[int, list[str]]:
    """By article, the labels of our lists that have it now, which tell apps that load a label's articles by id."""
    folders = Folder.objects.filter(user=caller.user).values_list("name", flat=True)
    found: defaultdict[int, list[str]] = defaultdict(list)
    for listed, name in _list_labels(caller, list(folders), _tag_names(caller.user)).items():
        for pk in lists.articles_of(caller.user, listed, now=caller.now):
            found[pk].append(f"{LABEL}{name}")
    return found


def _updated(items: Sequence[Item]) -> int:
    """When the newest of these changed, rather than the time now: an unchanged answer has the same ETag."""
    changed = (item.article.revised_at or item.article.first_seen_at for item in items)
    return int(max((at.timestamp() for at in changed), default=0))


def _shown(caller: Caller, items: Sequence[Item], labels: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
    """The items as they are sent, with labels of our lists."""
    title = _unfollowed_title(caller) if any(item.subscription is None for item in items) else ""
    return [_item(item, labels.get(item.article.pk, ()), title) for item in items]


def _item(item: Item, list_labels: Sequence[str], unfollowed: str) -> dict[str, Any]:
    article, subscription = item.article, item.subscription
    published = int(item.published_at.timestamp())
    folder = subscription.folder if subscription else None
    states = [READING_LIST, READ if item.is_read else UNREAD[0], *([STARRED] if item.is_starred else ())]
    labels = [f"{LABEL}{name}" for name in dict.fromkeys([*([folder.name] if folder else ()), *item.tags])]
    files = files_of(article.media)
    return {
        "id": streams.long_id(article.pk),
        "crawlTimeMsec": str(item.arrival // 1000),
        "timestampUsec": str(item.arrival),
        "published": published,
        "updated": int(article.revised_at.timestamp()) if article.revised_at else published,
        "title": item.title,
        "author": plain(article.author),
        "canonical": [{"href": item.link}],
        "alternate": [{"href": item.link, "type": "text/html"}],
        "categories": list(dict.fromkeys([*states, *labels, *list_labels])),
        "origin": {
            "streamId": f"{FEED}{subscription.pk}" if subscription else UNFOLLOWED,
            "title": plain(subscription.shown_title) if subscription else unfollowed,
            "htmlUrl": web_address(subscription.feed.site_url) if subscription else "",
        },
        "summary": {"direction": "ltr", "content": item.html},
        "enclosure": [
            {"href": file["url"], "type": file.get("mime_type") or "", "length": file.get("length") or 0}
            for file in files
        ],
    }


def _preferences(caller: Caller) -> HttpResponse:
    return JsonResponse({"prefs": [], "streamprefs": {}})


_READING: dict[str, Callable[[Caller], HttpResponse]] = {
    "token": _token,
    "user-info": _user_info,
    "subscription/list": _subscriptions,
    "subscription/export": _export,
    "tag/list": _tags,
    "unread-count": _unread_count,
    "stream/items/ids": _item_ids,
    "stream/items/contents": _items_by_id,
    "preference/list": _preferences,
    "preference/stream/list": _preferences,
}
