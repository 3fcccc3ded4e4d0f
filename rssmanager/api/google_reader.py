"""The Google Reader API as FreshRSS has it, which most reading apps speak.

Apps choose FreshRSS or Google Reader and give `/api/greader.php`, `/api/greader` or the site's address. Folders and
tags are both labels here; a name that is both means the folder, except on articles.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db.models import F, OuterRef, Subquery, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import conditional_page

from feeds.errors import ImportFileError
from feeds.fetching.credentials import without_credentials
from feeds.tasks.enqueue import call_worker
from reader.articles.enclosures import files_of, web_address
from reader.articles.tags import rename_tag
from reader.errors import ReaderError
from reader.lists.queries import (
    COUNTED_UP_TO,
    NO,
    Cursor,
    all_of,
    of_folder,
    of_subscription,
    unread_in_folder,
    unread_of_user,
)
from reader.models import Delivery, Folder, ImportKind, Subscription, Tag, TaggedArticle
from reader.models.subscription import ICON_COLUMN
from reader.subscriptions.folders import delete_folder, rename_folder
from reader.subscriptions.follow import move, rename
from reader.subscriptions.importer import create_import
from reader.subscriptions.make_folders import folder_named
from reader.subscriptions.opml_export import export_opml
from reader.subscriptions.unfollow import unfollow
from rssmanager.api import access, lists, marking, streams
from rssmanager.api.access import Caller, Parameters
from rssmanager.api.atom import as_atom
from rssmanager.api.icons import icon_address
from rssmanager.api.items import Item, load_items, plain
from rssmanager.api.lists import Listed
from rssmanager.api.quick_add import follow_address, quick_add
from rssmanager.api.streams import FEED, LABEL, READ, READING_LIST, STARRED, UNREAD, Stream
from rssmanager.authentication.app_passwords import token_of
from rssmanager.authentication.models import Scope

logger = logging.getLogger(__name__)
PAGE, MAX_PAGE = 20, 1000  # articles with their text
MAX_IDS = 200_000  # ids in one answer; RSS Guard wants as many
MAX_ITEMS = 10_000  # articles by id in one call


class BadRequest(Exception):
    """What was sent makes no sense; its message is for the app's log."""


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
    if name not in _WRITING:
        logger.debug("unknown call of an app: %s %s", request.method, name[:200])
        raise Http404
    if request.method != "POST":
        return _text("Send this as POST", status=405, headers={"Allow": "POST"})
    scope, write = _WRITING[name]
    if scope not in caller.scopes:
        return _text("This app password may not do that", status=403)
    return write(caller)


def _text(text: str, *, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers=headers)


def _ok() -> HttpResponse:
    return _text("OK")


# Reading


def _token(caller: Caller) -> HttpResponse:
    """The token that writing calls send as `T`. The header is what counts: no cookie signs anyone in here."""
    return _text(f"{caller.user.pk}".zfill(57))


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
            "url": row.feed.shown_url,
            "htmlUrl": web_address(row.feed.site_url),
            "iconUrl": icon_address(row.icon),
            "sortid": f"{row.pk:08x}",
            "firstitemmsec": "0",
        }
        for row in mine
    ]
    return JsonResponse({"subscriptions": rows})


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
    return JsonResponse({"tags": [row | {"sortid": f"{at:08x}"} for at, row in enumerate(rows, 1)]})


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
    newest = Delivery.objects.filter(subscription=OuterRef("pk"), is_read=NO).order_by("-published_at")
    rows = Subscription.objects.filter(user=user).annotate(newest=Subquery(newest.values("published_at")[:1]))
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


def _list_named(caller: Caller, name: str) -> Listed | None:
    """Our list of this name, None if it is another stream or the user doesn't want them."""
    if not caller.preferences.apps_get_lists:
        return None
    return lists.list_labelled(caller.user, streams.label_in(name))


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
    try:
        page = lists.list_page(caller.user, listed, size=size, after=caller.sent.one("c"), now=caller.now)
    except lists.BadContinuation as error:
        raise BadRequest("Invalid continuation") from error
    delivered = _filtered(caller, lists.delivered(caller.user, page.article_ids))
    left = set(delivered.rows.values_list("article_id", flat=True))
    return [pk for pk in page.article_ids if pk in left], page.following


def _filtered(caller: Caller, stream: Stream) -> Stream:
    sent = caller.sent
    return streams.filtered(
        caller.user,
        stream,
        without=sent.all("xt"),
        within=sent.all("it"),
        since=sent.moment("ot"),
        until=sent.moment("nt"),
    )


def _item_ids(caller: Caller) -> HttpResponse:
    """The ids of a stream alone. Read You names a state as `it`, without a stream."""
    name = caller.sent.one("s")
    ids, continuation = _page(caller, name, _list_named(caller, name), size=PAGE, most=MAX_IDS)
    refs = ",".join(f'{{"id":"{pk}"}}' for pk in ids)
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
    listed = _list_named(caller, name)
    ids, continuation = _page(caller, name, listed, size=PAGE, most=MAX_PAGE)
    items = load_items(caller.user, caller.preferences, ids)
    label = [f"{LABEL}{streams.label_in(name)}"] if listed else []
    return items, [_item(item, label) for item in items], continuation


def _items_by_id(caller: Caller) -> HttpResponse:
    ids = streams.article_ids_of(caller.sent.all("i"))
    if len(ids) > MAX_ITEMS:
        raise BadRequest("Too many ids")
    items = load_items(caller.user, caller.preferences, ids)
    return JsonResponse({"id": READING_LIST, "updated": _updated(items), "items": [_item(item) for item in items]})


def _updated(items: Sequence[Item]) -> int:
    """When the newest of these changed, rather than the time now: an unchanged answer has the same ETag."""
    changed = (item.article.revised_at or item.article.first_seen_at for item in items)
    return int(max((at.timestamp() for at in changed), default=0))


def _item(item: Item, list_label: Sequence[str] = ()) -> dict[str, Any]:
    article, subscription = item.article, item.subscription
    published = int(item.published_at.timestamp())
    usec = int(article.first_seen_at.timestamp() * 10**6)
    folder = subscription.folder if subscription else None
    states = [READING_LIST, READ if item.is_read else UNREAD[0], *([STARRED] if item.is_starred else ())]
    labels = [f"{LABEL}{name}" for name in dict.fromkeys([*([folder.name] if folder else ()), *item.tags])]
    files = files_of(article.media)
    return {
        "id": streams.long_id(article.pk),
        "crawlTimeMsec": str(usec // 1000),
        "timestampUsec": str(usec),
        "published": published,
        "updated": int(article.revised_at.timestamp()) if article.revised_at else published,
        "title": item.title,
        "author": plain(article.author),
        "canonical": [{"href": item.link}],
        "alternate": [{"href": item.link, "type": "text/html"}],
        "categories": [*states, *list_label, *labels],
        "origin": {
            "streamId": f"{FEED}{subscription.pk if subscription else 0}",
            "title": plain(subscription.shown_title) if subscription else "",
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


# Writing


def _edit_tag(caller: Caller) -> HttpResponse:
    """Add states and labels to articles (`a`), and remove others (`r`); without articles, a label is a new folder."""
    user, sent, now = caller.user, caller.sent, caller.now
    ids = streams.article_ids_of(sent.all("i"))
    added = [streams.normalized(name) for name in sent.all("a")]
    removed = [streams.normalized(name) for name in sent.all("r")]
    if not sent.all("i"):
        for name in added:
            folder_named(user, _own_label(caller, name))
        return _ok()
    if READ in added or (READ not in removed and any(name in UNREAD for name in removed)):
        marking.set_articles_read(user, ids, is_read=True, now=now)
    elif READ in removed or any(name in UNREAD for name in added):
        marking.set_articles_read(user, ids, is_read=False, now=now)
    for name in added:
        if name == STARRED:
            marking.set_articles_starred(user, ids, is_starred=True, now=now)
        elif label := _own_label(caller, name):
            marking.tag_all(user, ids, label, now=now)
    for name in removed:
        if name == STARRED:
            marking.set_articles_starred(user, ids, is_starred=False, now=now)
        elif label := streams.label_in(name):
            marking.untag_all(user, ids, label)
    return _ok()


def _own_label(caller: Caller, name: str) -> str:
    """The label of a stream's name, "" if it is none. Raises BadRequest if it is one of our lists."""
    if (listed := _list_named(caller, name)) is not None:
        raise BadRequest(f"{listed} is a list that fills itself. Choose another name.")
    return streams.label_in(name)


def _mark_all_as_read(caller: Caller) -> HttpResponse:
    """A stream up to `ts`, the articles folded in it too. Of our lists, what they have now."""
    user, name = caller.user, streams.normalized(caller.sent.one("s", READING_LIST))
    if (listed := _list_named(caller, name)) is not None:
        deliveries = lists.with_copies(user, listed, now=caller.now)
    elif name == READING_LIST or name in UNREAD:
        deliveries = all_of(user, with_folded=True)
    elif name.startswith(FEED):
        deliveries = of_subscription(streams.subscription_named(user, name))
    elif streams.label_in(name):
        place = streams.place_named(user, name)
        if isinstance(place, Folder):
            deliveries = of_folder(user, place, with_folded=True)
        else:
            tagged = TaggedArticle.objects.filter(user=user, tag=place)
            deliveries = Delivery.objects.filter(user=user, article__in=tagged.values("article"))
    else:
        raise BadRequest("This stream can't be marked as read")
    marking.mark_delivered_read(user, deliveries, until=caller.sent.moment("ts"), now=caller.now)
    return _ok()


def _edit_subscription(caller: Caller) -> HttpResponse:
    """Follow (`subscribe`), unfollow (`unsubscribe`), rename (`t`) or move (`a`, `r`) feeds."""
    user, sent, now = caller.user, caller.sent, caller.now
    labels = [label for name in sent.all("a") if (label := _own_label(caller, name))]
    for name in sent.all("s"):
        match sent.one("ac"):
            case "subscribe":
                folder = folder_named(user, next(iter(labels), ""))
                follow_address(user, name.removeprefix(FEED), title=sent.one("t"), folder=folder, now=now)
            case "unsubscribe":
                unfollow(user, [streams.subscription_named(user, name).pk], now=now)
            case "edit":
                subscription = streams.subscription_named(user, name)
                own = subscription.folder
                if labels:
                    folder = folder_named(user, labels[0])
                else:
                    removed = own is not None and f"{LABEL}{own.name}" in map(streams.normalized, sent.all("r"))
                    folder = None if removed else own
                if title := sent.one("t"):
                    rename(subscription, title=title, folder=folder)
                elif folder != own:
                    move(user, [subscription.pk], folder)
            case _:
                raise BadRequest("Unknown action")
    return _ok()


def _quick_add(caller: Caller) -> HttpResponse:
    """Follow the feed at or behind an address; of several the likeliest, and `others` names the rest."""
    query = caller.sent.one("quickadd").strip().removeprefix(FEED)
    try:
        added = quick_add(caller.user, query, now=caller.now)
    except ReaderError as error:
        return JsonResponse({"query": query, "numResults": 0, "error": str(error)})
    answer = {
        "query": query,
        "numResults": 1,
        "streamId": f"{FEED}{added.subscription.pk}",
        "streamName": plain(added.subscription.shown_title),
    }
    others = [{"url": without_credentials(found.url), "title": plain(found.title)} for found in added.others]
    return JsonResponse(answer | ({"others": others} if others else {}))


def _rename_tag(caller: Caller) -> HttpResponse:
    """Rename a folder or a tag; a folder of that name takes the feeds."""
    name = caller.sent.one("s") or f"{LABEL}{caller.sent.one('t')}"
    place = streams.place_named(caller.user, f"{LABEL}{_own_label(caller, name)}")
    name = _own_label(caller, caller.sent.one("dest"))
    if isinstance(place, Folder):
        rename_folder(place, name, joins=True)
    else:
        rename_tag(place, name)
    return _ok()


def _disable_tag(caller: Caller) -> HttpResponse:
    """Delete folders and tags; their feeds and articles stay."""
    for name in caller.sent.all("s") or [f"{LABEL}{name}" for name in caller.sent.all("t")]:
        place = streams.place_named(caller.user, f"{LABEL}{_own_label(caller, name)}")
        if isinstance(place, Folder):
            delete_folder(place)
        else:
            place.delete()
    return _ok()


def _import(caller: Caller) -> HttpResponse:
    """Follow the feeds of an OPML document; a worker reads it."""
    job = create_import(caller.user, ImportKind.FILE, "OPML", data=caller.sent.body)
    call_worker("reader.tasks.recurring.run_import", job.pk)
    return _ok()


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
_WRITING: dict[str, tuple[Scope, Callable[[Caller], HttpResponse]]] = {
    "edit-tag": (Scope.WRITE, _edit_tag),
    "mark-all-as-read": (Scope.WRITE, _mark_all_as_read),
    "subscription/edit": (Scope.FEEDS, _edit_subscription),
    "subscription/quickadd": (Scope.FEEDS, _quick_add),
    "subscription/import": (Scope.FEEDS, _import),
    "rename-tag": (Scope.FEEDS, _rename_tag),
    "disable-tag": (Scope.FEEDS, _disable_tag),
}
